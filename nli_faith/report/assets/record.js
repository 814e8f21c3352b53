"use strict";
// One record: the answer with its claims marked, their evidence, and the contexts beside.
const RecordView = (() => {
  const { el, t, known, user, marked, places, parseFlag, flagNode, chip, SIGNS, number, meter } = NF;

  function answer(row, on) {
    const box = el("div", { class: "answer", dir: "auto" });
    let last = 0;
    for (const [start, end, claim, kind] of row.parts) {
      if (start > last) box.append(NF.text(row.answer.slice(last, start)));
      const words = row.answer.slice(start, end);
      if (claim >= 0) {
        const { label, text } = row.claims[claim];
        box.append(el("span", { class: `claim ${label}`, role: "button", tabindex: "0", "data-claim": claim, "aria-pressed": "false",
          "aria-label": `${t("claim")} ${claim + 1}, ${t(`label.${label}`)}: ${text}`, ...on(claim) },
        el("span", { class: "sign", "aria-hidden": "true" }, `${SIGNS[label]}${claim + 1}`), NF.text(words)));
      } else {
        box.append(el("span", { class: "other", title: known("kind", kind) }, NF.text(words)));
      }
      last = end;
    }
    box.append(NF.text(row.answer.slice(last)));
    return box;
  }

  function clashes(claim, side) {
    return claim.flags.map(parseFlag).map((flag) => flag[side]).filter(Boolean);
  }

  function quote(claim, evidence, title, row, show) {
    if (!evidence) return null;
    const place = t("context.n", { n: evidence.context + 1 });
    const [e, n, c] = evidence.probs;
    return el("figure", { class: "quote" },
      el("figcaption", {}, t(title), " · ",
        row.contexts ? el("button", { type: "button", class: "link", onclick: show }, place) : place,
        evidence.joined > 1 ? ` · ${t("joined", { n: evidence.joined })}` : ""),
      el("blockquote", {}, el("bdi", {}, marked(evidence.text, places(evidence.text, clashes(claim, "material"), "clash")))),
      el("p", { class: "probs" }, t("probs", { e: number(e), n: number(n), c: number(c) })));
  }

  function signals(claim) {
    const rows = Object.entries(claim.signals || {});
    if (!rows.length) return null;
    rows.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    return el("details", { class: "signals" }, el("summary", {}, t("signals")),
      el("table", {}, el("tbody", {}, ...rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, known("signal", name)),
        el("td", { class: "n" }, `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`))))));
  }

  const TITLES = { supported: "evidence", contradicted: "against", unsupported: "nearest" };

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

  // What to mark in each context for a claim: its evidence, the other side's, clashing figures.
  function marks(row, claim) {
    const out = row.contexts.map(() => []);
    if (!claim) return out;
    const add = (evidence, cls) => {
      if (!evidence) return;
      for (const [c, start, end] of evidence.spans || []) out[c].push({ start, end, cls: "span" });
      out[evidence.context].push({ start: evidence.start, end: evidence.end, cls });
    };
    add(claim.counter, claim.label === "contradicted" ? "ev supported" : "ev contradicted");
    add(claim.evidence, `ev ${claim.label}`);
    const said = clashes(claim, "material");
    row.contexts.forEach((text, c) => {
      if (out[c].length) out[c].push(...places(text, said, "clash").filter((p) => out[c].some((r) => r.start <= p.start && p.end <= r.end)));
    });
    return out;
  }

  function contextBox(row) {
    if (!row.contexts) return el("p", { class: "note" }, t(row.mismatch ? "mismatch" : "no.contexts"));
    if (!row.contexts.length) return el("p", { class: "note" }, t("status.no_context"));
    return el("div", {}, ...row.contexts.map((text, c) => el("article", { class: "context", id: `context-${c + 1}` },
      el("h3", {}, t("context.n", { n: c + 1 }), el("span", { class: "context-role" })),
      el("div", { class: "context-text", dir: "auto" }, NF.text(text)))));
  }

  function paint(root, row, i, where) {
    for (const node of root.querySelectorAll("[data-claim]")) {
      const here = Number(node.dataset.claim) === i;
      node.classList.toggle("active", here);
      if (node.hasAttribute("aria-pressed")) node.setAttribute("aria-pressed", String(here));
    }
    for (const node of root.querySelectorAll("[data-pick]")) node.setAttribute("aria-pressed", String(Number(node.dataset.pick) === i));
    if (!row.contexts) return;
    const claim = i === null ? null : row.claims[i];
    marks(row, claim).forEach((ranges, c) => {
      const box = root.querySelector(`#context-${c + 1}`);
      box.classList.toggle("used", ranges.length > 0);
      box.querySelector(".context-text").replaceChildren(marked(row.contexts[c], ranges));
      let role = "";
      if (claim && claim.evidence && claim.evidence.context === c) role = t(TITLES[claim.label]);
      else if (claim && claim.counter && claim.counter.context === c) role = t(claim.label === "contradicted" ? "for" : "against");
      box.querySelector(".context-role").textContent = role ? ` · ${role}` : "";
    });
    if (claim && where) {
      const mark = root.querySelector(`#context-${where.context + 1} mark.ev`) || root.querySelector(`#context-${where.context + 1}`);
      // Only the contexts move, where they scroll on their own; else the reader would lose the claim.
      const pane = mark && mark.closest(".contexts");
      if (pane && pane.scrollHeight > pane.clientHeight + 1) {
        pane.scrollTo({ top: pane.scrollTop + mark.getBoundingClientRect().top - pane.getBoundingClientRect().top - 60 });
      }
    }
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
