// The overview: what this browser could not save earlier is saved first, then the booklet is sent;
// on a bad network again and again, until the server has answered. Twice sent is sent once.

import { element, sentencesIn } from "../core/elements.js";
import { UnsavedStore } from "./keeping.js";
import { pauseBefore, post } from "./posting.js";
import { Saver } from "./saving.js";
import { Tabs } from "./tabs.js";

/** @import { News } from "./saving.js" */

const form = element(document, "#sending", HTMLFormElement);
const place = form.dataset;
const words = sentencesIn("#sentences");
const state = element(document, "[data-sending-state]");
const own = place.own ?? "";
const store = new UnsavedStore(place.store ?? "");
const tabs = new Tabs(place.store ?? "");
const saver = new Saver({ store, tabs, listener: report, onClosed: () => location.assign(own) });
let undecided = ""; // the screen where two answers wait for somebody to look at them
let isSending = false;
let isReloading = false;

/**
 * @param {string} sentence
 * @param {string} [link] the address of a screen to look at
 */
function tell(sentence, link = "") {
  state.textContent = sentence;
  if (!link) return;
  const element = document.createElement("a");
  Object.assign(element, { href: link, textContent: words.lookAtIt });
  state.append(" ", element);
}

/**
 * @param {string} _question
 * @param {string} what
 * @param {News} news
 */
function report(_question, what, news) {
  if (what === "elsewhere") {
    undecided = news.screen ?? "";
    tell(words.elsewhere, undecided);
  } else if (what === "waiting") {
    tell(words.waiting);
  }
}

/** Save what is kept; the page then shows how things stand after that. */
async function saveKept() {
  const before = store.questions();
  const address = place.save ?? "";
  for (const id of before) saver.resume(id, address.replace(/\/0\/$/, `/${id}/`));
  await saver.empty();
  if (store.questions().length < before.length && !isSending) {
    isReloading = true;
    location.reload();
  }
}

/**
 * Resolves when the network is back, or after a time.
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
function networkOrTime(milliseconds) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    addEventListener(
      "online",
      () => {
        clearTimeout(timer);
        done();
      },
      { once: true },
    );
  });
}

async function send() {
  if (isSending) return;
  if (undecided) {
    // Once is enough: whoever presses again has read it.
    tell(words.elsewhere, undecided);
    undecided = "";
    state.focus();
    return;
  }
  isSending = true;
  // Otherwise the reload would take this click with it.
  if (isReloading) window.stop();
  tell(words.sending);
  saver.retry();
  await saver.empty();
  if (undecided) {
    isSending = false;
    return;
  }
  for (let nth = 0; ; nth += 1) {
    const reply = await post(form.action, {
      run: element(form, "[name=run]", HTMLInputElement).value,
    });
    if (reply?.state === "submitted" || (reply && "closed" in reply && reply.closed)) {
      // What is undecided even now was named twice.
      for (const id of store.questions()) {
        for (const record of store.of(id)) store.drop(id, record.idempotency_key);
      }
      tabs.tell({ closed: { error: words.sent } });
      location.assign(own);
      return;
    }
    if (reply) {
      // The form itself knows how to explain what is still missing.
      form.submit();
      return;
    }
    tell(words.waiting);
    await networkOrTime(pauseBefore(nth));
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
saveKept();
document.documentElement.dataset.ready = "";
