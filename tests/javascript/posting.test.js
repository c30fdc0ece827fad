import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";

import { pauseBefore, post } from "../../static/answering/posting.js";
import { FakeBrowser } from "./browser.js";

/** @type {FakeBrowser} */
let browser;

beforeEach(() => {
  browser = new FakeBrowser();
});

it("each value of a list is sent under its name", async () => {
  const reply = post("/save/1/", { categories: ["a", "b"], comment: "", base: "none" });
  const { url, fields, init } = browser.lastRequest;
  await browser.lastRequest.answer(200, { state: "saved" });

  assert.equal(url, "/save/1/");
  assert.deepEqual(fields.getAll("categories"), ["a", "b"]);
  assert.equal(fields.get("comment"), "");
  assert.equal(init.credentials, "omit");
  assert.ok(init.keepalive);
  assert.deepEqual(await reply, { state: "saved", status: 200 });
});

it("a reason for not saving is a reply, too", async () => {
  const reply = post("/save/1/", {});
  await browser.lastRequest.answer(410, { error: "You have sent this.", closed: true });

  assert.deepEqual(await reply, { error: "You have sent this.", closed: true, status: 410 });
});

describe("it is no reply", () => {
  /** @type {[string, number, unknown][]} */
  const cases = [
    ["when the server has a fault", 500, { error: "It crashed." }],
    ["when there were too many requests", 429, { error: "Slowly." }],
    ["when a network asks for a login", 200, "<html>Please sign in</html>"],
    ["when somebody else answers in JSON", 200, { ok: true }],
    ["when somebody else refuses in JSON", 403, { message: "No." }],
  ];
  for (const [name, status, body] of cases) {
    it(name, async () => {
      const reply = post("/save/1/", {});
      await browser.lastRequest.answer(status, body);

      assert.equal(await reply, null);
    });
  }

  it("when there is no network", async () => {
    const reply = post("/save/1/", {});
    await browser.lastRequest.fail();

    assert.equal(await reply, null);
  });
});

it("the pause doubles up to half a minute, and is spread by a quarter to either side", () => {
  for (const [nth, middle] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
    const pause = pauseBefore(nth);
    assert.ok(pause >= middle * 0.75 && pause <= middle * 1.25, `${nth}: ${pause}`);
  }
});
