// What is not saved yet, kept in the browser so that a reload loses nothing. Where storage is
// forbidden or full the page works on without it. Each record has a place of its own: of two tabs
// neither writes over what the other could not send.

export class Kept {
  #prefix;

  constructor(store) {
    this.#prefix = `likeness:${store}:`;
  }

  /** Keep a record, and forget the one that it replaces; whether that was possible. */
  put(question, record, replaced) {
    const place = this.#place(question, record.idempotency_key);
    const text = JSON.stringify({ ...record, kept_at: Date.now() });
    try {
      try {
        localStorage.setItem(place, text);
        if (replaced && replaced !== record.idempotency_key) this.drop(question, replaced);
      } catch {
        // There may be room for the newer one where the older one was.
        if (replaced) this.drop(question, replaced);
        localStorage.setItem(place, text);
      }
      return true;
    } catch {
      return false;
    }
  }

  drop(question, key) {
    try {
      localStorage.removeItem(this.#place(question, key));
    } catch { /* see above */ }
  }

  /** The records of a question, the newest first. */
  of(question) {
    return this.#all()
      .filter((kept) => kept.question === question)
      .map((kept) => kept.record)
      .sort((a, b) => b.kept_at - a.kept_at);
  }

  questions() {
    return [...new Set(this.#all().map((kept) => kept.question))];
  }

  #place(question, key) {
    return `${this.#prefix}${question}:${key}`;
  }

  #all() {
    try {
      return Object.keys(localStorage)
        .filter((place) => place.startsWith(this.#prefix))
        .map((place) => ({
          question: place.slice(this.#prefix.length).split(":")[0],
          record: this.#read(place),
        }))
        .filter((kept) => kept.record?.idempotency_key && kept.record.base);
    } catch {
      return [];
    }
  }

  #read(place) {
    try {
      return JSON.parse(localStorage.getItem(place));
    } catch {
      return null; // not of our writing
    }
  }
}
