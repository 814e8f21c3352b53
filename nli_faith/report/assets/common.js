"use strict";
// What the report and the review page share: words, elements, safe text, themes.
// User text is put on the page by text nodes alone; nothing here parses HTML.
const NF = (() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const WORDS = read("words");
  const listeners = [];
  let lang = "zh";

  function stored(key, value) {
    // A page opened from disk may have no storage.
    try {
      if (value === undefined) return localStorage.getItem(`nli-faith.${key}`);
      localStorage.setItem(`nli-faith.${key}`, value);
    } catch (error) {
      return null;
    }
    return value;
  }

  function t(key, values) {
    const text = WORDS[lang][key];
    if (text === undefined) return key;
    return text.replace(/\{(\w+)\}/g, (whole, name) => (values && name in values ? values[name] : whole));
  }

  // Control, zero width and direction characters, and halves of surrogate pairs, made visible:
  // a text must not be able to look like another one.
  const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const codeOf = (ch) => `U+${ch.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  // The same for places that take no elements: names, titles, options.
  const plain = (value) => String(value).replace(HIDDEN, codeOf);

  // A word for a key that may be unknown to us (a new kind of flag, a signal): the key itself then.
  function known(prefix, key) {
    const text = WORDS[lang][`${prefix}.${key}`];
    return text === undefined ? plain(key) : text;
  }

  function setLang(next) {
    lang = next === "en" ? "en" : "zh";
    document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
    for (const listener of listeners) listener();
  }

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "class") node.className = value;
      else if (name === "style") Object.entries(value).forEach(([k, v]) => node.style.setProperty(k, v));
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
    return node;
  }

  function text(value) {
    const out = document.createDocumentFragment();
    const source = String(value);
    let last = 0;
    for (const found of source.matchAll(HIDDEN)) {
      if (found.index > last) out.append(source.slice(last, found.index));
      out.append(el("span", { class: "hidden-char" }, codeOf(found[0])));
      last = found.index + found[0].length;
    }
    out.append(source.slice(last));
    return out;
  }

  const user = (value, cls) => el("bdi", { class: cls }, text(value));

  // A text with ranges {start, end, cls} marked; ranges may overlap and nest.
  function marked(source, ranges) {
    const good = ranges.filter((r) => r.start < r.end);
    const cuts = new Set([0, source.length]);
    for (const range of good) cuts.add(range.start).add(range.end);
    const places = [...cuts].filter((p) => p >= 0 && p <= source.length).sort((a, b) => a - b);
    const out = document.createDocumentFragment();
    for (let i = 0; i + 1 < places.length; i += 1) {
      const over = good.filter((r) => r.start <= places[i] && r.end >= places[i + 1]);
      const piece = text(source.slice(places[i], places[i + 1]));
      out.append(over.length ? el("mark", { class: over.map((r) => r.cls).join(" ") }, piece) : piece);
    }
    return out;
  }

  // Places of needles in a text, for figures that clash.
  function places(source, needles, cls) {
    const out = [];
    for (const needle of new Set(needles)) {
      if (!needle) continue;
      for (let at = source.indexOf(needle); at >= 0; at = source.indexOf(needle, at + needle.length)) {
        out.push({ start: at, end: at + needle.length, cls });
      }
    }
    return out;
  }

  // quantity_mismatch:500元!=800元 -> what the claim says, and what the material says.
  function parseFlag(flag) {
    const cut = flag.indexOf(":");
    const kind = cut < 0 ? flag : flag.slice(0, cut);
    const rest = cut < 0 ? "" : flag.slice(cut + 1);
    if (kind.startsWith("quantity_")) {
      const [mine, theirs] = rest.split("!=");
      return { kind, claim: mine, material: theirs || "" };
    }
    if (kind === "wording") {
      const [theirs, mine] = rest.split(">");
      return { kind, claim: mine || "", material: theirs };
    }
    return { kind, claim: rest, material: "" };
  }

  function flagNode(flag) {
    const parsed = parseFlag(flag);
    const detail = [];
    if (parsed.claim) detail.push(" ", t("flag.claim"), " ", el("b", {}, user(parsed.claim)));
    if (parsed.material) detail.push(" · ", t("flag.material"), " ", el("b", {}, user(parsed.material)));
    return el("span", { class: "flag" }, el("span", { "aria-hidden": "true" }, "⚑ "), known("flag", parsed.kind), ...detail);
  }

  const SIGNS = { supported: "✓", contradicted: "✗", unsupported: "?" };
  const chip = (label) => el("span", { class: `chip ${label}` }, el("span", { "aria-hidden": "true" }, SIGNS[label], " "), t(`label.${label}`));

  const number = (value, digits = 2) => (value === null || value === undefined ? "—" : value.toFixed(digits));
  const percent = (value) => (value === null || value === undefined ? "—" : `${(value * 100).toFixed(1)}%`);
  const count = (value) => value.toLocaleString(lang === "zh" ? "zh-CN" : "en");

  // A probability as a bar with its threshold as a tick.
  function meter(name, value, threshold, cls) {
    const compared = threshold !== null && threshold !== undefined && value !== null && value !== undefined;
    // "0.37 < 0.37" would look like a mistake: as many digits as tell the two apart.
    const digits = (compared && [2, 3, 4].find((d) => value.toFixed(d) !== threshold.toFixed(d))) || 2;
    const beside = compared ? ` ${value >= threshold ? "≥" : "<"} ${number(threshold, digits)}` : "";
    const track = el("span", { class: "track", "aria-hidden": "true" },
      el("span", { class: `fill ${cls}`, style: { width: `${Math.round((value || 0) * 100)}%` } }),
      threshold ? el("span", { class: "tick", style: { left: `${threshold * 100}%` } }) : null);
    return el("div", { class: "meter" }, el("span", { class: "meter-name" }, name), track,
      el("span", { class: "meter-value" }, number(value, digits) + beside));
  }

  const THEMES = ["auto", "light", "dark"];
  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    stored("theme", theme);
  }

  function tools(extra) {
    const theme = document.documentElement.dataset.theme || "auto";
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    const box = document.getElementById("tools");
    const held = box.contains(document.activeElement) ? document.activeElement.id : "";
    box.replaceChildren(
      ...(extra || []),
      el("button", { type: "button", id: "theme", onclick: () => { setTheme(next); tools(extra); } }, t("theme"), ": ", t(`theme.${theme}`)),
      el("button", { type: "button", id: "lang", lang: lang === "zh" ? "en" : "zh-CN",
        onclick: () => { stored("lang", lang === "zh" ? "en" : "zh"); setLang(lang === "zh" ? "en" : "zh"); } },
      lang === "zh" ? "English" : "中文"),
    );
    if (held) document.getElementById(held)?.focus();
  }

  function start(onchange) {
    listeners.push(onchange);
    document.documentElement.dataset.theme = THEMES.includes(stored("theme")) ? stored("theme") : "auto";
    const given = document.documentElement.dataset.start;
    const wanted = stored("lang") || (given === "auto" ? navigator.language : given) || "zh";
    setLang(wanted.toLowerCase().startsWith("zh") ? "zh" : "en");
  }

  const say = (message) => { document.getElementById("live").textContent = message; };
  const typing = (event) => event.ctrlKey || event.metaKey || event.altKey || event.isComposing
    || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

  return { read, t, known, el, text, plain, user, marked, places, parseFlag, flagNode, chip, SIGNS, number,
    percent, count, meter, tools, start, say, typing, stored, lang: () => lang };
})();
