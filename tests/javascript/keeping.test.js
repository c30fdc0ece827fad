import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";

import { UnsavedStore } from "../../static/answering/keeping.js";
import { FakeBrowser } from "./browser.js";

/** @type {FakeBrowser} */
let browser;
/** @type {UnsavedStore} */
let store;

beforeEach(() => {
  browser = new FakeBrowser();
  store = new UnsavedStore("somebody");
});

/**
 * @param {string} key
 * @param {string} [rating]
 */
function record(key, rating = "1") {
  return {
    answer: { rating },
    shown: "note",
    active_ms: 5,
    n_away: 0,
    n_pasted: 0,
    base: "none",
    sequence: 1,
    idempotency_key: key,
  };
}

const keysOf = (/** @type {string} */ question) =>
  store.of(question).map((stored) => stored.idempotency_key);

describe("the store of unsaved answers", () => {
  it("has the records of a question, the newest first", async () => {
    store.put("1", record("a"));
    await browser.wait(1);
    store.put("1", record("b"));
    store.put("2", record("c"));

    assert.deepEqual(keysOf("1"), ["b", "a"]);
    assert.deepEqual(store.questions().sort(), ["1", "2"]);
    assert.deepEqual(store.of("1")[1].answer, { rating: "1" });
  });

  it("forgets the record that another one replaces, and what is dropped", () => {
    store.put("1", record("a"));
    store.put("1", record("b"), "a");
    assert.deepEqual(keysOf("1"), ["b"]);

    store.drop("1", "b");
    assert.deepEqual(store.questions(), []);
  });

  it("keeps a record that is stored again under its own key", () => {
    store.put("1", record("a"));
    store.put("1", record("a", "2"), "a");

    assert.deepEqual(store.of("1")[0].answer, { rating: "2" });
  });

  it("sees neither another person's records nor what is not of its writing", () => {
    new UnsavedStore("somebody else").put("1", record("a"));
    browser.storage.setItem("likeness:somebody:1:b", "no JSON");
    browser.storage.setItem("likeness:somebody:1:c", JSON.stringify({ idempotency_key: "c" }));
    browser.storage.setItem("likeness-keys", "on");

    assert.deepEqual(store.questions(), []);
  });

  it("gives the room of an older record to the newer one", () => {
    store.put("1", record("a"));
    browser.storage.limit(1);

    assert.ok(store.put("1", record("b"), "a"));
    assert.deepEqual(keysOf("1"), ["b"]);
  });

  it("says so where there is no room", () => {
    browser.storage.limit(0);

    assert.equal(store.put("1", record("a")), false);
  });

  it("is empty where storage is forbidden", () => {
    browser.forbidStorage();

    assert.equal(store.put("1", record("a")), false);
    assert.deepEqual(store.of("1"), []);
    store.drop("1", "a");
  });
});
