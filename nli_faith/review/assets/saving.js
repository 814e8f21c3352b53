"use strict";
// Verdicts on their way to the disk. One that the server has not acknowledged stays in the
// browser's storage and is sent again, by this tab or by the next page that opens.
const Saving = (() => {
  const KEY = "review.pending";
  let timer = 0;
  let busy = false;
  let listen = () => {};

  function pending() {
    try {
      return JSON.parse(NF.stored(KEY) || "[]");
    } catch (error) {
      return [];
    }
  }
  let memory = pending();
  const keep = (list) => { memory = list; NF.stored(KEY, JSON.stringify(list)); };

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

  function id() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  }

  function send(verdict) {
    keep([...memory, { uid: id(), ...verdict }]);
    return flush();
  }

  const waits = (key, n) => memory.some((v) => v.key === key && v.n === n);
  // A verdict that was given over one not yet acknowledged: now the number of that one is known.
  const rebase = (key, n, base) => keep(memory.map((v) => (v.key === key && v.n === n ? { ...v, base } : v)));

  window.addEventListener("beforeunload", (event) => { if (memory.length) event.preventDefault(); });
  return { call, send, flush, waits, rebase, count: () => memory.length, onchange: (f) => { listen = f; } };
})();
