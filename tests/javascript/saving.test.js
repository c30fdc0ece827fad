import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";

import { UnsavedStore } from "../../static/answering/keeping.js";
import { Saver } from "../../static/answering/saving.js";
import { everythingDone, FakeBrowser } from "./browser.js";

/**
 * @import { Answer, UnsavedRecord } from "../../static/answering/pending.js"
 * @import { Closing, News, TabMessage } from "../../static/answering/saving.js"
 */

const LONG_MS = 60_000; // more than any pause between two tries

/** @type {FakeBrowser} */
let browser;
/** @type {Page} */
let page;

/** A page with question 1, which shows the answer with the key "shown". */
class Page {
  /** @type {{ question: string, state: string, news: News }[]} */
  reports = [];
  /** @type {Closing[]} */
  closings = [];
  /** @type {TabMessage[]} what other tabs are told */
  messages = [];
  /** @type {(message: TabMessage) => void} a message of another tab */
  hear = () => {};
  isBeingTyped = false;
  store = new UnsavedStore("somebody");

  constructor() {
    this.saver = new Saver({
      store: this.store,
      tabs: {
        listen: (listener) => {
          this.hear = listener;
        },
        tell: (message) => {
          this.messages.push(message);
        },
      },
      listener: (question, state, news) => {
        this.reports.push({ question, state, news });
      },
      onClosed: (closing) => {
        this.closings.push(closing);
      },
      isBeingTyped: () => this.isBeingTyped,
    });
    this.saver.show("1", "/save/1/", "shown");
  }

  get states() {
    return this.reports.map((report) => report.state);
  }

  /** @param {Answer} answer */
  choose(answer) {
    this.saver.change("1", "/save/1/", entryOf(answer));
  }

  /** @param {Answer} answer */
  type(answer) {
    this.saver.hold("1", "/save/1/", entryOf(answer));
  }
}

/** @param {Answer} answer */
function entryOf(answer) {
  return { answer, shown: "note", active_ms: 5, n_away: 2, n_pasted: 1 };
}

/**
 * The reply to a change that is saved.
 * @param {Answer} answer
 * @param {string} key
 */
function saved(answer, key) {
  return { state: "saved", answer, key, questions: 4, answered: 1 };
}

/**
 * The reply where an answer of another place stands.
 * @param {Answer} answer
 * @param {string} key
 */
function taken(answer, key) {
  return { error: "Answered in another place.", answer, key, screen: "/s/1/" };
}

/**
 * What another tab has chosen, knowing of the keys in `base`.
 * @param {string} key
 * @param {string} base
 * @param {Answer} [answer]
 * @returns {UnsavedRecord}
 */
function record(key, base, answer = { rating: "9" }) {
  return { ...entryOf(answer), base, sequence: 1, idempotency_key: key };
}

beforeEach(() => {
  browser = new FakeBrowser();
  page = new Page();
});

