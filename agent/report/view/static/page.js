"use strict";
// Small pieces that the pages are made of. Text only ever becomes text: nothing here sets markup.

const el = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
};

const api = async (path, query = {}) => {
  const response = await fetch(`api/${path}?${new URLSearchParams(query)}`);
  const value = await response.json();
  if (!response.ok) throw new Error(value.error || response.statusText);
  return value;
};

const count = (value) => (value === null || value === undefined ? "–" : value.toLocaleString("en"));
const seconds = (value) => (value === null || value === undefined ? "–" : value < 1 ? `${(1000 * value).toFixed(0)} ms` : `${value.toFixed(value < 100 ? 2 : 0)} s`);
const bytes = (value) => (value < 1024 ? `${value} B` : value < 1 << 20 ? `${(value / 1024).toFixed(1)} KiB` : `${(value / (1 << 20)).toFixed(1)} MiB`);
const words = (text) => (text || "").replaceAll("_", " ");

const OUTCOMES = ["solved", "correctness_failure", "optimization_failure", "no_submission", "owed"];
const outcomeClass = { solved: "solved", correctness_failure: "wrong", optimization_failure: "slow", no_submission: "none", owed: "owed" };

const badge = (outcome, verdict) =>
  el("span", { class: `badge ${outcomeClass[outcome] || ""}` }, verdict || words(outcome));

// A stacked bar; widths are set through the style object, which the policy allows.
const bar = (parts) => {
  const total = OUTCOMES.reduce((sum, key) => sum + (parts[key] || 0), 0);
  const node = el("div", { class: "stack", role: "img", "aria-label": OUTCOMES.map((k) => `${words(k)}: ${parts[k] || 0}`).join(", ") });
  for (const key of OUTCOMES) {
    if (!parts[key]) continue;
    const piece = el("i", { class: outcomeClass[key], title: `${words(key)}: ${parts[key]} of ${total}` });
    piece.style.width = `${(100 * parts[key]) / total}%`;
    node.append(piece);
  }
  return node;
};

const meter = (share, label, over) => {
  const fill = el("i", { class: over ? "over" : "" });
  fill.style.width = `${Math.min(100, 100 * share)}%`;
  return el("div", { class: "meter", title: label }, fill, el("span", {}, label));
};

// A text of a transcript, cut by the server; the rest comes on demand.
const textBlock = (text, more) => {
  const pre = el("pre", { tabindex: "0" }, text.body);
  const inside = [pre];
  if (text.missing) {
    const button = el("button", { type: "button" }, `${count(text.missing)} characters are left out. Load more`);
    button.addEventListener("click", () => more(pre, button));
    inside.push(button);
  }
  const long = text.body.length > 6000;
  if (text.folded) return el("details", { class: "text folded" }, el("summary", {}, `${text.label} (${count(text.body.length + text.missing)} characters)`), ...inside);
  return el("div", { class: `text${long ? " long" : ""}` }, text.label ? el("p", { class: "label" }, text.label) : null, ...inside);
};

const source = (submission) => {
  const pre = el("pre", { class: "code", tabindex: "0" });
  for (const [style, text] of submission.tokens) pre.append(style ? el("span", { class: `t-${style}` }, text) : text);
  return pre;
};
