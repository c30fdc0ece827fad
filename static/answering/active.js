// How long somebody was really at a question: the page visible and focused, and something moved,
// pressed or scrolled within the last half minute. Each moment belongs to the current question, and
// so does each time that the page lost the focus.

const IDLE_MS = 30_000;
const SIGNS_OF_LIFE = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchmove"];

export class ActiveTime {
  /** @type {Map<string, number>} the milliseconds at each question */
  #totals = new Map();
  /** @type {Map<string, number>} how often the page lost the focus at each question */
  #timesAway = new Map();
  #isHere = false;
  /** @type {string | null} */
  #current = null;
  /** @type {number | null} */
  #since = null; // when the time not yet added up began; null while nobody is here

  constructor() {
    for (const sign of SIGNS_OF_LIFE) {
      addEventListener(sign, () => this.#tick(), { passive: true, capture: true });
    }
    for (const change of ["focus", "blur", "pagehide", "pageshow"]) {
      addEventListener(change, (event) => this.#tick(event.type));
    }
    document.addEventListener("visibilitychange", () => this.#tick());
    this.#tick();
  }

  /**
   * @param {string} id
   * @param {number} milliseconds
   * @param {number} timesAway
   */
  start(id, milliseconds, timesAway) {
    this.#totals.set(id, milliseconds);
    this.#timesAway.set(id, timesAway);
  }

  /** @param {string} id */
  attend(id) {
    this.#tick();
    this.#current = id;
  }

  /** @param {string} id */
  total(id) {
    this.#tick();
    return Math.round(this.#totals.get(id) ?? 0);
  }

  /** @param {string} id */
  timesAway(id) {
    return this.#timesAway.get(id) ?? 0;
  }

  #tick(change = "") {
    const now = performance.now();
    if (this.#since !== null && this.#current !== null) {
      const spent = Math.min(now - this.#since, IDLE_MS);
      this.#totals.set(this.#current, (this.#totals.get(this.#current) ?? 0) + spent);
    }
    const isHere = document.visibilityState === "visible" && document.hasFocus();
    const isLeaving = change === "blur" || change === "pagehide";
    const wasHere = this.#isHere;
    this.#isHere = isHere && !isLeaving;
    this.#since = this.#isHere ? now : null;
    // Whoever goes on to the next page has not been anywhere else.
    if (wasHere && !this.#isHere && change !== "pagehide" && this.#current !== null) {
      this.#timesAway.set(this.#current, this.timesAway(this.#current) + 1);
    }
  }
}
