// A screen with questions: which one is meant, saving in the background, undoing, going on.

import { ActiveTime } from "./active.js";
import { Elsewhere } from "./elsewhere.js";
import { foldAsBefore } from "./earlier.js";
import { Kept } from "./keeping.js";
import { KeySwitch, listenToKeys } from "./keys.js";
import { questionIn } from "./question.js";
import { Reminder } from "./reminder.js";
import { Saver } from "./saving.js";
import { Tabs } from "./tabs.js";
import { Undo } from "./undo.js";
import { belongToFrame, inView, yieldWhenTall } from "./viewing.js";

const COMMENT_PAUSE_MS = 2_000;
const COMMENT_LIMIT_MS = 10_000; // of typing without a pause
const ARRIVAL_MS = 1_000; // for the page to roll on to the next question

const form = document.getElementById("screen");
const place = form.dataset;
const words = Object.fromEntries(
  [...document.getElementById("sentences").content.children].map((p) => [
    p.dataset.name, p.textContent,
  ]),
);
const isPreview = Boolean(place.preview);
const bar = form.querySelector("[data-bar-state]");
const wholeBar = form.querySelector(".bar");
const clock = new ActiveTime();
const kept = new Kept(place.store);
const saver = new Saver({
  kept,
  tabs: new Tabs(isPreview ? "preview" : place.store),
  listener: (...news) => {
    reported(...news);
    sayWhetherSaved();
  },
  isBeingTyped: (id) => document.activeElement === questions.find((q) => q.id === id).textarea,
});
const questions = [...form.querySelectorAll("[data-question]")].map(
  (section) => questionIn(section, words, changed),
);
let current = null;
let arrival = 0; // until when the page is on its way to the current question
let isGoing = false; // somebody pressed Next or Back, and what they chose is still being saved

// -- the current question -------------------------------------------------------------------

function attend(question) {
  if (current === question) return;
  current = question;
  clock.attend(question.id);
  for (const other of questions) {
    other.section.classList.toggle("is-current", other === question && questions.length > 1);
  }
}

for (const question of questions) {
  clock.start(question.id, Number(question.section.dataset.active));
  for (const sign of ["focusin", "pointerdown"]) {
    question.section.addEventListener(sign, () => attend(question));
  }
}

function firstIncomplete() {
  return questions.find((question) => !question.isComplete);
}

// -- saving -----------------------------------------------------------------------------------

for (const question of questions) {
  question.base = question.section.querySelector('input[name$="-base"]');
  question.elsewhere = new Elsewhere(question.section, (record) => useInstead(question, record));
  saver.show(question.id, question.url, question.base.value);
}

function changed(question, taken) {
  isGoing = false;
  tell(taken ? words[`${taken}Taken`] : "");
  attend(question);
  save(question);
}

/** Both answers were looked at, and what is shown now is what somebody wants. */
function settle(question) {
  question.elsewhere.close();
  saver.settle(question.id);
}

function useInstead(question, record) {
  settle(question);
  question.restore(record);
  changed(question, "");
  question.section.focus({ preventScroll: true });
}

function answerOf(question) {
  return { ...question.answer, active_ms: clock.total(question.id) };
}

function save(question) {
  clearTimeout(question.timer);
  if (isPreview) return;
  question.unsettle();
  saver.change(question.id, question.url, answerOf(question));
}

function reported(id, state, answer) {
  if (state === "closed") {
    closed(answer);
    return;
  }
  const question = questions.find((q) => q.id === id);
  if (answer?.questions) {
    const progress = form.querySelector("[data-progress]");
    progress.max = answer.questions;
    progress.value = answer.answered;
  }
  if (!question) {
    if (answer?.error) tellOfAnotherScreen(answer);
    return;
  }
  if (state === "elsewhere") {
    answeredElsewhere(question, answer);
  } else if (state === "changed" || state === "painted") {
    show(question, answer.answer ?? answer);
    question.report(state, words[state]);
  } else if (state === "refused") {
    question.report(state, answer.error || words.refused);
    stopGoing();
  } else if (state === "draft" && question.isUntouched) {
    question.report(state, question.isEmpty ? "" : words.draftOfComment);
  } else {
    question.report(state, words[state]);
  }
  if (state === "waiting" && isGoing) tellGoing();
}

