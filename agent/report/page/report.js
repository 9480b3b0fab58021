"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  // Light and dark: the system's choice unless the reader makes another one.
  document.getElementById("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });

  // Large tables come as JSON and become rows when they are first needed.
  const fill = (table) => {
    const data = document.querySelector(`script.lazy[data-for="${table.id}"]`);
    if (!data || data.dataset.done) return;
    data.dataset.done = "1";
    const kinds = all("th", table).map((th) => th.classList.contains("num"));
    const body = table.tBodies[0];
    for (const row of JSON.parse(data.textContent)) {
      const tr = body.insertRow();
      row.forEach(([shown, raw], i) => {
        const td = tr.insertCell();
        td.textContent = shown;
        if (raw !== null) td.dataset.v = raw;
        if (kinds[i]) td.className = "num";
      });
    }
  };
  all("details.data").forEach((d) => d.addEventListener("toggle", () => all("table", d).forEach(fill)));
  all("table").forEach((t) => { if (!t.closest("details")) fill(t); });
  addEventListener("beforeprint", () => all("details.listing").forEach((d) => { d.open = true; }));

  const raw = (td) => (td.dataset.v !== undefined ? td.dataset.v : td.textContent);
  const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csv = (table) => {
    fill(table);
    const heads = all("th", table);
    const wide = heads.map((th) => th.dataset.kind === "interval");
    const title = heads.flatMap((th, i) => {
      const text = th.textContent;
      return wide[i] ? [text, `${text} low`, `${text} high`] : [text];
    });
    const lines = [title.map(quote).join(",")];
    for (const tr of all("tbody tr", table)) {
      const cells = Array.from(tr.cells).flatMap((td, i) => {
        if (!wide[i]) return [raw(td)];
        const parts = raw(td).split("|");
        return [parts[0] ?? "", parts[1] ?? "", parts[2] ?? ""];
      });
      lines.push(cells.map(quote).join(","));
    }
    return lines.join("\n") + "\n";
  };
  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); return; } catch { /* opened from a file */ }
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  all("button.copy").forEach((button) => button.addEventListener("click", async () => {
    await copy(csv(document.getElementById(button.dataset.for)));
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1200);
  }));

  // A click on a heading sorts by it.
  all("th").forEach((th) => th.addEventListener("click", () => {
    const table = th.closest("table");
    const body = table.tBodies[0];
    const down = th.getAttribute("aria-sort") === "descending";
    all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
    th.setAttribute("aria-sort", down ? "ascending" : "descending");
    const key = (tr) => raw(tr.cells[th.cellIndex]).split("|")[0];
    const rows = Array.from(body.rows).map((tr) => [key(tr), tr]);
    const number = (text) => (text === "" || Number.isNaN(Number(text)) ? -Infinity : Number(text));
    const numeric = th.classList.contains("num");
    rows.sort((a, b) => (numeric ? number(b[0]) - number(a[0]) : b[0].localeCompare(a[0], "en", { numeric: true })));
    if (down) rows.reverse();
    body.append(...rows.map((pair) => pair[1]));
  }));

  // Legends show and hide series.
  all(".legend button").forEach((button) => button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    const figure = button.closest("figure");
    all(`g.series[data-s="${button.dataset.s}"]`, figure).forEach((g) => { g.style.display = on ? "" : "none"; });
  }));

  // Tips.
  const tip = document.getElementById("tip");
  const say = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18}px`;
  };
  const hush = () => { tip.hidden = true; };
  document.addEventListener("pointermove", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const owner = target?.closest("[data-tip]");
    if (owner) { say(owner.dataset.tip, event.clientX, event.clientY); return; }
    const heat = target?.closest("svg.heat");
    const text = heat && heatTip(heat, event);
    if (text) say(text, event.clientX, event.clientY); else hush();
  });
  document.addEventListener("focusin", (event) => {
    const owner = event.target.closest?.("[data-tip]");
    if (!owner) { hush(); return; }
    const box = owner.getBoundingClientRect();
    say(owner.dataset.tip, box.left + box.width / 2, box.top);
  });
  document.addEventListener("scroll", hush, { passive: true });

  // A heatmap has no element per square: the square is found from the pointer's place.
  function heatTip(svg, event) {
    const table = svg.closest("figure").querySelector("table");
    fill(table);
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const row = Math.floor((at.y - Number(svg.dataset.y)) / Number(svg.dataset.h));
    const width = Number(svg.dataset.w);
    const column = svg.dataset.x.split(",").findIndex((x) => at.x >= Number(x) && at.x < Number(x) + width);
    const offset = table.tHead.rows[0].cells.length - svg.dataset.x.split(",").length;
    const tr = table.tBodies[0].rows[row];
    if (!tr || column < 0) return null;
    const head = table.tHead.rows[0].cells[column + offset].textContent.replace(" (%)", "");
    return `${tr.cells[0].textContent}\n${head}: ${tr.cells[column + offset].textContent} %`;
  }

  // The section that is being read.
  const links = new Map(all("nav a").map((a) => [a.hash.slice(1), a]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((a) => a.classList.remove("here"));
      links.get(entry.target.id)?.classList.add("here");
    }
  }, { rootMargin: "-15% 0px -75% 0px" });
  all("main section").forEach((s) => seen.observe(s));
})();
