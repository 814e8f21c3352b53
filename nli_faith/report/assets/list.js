"use strict";
// The records: filters, order, pages of rows.
const List = (() => {
  const { el, t, known, user, number, count, SIGNS } = NF;
  const LABELS = ["supported", "contradicted", "unsupported"];
  const ROWS = 50;
  const EMPTY = { q: "", label: "", flag: "", status: "", bin: "", by: "", group: "", sort: "worst", page: 1 };

  const binOf = (score) => (score >= 1 ? 10 : Math.floor(score * 10 + 1e-9));

  function matches(entry, state) {
    if (state.status && entry.status !== state.status) return false;
    if (state.label === "conflict" ? !entry.conflict : state.label && !entry.counts[LABELS.indexOf(state.label)]) return false;
    if (state.flag && !(state.flag === "*" ? entry.flags.length : entry.flags.includes(state.flag))) return false;
    if (state.bin !== "" && (entry.score === null || binOf(entry.score) !== Number(state.bin))) return false;
    return state.by === "" || entry.groups[state.by] === state.group;
  }

  // Places in the index of the records that pass, in the order asked for.
  function select(head, state, textOf) {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    head.index.forEach((entry, place) => {
      if (matches(entry, state) && (!words.length || words.every((w) => textOf(place).includes(w)))) found.push(place);
    });
    const score = (place) => (head.index[place].score === null ? 2 : head.index[place].score);
    if (state.sort === "worst") found.sort((a, b) => score(a) - score(b) || head.index[b].counts[1] - head.index[a].counts[1] || a - b);
    if (state.sort === "best") found.sort((a, b) => (score(b) > 1 ? -1 : score(b)) - (score(a) > 1 ? -1 : score(a)) || a - b);
    return found;
  }

  function choice(id, name, value, options, onchange) {
    return el("label", { class: "field", for: id }, el("span", {}, name),
      el("select", { id, onchange: (e) => onchange(e.target.value) },
        ...options.map(([key, word]) => el("option", { value: key, selected: String(key) === String(value) }, word))));
  }

  function filters(head, state, pick) {
    const flags = Object.keys(head.figures.flags);
    const statuses = Object.entries(head.figures.summary.statuses).filter(([, n]) => n).map(([key]) => [key, t(`status.${key}`)]);
    const any = ["", t("any")];
    let timer = 0;
    // Not while an input method is still composing: that is no text yet.
    const later = (e) => { clearTimeout(timer); timer = setTimeout(() => pick({ q: e.target.value }), 200); };
    const search = el("input", { id: "q", type: "search", value: state.q, autocomplete: "off", spellcheck: "false",
      oninput: (e) => { if (!e.isComposing) later(e); }, oncompositionend: (e) => later(e) });
    const bits = [
      el("label", { class: "field grow", for: "q" }, el("span", {}, t("search")), search),
      choice("label", t("filter.label"), state.label, [any, ...LABELS.map((l) => [l, `${SIGNS[l]} ${t(`label.${l}`)}`]), ["conflict", t("conflict")]], (v) => pick({ label: v })),
      flags.length ? choice("flag", t("filter.flag"), state.flag, [any, ["*", t("flag.any")], ...flags.map((f) => [f, known("flag", f)])], (v) => pick({ flag: v })) : null,
      statuses.length > 1 ? choice("status", t("filter.status"), state.status, [any, ...statuses], (v) => pick({ status: v })) : null,
      choice("sort", t("sort"), state.sort, ["worst", "best", "file"].map((s) => [s, t(`sort.${s}`)]), (v) => pick({ sort: v })),
    ];
    return el("div", { class: "filters no-print", role: "search", "aria-label": t("filters") }, ...bits, inForce(head, state, pick));
  }

  // Filters that no field shows, and the way out of all of them.
  function inForce(head, state, pick) {
    const on = [];
    if (state.bin !== "") on.push(`${t("score")} ${Number(state.bin) === 10 ? "1" : `${state.bin / 10}–${(Number(state.bin) + 1) / 10}`}`);
    if (state.by !== "") on.push(`${head.figures.groupings[state.by].by.replace(/^meta\./, "")} = ${state.group}`);
    const used = Object.keys(EMPTY).some((k) => !["sort", "page"].includes(k) && String(state[k]) !== EMPTY[k]);
    return el("p", { class: "on", id: "in-force" }, ...on.map((text) => el("span", { class: "chip plain" }, user(text))),
      used ? el("button", { type: "button", id: "clear", onclick: () => pick({ ...EMPTY, sort: state.sort }) }, t("filter.clear")) : null);
  }

  function row(entry, place, open) {
    const counts = Object.fromEntries(LABELS.map((l, i) => [l, entry.counts[i]]));
    const score = entry.score === null ? el("span", { class: "none" }, t(`status.${entry.status}`)) : el("b", {}, number(entry.score));
    return el("tr", {},
      el("td", { class: "cell-score" }, score),
      el("td", { class: "cell-id" }, el("a", { href: open(place) }, user(entry.id)), el("span", { class: "snippet" }, user(entry.head))),
      el("td", { class: "cell-labels" }, entry.counts.some(Boolean) ? Overview.shares(counts) : null,
        el("span", { class: "counts", "aria-hidden": "true" }, ...LABELS.filter((l) => counts[l]).map((l) => el("span", { class: `count ${l}` }, `${SIGNS[l]} ${counts[l]}`)))),
      el("td", { class: "cell-flags" }, ...entry.flags.map((f) => el("span", { class: "flag" }, el("span", { "aria-hidden": "true" }, "⚑ "), known("flag", f))),
        entry.conflict ? el("span", { class: "flag" }, t("conflict")) : null));
  }

  function pager(pages, page, pick) {
    if (pages < 2) return null;
    const step = (to, word, id) => el("button", { type: "button", id, disabled: to < 1 || to > pages, onclick: () => pick({ page: to }, true) }, word);
    return el("nav", { class: "pager no-print", "aria-label": t("pages") }, step(1, t("page.first"), "page-first"), step(page - 1, t("page.previous"), "page-previous"),
      el("span", {}, t("page.of", { page: count(page), pages: count(pages) })), step(page + 1, t("page.next"), "page-next"), step(pages, t("page.last"), "page-last"));
  }

  function results(head, state, found, pick, open) {
    const pages = Math.max(1, Math.ceil(found.length / ROWS));
    const page = Math.min(Math.max(1, state.page), pages);
    const shown = found.slice((page - 1) * ROWS, page * ROWS);
    const heads = ["score", "record", "claims", "flags"].map((key) => el("th", { scope: "col" }, t(key)));
    const few = head.kept < head.figures.summary.records;
    return el("div", { id: "results" },
      el("p", { class: "hint", id: "found" }, t("found", { n: count(found.length), all: count(head.index.length) }),
        few ? ` ${t("kept", { kept: count(head.kept), all: count(head.figures.summary.records) })}` : ""),
      shown.length ? el("table", { class: "list" }, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...shown.map((place) => row(head.index[place], place, open))))
        : el("p", { class: "empty" }, t("nothing")),
      pager(pages, page, pick));
  }

  return { EMPTY, select, filters, inForce, results };
})();
