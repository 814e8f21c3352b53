"use strict";
// Verdicts on their way to the disk. One that the server has not acknowledged stays in the
// browser's storage and is sent again, by this tab or by the next page that opens.
const Saving = (() => {
  // One place for each queue, so that no other queue's server is sent them, and for each tab.
  const QUEUE = `nli-faith.review.${NF.read("setup").id}.`;
  const TAB = QUEUE + id();
  let timer = 0;
  let busy = false;
  let listen = () => {};

  function id() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  }

  // What earlier pages left behind. A tab that is still open sends its own again: each verdict
  // has an id, by which the server knows it.
  function adopt() {
    const found = [];
    try {
      for (const key of Object.keys(localStorage).filter((k) => k.startsWith(QUEUE))) {
        found.push(...JSON.parse(localStorage.getItem(key)));
        localStorage.removeItem(key);
      }
    } catch (error) {
      return found; // no storage, or not ours
    }
    return found;
  }

  let memory = [];
  function keep(list) {
    memory = list;
    try {
      if (list.length) localStorage.setItem(TAB, JSON.stringify(list));
      else localStorage.removeItem(TAB);
    } catch (error) {
      // Without storage it waits in this tab alone, which warns before it is closed.
    }
  }
  keep(adopt());

  async function call(path, options) {
    const answer = await fetch(path, { credentials: "same-origin", ...options });
    const data = await answer.json();
    if (answer.status === 403) throw Object.assign(new Error(data.error), { refused: true });
    return { status: answer.status, data };
  }

  async function flush() {
    if (busy) return;
    busy = true;
    clearTimeout(timer);
    try {
      while (memory.length) {
        const first = memory[0];
        const { status, data } = await call("/api/verdict", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(first) });
        // A verdict that can never be kept must not hold up those behind it.
        if (status >= 500) throw new Error(data.error);
        keep(memory.slice(1));
        listen({ sent: first, status, data });
      }
      listen({ idle: true });
    } catch (error) {
      listen({ waiting: memory.length, refused: Boolean(error.refused), error: error.message });
      timer = setTimeout(flush, 2000);
    } finally {
      busy = false;
    }
  }

  function send(verdict) {
    keep([...memory, { uid: id(), ...verdict }]);
    return flush();
  }

  const waits = (key, n) => memory.some((v) => v.key === key && v.n === n);
  // A verdict that was given over one not yet acknowledged: now the number of that one is known.
  const rebase = (key, n, base) => keep(memory.map((v) => (v.key === key && v.n === n ? { ...v, base } : v)));

  window.addEventListener("beforeunload", (event) => { if (memory.length) event.preventDefault(); });
  return { call, send, flush, waits, rebase, count: () => memory.length, list: () => memory, onchange: (f) => { listen = f; } };
})();
