// The live page asks for what is new while somebody looks at it. Without scripts: the link "Refresh".

import { element, elements, optionalElement } from "../core/elements.js";
import { watchTables } from "../core/tables.js";

const SCROLLED = ".table";
const FOCUSABLE = "a, summary, [tabindex]";

/** @param {ParentNode} parent */
const partsOf = (parent) => elements(parent, "[data-live-part]");
/** @param {HTMLElement} part */
const nameOf = (part) => part.dataset.livePart ?? "";

/**
 * Write a part anew; what was unfolded, scrolled and had the focus in it is so again.
 * @param {HTMLElement} part
 * @param {string} html
 */
function rewrite(part, html) {
  const isOpen = elements(part, "details", HTMLDetailsElement).map((details) => details.open);
  const { activeElement } = document;
  const focused = activeElement ? [...part.querySelectorAll(FOCUSABLE)].indexOf(activeElement) : -1;
  const scrolled = elements(part, SCROLLED).map((box) => box.scrollLeft);
  part.innerHTML = html;
  watchTables(part);
  for (const [n, details] of elements(part, "details", HTMLDetailsElement).entries()) {
    details.open = Boolean(isOpen[n]);
  }
  for (const [n, box] of elements(part, SCROLLED).entries()) box.scrollLeft = scrolled[n] ?? 0;
  if (focused < 0) return;
  // Links of a plot are elements of SVG.
  /** @type {NodeListOf<HTMLElement | SVGElement>} */
  const controls = part.querySelectorAll(FOCUSABLE);
  controls[focused]?.focus({ preventScroll: true });
}

for (const room of elements(document, "[data-live]")) {
  /** @param {string} name */
  const find = (name) => element(document, `[data-live-${name}]`);
  const every = Number(room.dataset.liveEvery) * 1000;
  const updated = find("updated");
  let tag = room.dataset.liveTag ?? "";
  let wait = every;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isAsking = false;

  /** @param {string} name */
  const part = (name) => optionalElement(room, `[data-live-part="${CSS.escape(name)}"]`);

  /**
   * What did not change stays as it is: with its focus, its place and what was unfolded.
   * @param {string} html
   */
  const take = (html) => {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const parts = partsOf(fresh.content);
    const names = parts.map(nameOf);
    for (const old of partsOf(room)) {
      if (!names.includes(nameOf(old))) old.remove();
    }
    /** @type {HTMLElement | null} */
    let before = null;
    for (const next of parts) {
      const old = part(nameOf(next));
      const written = next.innerHTML;
      if (!old) {
        if (before) before.after(next);
        else room.prepend(next);
        sources.set(next, written);
        watchTables(next);
        before = next;
        continue;
      }
      if (sources.get(old) !== written) {
        rewrite(old, written);
        sources.set(old, written);
      }
      old.dataset.liveAnnouncement = next.dataset.liveAnnouncement ?? "";
      before = old;
    }
  };

  // Told once when it changes, and not at each update.
  const announce = () => {
    const said = part("now")?.dataset.liveAnnouncement ?? "";
    if (said !== announced) find("said").textContent = said;
    announced = said;
  };

  const mark = () => {
    const time = element(updated, "time", HTMLTimeElement);
    const now = new Date();
    time.dateTime = now.toISOString();
    // In the zone of all other times of the page.
    time.textContent = now.toLocaleTimeString(document.documentElement.lang || undefined, {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZone: updated.dataset.zone || undefined,
      timeZoneName: "short",
    });
  };

  /** @param {boolean} isLost */
  const lost = (isLost) => {
    const note = find("lost");
    if (note.hidden === !isLost) return;
    note.hidden = !isLost;
    find("said").textContent = isLost ? note.textContent : "";
  };

  const ask = async () => {
    clearTimeout(timer);
    if (isAsking || document.hidden) return;
    isAsking = true;
    try {
      const answer = await fetch(room.dataset.live ?? "", {
        headers: { "If-None-Match": tag },
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(20000),
      });
      if (answer.status !== 304) {
        if (!answer.ok) throw new Error(answer.statusText);
        take(await answer.text());
        tag = answer.headers.get("ETag") ?? "";
        announce();
      }
      lost(false);
      mark();
      wait = every;
    } catch {
      // The server restarts, the network is away, or nobody is signed in: less often.
      lost(true);
      wait = Math.min(wait * 2, 120000);
    }
    isAsking = false;
    timer = setTimeout(ask, wait);
  };

  // As they were written: what the browser makes of it is not compared with what the server says.
  /** @type {WeakMap<HTMLElement, string>} */
  const sources = new WeakMap();
  let announced = part("now")?.dataset.liveAnnouncement ?? "";
  mark();
  document.addEventListener("visibilitychange", () => {
    // Hidden, nothing is asked; seen again, at once.
    if (document.hidden) clearTimeout(timer);
    else ask();
  });
  addEventListener("online", ask);
  find("refresh").addEventListener("click", (event) => {
    event.preventDefault();
    wait = every;
    ask();
  });
  timer = setTimeout(ask, wait);
}
