// What questions of every kind share: their comment, their messages, what is kept and restored.
// What is chosen, and how, is a matter of each kind, which registers itself: the page loads those
// that it has.

import { element } from "../core/elements.js";
import { Elsewhere } from "./elsewhere.js";

/** @import { Answer } from "./pending.js" */

/**
 * What is chosen, by the names of the choices; "" is no choice.
 * @typedef {Record<string, string | string[]>} Picks
 *
 * The sentences of a page, in its language, by their names.
 * @typedef {Record<string, string>} Words
 *
 * An answer has changed; `taken` names a choice that the change took away.
 * @typedef {(question: Question, taken: string) => void} ChangeListener
 *
 * @typedef {HTMLInputElement | HTMLButtonElement | HTMLSelectElement} Control
 * @typedef {new (section: HTMLElement, words: Words, listener: ChangeListener) => Question} Kind
 */

/** @type {Map<string, Kind>} */
const KINDS = new Map();

/**
 * Make a kind of question known, as `data-kind` names it.
 * @param {string} name
 * @param {Kind} kind
 */
export function register(name, kind) {
  KINDS.set(name, kind);
}

/**
 * The question of a section.
 * @param {HTMLElement} section
 * @param {Words} words
 * @param {ChangeListener} listener
 */
export function questionIn(section, words, listener) {
  const kind = KINDS.get(section.dataset.kind ?? "");
  if (!kind) throw new Error(`No script has registered ${section.dataset.kind}.`);
  return new kind(section, words, listener);
}

export class Question {
  #listener;
  /** @type {Picks} */
  picks = {};
  takesMore = false; // whether several choices make one answer, so that nobody knows if that is all
  isClosed = false;
  reported = ""; // the state that was said last
  /** @type {ReturnType<typeof setTimeout> | undefined} until a comment is sent */
  timer = undefined;
  typedSince = 0;
  /** @type {Answer | null} the answer of another place, while it is shown */
  standing = null;
  /** @type {(question: Question, picks: Picks, item: string) => void} */
  beforePick = () => {};

  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   * @param {string[]} names the choices that make an answer, as the server names them
   */
  constructor(section, words, listener, names) {
    this.section = section;
    this.id = section.dataset.question ?? "";
    this.url = section.dataset.save ?? "";
    // How often something was pasted into the comment.
    this.nPasted = Number(section.dataset.pasted);
    this.words = words;
    this.names = names;
    this.#listener = listener;
    this.textarea = element(section, "textarea", HTMLTextAreaElement);
    this.state = element(section, "[data-state]");
    this.problem = element(section, "[data-problem]");
    this.shown = element(section, 'input[name$="-shown"]', HTMLInputElement).value;
    this.base = element(section, 'input[name$="-base"]', HTMLInputElement);
    this.elsewhere = new Elsewhere(section);
  }

  // -- what each kind says -----------------------------------------------------------------------

  /** @returns {Control[]} */
  get controls() {
    return [];
  }

  /**
   * What has to be in view for a key to be meant for this question.
   * @returns {HTMLElement[]}
   */
  get choices() {
    return [];
  }

  /** What to say while something is missing. */
  get missing() {
    return "";
  }

  /**
   * The first control of what is missing.
   * @returns {Control | undefined}
   */
  get missingControl() {
    return this.controls[0];
  }

  /** Show what is chosen. */
  paint() {}

  /**
   * Bring into view what a change was about.
   * @param {string} _item
   */
  showOption(_item) {
    this.showChoices();
  }

  /**
   * Whether a key chooses something, where the focus is on `_control`.
   * @param {string} _key
   * @param {Element} _control
   */
  hasKey(_key, _control) {
    return false;
  }

  /**
   * Do what a key stands for; what has changed.
   * @param {string} _key
   * @param {Element} _control
   * @returns {HTMLElement}
   */
  press(_key, _control) {
    return this.section;
  }

  /**
   * Choose, or take the choice back.
   * @param {string} _role
   * @param {string} _value
   */
  toggle(_role, _value) {}