describe("a change", () => {
  it("is stored and sent at once, and forgotten when it is saved", async () => {
    page.choose({ rating: "1" });
    assert.deepEqual(
      browser.stored.map((stored) => stored.answer),
      [{ rating: "1" }],
    );
    const sent = browser.lastRequest;
    assert.equal(sent.url, "/save/1/");
    assert.equal(sent.field("rating"), "1");
    assert.equal(sent.field("shown"), "note");
    assert.equal(sent.field("active_ms"), "5");
    assert.equal(sent.field("n_away"), "2");
    assert.equal(sent.field("n_pasted"), "1");
    assert.equal(sent.field("sequence"), "1");
    assert.equal(page.saver.isEmpty, false);

    await sent.answer(200, saved({ rating: "1", comment: "" }, sent.key));

    assert.deepEqual(page.states, ["saved"]);
    assert.equal(page.reports[0].news.answered, 1);
    assert.deepEqual(browser.stored, []);
    assert.ok(page.saver.isEmpty);
  });

  it("that is not complete yet is reported as a draft", async () => {
    page.choose({ best: "3", worst: "" });
    await browser.lastRequest.answer(200, {
      ...saved({ best: 3, worst: null, comment: "" }, browser.lastRequest.key),
      state: "draft",
    });

    assert.deepEqual(page.states, ["draft"]);
  });

  it("waits for the one on its way, and of several the newest is sent", async () => {
    page.choose({ rating: "1" });
    const first = browser.lastRequest;
    page.choose({ rating: "2" });
    page.choose({ rating: "3" });
    assert.equal(browser.requests.length, 1);
    assert.equal(browser.stored.length, 1);

    await first.answer(200, saved({ rating: "1" }, first.key));
    assert.equal(browser.requests.length, 2);
    assert.equal(browser.lastRequest.field("rating"), "3");
    assert.deepEqual(page.states, []);

    await browser.lastRequest.answer(200, saved({ rating: "3" }, browser.lastRequest.key));
    assert.deepEqual(page.states, ["saved"]);
  });

  it("names the answers that the page has shown or sent", async () => {
    page.choose({ rating: "1" });
    const first = browser.lastRequest;
    assert.equal(first.field("base"), "shown");

    page.choose({ rating: "2" });
    await first.answer(200, saved({ rating: "1" }, first.key));
    const second = browser.lastRequest;
    assert.equal(second.field("base"), `shown ${first.key}`);
    assert.equal(browser.stored[0].base, `shown ${first.key}`);

    await second.answer(200, saved({ rating: "2" }, second.key));
    assert.equal(page.saver.base("1"), second.key);
  });

  it("names the key under which the one before was saved, where the server chose another", async () => {
    page.choose({ rating: "1" });
    const first = browser.lastRequest;
    page.choose({ rating: "2" });
    await first.answer(200, saved({ rating: "1" }, "earlier"));

    assert.equal(browser.lastRequest.field("base"), `shown ${first.key} earlier`);
    assert.equal(browser.stored[0].base, `shown ${first.key} earlier`);
  });

  it("does not name an answer that was given elsewhere while it was on its way", async () => {
    page.choose({ rating: "1" });
    const first = browser.lastRequest;
    page.choose({ rating: "2" });
    await first.answer(200, saved({ rating: "7" }, "of another place"));

    assert.equal(browser.lastRequest.field("base"), `shown ${first.key}`);
  });
});

describe("a saved answer that is not the one that was sent", () => {
  // The names of every kind, and those of kinds to come: no list of them is kept here.
  for (const name of ["best", "rating", "categories", "order", "middle_rating", "to_come"]) {
    it(`is shown as changed when ${name} differs`, async () => {
      page.choose({ [name]: "1", comment: "" });
      await browser.lastRequest.answer(200, saved({ [name]: "2", comment: "" }, "newer"));

      assert.deepEqual(page.states, ["changed"]);
      assert.deepEqual(page.reports[0].news.answer, { [name]: "2", comment: "" });
      assert.equal(page.saver.base("1"), "newer");
    });
  }
});

