"use strict";
// Routes: #/ | #/run?name=… | #/attempt?run=…&id=…[&with=…]. State lives in the address alone.

const main = document.getElementById("main");
const crumbs = document.getElementById("crumbs");
const live = document.getElementById("live");
let timer = null;
let turn = 0; // a page that was left must not draw over its successor

const link = (page, query, ...children) => el("a", { href: `#/${page}?${new URLSearchParams(query)}` }, ...children);
const show = (path, ...nodes) => {
  const trail = path.flatMap((node, i) => (i ? [el("span", { class: "sep" }, "/"), node] : [node]));
  crumbs.replaceChildren(...trail);
  main.replaceChildren(...nodes);
};
const fail = (error) => show([], el("div", { class: "problem" }, String(error.message || error)));

async function runs() {
  const list = await api("runs");
  document.title = "frontier-agent: runs";
  const rows = list.map((run) => el("tr", {},
    el("td", {}, run.error ? run.title : link("run", { name: run.name }, run.title)),
    run.error ? el("td", { colspan: 4, class: "soft" }, run.error) : [
      el("td", { class: "num" }, count(run.cells)),
      el("td", { class: "num" }, count(run.planned)),
      el("td", { class: "num" }, count(run.generated)),
      el("td", { class: "num" }, run.last ? new Date(1000 * run.last).toLocaleString() : "–"),
    ]));
  show([el("span", {}, "runs")],
    el("h1", {}, "Runs"),
    list.length
      ? el("div", { class: "card scroll" }, el("table", {},
        el("thead", {}, el("tr", {}, ["run", "cells", "planned", "generated", "last"].map((t, i) => el("th", { class: i ? "num" : "" }, t)))),
        el("tbody", {}, rows)))
      : el("p", {}, "There is no run below this folder yet."));
}

const filterNames = ["mode", "model", "problem", "outcome", "verdict"];

async function run(query) {
  const name = query.get("name");
  const mine = turn;
  const data = await api("grid", { run: name });
  if (mine !== turn) return;
  document.title = `${data.title}: attempts`;
  const filters = Object.fromEntries(filterNames.map((key) => [key, query.get(key) || ""]));
  const go = (changes) => {
    const next = { name, ...filters, ...changes };
    for (const key of filterNames) if (!next[key]) delete next[key];
    location.hash = `#/run?${new URLSearchParams(next)}`;
  };
  const grid = el("div", { class: "card scroll" });
  const draw = (fresh) => {
    const cell = (model, mode) => fresh.cells.find((c) => c.model === model && c.mode === mode);
    const body = fresh.models.map((model) => el("tr", {}, el("th", { scope: "row" }, model), fresh.modes.map((mode) => {
      const parts = cell(model, mode);
      if (!parts) return el("td", {}, "–");
      const done = OUTCOMES.slice(0, 4).reduce((sum, key) => sum + (parts[key] || 0), 0);
      const rate = done ? `${((100 * (parts.solved || 0)) / done).toFixed(1)} %` : "–";
      const chosen = filters.model === model && filters.mode === mode;
      return el("td", {}, el("button", { class: `cell${chosen ? " chosen" : ""}`, type: "button", onclick: () => go(chosen ? { model: "", mode: "" } : { model, mode }) },
        el("span", { class: "rate" }, rate), el("span", { class: "soft" }, ` ${count(done)} of ${count(done + (parts.owed || 0))}`), bar(parts)));
    })));
    grid.replaceChildren(el("table", { class: "grid" },
      el("thead", {}, el("tr", {}, el("th", {}, ""), fresh.modes.map((m) => el("th", {}, m)))), el("tbody", {}, body)));
    const owed = fresh.cells.reduce((sum, c) => sum + (c.owed || 0), 0);
    live.hidden = !owed;
    return owed;
  };
  const choices = { mode: data.modes, model: data.models, problem: data.problems.map((p) => p.name), outcome: data.outcomes, verdict: data.verdicts };
  const bars = el("div", { class: "filters" }, filterNames.map((key) => {
    const select = el("select", { id: `f-${key}`, onchange: (event) => go({ [key]: event.target.value }) },
      el("option", { value: "" }, `any ${key}`),
      choices[key].map((value) => el("option", { value }, words(value))));
    select.value = filters[key];
    return el("label", {}, el("span", { class: "soft" }, key), select);
  }));
  const body = el("tbody");
  const more = el("button", { type: "button" }, "More");
  let last = 0;
  const load = async () => {
    const page = await api("attempts", { run: name, ...filters, after: last });
    if (mine !== turn) return;
    body.append(...page.rows.map((row) => attemptRow(name, row)));
    if (page.rows.length) last = page.rows[page.rows.length - 1].id;
    more.hidden = !page.more;
    if (!body.rows.length) body.append(el("tr", {}, el("td", { colspan: 9, class: "soft" }, "No attempt matches.")));
  };
  more.addEventListener("click", load);
  show([link("", {}, "runs"), el("span", {}, data.title)],
    el("h1", {}, data.title),
    el("p", { class: "legend" }, OUTCOMES.map((key) => el("span", {}, el("i", { class: `dot ${outcomeClass[key]}` }), words(key))),
      data.errors ? el("span", { class: "soft" }, `${count(data.errors)} infrastructure errors`) : null),
    grid, bars,
    el("div", { class: "card scroll" }, el("table", { class: "attempts" },
      el("thead", {}, el("tr", {}, ["#", "mode", "model", "problem", "sample", "outcome", "tokens", "turns", "time"].map((t, i) => el("th", { class: i > 5 || i === 4 ? "num" : "" }, t)))),
      body)), el("p", {}, more));
  const owed = draw(data);
  await load();
  if (owed) timer = setInterval(async () => {
    if (document.hidden || mine !== turn) return;
    const fresh = await api("grid", { run: name });
    if (mine === turn && !draw(fresh)) clearInterval(timer);
  }, 3000);
}

