// A screen with questions: which one is meant, saving in the background, undoing, going on.

import { element, elements, optionalElement, sentencesIn } from "../core/elements.js";
import { ActiveTime } from "./active.js";
import { foldAsBefore } from "./earlier.js";
import { UnsavedStore } from "./keeping.js";
import { KeySwitch, listenToKeys } from "./keys.js";
import { questionIn } from "./question.js";
import { remind } from "./reminder.js";
import { Saver } from "./saving.js";
import { Tabs } from "./tabs.js";
import { Undo } from "./undo.js";
import { belongToFrame, inView, yieldWhenTall } from "./viewing.js";

/**
 * @import { Answer } from "./pending.js"
 * @import { Question } from "./question.js"
 * @import { Closing, News } from "./saving.js"
 */

const COMMENT_PAUSE_MS = 2_000;
const COMMENT_LIMIT_MS = 10_000; // of typing without a pause
const ARRIVAL_MS = 1_000; // for the page to roll on to the next question

const form = element(document, "#screen", HTMLFormElement);
const place = form.dataset;
const words = sentencesIn("#sentences");
const isPreview = Boolean(place.preview);
const bar = element(form, "[data-bar-state]");
const wholeBar = element(form, ".bar");
const clock = new ActiveTime();
const store = new UnsavedStore(place.store ?? "");
const saver = new Saver({
  store,
  tabs: new Tabs(isPreview ? "preview" : (place.store ?? "")),
  listener: (id, state, news) => {
    report(id, state, news);
    sayWhetherSaved();
  },
  onClosed: (closing) => {
    showClosed(closing);
    sayWhetherSaved();
  },
  isBeingTyped: (id) => document.activeElement === questions.find((q) => q.id === id)?.textarea,
});
const questions = elements(form, "[data-question]").map((section) =>
  questionIn(section, words, changed),
);
let current = questions[0];
let arrival = 0; // until when the page is on its way to the current question
let isGoing = false; // somebody pressed Next or Back, and what they chose is still being saved

// -- the current question -------------------------------------------------------------------

/** @param {Question} question */
function attend(question) {
  if (current !== question) enter(question);
}

/** @param {Question} question */
function enter(question) {
  current = question;
  clock.attend(question.id);
  for (const other of questions) {
    other.section.classList.toggle("is-current", other === question && questions.length > 1);
  }
}

for (const question of questions) {
  const { active, away } = question.section.dataset;
  clock.start(question.id, Number(active), Number(away));
  for (const sign of ["focusin", "pointerdown"]) {
    question.section.addEventListener(sign, () => attend(question));
  }
}

function firstIncomplete() {
  return questions.find((question) => !question.isComplete);
}

// -- saving -----------------------------------------------------------------------------------

for (const question of questions) {
  question.elsewhere.onUse = (answer) => useInstead(question, answer);
  saver.show(question.id, question.url, question.base.value);
}

/**
 * @param {Question} question
 * @param {string} taken
 */
function changed(question, taken) {
  isGoing = false;
  tell(taken ? words[`${taken}Taken`] : "");
  attend(question);
  save(question);
}

/**
 * Both answers were looked at, and what is shown now is what somebody wants.
 * @param {Question} question
 */
function settle(question) {
  question.elsewhere.close();
  saver.settle(question.id);
}

/**
 * @param {Question} question
 * @param {Answer} answer
 */
function useInstead(question, answer) {
  settle(question);
  question.restore(answer);
  changed(question, "");
  question.section.focus({ preventScroll: true });
}

/** @param {Question} question */
function entryOf(question) {
  return {
    answer: question.answer,
    shown: question.shown,
    active_ms: clock.total(question.id),
    n_away: clock.timesAway(question.id),
    n_pasted: question.nPasted,
  };
}

/** @param {Question} question */
function save(question) {
  clearTimeout(question.timer);
  if (isPreview) return;
  question.unsettle();
  saver.change(question.id, question.url, entryOf(question));
}