describe("without a network", () => {
  it("a change is sent again after growing pauses, and stays stored", async () => {
    page.choose({ rating: "1" });
    await browser.lastRequest.fail();
    assert.deepEqual(page.states, ["waiting"]);
    await browser.wait(749);
    assert.equal(browser.requests.length, 1);
    await browser.wait(502);
    assert.equal(browser.requests.length, 2);

    await browser.lastRequest.fail();
    await browser.wait(1_499);
    assert.equal(browser.requests.length, 2);
    await browser.wait(1_002);
    assert.equal(browser.requests.length, 3);
    assert.equal(browser.stored.length, 1);
    assert.equal(new Set(browser.requests.map((request) => request.key)).size, 1);

    await browser.lastRequest.answer(200, saved({ rating: "1" }, browser.lastRequest.key));
    assert.deepEqual(page.states, ["waiting", "waiting", "saved"]);
    await browser.wait(LONG_MS);
    assert.equal(browser.requests.length, 3);
  });

  it("a newer change waits, too", async () => {
    page.choose({ rating: "1" });
    await browser.lastRequest.fail();
    page.choose({ rating: "2" });
    assert.equal(browser.requests.length, 1);

    await browser.wait(LONG_MS);
    assert.equal(browser.requests.length, 2);
    assert.equal(browser.lastRequest.field("rating"), "2");
  });

  for (const [name, happen] of /** @type {[string, () => void][]} */ ([
    ["the network is back", () => browser.window.dispatchEvent(new Event("online"))],
    ["the page goes on", () => browser.document.dispatchEvent(new Event("resume"))],
    ["the page is seen", () => browser.document.dispatchEvent(new Event("visibilitychange"))],
    ["somebody waits", () => page.saver.retry()],
  ])) {
    it(`a change is sent at once when ${name}`, async () => {
      page.choose({ rating: "1" });
      await browser.lastRequest.fail();
      happen();

      assert.equal(browser.requests.length, 2);
      await browser.lastRequest.answer(200, saved({ rating: "1" }, browser.lastRequest.key));
      await browser.wait(LONG_MS);
      assert.equal(browser.requests.length, 2);
    });
  }

  it("what is chosen after something was typed is sent when somebody waits", async () => {
    page.choose({ rating: "1" });
    await browser.lastRequest.fail();
    page.type({ rating: "1", comment: "w" });
    page.choose({ rating: "1", comment: "why" });
    page.saver.retry();

    assert.equal(browser.requests.length, 2);
  });

  it("the browser warns only of what could not be stored and is not saved", async () => {
    page.choose({ rating: "1" });
    assert.equal(browser.warns, false);
    await browser.lastRequest.answer(200, saved({ rating: "1" }, browser.lastRequest.key));

    browser.forbidStorage();
    page.choose({ rating: "2" });
    assert.ok(browser.warns);
    await browser.lastRequest.answer(200, saved({ rating: "2" }, browser.lastRequest.key));
    assert.equal(browser.warns, false);
  });
});

describe("what is being typed", () => {
  it("is stored, but not sent", async () => {
    page.type({ comment: "w" });
    await browser.wait(LONG_MS);

    assert.ok(page.saver.isHeld("1"));
    assert.equal(browser.requests.length, 0);
    assert.equal(browser.stored.length, 1);
    page.saver.retry();
    assert.equal(browser.requests.length, 0);

    page.choose({ comment: "why" });
    assert.equal(page.saver.isHeld("1"), false);
    assert.equal(browser.lastRequest.field("comment"), "why");
    assert.equal(browser.stored.length, 1);
  });

  it("is not sent after the change before it, either", async () => {
    page.choose({ rating: "1" });
    page.type({ rating: "1", comment: "w" });
    await browser.lastRequest.answer(200, saved({ rating: "1" }, browser.lastRequest.key));

    assert.equal(browser.requests.length, 1);
    assert.ok(page.saver.isHeld("1"));
  });

  for (const [name, leave] of /** @type {[string, () => void][]} */ ([
    ["is hidden", () => browser.hide()],
    ["goes away", () => browser.window.dispatchEvent(new Event("pagehide"))],
  ])) {
    it(`is sent when the page ${name}`, () => {
      page.type({ comment: "w" });
      leave();

      assert.equal(browser.lastRequest.field("comment"), "w");
      assert.equal(page.saver.isHeld("1"), false);
    });
  }

  it("is sent once beside what is on its way when the page goes away", () => {
    page.choose({ rating: "1" });
    const first = browser.lastRequest;
    page.type({ rating: "1", comment: "w" });
    browser.hide();
    browser.window.dispatchEvent(new Event("pagehide"));

    assert.equal(browser.requests.length, 2);
    assert.equal(browser.lastRequest.field("comment"), "w");
    assert.equal(browser.lastRequest.field("base"), `shown ${first.key}`);
  });
});

