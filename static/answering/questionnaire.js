// The questions about people: what depends on other answers is shown in time, what is chosen is
// kept on the device and saved at the server, and on a bad network it is sent again.

import { element, elements, sentencesIn } from "../core/elements.js";
import { fields, follow } from "../questionnaires/conditions.js";
import { forget, recall, remember } from "./memory.js";
import { pauseBefore, post } from "./posting.js";

const form = element(document, "#questionnaire", HTMLFormElement);
const state = element(form, "[data-state]");
const words = sentencesIn("#sentences");
// A question may be called "action", "submit" or "dataset": then the form's own are out of reach.
const action = form.getAttribute("action") ?? "";
const name = `about:${form.getAttribute("data-store")}`;
const PAUSE_MS = 600;
let timer = 0;
let isSending = false;
let isSaving = false;
let isUnsaved = false;

/** What this browser kept, and the server perhaps never had. */
function restore() {
  const kept = recall(name);
  if (!kept) return;
  /** @type {Record<string, string[]>} */
  let chosen;
  try {
    chosen = Object.assign(Object.create(null), JSON.parse(kept));
  } catch {
    return;
  }
  for (const control of elements(form, "input, textarea")) {
    if (control instanceof HTMLInputElement && ["radio", "checkbox"].includes(control.type)) {
      control.checked = (chosen[control.name] ?? []).includes(control.value);
    } else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) {
      control.value = chosen[control.name]?.[0] ?? "";
    }
  }
  change();
}

function change() {
  isUnsaved = true;
  follow(form);
  remember(name, JSON.stringify(fields(form)));
  clearTimeout(timer);
  timer = setTimeout(save, PAUSE_MS);
}

async function save(nth = 0) {
  // One after the other: an older draft must not arrive later than a newer one.
  if (isSaving) return;
  isSaving = true;
  const sent = fields(form);
  const reply = await post(action, { ...sent, "as:draft": "1" });
  isSaving = false;
  if (isSending) return;
  if (JSON.stringify(sent) !== JSON.stringify(fields(form))) {
    change();
    return;
  }
  if (reply) {
    isUnsaved = false;
    if (reply.state === "draft") {
      // What does not fit is kept here alone.
      const isWhole = !reply.unfit?.length;
      if (isWhole) forget(name);
      state.textContent = (isWhole ? words.saved : words.unfit) ?? "";
    }
    return;
  }
  state.textContent = words.waiting ?? "";
  clearTimeout(timer);
  timer = setTimeout(() => save(nth + 1), pauseBefore(nth));
}

/** The form itself is sent once the network is there: its answer is a page. */
async function send() {
  if (isSending) return;
  isSending = true;
  clearTimeout(timer);
  state.textContent = words.sending ?? "";
  for (let nth = 0; ; nth += 1) {
    const reply = await post(action, { ...fields(form), "as:draft": "1" });
    // What the server refuses stays here: it may take it later, such as after a new consent.
    if (reply?.state === "draft" && !reply.unfit?.length) forget(name);
    if (reply) break;
    state.textContent = words.waiting ?? "";
    await new Promise((done) => setTimeout(done, pauseBefore(nth)));
  }
  HTMLFormElement.prototype.submit.call(form);
}

form.addEventListener("input", change);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
addEventListener("online", () => isUnsaved && save());
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
follow(form);
restore();
document.documentElement.dataset.ready = "";