/** Show an answer of another place. Whoever is typing goes on with the words of here. */
function show(question, answer) {
  const isTyping = document.activeElement === question.textarea;
  question.restore({ ...answer, comment: isTyping ? question.textarea.value : answer.comment });
}

function answeredElsewhere(question, { answer, here }) {
  show(question, answer);
  question.stands = answer;
  question.elsewhere.offer(here);
  question.report("elsewhere", "");
  const wasGoing = isGoing;
  stopGoing();
  tell(words.elsewhere);
  if (wasGoing) lookAtBoth(question);
}

function tellOfAnotherScreen(answer) {
  if (!answer.screen) {
    tell(answer.error);
    return;
  }
  const link = document.createElement("a");
  Object.assign(link, { href: answer.screen, textContent: words.lookAtIt });
  tell(words.elsewhereOnAnotherScreen);
  bar.append(" ", link);
}

// Sent, withdrawn or finished, perhaps in another tab: what is shown stays, nothing is taken.
function closed({ error, unsaved }) {
  stopGoing();
  for (const question of questions) {
    clearTimeout(question.timer);
    question.close();
    question.elsewhere.lock();
    const isStored = !unsaved.includes(question.id) && !question.elsewhere.isOpen;
    question.report(isStored ? "" : "refused", isStored ? "" : words.notStored);
  }
  tell(error);
}

for (const question of questions) {
  const { textarea } = question;
  textarea.addEventListener("input", () => typed(question));
  textarea.addEventListener("change", () => sendTyped(question));
  textarea.addEventListener("blur", () => {
    const { elsewhere, stands } = question;
    if (elsewhere.isOpen && stands && !saver.isHeld(question.id)) question.setComment(stands.comment);
  });
}

// Kept at once, sent after a pause: a revision per letter would help nobody.
function typed(question) {
  if (isPreview) return;
  if (isGoing) stopGoing();
  question.unsettle();
  question.elsewhere.type(question.textarea.value);
  question.stands = null;
  const now = performance.now();
  if (!saver.isHeld(question.id)) question.typedSince = now;
  saver.hold(question.id, question.url, answerOf(question));
  const left = question.typedSince + COMMENT_LIMIT_MS - now;
  clearTimeout(question.timer);
  question.timer = setTimeout(() => sendTyped(question), Math.min(COMMENT_PAUSE_MS, left));
}

function sendTyped(question) {
  if (saver.isHeld(question.id)) save(question);
}

// What an earlier showing of a page could not send any more: shown here, and sent from here.
function restore() {
  for (const question of questions) {
    const { record, other } = saver.resume(question.id, question.url, question.shown);
    if (record) {
      question.restore(record);
      if (other) question.elsewhere.offer(other);
    } else if (question.section.hasAttribute("data-unsaved")) {
      save(question);
    }
  }
  const here = new Set(questions.map((question) => question.id));
  for (const id of kept.questions()) {
    if (here.has(id)) continue;
    saver.resume(id, questions[0].url.replace(/\/\d+\/$/, `/${id}/`));
  }
}

// -- going on -----------------------------------------------------------------------------------

function tell(sentence) {
  bar.textContent = sentence;
}

function tellGoing() {
  tell(navigator.onLine ? words.goesOn : words.goesOnOffline);
}

function stopGoing() {
  isGoing = false;
  tell("");
}

async function leave(go) {
  if (isPreview) {
    if (showMissing()) return;
    const next = form.querySelector("[data-next-link]");
    if (next) location.assign(next.href);
    return;
  }
  if (saver.isClosed) {
    location.assign(go === "back" ? place.back : place.next);
    return;
  }
  const unseen = questions.find((q) => q.elsewhere.isOpen && !q.elsewhere.isSeen);
  if (unseen) {
    lookAtBoth(unseen);
    return;
  }
  if (go === "next" && showMissing()) return;
  questions.forEach(sendTyped);
  if (saver.isRefused) {
    // The form itself knows how to explain what the server did not take.
    sendForm(go);
    return;
  }
  isGoing = true;
  if (!saver.isEmpty) {
    tellGoing();
    saver.retry();
  }
  await saver.empty();
  if (!isGoing) return;
  questions.forEach(settle);
  if (place.posts && go === "next") {
    // The server may have something to say of an answer before it goes on.
    sendForm(go);
    return;
  }
  location.assign(go === "back" ? place.back : place.next);
}

function lookAtBoth(question) {
  attend(question);
  question.elsewhere.show();
}

