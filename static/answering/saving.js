// Saves every change in the background. Of one question at most one request is on its way, and of
// several changes the newest is sent; what fails is sent again until the server has answered.
// What is still being typed is held: kept in the browser at once, sent a little later.
//
// With each change go the keys of the answers this page has shown or sent: its base. Where the
// server has another one, given in another tab or on another device, nothing is written over.

import { pauseBefore, post } from "./posting.js";

const LONGEST_BASE = 40;
const AT_WORK_MS = 700; // whoever chose something just now goes on choosing

/** A random UUID. `crypto.randomUUID` exists on secure pages only. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const SAID = [
  "best", "worst", "rating", "categories", "comment",
  "similar", "middle", "dissimilar", "similar_rating", "middle_rating", "dissimilar_rating",
];

function saysTheSame(one, other) {
  return SAID.every((name) => text(one[name]) === text(other[name]));
}

// Of several categories no name has this character.
function text(value) {
  return [value ?? ""].flat().join("|");
}

/** What is known of one question, and what of it is not acknowledged yet. */
class Line {
  pending = null;
  isBusy = false;
  isHeld = false;
  isKept = true;
  isRefused = false;
  retry = 0;
  timer = 0;
  told = "";
  outdated = ""; // the key of what waits for a newer page, until something newer is chosen
  changedAt = 0;
  isHere = false; // whether the question is on this page
  made = new Set(); // the keys of what was made here, sent or not
  offered = []; // the keys of what was chosen here, but does not stand

  constructor(question, url, base) {
    Object.assign(this, { question, url });
    this.know(base);
  }

  know(base) {
    this.known = base.split(" ").filter(Boolean);
  }

  learn(key) {
    if (!this.known.includes(key)) this.known = [...this.known, key].slice(-LONGEST_BASE);
  }

  get base() {
    return this.known.join(" ");
  }
}

export class Saver {
  #kept;
  #tabs;
  #listener;
  #isBeingTyped;
  #lines = new Map();
  #sequence = 0;
  #waiting = [];
  isClosed = false;

