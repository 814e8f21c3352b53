"use strict";
// The figures on top: coverage, mean, distributions, flags, groups, worst records.
const Overview = (() => {
  const { el, t, known, user, number, percent, count, SIGNS } = NF;
  const LABELS = ["supported", "contradicted", "unsupported"];
  const total = (counts) => LABELS.reduce((sum, label) => sum + counts[label], 0);

  function card(name, value, more) {
    return el("div", { class: "card" }, el("dt", {}, name), el("dd", {}, value), more ? el("dd", { class: "more" }, more) : null);
  }

  function cards(head) {
    const { summary, mean, conflicts } = head.figures;
    const range = mean.low === null ? "" : t("interval", { low: number(mean.low), high: number(mean.high) });
    const all = summary.records + summary.rejected;
    const notes = [];
    if (summary.truncated_records) notes.push(card(t("truncated"), count(summary.truncated_records)));
    if (conflicts) notes.push(card(t("conflicts"), count(conflicts)));
    if (summary.rejected) notes.push(card(t("rejected"), count(summary.rejected)));
    return el("dl", { class: "cards" },
      card(t("mean"), number(summary.mean_on_scored, 3), range),
      card(t("coverage"), percent(summary.coverage), t("coverage.of", { scored: count(summary.scored), all: count(all) })),
      card(t("records"), count(summary.records)),
      card(t("claims"), count(total(summary.label_counts)), t("capped", { n: count(summary.flagged_claims) })),
      ...notes);
  }

  function shares(counts, big) {
    const sum = total(counts);
    const words = LABELS.map((label) => `${t(`label.${label}`)} ${counts[label]}`).join(t("comma"));
    return el("span", { class: big ? "shares big" : "shares", role: "img", "aria-label": words, title: words },
      ...LABELS.filter((label) => counts[label]).map((label) => el("span", { class: `share ${label}`, style: { "flex-grow": counts[label] } },
        big && counts[label] / sum > 0.15 ? `${SIGNS[label]} ${percent(counts[label] / sum)}` : "")));
  }

  function labels(counts) {
    const sum = total(counts);
    if (!sum) return null;
    return el("section", {}, el("h2", {}, t("labels")), shares(counts, true),
      el("ul", { class: "legend" }, ...LABELS.map((label) => el("li", {}, NF.chip(label), ` ${count(counts[label])} · ${percent(counts[label] / sum)}`))));
  }

  // Bars one can click: each is a filter for the list below.
  function distribution(scores, onpick, picked) {
    const top = Math.max(1, ...scores);
    const name = (i) => (i === 10 ? "1" : `${(i / 10).toFixed(1)}–${((i + 1) / 10).toFixed(1)}`);
    return el("section", {}, el("h2", {}, t("distribution")), el("p", { class: "hint" }, t("distribution.hint")),
      el("div", { class: "bars" }, ...scores.map((n, i) => el("button", {
        type: "button", class: "column", disabled: n === 0, "aria-pressed": picked === i ? "true" : "false",
        onclick: () => onpick(i) }, el("span", { class: "sr" }, t("distribution.bar", { range: name(i), n: count(n) })),
      el("span", { class: "column-n", "aria-hidden": "true" }, n ? count(n) : ""),
      el("span", { class: "column-bar", style: { height: `${Math.max(n ? 2 : 0, (n / top) * 100)}px` } }),
      el("span", { class: "column-name", "aria-hidden": "true" }, i === 10 ? "1" : (i / 10).toFixed(1))))));
  }

  function claims(figures) {
    const bins = figures.claims.supported.length;
    const sums = Array.from({ length: bins }, (_, i) => LABELS.reduce((sum, label) => sum + figures.claims[label][i], 0));
    const top = Math.max(...sums);
    if (!top) return null;
    const limit = figures.thresholds ? figures.thresholds.support : null;
    return el("section", {}, el("h2", {}, t("supports")),
      el("p", { class: "hint" }, t("supports.hint"), limit === null ? "" : ` ${t("supports.limit", { limit: number(limit) })}`),
      el("div", { class: "bars stacked", role: "img", "aria-label": t("supports.alt", { n: count(sums.reduce((a, b) => a + b, 0)) }) },
        ...sums.map((n, i) => el("span", { class: "column", title: `${(i / bins).toFixed(2)}–${((i + 1) / bins).toFixed(2)}: ${n}` },
          ...LABELS.filter((label) => figures.claims[label][i]).map((label) => el("span", {
            class: `column-bar ${label}`, style: { height: `${Math.max(1, (figures.claims[label][i] / top) * 100)}px` } })),
          el("span", { class: "column-name" }, i % 5 === 0 ? (i / bins).toFixed(2) : "")))
          .concat(limit === null ? [] : [el("span", { class: "limit", style: { left: `${limit * 100}%` } })])));
  }

  function tally(title, rows, onpick) {
    if (!rows.length) return null;
    return el("section", {}, el("h2", {}, title), el("ul", { class: "tally" }, ...rows.map(([key, name, n]) => el("li", {},
      el("button", { type: "button", class: "link", onclick: () => onpick(key) }, name), el("span", {}, count(n))))));
  }

  function group(grouping, place, onpick) {
    const rows = grouping.rows.map((row) => el("tr", {},
      el("th", { scope: "row" }, el("button", { type: "button", class: "link", onclick: () => onpick(place, row.name) }, user(row.name))),
      el("td", { class: "n" }, count(row.records)),
      el("td", { class: "n" }, percent(row.records ? row.scored / row.records : null)),
      el("td", { class: "n" }, number(row.mean, 3)),
      el("td", { class: "n" }, row.low === null ? "—" : `${number(row.low)}–${number(row.high)}`),
      el("td", {}, total(row.labels) ? shares(row.labels) : "—")));
    const heads = ["group", "records", "coverage", "mean.short", "interval.short", "labels"].map((key, i) => el("th", { scope: "col", class: i > 0 && i < 5 ? "n" : null }, t(key)));
    return el("section", { class: "wide" }, el("h2", {}, t("by"), " ", user(grouping.by.replace(/^meta\./, ""))),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": NF.plain(`${t("by")} ${grouping.by}`) },
        el("table", { class: "groups" }, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows))),
      grouping.all > grouping.rows.length ? el("p", { class: "hint" }, t("groups.more", { n: grouping.all - grouping.rows.length })) : null);
  }

  function worst(head, open) {
    const rows = head.index.map((entry, place) => ({ entry, place })).filter((r) => r.entry.score !== null && r.entry.score < 1);
    // Of equal scores, the one with more that is contradicted.
    rows.sort((a, b) => a.entry.score - b.entry.score || b.entry.counts[1] - a.entry.counts[1] || a.place - b.place);
    if (!rows.length) return null;
    return el("section", {}, el("h2", {}, t("worst")), el("ol", { class: "worst" }, ...rows.slice(0, 8).map(({ entry, place }) => el("li", {},
      el("a", { href: open(place) }, el("b", {}, number(entry.score)), " ", user(entry.id)), el("span", { class: "snippet" }, user(entry.head))))));
  }

  function render(head, state, pick, open) {
    const { figures } = head;
    const statuses = Object.entries(figures.summary.statuses).filter(([, n]) => n).map(([key, n]) => [key, t(`status.${key}`), n]);
    const flags = Object.entries(figures.flags).map(([key, n]) => [key, known("flag", key), n]);
    return el("div", { class: "overview" }, cards(head),
      el("div", { class: "grid" },
        labels(figures.summary.label_counts),
        distribution(figures.scores, (i) => pick({ bin: state.bin === i ? "" : i }), state.bin === "" ? null : Number(state.bin)),
        claims(figures),
        worst(head, open),
        tally(t("flags"), flags, (flag) => pick({ flag })),
        tally(t("statuses"), statuses, (status) => pick({ status })),
        ...figures.groupings.map((g, i) => group(g, i, (place, name) => pick({ by: place, group: name })))));
  }

  return { render, shares };
})();
