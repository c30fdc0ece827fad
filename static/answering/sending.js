// The overview: what this browser could not save earlier is saved first, then the booklet is sent;
// on a bad network again and again, until the server has answered. Twice sent is sent once.

import { Kept } from "./keeping.js";
import { pauseBefore, post } from "./posting.js";
import { Saver } from "./saving.js";
import { Tabs } from "./tabs.js";

const form = document.getElementById("sending");
const place = form.dataset;
const words = Object.fromEntries(
  [...document.getElementById("sentences").content.children].map((p) => [
    p.dataset.name, p.textContent,
  ]),
);
const state = document.querySelector("[data-sending-state]");
const kept = new Kept(place.store);
const tabs = new Tabs(place.store);
const saver = new Saver({ kept, tabs, listener: reported });
let undecided = ""; // the screen where two answers wait for somebody to look at them
let isSending = false;
let isReloading = false;

function tell(sentence, link = "") {
  state.textContent = sentence;
  if (!link) return;
  const element = document.createElement("a");
  Object.assign(element, { href: link, textContent: words.lookAtIt });
  state.append(" ", element);
}

function reported(_, what, answer) {
  if (what === "elsewhere") {
    undecided = answer.screen;
    tell(words.elsewhere, undecided);
  } else if (what === "waiting") {
    tell(words.waiting);
  } else if (what === "closed") {
    location.assign(place.own);
  }
}

/** Save what is kept; the page then shows how things stand after that. */
async function saveKept() {
  const before = kept.questions();
  for (const id of before) saver.resume(id, place.save.replace(/\/0\/$/, `/${id}/`));
  await saver.empty();
  if (kept.questions().length < before.length && !isSending) {
    isReloading = true;
    location.reload();
  }
}

function networkOrTime(milliseconds) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
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
    const answer = await post(form.action, { run: form.elements.run.value });
    if (answer?.state === "submitted" || answer?.closed) {
      // What is undecided even now was named twice.
      for (const id of kept.questions()) {
        for (const record of kept.of(id)) kept.drop(id, record.idempotency_key);
      }
      tabs.tell({ closed: { error: words.sent } });
      location.assign(place.own);
      return;
    }
    if (answer) {
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