  /**
   * `listener(question, state, detail)`: state is saved, draft, waiting, refused; elsewhere (what
   * stands was given elsewhere, and not written over), changed (likewise, but knowing of what was
   * chosen here), painted (in another tab of this browser), closed.
   */
  constructor({ kept, tabs, listener, isBeingTyped = () => false }) {
    this.#kept = kept;
    this.#tabs = tabs;
    this.#listener = listener;
    this.#isBeingTyped = isBeingTyped;
    tabs.listen((message) => this.#hear(message));
    addEventListener("online", () => this.retry());
    // A lid was opened: timers stood still, and the network may be back.
    document.addEventListener("resume", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retry();
      else this.#sendLast();
    });
    addEventListener("pagehide", () => this.#sendLast());
    addEventListener("beforeunload", (event) => {
      // What is kept is sent by the next page of this browser; a warning would only frighten.
      if ([...this.#lines.values()].some((line) => line.pending && !line.isKept)) {
        event.preventDefault();
      }
    });
  }

  get isEmpty() {
    return [...this.#lines.values()].every((line) => !line.pending);
  }

  /** Whether the server has said no to something here that was not sent anew since. */
  get isRefused() {
    return [...this.#lines.values()].some((line) => line.isHere && line.isRefused);
  }

  /** Resolves when nothing is left to send. */
  empty() {
    return this.isEmpty ? Promise.resolve() : new Promise((done) => this.#waiting.push(done));
  }

  isHeld(question) {
    return Boolean(this.#lines.get(question)?.isHeld);
  }

  /** A question is on this page, with the answer that `base` names. */
  show(question, url, base) {
    this.#line(question, url, base).isHere = true;
  }

  base(question) {
    return this.#lines.get(question).base;
  }

  change(question, url, answer) {
    if (!this.isClosed) this.#sendOrWait(this.#take(question, url, answer));
  }

  /** Take a change that another one will follow soon: it is lost no more, but not sent yet. */
  hold(question, url, answer) {
    if (!this.isClosed) this.#take(question, url, answer).isHeld = true;
  }

  /**
   * Send what an earlier showing of a page could not send any more.
   *
   * Answers with that record, and with the one of another tab that says something else. `shown`
   * is this page's note of what it shows, for a record whose own had become too old.
   */
  resume(question, url, shown = "") {
    const [record, ...others] = this.#kept.of(question);
    if (!record) return {};
    record.shown ||= shown;
    if (!record.shown) return {};
    const line = this.#line(question, url, record.base);
    const seen = record.base.split(" ");
    const different = others.filter(
      (other) => !seen.includes(other.idempotency_key) && !saysTheSame(other, record),
    );
    for (const other of others) {
      if (different.includes(other)) line.offered.push(other.idempotency_key);
      else this.#kept.drop(question, other.idempotency_key);
    }
    // Not what this page shows, but what that one had shown: the server compares.
    line.know(record.base);
    line.pending = record;
    line.made.add(record.idempotency_key);
    this.#sendOrWait(line);
    return { record, other: different[0] };
  }

  /** What was chosen here and does not stand is decided about. */
  settle(question) {
    const line = this.#lines.get(question);
    for (const key of line.offered.splice(0)) this.#kept.drop(question, key);
  }

  /** Somebody waits: try at once what would have been tried later. */
  retry() {
    for (const line of this.#lines.values()) {
      line.retry = 0;
      if (!line.isHeld) this.#send(line);
    }
  }

  /** The server takes nothing more: stop trying. */
  close(answer) {
    if (this.isClosed) return;
    this.isClosed = true;
    const unsaved = [...this.#lines.values()].filter((line) => line.pending);
    for (const line of unsaved) this.#done(line, line.pending);
    for (const question of this.#lines.keys()) this.settle(question);
    this.#listener(null, "closed", { ...answer, unsaved: unsaved.map((line) => line.question) });
    this.#release();
  }

  #line(question, url, base = "") {
    if (!this.#lines.has(question)) {
      this.#lines.set(question, new Line(question, url, base));
    }
    return this.#lines.get(question);
  }

  #take(question, url, answer) {
    const line = this.#line(question, url);
    this.#sequence += 1;
    const record = {
      ...answer,
      base: line.base,
      sequence: this.#sequence,
      idempotency_key: newKey(),
    };
    const replaced = line.pending?.idempotency_key ?? line.outdated;
    line.outdated = "";
    line.made.add(record.idempotency_key);
    line.pending = record;
    line.changedAt = performance.now();
    line.isHeld = false;
    line.isRefused = false;
    line.isKept = this.#kept.put(question, record, replaced);
    return line;
  }

  #sendOrWait(line) {
    if (!line.retry) this.#send(line);
  }

  // Nobody types on a page that goes away, and a phone may never show it again. Beside what is on
  // its way already: there may be no later, and by its base the server knows which is the newer.
  #sendLast() {
    for (const line of this.#lines.values()) {
      if (line.isHeld) this.#send(line);
      if (line.isBusy && line.pending && line.pending !== line.sent) {
        line.sent = line.pending;
        post(line.url, this.#readyToSend(line));
      }
    }
  }

  #readyToSend(line) {
    const record = line.pending;
    if (record.base !== line.base) {
      record.base = line.base;
      line.isKept = this.#kept.put(line.question, record);
    }
    // From now on the server may have it.
    line.learn(record.idempotency_key);
    if (line.told !== record.idempotency_key) {
      line.told = record.idempotency_key;
      this.#tabs.tell({ question: line.question, record });
    }
    const { kept_at: _, ...fields } = record;
    return fields;
  }

  async #send(line) {
    if (line.isBusy || !line.pending) return;
    clearTimeout(line.timer);
    line.isBusy = true;
    line.isHeld = false;
    const record = line.pending;
    line.sent = record;
    const answer = await post(line.url, this.#readyToSend(line));
    line.isBusy = false;
    if (!line.pending) return; // closed, or another tab has gone on from here
    if (answer === null) this.#again(line);
    else if (answer.closed) this.#refuseClosed(line, record, answer);
    else if (line.pending !== record) this.#goOn(line, record, answer);
    else this.#settled(line, record, answer);
  }

  #again(line) {
    this.#listener(line.question, "waiting", null);
    line.timer = setTimeout(() => this.#send(line), pauseBefore(line.retry));
    line.retry += 1;
  }

  /** While this was on its way something newer was chosen. */
  #goOn(line, record, answer) {
    line.retry = 0;
    const isSeen = !answer.error && saysTheSame(answer.answer, record);
    // Otherwise it stays unknown, and the newer one is told of it, too.
    if (isSeen) line.learn(answer.key);
    if (!line.isHeld) this.#send(line);
  }

  #settled(line, record, answer) {
    line.retry = 0;
    if (answer.status === 409 && answer.answer) {
      // Not between two clicks: the second would choose from what the first was not meant for.
      const wait = line.changedAt + AT_WORK_MS - performance.now();
      if (wait > 0) setTimeout(() => this.#giveWay(line, record, answer), wait);
      else this.#giveWay(line, record, answer);
      return;
    }
    if (answer.error) {
      this.#refused(line, record, answer);
    } else {
      this.#done(line, record);
      line.know(answer.key);
      this.#tabs.tell({ question: line.question, sent: record.idempotency_key, key: answer.key });
      const state = saysTheSame(answer.answer, record) ? answer.state : "changed";
      this.#listener(line.question, state, answer);
    }
    this.#release();
  }

  /** What stands is shown; what was chosen here stays in the browser until somebody decides. */
  #giveWay(line, record, answer) {
    if (line.pending !== record) return; // changed once more, or told already
    line.pending = null;
    line.offered.push(record.idempotency_key);
    line.know(answer.key);
    this.#listener(line.question, "elsewhere", { ...answer, here: record });
    this.#release();
  }

  #refused(line, record, answer) {
    line.isRefused = true;
    if (answer.outdated) {
      // The page is too old, not the choice: the next showing sends it in its own name.
      line.pending = null;
      line.outdated = record.idempotency_key;
      this.#kept.put(line.question, { ...record, shown: "" });
      if (!line.isHere) return;
    } else {
      this.#done(line, record);
    }
    this.#listener(line.question, "refused", answer);
  }

  #refuseClosed(line, record, answer) {
    if (line.isHere) {
      this.close(answer);
    } else {
      // A change of an earlier booklet; this page has another one.
      this.#done(line, record);
      this.#listener(line.question, "refused", answer);
      this.#release();
    }
  }

