// A rating question: one slider.

import { Question, register } from "./question.js";
import { Slider } from "./slider.js";

/** @import { ChangeListener, Control, Words } from "./question.js" */

class Rating extends Question {
  #slider;

  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   */
  constructor(section, words, listener) {
    super(section, words, listener, ["rating"]);
    this.#slider = new Slider(section, words, (rating) => this.choose({ rating }, rating));
    this.picks = { rating: this.#slider.rating };
  }

  get controls() {
    return this.#slider.controls;
  }

  get choices() {
    return [this.#slider.element];
  }

  paint() {
    this.#slider.paint(`${this.picks.rating}`);
  }

  /** @param {string} key */
  hasKey(key) {
    return this.#slider.hasKey(key);
  }

  /** @param {string} key */
  press(key) {
    this.#slider.choose(key);
    return this.#slider.element;
  }

  get canNudge() {
    return true;
  }

  /** @param {number} direction */
  nudge(direction) {
    this.#slider.nudge(direction);
  }

  /**
   * @param {Control} control
   * @param {string} sentence
   */
  describe(control, sentence) {
    this.#slider.describe(control, sentence, this.problem.id);
  }

  get missing() {
    return this.words.missingRating;
  }

  get missingControl() {
    return this.#slider.range;
  }
}

register("rating", Rating);