describe("where another answer stands", () => {
  it("that one is shown, and what was chosen here is stored until somebody decides", async () => {
    await browser.wait(LONG_MS);
    page.choose({ rating: "1" });
    const empty = page.saver.empty();
    await browser.lastRequest.answer(409, taken({ rating: "7" }, "newer"));
    assert.deepEqual(page.states, []); // somebody is still choosing
    await browser.wait(700);

    assert.deepEqual(page.states, ["elsewhere"]);
    assert.deepEqual(page.reports[0].news.answer, { rating: "7" });
    assert.deepEqual(page.reports[0].news.here, { rating: "1" });
    assert.equal(page.saver.base("1"), "newer");
    await empty;
    assert.equal(browser.stored.length, 1);

    page.saver.settle("1");
    assert.deepEqual(browser.stored, []);
  });

  it("at once when nobody has chosen anything just now", async () => {
    page.choose({ rating: "1" });
    await browser.wait(700);
    await browser.lastRequest.answer(409, taken({ rating: "7" }, "newer"));

    assert.deepEqual(page.states, ["elsewhere"]);
  });

  it("a change that follows at once is sent instead", async () => {
    page.choose({ rating: "1" });
    const first = browser.lastRequest;
    await first.answer(409, taken({ rating: "7" }, "newer"));
    page.choose({ rating: "2" });
    await browser.wait(700);

    assert.deepEqual(page.states, []);
    assert.equal(browser.requests.length, 2);
    assert.equal(browser.lastRequest.field("rating"), "2");
    assert.equal(browser.lastRequest.field("base"), `shown ${first.key}`);
  });
});

describe("a refusal", () => {
  it("is reported, and holds until something else is chosen", async () => {
    page.choose({ rating: "99" });
    const empty = page.saver.empty();
    await browser.lastRequest.answer(400, { error: "Choose a value of the scale." });
    assert.deepEqual(page.states, ["refused"]);
    assert.equal(page.reports[0].news.error, "Choose a value of the scale.");
    assert.ok(page.saver.isRefused);
    await empty;
    assert.deepEqual(browser.stored, []);

    page.choose({ rating: "1" });
    assert.equal(page.saver.isRefused, false);
  });

  it("of a page that is too old leaves the change for the next page", async () => {
    page.choose({ rating: "1" });
    await browser.lastRequest.answer(400, { error: "Please reload.", outdated: true });
    assert.deepEqual(page.states, ["refused"]);
    assert.deepEqual(
      browser.stored.map((stored) => [stored.answer, stored.shown]),
      [[{ rating: "1" }, ""]],
    );

    page.choose({ rating: "2" });
    assert.deepEqual(
      browser.stored.map((stored) => stored.answer),
      [{ rating: "2" }],
    );
  });
});

describe("a refusal of what another page could not send", () => {
  it("is none of this page", async () => {
    page.store.put("8", record("a", "none"));
    page.saver.resume("8", "/save/8/");
    await browser.lastRequest.answer(400, { error: "Choose a value of the scale." });

    assert.equal(page.saver.isRefused, false);
  });

  it("is not reported while that page can still send it", async () => {
    page.store.put("8", record("a", "none"));
    page.saver.resume("8", "/save/8/");
    await browser.lastRequest.answer(400, { error: "Please reload.", outdated: true });

    assert.deepEqual(page.states, []);
    assert.equal(browser.stored.length, 1);
  });
});

describe("when nothing is taken any more", () => {
  it("the page stops, and names the questions whose change came too late", async () => {
    page.saver.show("2", "/save/2/", "none");
    page.choose({ rating: "1" });
    const empty = page.saver.empty();
    await browser.lastRequest.answer(410, { error: "You have sent this.", closed: true });

    assert.deepEqual(page.closings, [{ error: "You have sent this.", unsaved: ["1"] }]);
    assert.deepEqual(page.states, []);
    assert.deepEqual(browser.stored, []);
    await empty;
    page.choose({ rating: "2" });
    page.type({ rating: "3" });
    await browser.wait(LONG_MS);
    assert.equal(browser.requests.length, 1);
    assert.deepEqual(browser.stored, []);
  });

  it("what does not stand is forgotten", async () => {
    page.choose({ rating: "1" });
    await browser.wait(700);
    await browser.lastRequest.answer(409, taken({ rating: "7" }, "newer"));
    page.saver.close({ error: "Sent in another tab." });

    assert.deepEqual(browser.stored, []);
  });

  it("other tabs do not lead any more", () => {
    page.saver.close({ error: "Sent in another tab." });
    page.hear({ question: "1", record: record("a", "shown") });

    assert.deepEqual(page.states, []);
  });

  it("another tab says so, too, and it is said once", () => {
    page.hear({ closed: { error: "Sent in another tab." } });
    page.hear({ closed: { error: "Sent in another tab." } });

    assert.deepEqual(page.closings, [{ error: "Sent in another tab.", unsaved: [] }]);
  });

  it("of an earlier booklet, this page goes on", async () => {
    page.store.put("8", record("a", "none"));
    page.saver.resume("8", "/save/8/");
    const empty = page.saver.empty();
    await browser.lastRequest.answer(410, { error: "You have sent this.", closed: true });

    assert.deepEqual(page.closings, []);
    assert.deepEqual(page.states, ["refused"]);
    await empty;
    assert.deepEqual(browser.stored, []);
    page.choose({ rating: "1" });
    assert.equal(browser.requests.length, 2);
  });
});