  #done(line, record) {
    clearTimeout(line.timer);
    line.pending = null;
    line.isHeld = false;
    this.#kept.drop(line.question, record.idempotency_key);
  }

  #release() {
    if (this.isEmpty) for (const done of this.#waiting.splice(0)) done();
  }

  #hear({ question, record, sent, key, closed }) {
    if (closed) this.close(closed);
    const line = this.#lines.get(question);
    if (!line?.isHere || this.isClosed) return;
    if (sent) {
      if (line.known.includes(sent)) line.learn(key);
    } else if (line.made.has(record.idempotency_key)) {
      // Another tab has sent what was kept here and not sent yet.
      line.learn(record.idempotency_key);
    } else {
      this.#paint(line, record);
    }
  }

  /** Another tab has gone on from what is shown here: go along, unless somebody is at work. */
  #paint(line, record) {
    const seen = record.base.split(" ");
    const replaced = line.pending;
    if (replaced ? !seen.includes(replaced.idempotency_key) : !this.#isShown(line, seen)) return;
    if (this.#isBeingTyped(line.question)) return;
    if (replaced) this.#done(line, replaced);
    line.retry = 0;
    line.know(`${record.base} ${record.idempotency_key}`);
    this.#listener(line.question, "painted", record);
    this.#release();
  }

  #isShown(line, seen) {
    return line.known.some((key) => seen.includes(key));
  }
}