const attemptRow = (name, row) => {
  const open = link("attempt", { run: name, id: row.id }, String(row.id));
  return el("tr", { class: "pick", onclick: (event) => { if (event.target.tagName !== "A") open.click(); } },
    el("td", {}, open), el("td", {}, row.mode), el("td", {}, row.model), el("td", {}, row.problem),
    el("td", { class: "num" }, row.sample),
    el("td", {}, badge(row.outcome, row.verdict), row.outcome === "no_submission" ? el("span", { class: "soft" }, ` ${words(row.end)}`) : null),
    el("td", { class: "num" }, count(row.tokens)), el("td", { class: "num" }, count(row.turns)), el("td", { class: "num" }, seconds(row.wall_s)));
};

async function attempt(query) {
  const name = query.get("run");
  const ids = [query.get("id"), query.get("with")].filter(Boolean);
  const mine = turn;
  const found = await Promise.all(ids.map((id) => api("attempt", { run: name, id })));
  if (mine !== turn) return;
  live.hidden = true;
  document.title = `attempt ${ids.join(" and ")}`;
  const go = (other) => {
    const next = { run: name, id: ids[0] };
    if (other) next.with = other;
    location.hash = `#/attempt?${new URLSearchParams(next)}`;
  };
  const choice = el("select", { id: "with", onchange: (event) => go(event.target.value) },
    el("option", { value: "" }, "nothing"),
    found[0].siblings.map((s) => el("option", { value: s.id }, `${s.mode}, ${s.model}: ${s.verdict || words(s.outcome)}`)));
  if (ids[1] && !found[0].siblings.some((s) => String(s.id) === ids[1])) choice.append(el("option", { value: ids[1] }, `attempt ${ids[1]}`));
  choice.value = ids[1] || "";
  const beside = el("label", { class: "beside" }, "side by side with", choice);
  show([link("", {}, "runs"), link("run", { name }, name === "." ? "run" : name), el("span", {}, `attempt ${ids.join(" and ")}`)],
    el("div", { class: "bar" }, beside),
    el("div", { class: ids.length > 1 ? "pair" : "" }, found.map((one) => attemptView(name, one))));
}

