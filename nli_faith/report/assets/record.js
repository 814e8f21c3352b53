"use strict";
// One record: the answer with its claims marked, their evidence, and the contexts beside.
const RecordView = (() => {
  const { el, t, user, marked, places, flagNode, chip, number, meter } = NF;
  const { answer, clashes, quote, signals, TITLES, contextBox, paint } = Evidence;

  function claimCard(row, claim, i, on, show) {
    const limits = claim.thresholds || row.thresholds || {};
    const scored = row.scored;
    const text = el("bdi", {}, marked(claim.text, places(claim.text, clashes(claim, "claim"), "clash")));
    return el("li", { class: `claim-card ${claim.label}`, "data-claim": i, id: `claim-${i + 1}` },
      el("div", { class: "claim-head" }, el("button", { type: "button", class: "claim-pick", "data-pick": i, "aria-pressed": "false", ...on(i) },
        el("span", { class: "claim-number" }, String(i + 1)), scored ? chip(claim.label) : t("not.judged"))),
      el("p", { class: "claim-text" }, text),
      claim.flags.length || claim.conflict ? el("p", { class: "claim-flags" }, ...claim.flags.map(flagNode), claim.conflict ? el("span", { class: "flag" }, "! ", t("conflict.why")) : null) : null,
      scored ? el("div", { class: "meters" },
        meter(t("support"), claim.support, limits.support, "supported"),
        meter(t("contradiction"), claim.contradiction, limits.contradiction, "contradicted"),
        claim.capped ? el("p", { class: "hint" }, t("capped.why", { was: number(claim.combined) })) : null) : null,
      quote(claim, claim.evidence, TITLES[claim.label], row, () => show(i, claim.evidence)),
      quote(claim, claim.counter, claim.label === "contradicted" ? "for" : "against", row, () => show(i, claim.counter)),
      claim.model ? el("p", { class: "hint" }, t("second"), " ", user(claim.model)) : null,
      signals(claim));
  }

  function meta(row) {
    const rows = Object.entries(row.meta || {});
    const items = rows.map(([name, value]) => [el("dt", {}, user(name)), el("dd", {}, user(typeof value === "string" ? value : JSON.stringify(value)))]);
    return el("details", { class: "meta" }, el("summary", {}, t("meta")), el("dl", {},
      row.model ? [el("dt", {}, t("model")), el("dd", {}, user(row.model))] : null, ...items));
  }

  function render(row, entry, links, chosen, onpick) {
    row.scored = entry.status === "scored";
    let pinned = chosen;
    const root = el("div", { class: "record" });
    const pick = (i) => {
      pinned = i;
      paint(root, row, i, row.claims[i].evidence);
      onpick(i);
    };
    const on = (i) => ({
      onclick: () => pick(i),
      onkeydown: (e) => { if (e.target.tagName !== "BUTTON" && (e.key === "Enter" || e.key === " ")) { e.preventDefault(); pick(i); } },
      onmouseenter: () => paint(root, row, i, row.claims[i].evidence),
      onmouseleave: () => paint(root, row, pinned, null),
      onfocus: () => paint(root, row, i, row.claims[i].evidence),
      onblur: () => paint(root, row, pinned, null),
    });
    const show = (i, evidence) => {
      pick(i);
      paint(root, row, i, evidence);
      root.querySelector(`#context-${evidence.context + 1}`).scrollIntoView({ block: "nearest" });
    };
    const score = entry.score === null ? t(`status.${entry.status}`) : `${t("faithfulness")} ${number(entry.score)}`;
    const notes = ["truncated", "rebuilt", "mismatch"].filter((k) => row[k] && !(k === "rebuilt" && row.mismatch)).map((k) => el("p", { class: "note" }, t(`note.${k}`)));
    if (row.dropped_contexts) notes.push(el("p", { class: "note" }, t("note.dropped", { n: row.dropped_contexts })));
    if (row.error) notes.push(el("p", { class: "note bad" }, user(row.error)));
    root.append(
      el("nav", { class: "record-nav no-print", "aria-label": t("record") }, ...links),
      el("div", { class: "record-head" }, el("h1", { tabindex: "-1", id: "heading" }, user(entry.id)), el("p", { class: "record-score" }, score)),
      ...notes,
      el("div", { class: "split" },
        el("div", { class: "left" },
          row.question ? el("section", {}, el("h2", {}, t("question")), el("p", { class: "question" }, user(row.question))) : null,
          el("section", {}, el("h2", {}, t("answer")), answer(row, on)),
          row.reference ? el("details", { class: "meta" }, el("summary", {}, t("reference")), el("p", {}, user(row.reference))) : null,
          el("section", {}, el("h2", {}, t("claims")), row.claims.length ? el("ol", { class: "claims" }, ...row.claims.map((c, i) => claimCard(row, c, i, on, show))) : el("p", { class: "empty" }, t("no.claims"))),
          meta(row)),
        el("section", { class: "contexts", tabindex: "0", "aria-label": t("contexts") }, el("h2", {}, t("contexts")), contextBox(row))));
    paint(root, row, pinned, null);
    return { root, pick };
  }

  return { render };
})();