/**
 * @param {string} id
 * @param {string} state
 * @param {News} news
 */
function report(id, state, news) {
  const question = questions.find((q) => q.id === id);
  const { answer = {}, error = "" } = news;
  if (news.questions) {
    const progress = element(form, "[data-progress]", HTMLProgressElement);
    progress.max = news.questions;
    progress.value = news.answered ?? 0;
  }
  if (!question) {
    if (error) tellOfAnotherScreen(error, news.screen);
    return;
  }
  if (state === "elsewhere") {
    answeredElsewhere(question, answer, news.here ?? {});
  } else if (state === "changed" || state === "synced") {
    show(question, answer);
    question.report(state, words[state]);
  } else if (state === "refused") {
    question.report(state, error || words.refused);
    stopGoing();
  } else if (state === "draft" && question.isUntouched) {
    question.report(state, question.isEmpty ? "" : words.draftOfComment);
  } else {
    question.report(state, words[state]);
  }
  if (state === "waiting" && isGoing) tellGoing();
}

/**
 * Show an answer of another place. Whoever is typing goes on with the words of here.
 * @param {Question} question
 * @param {Answer} answer
 */
function show(question, answer) {
  const isTyping = document.activeElement === question.textarea;
  question.restore({ ...answer, comment: isTyping ? question.textarea.value : answer.comment });
}

/**
 * @param {Question} question
 * @param {Answer} answer the one that stands
 * @param {Answer} here the one that was chosen here
 */
function answeredElsewhere(question, answer, here) {
  show(question, answer);
  question.standing = answer;
  question.elsewhere.offer(here);
  question.report("elsewhere", "");
  const wasGoing = isGoing;
  stopGoing();
  tell(words.elsewhere);
  if (wasGoing) lookAtBoth(question);
}

/**
 * @param {string} error
 * @param {string} [screen] its address
 */
function tellOfAnotherScreen(error, screen) {
  if (!screen) {
    tell(error);
    return;
  }
  const link = document.createElement("a");
  Object.assign(link, { href: screen, textContent: words.lookAtIt });
  tell(words.elsewhereOnAnotherScreen);
  bar.append(" ", link);
}

/**
 * Sent, withdrawn or finished, perhaps in another tab: what is shown stays, nothing is taken.
 * @param {Closing} closing
 */
function showClosed({ error, unsaved }) {
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
  for (const sign of ["paste", "drop"]) {
    // How often, never what.
    textarea.addEventListener(sign, () => {
      question.nPasted += 1;
    });
  }
  textarea.addEventListener("input", () => typed(question));
  textarea.addEventListener("change", () => sendTyped(question));
  textarea.addEventListener("blur", () => {
    const { elsewhere, standing } = question;
    if (elsewhere.isOpen && standing && !saver.isHeld(question.id)) {
      question.setComment(`${standing.comment ?? ""}`);
    }
  });
}

/**
 * Stored at once, sent after a pause: a revision per letter would help nobody.
 * @param {Question} question
 */
function typed(question) {
  if (isPreview) return;
  if (isGoing) stopGoing();
  question.unsettle();
  question.elsewhere.type(question.textarea.value);
  question.standing = null;
  const now = performance.now();
  if (!saver.isHeld(question.id)) question.typedSince = now;
  saver.hold(question.id, question.url, entryOf(question));
  const left = question.typedSince + COMMENT_LIMIT_MS - now;
  clearTimeout(question.timer);
  question.timer = setTimeout(() => sendTyped(question), Math.min(COMMENT_PAUSE_MS, left));
}

/** @param {Question} question */
function sendTyped(question) {
  if (saver.isHeld(question.id)) save(question);
}

