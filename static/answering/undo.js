// The last choices on this screen, one step back at a time. Going back is a choice like any other:
// it is painted at once and saved in the background.

/** @import { Picks, Question } from "./question.js" */

/** @typedef {{ question: Question, picks: Picks, item: string }} Step */

export class Undo {
  #button;
  #listener;
  /** @type {Step[]} */
  #steps = [];

  /**
   * @param {HTMLButtonElement} button
   * @param {(step: Step | undefined) => void} listener is told what has gone back; nothing where
   *   there was nothing to undo
   */
  constructor(button, listener) {
    this.#button = button;
    this.#listener = listener;
    button.hidden = false;
    button.addEventListener("click", () => this.back());
  }

  /**
   * Note what was chosen in a question before it changes, and the item that the change is about.
   * @param {Question} question
   * @param {Picks} picks
   * @param {string} item
   */
  note(question, picks, item) {
    this.#steps.push({ question, picks, item });
    this.#paint();
  }

  back() {
    const step = this.#steps.pop();
    if (step) step.question.putBack(step.picks);
    this.#paint();
    this.#listener(step);
  }

  // Not `disabled`: who has just used it up would lose the focus.
  #paint() {
    this.#button.setAttribute("aria-disabled", String(!this.#steps.length));
  }
}
