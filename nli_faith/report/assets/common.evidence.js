"use strict";
// A claim in its answer, its evidence in the contexts: what the report and the review page share.
const Evidence = (() => {
  const { el, t, known, user, marked, places, parseFlag, SIGNS, number } = NF;
  // Where the model's verdict is hidden, a claim has no label.
  const labelled = (claim) => (claim.label ? t(`label.${claim.label}`) : t("not.shown"));

  function answer(row, on) {
    const box = el("div", { class: "answer", dir: "auto" });
    let last = 0;
    for (const [start, end, claim, kind] of row.parts) {
      if (start > last) box.append(NF.text(row.answer.slice(last, start)));
      const words = row.answer.slice(start, end);
      if (claim >= 0) {
        const { label } = row.claims[claim];
        const sign = `${label ? SIGNS[label] : ""}${claim + 1}`;
        box.append(el("span", { class: `claim ${label || "plain"}`, role: "button", tabindex: "0", "data-claim": claim, "aria-pressed": "false", ...on(claim) },
        el("span", { class: "sign", "aria-hidden": "true" }, sign),
        el("span", { class: "sr" }, `${t("claim")} ${claim + 1}, ${labelled(row.claims[claim])}: `), NF.text(words)));
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

  const TITLES = { supported: "evidence", contradicted: "against", unsupported: "nearest", null: "nearest" };

  // What to mark in each context for a claim: its evidence, the other side's, clashing figures.
  function marks(row, claim) {
    const out = row.contexts.map(() => []);
    if (!claim) return out;
    const add = (evidence, cls) => {
      if (!evidence) return;
      for (const [c, start, end] of evidence.spans || []) out[c].push({ start, end, cls: "span" });
      out[evidence.context].push({ start: evidence.start, end: evidence.end, cls });
    };
    if (claim.label) add(claim.counter, claim.label === "contradicted" ? "ev supported" : "ev contradicted");
    add(claim.evidence, `ev ${claim.label || "plain"}`);
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

  return { answer, clashes, quote, signals, TITLES, marks, contextBox, paint };
})();
