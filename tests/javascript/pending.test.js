import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { newKey, PendingAnswer, saysTheSame } from "../../static/answering/pending.js";

describe("two answers say the same", () => {
  it("when all their choices are the same, whatever they are called", () => {
    assert.ok(saysTheSame({ best: "3", worst: "4" }, { worst: "4", best: "3" }));
    assert.ok(!saysTheSame({ best: "3", worst: "4" }, { best: "3", worst: "5" }));
    assert.ok(!saysTheSame({ order: ["7:1", "8:2"] }, { order: ["8:1", "7:2"] }));
    assert.ok(!saysTheSame({ "of a kind to come": "a" }, { "of a kind to come": "b" }));
  });

  it("not when one of them has a choice that the other lacks", () => {
    assert.ok(!saysTheSame({ rating: "1" }, { rating: "1", comment: "why" }));
    assert.ok(!saysTheSame({ rating: "1", comment: "why" }, { rating: "1" }));
  });

  it("when what is missing is written in another way", () => {
    assert.ok(saysTheSame({ rating: null, comment: "" }, { categories: [] }));
  });

  it("when numbers are written as texts", () => {
    assert.ok(saysTheSame({ best: 3, order: [1, 2] }, { best: "3", order: ["1", "2"] }));
  });
});

describe("the base of a question", () => {
  it("is made of the keys that were shown or sent, each once", () => {
    const pending = new PendingAnswer("1", "/save/", "a  b");
    pending.learn("c");
    pending.learn("a");

    assert.equal(pending.base, "a b c");
  });

  it("keeps the newest keys when it becomes long", () => {
    const pending = new PendingAnswer("1", "/save/", "");
    for (let n = 0; n < 50; n += 1) pending.learn(`key-${n}`);

    assert.equal(pending.knownKeys.length, 40);
    assert.equal(pending.knownKeys.at(-1), "key-49");
  });
});

it("a new key is a random UUID", () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  assert.match(newKey(), uuid);
  assert.notEqual(newKey(), newKey());
});