// What an earlier showing of a page could not send any more: shown here, and sent from here.
function restore() {
  for (const question of questions) {
    const { answer, other } = saver.resume(question.id, question.url, question.shown);
    if (answer) {
      question.restore(answer);
      if (other) question.elsewhere.offer(other);
    } else if (question.section.hasAttribute("data-unsaved")) {
      save(question);
    }
  }
  const here = new Set(questions.map((question) => question.id));
  for (const id of store.questions()) {
    if (here.has(id)) continue;
    saver.resume(id, questions[0].url.replace(/\/\d+\/$/, `/${id}/`));
  }
}

// -- going on -----------------------------------------------------------------------------------

/** @param {string} sentence */
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

/**
 * Go to the next screen or to the one before, once everything is saved.
 * @param {string} go next or back
 */
async function leave(go) {
  if (isPreview) {
    if (showMissing()) return;
    const next = optionalElement(form, "[data-next-link]", HTMLAnchorElement);
    if (next) location.assign(next.href);
    return;
  }
  if (saver.isClosed) {
    goTo(go);
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
  goTo(go);
}

/** @param {string} go next or back */
function goTo(go) {
  location.assign((go === "back" ? place.back : place.next) ?? "");
}

/** @param {Question} question */
function lookAtBoth(question) {
  attend(question);
  question.elsewhere.show();
}

/** @param {string} go next or back */
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
  const { submitter } = event;
  leave((submitter instanceof HTMLButtonElement && submitter.value) || "next");
});

// -- choosing and undoing -------------------------------------------------------------------------

const undo = new Undo(element(form, "[data-undo]", HTMLButtonElement), (step) => {
  arrival = 0;
  scrollTo({ top: scrollY, behavior: "instant" }); // not on to the next question any more
  step?.question.showOption(step.item);
  tell(step ? words.undone : words.nothingToUndo);
});

for (const question of questions) {
  question.beforePick = (...before) => undo.note(...before);
}

listenToKeys(new KeySwitch(optionalElement(document, "[data-keys-panel]")), {
  isChoice: (key, control) => current.hasKey(key, control),
  choose(key, control) {
    attendToWhatIsSeen();
    pressed(key, control);
  },
  step: (choice, direction) => ownerOf(choice)?.step(choice, direction),
  toggle: (choice) => ownerOf(choice)?.toggle(choice.dataset.role ?? "", choice.value),
  canMove: () => current.canMove,
  move: (direction) => current.move(direction),
  canNudge: () => current.canNudge,
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
  addEventListener(
    sign,
    () => {
      arrival = 0;
    },
    { passive: true },
  );
}

/** @param {HTMLElement} choice */
function ownerOf(choice) {
  return questions.find((question) => question.section.contains(choice));
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

/**
 * @param {string} key
 * @param {Element} control
 */
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

/** @param {Question} next */
function comeTo(next) {
  attend(next);
  arrival = performance.now() + ARRIVAL_MS;
  next.section.focus({ preventScroll: true });
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  next.section.scrollIntoView({ block: "start", behavior: isCalm ? "auto" : "smooth" });
}

// -- pausing ----------------------------------------------------------------------------------------

const pause = optionalElement(document, "[data-pause]", HTMLDetailsElement);
pause?.addEventListener("toggle", sayWhetherSaved);

/** Who wants to leave must know whether they can. */
function sayWhetherSaved() {
  if (!pause?.open) return;
  const isSaved = saver.isEmpty && !saver.isRefused;
  element(pause, "[data-pause-state]").textContent = isSaved ? words.allSaved : words.notAllSaved;
}

// -- begin ------------------------------------------------------------------------------------------

foldAsBefore(elements(form, "[data-earlier]", HTMLDetailsElement), place.store ?? "");
for (const question of questions) remind(question.section, words);
belongToFrame();
yieldWhenTall(wholeBar, bar);
enter(firstIncomplete() ?? questions[0]);
if (!isPreview) restore();
// A page taken out of the browser's memory may be older than what is saved.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
// Keys pressed before this line ran are lost: whoever waits for the page can see that it did.
document.documentElement.dataset.ready = "1";
