// Saves every change in the background. Of one question at most one request is on its way, and of
// several changes the newest is sent; what fails is sent again until the server has answered.
// What is still being typed is held: stored in the browser at once, sent a little later.
//
// With each change go the keys of the answers this page has shown or sent: its base. Where the
// server has another one, given in another tab or on another device, nothing is written over.

/**
 * @import { UnsavedStore } from "./keeping.js"
 * @import { Answer, Entry, UnsavedRecord } from "./pending.js"
 * @import { Refusal, Reply, Success } from "./posting.js"
 * @import { Tabs } from "./tabs.js"
 */

import { newKey, PendingAnswer, saysTheSame } from "./pending.js";
import { pauseBefore, post } from "./posting.js";

const AT_WORK_MS = 700; // whoever chose something just now goes on choosing

/**
 * What has become of a change: it is saved, or a draft, or waiting for the network, or refused. Or
 * another answer stands: `elsewhere` where what was chosen here is not written over, `changed`
 * where that one was given knowing of it, `synced` where it comes from another tab of this browser.
 * @typedef {(question: string, state: string, news: News) => void} Listener
 */

/**
 * What goes with a state: the answer that stands now, the one chosen here that does not (`here`),
 * the server's reason, and how far the booklet is.
 * @typedef {object} News
 * @property {Answer} [answer]
 * @property {Answer} [here]
 * @property {string} [error]
 * @property {string} [screen]
 * @property {number} [questions]
 * @property {number} [answered]
 */

/**
 * Why the server takes nothing more, and the questions whose last change it has not taken.
 * @typedef {{ error: string, unsaved: string[] }} Closing
 */

/**
 * What tabs tell one another: that a record is being sent, that the server has taken one as the
 * answer `key`, or that it takes nothing more.
 * @typedef {object} TabMessage
 * @property {string} [question]
 * @property {UnsavedRecord} [record]
 * @property {string} [sent]
 * @property {string} [key]
 * @property {{ error: string }} [closed]
 */

export class Saver {
  #store;
  #tabs;
  #listener;
  #onClosed;
  #isBeingTyped;
  /** @type {Map<string, PendingAnswer>} */
  #pending = new Map();
  #sequence = 0;
  /** @type {(() => void)[]} */
  #waiting = [];
  isClosed = false;

