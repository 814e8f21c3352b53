"use strict";
// The report: what the address says is what is shown.
(() => {
  const { el, t, read, user } = NF;
  const head = read("head");
  const blocks = new Map();
  const texts = [];
  let state = { ...List.EMPTY };
  let found = null;
  let view = null; // the open record, as RecordView gives it
  let place = null;
  let scrolled = 0;
  const main = document.getElementById("main");

  function row(i) {
    const number = Math.floor(i / head.block);
    if (!blocks.has(number)) blocks.set(number, read(`block-${number}`));
    const block = blocks.get(number);
    const stored = block.records[i % head.block];
    return { ...stored, contexts: stored.contexts && stored.contexts.map((c) => block.contexts[c]) };
  }

  function textOf(i) {
    if (texts[i] === undefined) {
      const r = row(i);
      texts[i] = [head.index[i].id, r.question || "", r.answer, ...r.claims.flatMap((c) => c.flags)].join("\n").toLowerCase();
    }
    return texts[i];
  }

  const selected = () => { found = found || List.select(head, state, textOf); return found; };

  // Halves of surrogate pairs cannot be in an address: such a record is named by its line.
  const broken = (text) => /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

  function address(i, claim) {
    const { id, nth, row: line } = head.index[i];
    const out = new URLSearchParams();
    if (broken(id)) out.set("row", line);
    else out.set("record", id);
    if (nth > 1 && !broken(id)) out.set("nth", nth);
    if (claim !== null && claim !== undefined) out.set("claim", claim + 1);
    return `#${out}`;
  }

  function listAddress() {
    const out = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) if (String(value) !== String(List.EMPTY[key]) && !broken(String(value))) out.set(key, value);
    return `#${out}`;
  }

  function parse() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.has("record") || given.has("row")) {
      const nth = Number(given.get("nth") || 1);
      const at = head.index.findIndex((e) => (given.has("row") ? e.row === Number(given.get("row")) : e.id === given.get("record") && e.nth === nth));
      const claim = given.has("claim") ? Number(given.get("claim")) - 1 : null;
      return { place: at, missing: at < 0 ? given.get("record") || given.get("row") : null, claim };
    }
    const next = { ...List.EMPTY };
    for (const key of Object.keys(next)) if (given.has(key)) next[key] = given.get(key);
    next.page = Math.max(1, Number(next.page) || 1);
    if (next.by !== "" && !head.figures.groupings[next.by]) next.by = next.group = "";
    return { place: null, state: next };
  }

  function pick(change, top) {
    state = { ...state, page: 1, ...change };
    found = null;
    history.replaceState(null, "", listAddress());
    // The field that is typed in must stay the same element.
    if (Object.keys(change).every((key) => key === "q" || key === "page")) {
      document.getElementById("results").replaceWith(results());
      document.getElementById("in-force").replaceWith(List.inForce(head, state, pick));
    } else {
      showList(true);
    }
    if (top) document.getElementById("list-title").scrollIntoView();
    NF.say(document.getElementById("found").textContent);
  }

  const results = () => List.results(head, state, selected(), pick, (i) => address(i));

  function showList(keep) {
    view = place = null;
    const held = document.activeElement && document.activeElement.id;
    const offset = window.scrollY;
    document.title = NF.plain(head.title || head.source);
    main.replaceChildren(
      el("h1", { tabindex: "-1", id: "heading" }, user(head.title || t("title"))),
      el("p", { class: "hint" }, t("made", { version: head.version, created: head.created }), " ", user(head.source),
        ...(head.figures.models.length ? [" · ", t("model"), " ", user(head.figures.models.join(", "))] : [])),
      Overview.render(head, state, (change) => { pick(change); document.getElementById("list-title").scrollIntoView(); }, (i) => address(i)),
      el("section", { class: "records", "aria-labelledby": "list-title" }, el("h2", { id: "list-title" }, t("record.list")),
        List.filters(head, state, pick), results()));
    if (keep) {
      window.scrollTo({ top: offset });
      const again = held && document.getElementById(held);
      if (again) again.focus({ preventScroll: true });
    } else {
      window.scrollTo({ top: scrolled });
    }
  }

  function link(to, word, id) {
    const props = to === undefined || to === null ? { "aria-disabled": "true", role: "link" } : { href: to };
    return el("a", { class: "step", id, ...props }, word);
  }

  function showRecord(i, claim) {
    const order = selected();
    const at = order.indexOf(i);
    const entry = head.index[i];
    const previous = at > 0 ? address(order[at - 1]) : null;
    const next = at >= 0 && at + 1 < order.length ? address(order[at + 1]) : null;
    const links = [link(listAddress(), t("back"), "back"), link(previous, t("previous"), "previous"), link(next, t("next"), "next"),
      el("span", { class: "hint" }, at < 0 ? "" : `${at + 1} / ${order.length}`), link(address(i), t("link"), "link")];
    const data = row(i);
    const chosen = claim !== null && claim >= 0 && claim < data.claims.length ? claim : null;
    place = i;
    view = RecordView.render(data, entry, links, chosen, (c) => history.replaceState(null, "", address(i, c)));
    view.count = data.claims.length;
    view.chosen = chosen;
    document.title = NF.plain(`${entry.id} · ${head.title || head.source}`);
    main.replaceChildren(view.root);
    window.scrollTo({ top: 0 });
    if (chosen !== null) { view.pick(chosen); document.getElementById(`claim-${chosen + 1}`).scrollIntoView({ block: "center" }); }
  }

  function show(focus) {
    const asked = parse();
    if (view === null && main.childElementCount) scrolled = window.scrollY;
    if (asked.place === null) { state = asked.state; found = null; showList(false); }
    else if (asked.missing !== null) main.replaceChildren(el("h1", { id: "heading", tabindex: "-1" }, t("missing")), el("p", {}, user(asked.missing)), link(listAddress(), t("back"), "back"));
    else showRecord(asked.place, asked.claim);
    if (focus) document.getElementById("heading").focus({ preventScroll: true });
  }

  function chrome() {
    document.getElementById("skip").textContent = t("skip");
    document.getElementById("brand").replaceChildren("nli-faith · ", user(head.title || head.source));
    document.getElementById("foot").replaceChildren(el("p", {}, t("disclaimer")), el("p", { class: "no-print" }, t("keys")));
    NF.tools([el("button", { type: "button", id: "print", onclick: () => window.print() }, t("print"))]);
  }

  function step(by) {
    view.chosen = view.chosen === null ? (by > 0 ? 0 : view.count - 1) : Math.min(view.count - 1, Math.max(0, view.chosen + by));
    if (view.count) {
      view.pick(view.chosen);
      const card = document.getElementById(`claim-${view.chosen + 1}`);
      card.querySelector("[data-pick]").focus({ preventScroll: true });
      card.scrollIntoView({ block: "center" });
    }
  }

  document.addEventListener("keydown", (event) => {
    if (NF.typing(event)) { if (event.key === "Escape" && event.target.id === "q") event.target.blur(); return; }
    if (view === null) { if (event.key === "/") { event.preventDefault(); document.getElementById("q")?.focus(); } return; }
    const go = { ArrowLeft: "previous", ArrowRight: "next", Escape: "back" }[event.key];
    if (go) { const a = document.getElementById(go); if (a.hasAttribute("href")) location.hash = a.getAttribute("href"); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
  document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  window.addEventListener("hashchange", () => show(true));
  NF.start(() => { chrome(); if (main.childElementCount) { if (view) showRecord(place, view.chosen); else showList(true); } });
  show(false);
})();
