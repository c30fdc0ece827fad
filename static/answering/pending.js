// What a page knows of one question's answer, and what of it the server has not acknowledged yet.

const MAX_BASE_KEYS = 40;

/**
 * The choices by their names, and the comment. Null, "" and a name that is missing are no choice.
 * @typedef {Record<string, string | number | (string | number)[] | null | undefined>} Answer
 */

/**
 * What a page sends of a question beside what names it: `shown` is the server's signed note of what
 * was shown.
 * @typedef {{
 *   answer: Answer, shown: string, active_ms: number, n_away: number, n_pasted: number,
 * }} Entry
 */

/**
 * A change that the server has not acknowledged. `base` holds the keys of the answers that its page
 * had shown or sent, `kept_at` when the browser stored it.
 * @typedef {Entry & {
 *   base: string, sequence: number, idempotency_key: string, kept_at?: number,
 * }} UnsavedRecord
 */

/**
 * Whether two answers are the same choices and the same comment. All names of both are compared:
 * no list of names can lack one.
 * @param {Answer} answer
 * @param {Answer} other
 */
export function saysTheSame(answer, other) {
  const names = new Set([...Object.keys(answer), ...Object.keys(other)]);
  return [...names].every((name) => asText(answer[name]) === asText(other[name]));
}

// No name of a category has this character.
/** @param {Answer[string]} value */
function asText(value) {
  return [value ?? ""].flat().join("|");
}

/** A random UUID. `crypto.randomUUID` exists on secure pages only. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export class PendingAnswer {
  /** @type {UnsavedRecord | null} the newest change, until the server has acknowledged it */
  record = null;
  /** @type {UnsavedRecord | null} the change that was sent last */
  sent = null;
  isSending = false;
  isHeld = false; // another change will follow soon
  isStored = true; // in the browser, so that nothing is lost when the page goes away
  isRefused = false;
  isOnPage = false;
  nRetries = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  retryTimer = undefined;
  changedAt = 0;
  announcedKey = ""; // of the change that other tabs were told of last
  shownHere = ""; // this page's note of what it shows, for a record of an earlier showing
  outdatedKey = ""; // of a change that waits for a newer page, until something newer is chosen
  /** @type {string[]} the answers that this page has shown or sent */
  knownKeys = [];
  /** @type {Set<string>} the changes made on this page, sent or not */
  ownKeys = new Set();
  /** @type {string[]} the changes made in this browser that do not stand */
  offeredKeys = [];

  /**
   * @param {string} question
   * @param {string} url
   * @param {string} base
   */
  constructor(question, url, base) {
    this.question = question;
    this.url = url;
    this.know(base);
  }

  /** @param {string} base */
  know(base) {
    this.knownKeys = base.split(" ").filter(Boolean);
  }

  /** @param {string} key */
  learn(key) {
    if (this.knownKeys.includes(key)) return;
    this.knownKeys = [...this.knownKeys, key].slice(-MAX_BASE_KEYS);
  }

  get base() {
    return this.knownKeys.join(" ");
  }
}