describe("what an earlier page could not send", () => {
  it("is sent with its own key and base, and shown", async () => {
    page.store.put("1", record("a", "older"));
    const { answer, other } = page.saver.resume("1", "/save/1/", "new note");

    assert.deepEqual(answer, { rating: "9" });
    assert.equal(other, undefined);
    const sent = browser.lastRequest;
    assert.equal(sent.key, "a");
    assert.equal(sent.field("base"), "older");
    assert.equal(sent.field("shown"), "note");
    assert.equal(sent.fields.has("kept_at"), false);
    await sent.answer(200, saved({ rating: "9" }, "a"));
    assert.deepEqual(page.states, ["saved"]);
    assert.deepEqual(browser.stored, []);
  });

  it("goes with this page's note when its own had become too old", () => {
    page.store.put("1", { ...record("a", "older"), shown: "" });
    assert.deepEqual(page.saver.resume("1", "/save/1/"), {});
    assert.equal(browser.requests.length, 0);

    page.saver.resume("1", "/save/1/", "new note");
    assert.equal(browser.lastRequest.field("shown"), "new note");
  });

  it("is nothing where nothing is stored", () => {
    assert.deepEqual(page.saver.resume("1", "/save/1/", "note"), {});
    assert.equal(browser.requests.length, 0);
  });

  for (const name of ["best", "order", "to_come"]) {
    it(`in another tab is offered when ${name} differs, and stored until somebody decides`, async () => {
      page.store.put("1", record("a", "none", { [name]: "1" }));
      await browser.wait(1);
      page.store.put("1", record("b", "none", { [name]: "2" }));

      const { answer, other } = page.saver.resume("1", "/save/1/", "note");

      assert.deepEqual(answer, { [name]: "2" });
      assert.deepEqual(other, { [name]: "1" });
      assert.equal(browser.stored.length, 2);
      page.saver.settle("1");
      assert.deepEqual(
        browser.stored.map((stored) => stored.idempotency_key),
        ["b"],
      );
    });
  }

  it("in another tab is forgotten when it says the same", async () => {
    page.store.put("1", record("a", "none"));
    await browser.wait(1);
    page.store.put("1", record("b", "none"));

    assert.equal(page.saver.resume("1", "/save/1/", "note").other, undefined);
    assert.equal(browser.stored.length, 1);
  });

  it("is forgotten when the newest one was chosen knowing of it", async () => {
    page.store.put("1", record("a", "none", { rating: "1" }));
    await browser.wait(1);
    page.store.put("1", record("b", "none a", { rating: "2" }));

    assert.equal(page.saver.resume("1", "/save/1/", "note").other, undefined);
    assert.equal(browser.stored.length, 1);
  });
});