  /**
   * Move within a group of buttons, as arrow keys do.
   * @param {HTMLInputElement} _control
   * @param {number} _direction
   */
  step(_control, _direction) {}

  /** Whether arrow keys move a cursor. */
  get canMove() {
    return false;
  }

  /** @param {number} _direction */
  move(_direction) {}

  /** Whether arrow keys change a value. */
  get canNudge() {
    return false;
  }

  /** @param {number} _direction */
  nudge(_direction) {}

  /**
   * A choice as it is kept here; "" is none.
   * @param {Answer[string]} value
   * @returns {string | string[]}
   */
  picked(value) {
    return `${value ?? ""}`;
  }

  // -- what all kinds share ----------------------------------------------------------------------

  get isComplete() {
    return this.names.every((name) => this.picks[name]);
  }

  get isUntouched() {
    return this.names.every((name) => !this.picks[name]);
  }

  get isEmpty() {
    return this.isUntouched && !this.textarea.value.trim();
  }

  get answer() {
    return { ...this.picks, comment: this.textarea.value };
  }

  /**
   * Choose: `picks` is what is chosen from now on, `item` what the change is about.
   * @param {Picks} picks
   * @param {string} item
   */
  choose(picks, item, taken = "") {
    if (this.isClosed) return;
    this.beforePick(this, { ...this.picks }, item);
    this.picks = picks;
    this.repaint();
    this.#listener(this, taken);
  }

  /**
   * Choose again what was chosen before.
   * @param {Picks} picks
   */
  putBack(picks) {
    if (this.isClosed) return;
    this.picks = { ...picks };
    this.repaint();
    this.#listener(this, "");
  }

  /**
   * Show an answer that was given before, or in another place.
   * @param {Answer} answer
   */
  restore(answer) {
    this.picks = Object.fromEntries(this.names.map((name) => [name, this.picked(answer[name])]));
    this.setComment(`${answer.comment ?? ""}`);
    this.repaint();
  }

  repaint() {
    this.paint();
    if (!this.problem.hidden) this.showMissing();
  }

  /** Nothing is taken any more; what was chosen stays to be seen. */
  close() {
    this.isClosed = true;
    for (const control of this.controls) control.disabled = true;
    this.textarea.readOnly = true;
  }

  /** @param {string} text */
  setComment(text) {
    this.textarea.value = text;
    const fold = this.textarea.closest("details");
    if (text && fold) fold.open = true;
  }

  /** Say at the question what is still to be chosen; nothing once it is complete. */
  showMissing() {
    this.say(this.isComplete ? "" : this.missing);
  }

  /** @param {string} sentence */
  say(sentence) {
    this.problem.hidden = !sentence;
    element(this.problem, "[data-problem-text]").textContent = sentence;
    this.section.classList.toggle("has-problem", Boolean(sentence));
    for (const control of this.controls) this.describe(control, sentence);
  }

  /**
   * @param {Control} control
   * @param {string} sentence what is wrong, or ""
   */
  describe(control, sentence) {
    if (sentence) control.setAttribute("aria-describedby", this.problem.id);
    else control.removeAttribute("aria-describedby");
  }

  /** Bring the options into view, as many of them as the window holds. */
  showChoices() {
    element(this.section, "fieldset").scrollIntoView({ block: "nearest" });
  }

  /** Put the focus on the first control of what is missing. */
  focusMissing() {
    this.missingControl?.focus({ preventScroll: true });
    // From the message down: what is missing and the options to choose from, both in view.
    this.problem.scrollIntoView({ block: "center" });
  }

  /** What was said of an earlier answer is no longer true; that nothing gets through still is. */
  unsettle() {
    if (this.reported !== "waiting") this.report("", "");
  }

  /**
   * @param {string} state
   * @param {string} sentence
   */
  report(state, sentence) {
    this.reported = state;
    // Said aloud when it is saved or when there is trouble; one choice of two is seen, not heard.
    this.state.setAttribute("aria-live", state === "draft" ? "off" : "polite");
    this.state.textContent = sentence;
    this.state.classList.toggle("is-trouble", state === "waiting" || state === "refused");
  }
}
