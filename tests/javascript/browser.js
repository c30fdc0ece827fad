// What the modules of a page take from their browser, as far as tests need it: storage that can be
// full or forbidden, a clock and a network that obey, and the events of a window.

import { mock } from "node:test";

/** A stand-in for `localStorage`: its entries are its own keys, as in a browser. */
class FakeStorage {
  #room = Number.POSITIVE_INFINITY;

  /** @param {number} n how many entries there is room for */
  limit(n) {
    this.#room = n;
  }

  /** @param {string} name */
  getItem(name) {
    return /** @type {Record<string, string>} */ (/** @type {unknown} */ (this))[name] ?? null;
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  setItem(name, value) {
    if (!(name in this) && Object.keys(this).length >= this.#room) throw new Error("It is full.");
    Object.assign(this, { [name]: value });
  }

  /** @param {string} name */
  removeItem(name) {
    delete (/** @type {Record<string, string>} */ (/** @type {unknown} */ (this))[name]);
  }
}

/** A request on its way, until a test answers it or lets it fail. */
class FakeRequest {
  /** @type {(response: Response) => void} */
  #answer = () => {};
  /** @type {(reason: Error) => void} */
  #fail = () => {};

  /**
   * @param {string} url
   * @param {RequestInit} init
   */
  constructor(url, init) {
    this.url = url;
    this.init = init;
    this.fields = new URLSearchParams(String(init.body));
    /** @type {Promise<Response>} */
    this.response = new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#fail = reject;
    });
  }

  /** @param {string} name */
  field(name) {
    return this.fields.get(name) ?? "";
  }

  get key() {
    return this.field("idempotency_key");
  }

  /**
   * @param {number} status
   * @param {unknown} body
   */
  async answer(status, body) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    this.#answer(new Response(text, { status }));
    await everythingDone();
  }

  async fail() {
    this.#fail(new TypeError("There is no network."));
    await everythingDone();
  }
}

/** What was begun comes to its end, as far as it needs neither time nor network. */
export function everythingDone() {
  return new Promise((done) => setImmediate(done));
}

export class FakeBrowser {
  storage = new FakeStorage();
  window = new EventTarget();
  document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  /** @type {FakeRequest[]} */
  requests = [];
  #now = 0;

  /** A new browser, in the place of the one before. */
  constructor() {
    mock.reset();
    mock.timers.reset();
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    mock.method(performance, "now", () => this.#now);
    mock.method(
      globalThis,
      "fetch",
      (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
        const request = new FakeRequest(url, init);
        this.requests.push(request);
        return request.response;
      },
    );
    this.#provide("localStorage", this.storage);
    this.#provide("document", this.document);
    this.#provide("addEventListener", this.window.addEventListener.bind(this.window));
  }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  #provide(name, value) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }

  /** Each use of storage fails, as where cookies are forbidden. */
  forbidStorage() {
    Object.defineProperty(globalThis, "localStorage", {
      configurable: true,
      get() {
        throw new Error("It is forbidden.");
      },
    });
  }

  get lastRequest() {
    const request = this.requests.at(-1);
    if (!request) throw new Error("Nothing was sent.");
    return request;
  }

  /** @param {number} milliseconds */
  async wait(milliseconds) {
    this.#now += milliseconds;
    mock.timers.tick(milliseconds);
    await everythingDone();
  }

  /** The page goes into the background, and may never come back. */
  hide() {
    this.document.visibilityState = "hidden";
    this.document.dispatchEvent(new Event("visibilitychange"));
  }

  /** Whether the browser asks before it closes the page. */
  get warns() {
    return !this.window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  }

  /** The records that are stored, in the order in which they came. */
  get stored() {
    return Object.entries(this.storage).map(([name, text]) => ({ name, ...JSON.parse(text) }));
  }
}