function sendForm(go) {
  for (const question of questions) question.base.value = saver.base(question.id);
  const input = document.createElement("input");
  Object.assign(input, { type: "hidden", name: "go", value: go });
  form.append(input);
  form.submit();
}

/** Say what is missing and go there; whether anything is. */
function showMissing() {
  for (const question of questions) question.showMissing();
  const first = firstIncomplete();
  if (!first) return false;
  attend(first);
  first.focusMissing();
  return true;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  leave(event.submitter?.value || "next");
});

// -- choosing and undoing -------------------------------------------------------------------------

const undo = new Undo(form.querySelector("[data-undo]"), (step) => {
  arrival = 0;
  scrollTo({ top: scrollY, behavior: "instant" }); // not on to the next question any more
  step?.question.showOption(step.item);
  tell(step ? words.undone : words.nothingToUndo);
});

for (const question of questions) {
  question.beforePick = (...before) => undo.note(...before);
}

listenToKeys(new KeySwitch(document.querySelector("[data-keys-panel]")), {
  isChoice: (key, control) => current.hasKey(key, control),
  choose(key, control) {
    attendToWhatIsSeen();
    pressed(key, control);
  },
  step: (radio, direction) => ownerOf(radio).step(radio, direction),
  toggle: (radio) => ownerOf(radio).toggle(radio.dataset.role, radio.value),
  canMove: () => Boolean(current.move),
  move: (direction) => current.move(direction),
  canNudge: () => Boolean(current.nudge),
  nudge(direction) {
    attendToWhatIsSeen();
    current.nudge(direction);
  },
  undo: () => undo.back(),
  goOn,
  touched() {
    arrival = 0;
  },
});

for (const sign of ["wheel", "touchmove", "pointerdown"]) {
  addEventListener(sign, () => { arrival = 0; }, { passive: true });
}

function ownerOf(radio) {
  return questions.find((question) => question.section.contains(radio));
}

/** A key answers what is on the screen, wherever the focus is; if nothing is, it comes there. */
function attendToWhatIsSeen() {
  if (performance.now() < arrival) {
    current.section.scrollIntoView({ block: "start", behavior: "instant" });
  }
  const seen = inView(questions, current, wholeBar);
  if (!seen) {
    // No other question can be meant, and what the key does is seen at once.
    current.showChoices();
    return;
  }
  if (seen !== current) seen.section.focus({ preventScroll: true });
  attend(seen);
}

function pressed(key, control) {
  const question = current;
  if (!question.hasKey(key, control)) return;
  const wasComplete = question.isComplete;
  const changed = question.press(key, control);
  if (wasComplete || !question.isComplete) {
    changed.scrollIntoView({ block: "nearest" });
    return;
  }
  const next = firstIncomplete();
  if (!next) {
    tell(words.complete);
    return;
  }
  if (!question.takesMore) comeTo(next); // else nobody knows yet whether that was all
}

/** Enter: on to what is still open, where a question does not lead there by itself. */
function goOn() {
  const next = firstIncomplete();
  if (next && current.takesMore && current.isComplete) comeTo(next);
  else leave("next");
}

function comeTo(next) {
  attend(next);
  arrival = performance.now() + ARRIVAL_MS;
  next.section.focus({ preventScroll: true });
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  next.section.scrollIntoView({ block: "start", behavior: isCalm ? "auto" : "smooth" });
}

// -- pausing ----------------------------------------------------------------------------------------

const pause = document.querySelector("[data-pause]");
pause?.addEventListener("toggle", sayWhetherSaved);

/** Who wants to leave must know whether they can. */
function sayWhetherSaved() {
  if (!pause?.open) return;
  const isSaved = saver.isEmpty && !saver.isRefused;
  pause.querySelector("[data-pause-state]").textContent =
    isSaved ? words.allSaved : words.notAllSaved;
}

// -- begin ------------------------------------------------------------------------------------------

foldAsBefore(form.querySelectorAll("[data-earlier]"), place.store);
for (const question of questions) new Reminder(question.section, words);
belongToFrame();
yieldWhenTall(wholeBar, bar);
attend(firstIncomplete() ?? questions[0]);
if (!isPreview) restore();
// A page taken out of the browser's memory may be older than what is saved.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
// Keys pressed before this line ran are lost: whoever waits for the page can see that it did.
document.documentElement.dataset.ready = "1";