function attemptView(name, one) {
  const fact = (label, value) => el("div", {}, el("dt", {}, label), el("dd", {}, value));
  const near = (delta) => link("attempt", { run: name, id: one.id + delta }, delta < 0 ? "← previous" : "next →");
  const more = (step, text) => {
    let offset = 0;
    return async (pre, button) => {
      button.disabled = true;
      const page = await api("text", { run: name, id: one.id, step, text, offset });
      if (offset === 0) pre.textContent = page.body;
      else pre.append(page.body);
      offset = page.next;
      button.disabled = false;
      if (offset >= page.total) button.remove();
      else button.textContent = `${count(offset)} of ${count(page.total)} characters are shown. Load more`;
    };
  };
  return el("article", {},
    el("h1", {}, one.title || one.problem, " ", badge(one.outcome, one.verdict)),
    el("p", { class: "soft" }, `${one.model}, ${one.mode}, problem ${one.problem}, sample ${one.sample} `, el("span", { class: "near" }, one.id > 1 ? near(-1) : null, " ", near(1))),
    el("dl", { class: "facts card" },
      fact("ended", words(one.end) || "not yet"), fact("turns", count(one.turns)), fact("tool calls", count(one.tool_calls)),
      fact("completion tokens", count(one.completion_tokens)), fact("of them thoughts", count(one.reasoning_tokens)), fact("prompt tokens", count(one.prompt_tokens)),
      fact("wall time", seconds(one.wall_s)), fact("working time", seconds(one.working_s)), fact("seed", String(one.seed))),
    one.errors.map((e) => el("div", { class: "problem" }, `${e.stage}: ${e.message}`)),
    one.tests.length ? [el("h2", {}, "Verdicts"), verdicts(one)] : null,
    one.compile_output ? el("details", { class: "card" }, el("summary", {}, "Compiler output"), el("pre", {}, one.compile_output)) : null,
    one.submission ? [el("h2", {}, `Submission, ${one.submission.language}`), source(one.submission),
      one.submission.missing ? el("p", { class: "soft" }, `${count(one.submission.missing)} further characters`) : null] : null,
    one.steps.length ? el("h2", {}, "Transcript") : null,
    one.steps.map((step, i) => el("section", { class: `step ${step.kind}` },
      el("p", { class: "head" }, el("b", {}, step.title), step.facts.map((f) => el("span", { class: "soft" }, f))),
      step.texts.map((text, j) => textBlock(text, more(i, j))))));
}

function verdicts(one) {
  const rows = one.tests.map((t) => {
    const ran = t.verdict !== "SK";
    return el("tr", {},
      el("td", {}, t.name, t.sample ? el("span", { class: "soft" }, " sample") : null),
      el("td", { class: "num" }, bytes(t.input_bytes)),
      el("td", {}, el("span", { class: `badge v-${t.verdict}` }, t.verdict)),
      el("td", {}, ran ? meter(t.cpu_s / one.time_limit_s, `${seconds(t.cpu_s)} of ${seconds(one.time_limit_s)}`, t.cpu_s > one.time_limit_s) : ""),
      el("td", {}, ran ? meter(t.peak_bytes / one.memory_limit_bytes, bytes(t.peak_bytes), t.peak_bytes > one.memory_limit_bytes) : ""),
      el("td", { class: "soft" }, t.message));
  });
  return el("div", { class: "card scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, ["test", "input", "verdict", "CPU time", "memory", ""].map((t, i) => el("th", { class: i === 1 ? "num" : "" }, t)))),
    el("tbody", {}, rows)));
}

async function route() {
  turn += 1;
  clearInterval(timer);
  live.hidden = true;
  const [page, query] = location.hash.replace(/^#\//, "").split("?");
  const pages = { "": runs, run, attempt };
  try { await (pages[page] || runs)(new URLSearchParams(query || "")); } catch (error) { fail(error); }
  scrollTo(0, 0);
}
addEventListener("hashchange", route);
route();