describe("other tabs", () => {
  it("are told once what is sent, and under which key it is saved", async () => {
    page.choose({ rating: "1" });
    await browser.lastRequest.fail();
    page.saver.retry();
    const { key } = browser.lastRequest;
    await browser.lastRequest.answer(200, saved({ rating: "1" }, "derived"));

    assert.equal(page.messages.length, 2);
    assert.deepEqual(page.messages[0].record?.answer, { rating: "1" });
    assert.deepEqual(page.messages[1], { question: "1", sent: key, key: "derived" });
  });

  it("lead: an answer that goes on from the one shown is shown", () => {
    page.hear({ question: "1", record: record("a", "shown") });

    assert.deepEqual(page.states, ["synced"]);
    assert.deepEqual(page.reports[0].news.answer, { rating: "9" });
    assert.equal(page.saver.base("1"), "shown a");
    assert.equal(browser.requests.length, 0);
  });

  it("do not lead where they have seen another answer", () => {
    page.hear({ question: "1", record: record("a", "unknown") });

    assert.deepEqual(page.states, []);
    assert.equal(page.saver.base("1"), "shown");
  });

  it("do not lead where somebody is typing", () => {
    page.isBeingTyped = true;
    page.hear({ question: "1", record: record("a", "shown") });

    assert.deepEqual(page.states, []);
  });

  it("do not lead from what was chosen here and is not saved", async () => {
    page.choose({ rating: "1" });
    await browser.lastRequest.fail();
    page.hear({ question: "1", record: record("a", "shown") });
    assert.deepEqual(page.states, ["waiting"]);
    assert.equal(browser.stored.length, 1);

    const empty = page.saver.empty();
    const { key } = browser.lastRequest;
    page.hear({ question: "1", record: record("b", `shown ${key}`) });
    assert.deepEqual(page.states, ["waiting", "synced"]);
    assert.deepEqual(browser.stored, []);
    await empty;
    await browser.wait(LONG_MS);
    assert.equal(browser.requests.length, 1);

    // The network may be back: the next choice does not wait.
    page.choose({ rating: "2" });
    assert.equal(browser.requests.length, 2);
  });

  it("lead while the choice that they go on from is on its way", async () => {
    page.choose({ rating: "1" });
    const { lastRequest } = browser;
    page.hear({ question: "1", record: record("a", `shown ${lastRequest.key}`) });
    await lastRequest.fail();
    await browser.wait(LONG_MS);

    assert.deepEqual(page.states, ["synced"]);
    assert.equal(browser.requests.length, 1);
  });

  it("lead from what was typed here: it is not held any more", () => {
    page.type({ comment: "w" });
    const [stored] = page.store.of("1");
    page.hear({ question: "1", record: record("a", `shown ${stored.idempotency_key}`) });

    assert.deepEqual(page.states, ["synced"]);
    assert.equal(page.saver.isHeld("1"), false);
  });

  it("may have sent what was chosen here", () => {
    page.type({ comment: "w" });
    const [stored] = page.store.of("1");
    page.hear({ question: "1", record: stored });

    assert.deepEqual(page.states, []);
    assert.equal(page.saver.base("1"), `shown ${stored.idempotency_key}`);
  });

  it("say under which key an answer that is shown here was saved", () => {
    page.hear({ question: "1", sent: "unknown", key: "a" });
    assert.equal(page.saver.base("1"), "shown");

    page.hear({ question: "1", sent: "shown", key: "b" });
    assert.equal(page.saver.base("1"), "shown b");
  });

  it("are not listened to about questions of other pages", () => {
    page.store.put("8", record("a", "none"));
    page.saver.resume("8", "/save/8/");
    page.hear({ question: "5", record: record("b", "shown") });
    page.hear({ question: "8", record: record("b", "none a") });

    assert.deepEqual(page.states, []);
  });
});

describe("whoever waits until everything is saved", () => {
  it("waits for every question", async () => {
    page.saver.show("2", "/save/2/", "none");
    page.choose({ rating: "1" });
    page.saver.change("2", "/save/2/", entryOf({ rating: "2" }));
    let isOver = false;
    page.saver.empty().then(() => {
      isOver = true;
    });

    const [first, second] = browser.requests;
    await first.answer(200, saved({ rating: "1" }, first.key));
    assert.equal(isOver, false);
    await second.answer(200, saved({ rating: "2" }, second.key));
    assert.ok(isOver);
  });

  it("does not wait when nothing is to be saved", async () => {
    let isOver = false;
    page.saver.empty().then(() => {
      isOver = true;
    });
    await everythingDone();

    assert.ok(isOver);
  });
});
