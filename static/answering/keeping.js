// What is not saved yet, stored in the browser so that a reload loses nothing. Where storage is
// forbidden or full the page works on without it. Each record has a place of its own: of two tabs
// neither writes over what the other could not send.

/** @import { UnsavedRecord } from "./pending.js" */

export class UnsavedStore {
  #prefix;

  /** @param {string} name of the booklet, as the server names it */
  constructor(name) {
    this.#prefix = `likeness:${name}:`;
  }

  /**
   * Store a record, and forget the one that it replaces; whether that was possible.
   * @param {string} question
   * @param {UnsavedRecord} record
   * @param {string} [replacedKey]
   */
  put(question, record, replacedKey) {
    const place = this.#place(question, record.idempotency_key);
    const text = JSON.stringify({ ...record, kept_at: Date.now() });
    try {
      try {
        localStorage.setItem(place, text);
        if (replacedKey && replacedKey !== record.idempotency_key) this.drop(question, replacedKey);
      } catch {
        // There may be room for the newer one where the older one was.
        if (replacedKey) this.drop(question, replacedKey);
        localStorage.setItem(place, text);
      }
      return true;
    } catch {
      return false;
    }
  }

  /**
   * @param {string} question
   * @param {string} key
   */
  drop(question, key) {
    try {
      localStorage.removeItem(this.#place(question, key));
    } catch {
      // Storage is forbidden: nothing is stored.
    }
  }

  /**
   * The records of a question, the newest first.
   * @param {string} question
   */
  of(question) {
    return this.#all()
      .filter((stored) => stored.question === question)
      .map((stored) => stored.record)
      .sort((a, b) => (b.kept_at ?? 0) - (a.kept_at ?? 0));
  }

  questions() {
    return [...new Set(this.#all().map((stored) => stored.question))];
  }

  /**
   * @param {string} question
   * @param {string} key
   */
  #place(question, key) {
    return `${this.#prefix}${question}:${key}`;
  }

  #all() {
    try {
      return Object.keys(localStorage)
        .filter((place) => place.startsWith(this.#prefix))
        .flatMap((place) => {
          const record = this.#read(place);
          return record
            ? [{ question: place.slice(this.#prefix.length).split(":")[0], record }]
            : [];
        });
    } catch {
      return [];
    }
  }

  /**
   * @param {string} place
   * @returns {UnsavedRecord | null} null where it is not of our writing
   */
  #read(place) {
    try {
      const record = JSON.parse(localStorage.getItem(place) ?? "null");
      return record?.idempotency_key && record.base && record.answer ? record : null;
    } catch {
      return null;
    }
  }
}