  /**
   * @param {object} options
   * @param {UnsavedStore} options.store
   * @param {Pick<Tabs, "listen" | "tell">} options.tabs
   * @param {Listener} [options.listener]
   * @param {(closing: Closing) => void} [options.onClosed]
   * @param {(question: string) => boolean} [options.isBeingTyped]
   */
  constructor({
    store,
    tabs,
    listener = () => {},
    onClosed = () => {},
    isBeingTyped = () => false,
  }) {
    this.#store = store;
    this.#tabs = tabs;
    this.#listener = listener;
    this.#onClosed = onClosed;
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
      // What is stored is sent by the next page of this browser; a warning would only frighten.
      if ([...this.#pending.values()].some((pending) => pending.record && !pending.isStored)) {
        event.preventDefault();
      }
    });
  }

  get isEmpty() {
    return [...this.#pending.values()].every((pending) => !pending.record);
  }

  /** Whether the server has said no to something here that was not sent anew since. */
  get isRefused() {
    return [...this.#pending.values()].some((pending) => pending.isOnPage && pending.isRefused);
  }

  /**
   * Resolves when nothing is left to send.
   * @returns {Promise<void>}
   */
  empty() {
    return this.isEmpty ? Promise.resolve() : new Promise((done) => this.#waiting.push(done));
  }

  /** @param {string} question */
  isHeld(question) {
    return Boolean(this.#pending.get(question)?.isHeld);
  }

  /**
   * A question is on this page, with the answer that `base` names.
   * @param {string} question
   * @param {string} url
   * @param {string} base
   */
  show(question, url, base) {
    this.#of(question, url, base).isOnPage = true;
  }

  /** @param {string} question */
  base(question) {
    return this.#pending.get(question)?.base ?? "";
  }

  /**
   * @param {string} question
   * @param {string} url
   * @param {Entry} entry
   */
  change(question, url, entry) {
    if (!this.isClosed) this.#sendUnlessWaiting(this.#take(question, url, entry));
  }

  /**
   * Take a change that another one will follow soon: it is lost no more, but not sent yet.
   * @param {string} question
   * @param {string} url
   * @param {Entry} entry
   */
  hold(question, url, entry) {
    if (!this.isClosed) this.#take(question, url, entry).isHeld = true;
  }

  /**
   * Send what an earlier showing of a page could not send any more.
   *
   * Answers with what that says, and with the answer of another tab that says something else.
   * @param {string} question
   * @param {string} url
   * @param {string} [shown] this page's note of what it shows, for a record whose own had become
   *   too old
   * @returns {{ answer?: Answer, other?: Answer }}
   */
  resume(question, url, shown = "") {
    const [record, ...others] = this.#store.of(question);
    if (!record) return {};
    record.shown ||= shown;
    if (!record.shown) return {};
    const pending = this.#of(question, url, record.base);
    pending.shownHere = shown;
    const base = record.base.split(" ");
    const different = others.filter(
      (other) => !base.includes(other.idempotency_key) && !saysTheSame(other.answer, record.answer),
    );
    for (const other of others) {
      if (different.includes(other)) pending.offeredKeys.push(other.idempotency_key);
      else this.#store.drop(question, other.idempotency_key);
    }
    // Not what this page shows, but what that one had shown: the server compares.
    pending.know(record.base);
    pending.record = record;
    pending.ownKeys.add(record.idempotency_key);
    this.#sendUnlessWaiting(pending);
    return { answer: record.answer, other: different[0]?.answer };
  }

  /**
   * What was chosen here and does not stand is decided about.
   * @param {string} question
   */
  settle(question) {
    const keys = this.#pending.get(question)?.offeredKeys.splice(0) ?? [];
    for (const key of keys) this.#store.drop(question, key);
  }

  /** Somebody waits: try at once what would have been tried later. */
  retry() {
    for (const pending of this.#pending.values()) {
      pending.nRetries = 0;
      if (!pending.isHeld) this.#send(pending);
    }
  }

  /**
   * The server takes nothing more: stop trying.
   * @param {{ error: string }} reason
   */
  close({ error }) {
    if (this.isClosed) return;
    this.isClosed = true;
    const unsaved = [...this.#pending.values()].filter((pending) => pending.record);
    for (const pending of unsaved) this.#finish(pending);
    for (const question of this.#pending.keys()) this.settle(question);
    this.#onClosed({ error, unsaved: unsaved.map((pending) => pending.question) });
    this.#release();
  }

  /**
   * @param {string} question
   * @param {string} url
   * @param {string} [base]
   */
  #of(question, url, base = "") {
    const pending = this.#pending.get(question) ?? new PendingAnswer(question, url, base);
    this.#pending.set(question, pending);
    return pending;
  }

  /**
   * @param {string} question
   * @param {string} url
   * @param {Entry} entry
   */
  #take(question, url, entry) {
    const pending = this.#of(question, url);
    this.#sequence += 1;
    const record = {
      ...entry,
      base: pending.base,
      sequence: this.#sequence,
      idempotency_key: newKey(),
    };
    const replacedKey = pending.record?.idempotency_key ?? pending.outdatedKey;
    pending.outdatedKey = "";
    pending.ownKeys.add(record.idempotency_key);
    pending.record = record;
    pending.changedAt = performance.now();
    pending.isHeld = false;
    pending.isRefused = false;
    pending.isStored = this.#store.put(question, record, replacedKey);
    return pending;
  }

  /** @param {PendingAnswer} pending */
  #sendUnlessWaiting(pending) {
    if (!pending.nRetries) this.#send(pending);
  }

  // Nobody types on a page that goes away, and a phone may never show it again. Beside what is on
  // its way already: there may be no later, and by its base the server knows which is the newer.
  #sendLast() {
    for (const pending of this.#pending.values()) {
      if (pending.isHeld) this.#send(pending);
      const { record } = pending;
      if (pending.isSending && record && record !== pending.sent) {
        pending.sent = record;
        post(pending.url, this.#fieldsToSend(pending, record));
      }
    }
  }

  /**
   * @param {PendingAnswer} pending
   * @param {UnsavedRecord} record
   */
  #fieldsToSend(pending, record) {
    if (record.base !== pending.base) {
      record.base = pending.base;
      pending.isStored = this.#store.put(pending.question, record);
    }
    // From now on the server may have it.
    pending.learn(record.idempotency_key);
    if (pending.announcedKey !== record.idempotency_key) {
      pending.announcedKey = record.idempotency_key;
      this.#tabs.tell({ question: pending.question, record });
    }
    const { answer, kept_at: _, ...fields } = record;
    return { ...answer, ...fields };
  }

  /** @param {PendingAnswer} pending */
  async #send(pending) {
    const { record } = pending;
    if (pending.isSending || !record) return;
    clearTimeout(pending.retryTimer);
    pending.isSending = true;
    pending.isHeld = false;
    pending.sent = record;
    const reply = await post(pending.url, this.#fieldsToSend(pending, record));
    pending.isSending = false;
    if (!pending.record) return; // closed, or another tab has gone on from here
    if (reply === null) this.#retryLater(pending);
    else if (reply.state === undefined && reply.closed) this.#refuseClosed(pending, reply);
    else if (pending.record !== record) this.#sendNewer(pending, record, reply);
    else this.#receive(pending, record, reply);
  }

  /** @param {PendingAnswer} pending */
  #retryLater(pending) {
    this.#listener(pending.question, "waiting", {});
    pending.retryTimer = setTimeout(() => this.#send(pending), pauseBefore(pending.nRetries));
    pending.nRetries += 1;
  }

  /**
   * While this was on its way something newer was chosen.
   * @param {PendingAnswer} pending
   * @param {UnsavedRecord} record
   * @param {Reply} reply
   */
  #sendNewer(pending, record, reply) {
    pending.nRetries = 0;
    const isSaved = reply.state !== undefined && saysTheSame(reply.answer, record.answer);
    // Otherwise it stays unknown, and the newer one is told of it, too.
    if (isSaved) pending.learn(reply.key);
    if (!pending.isHeld) this.#send(pending);
  }

  /**
   * @param {PendingAnswer} pending
   * @param {UnsavedRecord} record
   * @param {Reply} reply
   */
  #receive(pending, record, reply) {
    pending.nRetries = 0;
    if (reply.state !== undefined) {
      this.#acknowledge(pending, record, reply);
    } else if (reply.status === 409 && reply.answer) {
      // Not between two clicks: the second would choose from what the first was not meant for.
      const wait = pending.changedAt + AT_WORK_MS - performance.now();
      if (wait > 0) setTimeout(() => this.#yieldToServer(pending, record, reply), wait);
      else this.#yieldToServer(pending, record, reply);
    } else if (reply.outdated && pending.shownHere && record.shown !== pending.shownHere) {
      // An earlier showing went before it was told that it was too old: this one sends it.
      record.shown = pending.shownHere;
      pending.isStored = this.#store.put(pending.question, record);
      this.#send(pending);
    } else {
      this.#refuse(pending, record, reply);
      this.#release();
    }
  }

  /**
   * @param {PendingAnswer} pending
   * @param {UnsavedRecord} record
   * @param {Success} reply
   */
  #acknowledge(pending, record, reply) {
    this.#finish(pending);
    pending.know(reply.key);
    this.#tabs.tell({ question: pending.question, sent: record.idempotency_key, key: reply.key });
    const state = saysTheSame(reply.answer, record.answer) ? reply.state : "changed";
    this.#listener(pending.question, state, reply);
    this.#release();
  }

  /**
   * What stands is shown; what was chosen here stays in the browser until somebody decides.
   * @param {PendingAnswer} pending
   * @param {UnsavedRecord} record
   * @param {Refusal} reply
   */
  #yieldToServer(pending, record, reply) {
    if (pending.record !== record) return; // changed once more, or told already
    pending.record = null;
    pending.offeredKeys.push(record.idempotency_key);
    pending.know(reply.key ?? "");
    this.#listener(pending.question, "elsewhere", { ...reply, here: record.answer });
    this.#release();
  }

  /**
   * @param {PendingAnswer} pending
   * @param {UnsavedRecord} record
   * @param {Refusal} reply
   */
  #refuse(pending, record, reply) {
    pending.isRefused = true;
    if (reply.outdated) {
      // The page is too old, not the choice: the next showing sends it in its own name.
      pending.record = null;
      pending.outdatedKey = record.idempotency_key;
      this.#store.put(pending.question, { ...record, shown: "" });
      if (!pending.isOnPage) return;
    } else {
      this.#finish(pending);
    }
    this.#listener(pending.question, "refused", reply);
  }

  /**
   * @param {PendingAnswer} pending
   * @param {Refusal} reply
   */
  #refuseClosed(pending, reply) {
    if (pending.isOnPage) {
      this.close(reply);
    } else {
      // A change of an earlier booklet; this page has another one.
      this.#finish(pending);
      this.#listener(pending.question, "refused", reply);
      this.#release();
    }
  }

  /**
   * Nothing of this question is left to send.
   * @param {PendingAnswer} pending
   */
  #finish(pending) {
    clearTimeout(pending.retryTimer);
    if (pending.record) this.#store.drop(pending.question, pending.record.idempotency_key);
    pending.record = null;
    pending.isHeld = false;
  }

  #release() {
    if (this.isEmpty) for (const done of this.#waiting.splice(0)) done();
  }

  /** @param {TabMessage} message */
  #hear({ question = "", record, sent, key = "", closed }) {
    if (closed) this.close(closed);
    const pending = this.#pending.get(question);
    if (!pending?.isOnPage || this.isClosed) return;
    if (sent) {
      if (pending.knownKeys.includes(sent)) pending.learn(key);
    } else if (record && pending.ownKeys.has(record.idempotency_key)) {
      // Another tab has sent what was stored here and not sent yet.
      pending.learn(record.idempotency_key);
    } else if (record) {
      this.#followTab(pending, record);
    }
  }

  /**
   * Another tab has gone on from what is shown here: go along, unless somebody is at work.
   * @param {PendingAnswer} pending
   * @param {UnsavedRecord} record
   */
  #followTab(pending, record) {
    const base = record.base.split(" ");
    const isFromHere = pending.record
      ? base.includes(pending.record.idempotency_key)
      : pending.knownKeys.some((key) => base.includes(key));
    if (!isFromHere || this.#isBeingTyped(pending.question)) return;
    if (pending.record) this.#finish(pending);
    pending.nRetries = 0;
    pending.know(`${record.base} ${record.idempotency_key}`);
    this.#listener(pending.question, "synced", { answer: record.answer });
    this.#release();
  }
}
