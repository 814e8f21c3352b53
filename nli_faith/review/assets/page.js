"use strict";
// One claim at a time: read, look at the evidence, press a key.
(() => {
  const { el, t, known, user, marked, places, flagNode, chip, meter, read } = NF;
  const setup = read("setup");
  const KEYS = { 1: "supported", 2: "contradicted", 3: "unsupported", 4: "unsure" };
  const main = document.getElementById("main");
  let who = sessionStored() || setup.reviewer;
  let items = [];
  let mine = new Map(); // "key n" -> the latest verdict of this reviewer
  let seq = 0;
  let at = 0;
  let shown = null; // the claim on the page
  let filter = "all";
  let agreement = null;
  let status = { idle: true };
  let last = []; // places judged in this tab, for undo
  let turn = 0;

  function sessionStored(value) {
    try {
      if (value !== undefined) sessionStorage.setItem("nli-faith.reviewer", value);
      return sessionStorage.getItem("nli-faith.reviewer");
    } catch (error) {
      return value || null;
    }
  }

  const unit = (item) => `${item.key} ${item.n}`;
  const said = (place) => mine.get(unit(items[place]));
  const verdictOf = (place) => { const v = said(place); return v ? v.verdict : ""; };

  function passes(place) {
    if (filter === "open") return !verdictOf(place);
    if (filter === "changed") return verdictOf(place) && verdictOf(place) !== items[place].label;
    if (filter === "disputed") return Boolean(agreement) && agreement.disputed.includes(place) && Boolean(verdictOf(place));
    return true;
  }

  function near(from, by, test) {
    for (let i = from + by; i >= 0 && i < items.length; i += by) if (test(i)) return i;
    return null;
  }

  function learn(verdicts) {
    for (const v of verdicts) {
      const known_ = mine.get(`${v.key} ${v.n}`);
      if (!known_ || v.seq > known_.seq) mine.set(`${v.key} ${v.n}`, v);
    }
  }

  async function load() {
    const { status: code, data } = await Saving.call(`/api/state?reviewer=${encodeURIComponent(who)}`);
    if (code !== 200) { askName(data.error); return; }
    sessionStored(who);
    mine = new Map();
    ({ items, seq } = data);
    learn(data.verdicts);
    for (const v of Saving.list()) if (v.reviewer === who) mine.set(`${v.key} ${v.n}`, { ...v, seq: v.base, pending: true });
    const asked = Number(new URLSearchParams(location.hash.slice(1)).get("claim")) - 1;
    const open = near(-1, 1, (i) => !verdictOf(i));
    await go(asked >= 0 && asked < items.length ? asked : open === null ? 0 : open);
    Saving.flush();
  }

  async function go(place) {
    const mark = (turn += 1);
    at = place;
    history.replaceState(null, "", `#claim=${place + 1}`);
    const { data } = await Saving.call(`/api/item?place=${place}&reviewer=${encodeURIComponent(who)}`);
    if (mark !== turn) return; // a later step has overtaken this one
    shown = data;
    render();
    document.getElementById("claim-title").focus({ preventScroll: true });
    NF.say(`${t("claim")} ${place + 1} / ${items.length}: ${shown.claims[shown.claim].text}`);
  }

  const visit = (place) => go(place).catch(broken);

  function judge(verdict) {
    const place = at;
    const before = said(place);
    const note = document.getElementById("note").value.trim().slice(0, 4000);
    const base = before && before.seq ? before.seq : 0;
    const item = items[place];
    last.push({ place, verdict: before ? before.verdict : "", note: before ? before.note : "" });
    put(item, verdict, note, base);
    const next = near(place, 1, (i) => passes(i) && !verdictOf(i));
    const turnTo = next === null ? near(-1, 1, (i) => passes(i) && !verdictOf(i)) : next;
    visit(turnTo !== null && verdict ? turnTo : place);
  }

  function put(item, verdict, note, base) {
    // The page goes on at once; the server's word on it comes later.
    mine.set(unit(item), { key: item.key, n: item.n, verdict, note, seq: base, pending: true });
    Saving.send({ key: item.key, n: item.n, reviewer: who, verdict, note, base });
  }

  function undo() {
    const step = last.pop();
    if (!step) return;
    const now = said(step.place);
    put(items[step.place], step.verdict, step.note, now && now.seq ? now.seq : 0);
    visit(step.place);
  }

  async function saveNote() {
    const now = said(at);
    const note = document.getElementById("note").value.trim();
    if (now && now.verdict && now.note !== note) put(items[at], now.verdict, note, now.seq);
  }

  Saving.onchange((news) => {
    if (news.sent) {
      const { sent, status: code, data } = news;
      if (code === 200 || code === 409) {
        const kept = data.saved || data.current;
        if (kept.reviewer === who) {
          seq = Math.max(seq, kept.seq);
          const now = mine.get(`${kept.key} ${kept.n}`);
          // An answer to an older act does not undo what was pressed since; it moves its base.
          if (now && now.pending && Saving.waits(kept.key, kept.n)) Saving.rebase(kept.key, kept.n, kept.seq);
          else mine.set(`${kept.key} ${kept.n}`, kept);
        }
        status = { idle: true, conflict: code === 409 ? kept : null };
        if (code === 409) { const place = items.findIndex((i) => i.key === kept.key && i.n === kept.n); if (place >= 0) visit(place); }
      } else {
        mine.delete(`${sent.key} ${sent.n}`);
        status = { error: data.error };
      }
    } else if (!news.idle || status.waiting) {
      status = news;
    }
    paintStatus();
    paintProgress();
    paintChoice();
  });

  async function poll() {
    if (!document.hidden && who && items.length && !Saving.count()) {
      try {
        const { status: code, data } = await Saving.call(`/api/changes?reviewer=${encodeURIComponent(who)}&since=${seq}`);
        if (code === 200) {
          learn(data.verdicts);
          seq = Math.max(seq, data.seq);
          if (status.waiting || status.refused || status.lost) status = { idle: true };
          if (data.verdicts.length) { paintProgress(); paintChoice(); }
        }
      } catch (error) {
        status = { lost: true, refused: Boolean(error.refused) };
      }
      paintStatus();
    }
    setTimeout(poll, 2000);
  }

  function paintStatus() {
    const box = document.getElementById("status");
    if (!box) return;
    let word = t("saved");
    let bad = true;
    if (status.refused) word = t("refused");
    else if (Saving.count() && (status.waiting || status.lost)) word = t("waiting", { n: Saving.count() });
    else if (status.lost) word = t("lost");
    else if (status.error) word = `${t("not.saved")} ${status.error}`;
    else if (status.conflict) word = t("conflict.tab", { verdict: verdictWord(status.conflict.verdict) });
    else bad = false;
    if (box.textContent !== word) box.textContent = word;
    box.className = bad ? "status bad" : "status";
  }

  const verdictWord = (verdict) => (verdict === "unsure" ? t("unsure") : verdict ? t(`label.${verdict}`) : t("taken.back"));

  function paintProgress() {
    const done = items.filter((item, i) => verdictOf(i)).length;
    const bar = document.getElementById("progress");
    if (!bar) return;
    bar.setAttribute("value", done);
    document.getElementById("progress-text").textContent = t("progress", { done, all: items.length });
  }

  function paintChoice() {
    const now = items[at] && verdictOf(at);
    for (const node of document.querySelectorAll("[data-verdict]")) node.setAttribute("aria-pressed", String(node.dataset.verdict === now));
  }

  function choices(claim) {
    const button = (key, verdict) => el("button", { type: "button", class: `choice ${verdict}`, "data-verdict": verdict, "aria-keyshortcuts": key, onclick: () => judge(verdict) },
      el("kbd", {}, key), ` ${NF.SIGNS[verdict] || "…"} ${verdictWord(verdict)}`);
    return el("div", { class: "choices", role: "group", "aria-label": t("your.verdict") },
      claim.label && shown.scored ? el("button", { type: "button", class: "choice confirm", "aria-keyshortcuts": "Enter", onclick: () => judge(claim.label) }, el("kbd", {}, "Enter"), ` ${t("confirm")}`) : null,
      ...Object.entries(KEYS).map(([key, verdict]) => button(key, verdict)));
  }

  function claimBox(claim) {
    const limits = claim.thresholds || shown.thresholds || {};
    const item = items[at];
    const others = shown.others.map((v) => el("li", {}, user(v.reviewer), ": ", verdictWord(v.verdict), v.note ? [" — ", user(v.note)] : null));
    return el("section", { class: "current" },
      el("h1", { id: "claim-title", tabindex: "-1" }, el("bdi", {}, marked(claim.text, places(claim.text, Evidence.clashes(claim, "claim"), "clash")))),
      claim.label && shown.scored ? el("div", { class: "model" }, el("p", {}, t("model.says"), " ", chip(claim.label), item.reason ? [" · ", t("reason"), " ", known("reason", item.reason)] : null),
        meter(t("support"), claim.support, limits.support, "supported"), meter(t("contradiction"), claim.contradiction, limits.contradiction, "contradicted")) : null,
      claim.flags.length ? el("p", { class: "claim-flags" }, ...claim.flags.map(flagNode)) : null,
      choices(claim),
      el("label", { class: "field", for: "note" }, t("note"), el("textarea", { id: "note", rows: "2", maxlength: "4000", onchange: saveNote }, (said(at) || {}).note || "")),
      others.length ? el("div", { class: "others" }, el("h2", {}, t("others")), el("ul", {}, ...others)) : null);
  }

  function steps() {
    const back = near(at, -1, passes);
    const next = near(at, 1, passes);
    const options = ["all", "open", "changed", "disputed"].filter((f) => !(f === "changed" && setup.blind));
    return el("div", { class: "steps" },
      el("button", { type: "button", id: "previous", disabled: back === null, onclick: () => visit(back) }, t("previous")),
      el("button", { type: "button", id: "next", disabled: next === null, onclick: () => visit(next) }, t("next")),
      el("span", {}, `${at + 1} / ${items.length}`),
      el("label", { class: "inline", for: "filter" }, t("show"), " ", el("select", { id: "filter", onchange: (e) => setFilter(e.target.value).catch(broken) },
        ...options.map((f) => el("option", { value: f, selected: f === filter }, t(`show.${f}`))))));
  }

  async function setFilter(value) {
    filter = value;
    if (filter === "disputed") agreement = (await Saving.call("/api/agreement")).data;
    const first = passes(at) ? at : near(-1, 1, passes);
    if (first === null) { render(); status = { error: t("show.none") }; paintStatus(); } else await go(first);
  }

  function render() {
    const claim = shown.claims[shown.claim];
    const root = el("div", { class: "review" },
      el("div", { class: "top" },
        el("div", { class: "progress" }, el("progress", { id: "progress", max: items.length, value: 0, "aria-labelledby": "progress-text" }), el("span", { id: "progress-text" })),
        el("p", { class: "status", id: "status", role: "status" }, t("saved"))),
      steps(),
      el("div", { class: "split" },
        el("div", { class: "left" }, claimBox(claim),
          shown.question ? el("section", {}, el("h2", {}, t("question")), el("p", {}, user(shown.question))) : null,
          el("section", {}, el("h2", {}, t("answer"), " · ", user(shown.id)), Evidence.answer(shown, () => ({ tabindex: null, role: null, "aria-pressed": null })))),
        el("section", { class: "contexts", tabindex: "0", "aria-label": t("contexts") }, el("h2", {}, t("contexts")),
          shown.contexts ? null : Evidence.quote(claim, claim.evidence, Evidence.TITLES[claim.label], shown, null),
          shown.contexts || !claim.label ? null : Evidence.quote(claim, claim.counter, claim.label === "contradicted" ? "for" : "against", shown, null),
          Evidence.contextBox(shown))));
    main.replaceChildren(root);
    Evidence.paint(root, shown, shown.claim, claim.evidence);
    paintStatus();
    paintProgress();
    paintChoice();
  }

  async function showAgreement() {
    agreement = (await Saving.call("/api/agreement")).data;
    const table = (a, first) => el("tr", {}, el("th", { scope: "row" }, first || user(a.first), " × ", user(a.second)), el("td", { class: "n" }, String(a.n)),
      el("td", { class: "n" }, NF.percent(a.two_way.observed)), el("td", { class: "n" }, NF.number(a.two_way.kappa)),
      el("td", { class: "n" }, NF.percent(a.observed)), el("td", { class: "n" }, NF.number(a.kappa)));
    const rows = [...agreement.tables.map((a) => table(a)), ...agreement.with_model.map((a) => table(a, t("model")))];
    main.replaceChildren(el("div", { class: "agreement" }, el("h1", { id: "claim-title", tabindex: "-1" }, t("agreement")),
      el("ul", {}, ...Object.entries(agreement.done).map(([name, n]) => el("li", {}, user(name), `: ${n} / ${agreement.claims}`,
        agreement.unsure[name] ? ` (${t("unsure")} ${agreement.unsure[name]})` : ""))),
      agreement.tables.length ? null : el("p", { class: "note" }, t("agreement.none")),
      rows.length ? el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("agreement") }, el("table", {}, el("thead", {}, el("tr", {}, ...["pair", "both", "two", "kappa", "three", "kappa"].map((k, i) => el("th", { scope: "col", class: i ? "n" : null }, t(`agreement.${k}`))))), el("tbody", {}, ...rows))) : null,
      el("p", { class: "hint" }, t("agreement.hint")),
      agreement.disputed.length ? el("p", {}, t("agreement.disputed", { n: agreement.disputed.length })) : null,
      el("button", { type: "button", id: "close", onclick: () => visit(at) }, t("go.back"))));
    document.getElementById("claim-title").focus();
  }

  function askName(problem) {
    const field = el("input", { id: "name", maxlength: "60", value: who, autocomplete: "off" });
    const send = (e) => { e.preventDefault(); who = field.value.trim(); chrome(); load().catch(broken); };
    main.replaceChildren(el("form", { class: "name", onsubmit: send }, el("h1", { id: "claim-title", tabindex: "-1" }, t("who")),
      problem ? el("p", { class: "note bad", role: "alert" }, user(problem)) : null,
      el("label", { class: "field", for: "name" }, t("name"), field), el("button", { type: "submit" }, t("begin"))));
    field.focus();
  }

  function chrome() {
    document.getElementById("skip").textContent = t("skip");
    document.getElementById("brand").replaceChildren(t("title"), " · ", user(setup.queue));
    document.getElementById("foot").replaceChildren(el("p", {}, t("keys")), el("p", {}, t("disclaimer")));
    NF.tools([
      el("button", { type: "button", id: "who", onclick: () => askName() }, t("reviewer"), " ", user(who)),
      el("button", { type: "button", id: "agree", onclick: () => showAgreement().catch(broken) }, t("agreement")),
      el("a", { class: "tool", id: "export", href: "/api/export", download: "reviewed.jsonl" }, t("export"))]);
  }

  function broken(error) {
    status = { lost: true, refused: Boolean(error.refused) };
    if (!document.getElementById("status")) main.replaceChildren(el("p", { class: "note bad", role: "alert" }, t(error.refused ? "refused" : "lost")));
    paintStatus();
  }

  document.addEventListener("keydown", (event) => {
    if (NF.typing(event)) { if (event.key === "Escape") { event.target.blur(); document.getElementById("claim-title")?.focus(); } return; }
    if (!document.getElementById("note")) { if (event.key === "Escape" && document.getElementById("close")) visit(at); return; }
    // Enter and space belong to the control that has the focus.
    const onControl = /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName);
    const claim = shown.claims[shown.claim];
    const move = { ArrowLeft: -1, k: -1, ArrowRight: 1, j: 1 }[event.key];
    if (KEYS[event.key]) { event.preventDefault(); judge(KEYS[event.key]); }
    else if (event.key === "Enter" && !onControl && claim.label && shown.scored) { event.preventDefault(); judge(claim.label); }
    else if (event.key === "z") undo();
    else if (event.key === "n") { event.preventDefault(); document.getElementById("note").focus(); }
    else if (event.key === "g") { const open = near(-1, 1, (i) => !verdictOf(i)); if (open !== null) visit(open); }
    else if (move) { const to = near(at, move, passes); if (to !== null) visit(to); }
  });
  document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  NF.start(() => { chrome(); if (shown && document.getElementById("note")) render(); });
  if (who) load().catch(broken); else askName();
  poll();
})();
