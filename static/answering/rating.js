// A rating question: one slider.

import { Question, register } from "./question.js";
import { Slider } from "./slider.js";

class Rating extends Question {
  #slider;

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
    this.#slider.paint(this.picks.rating);
  }

  hasKey(key) {
    return this.#slider.hasKey(key);
  }

  press(key) {
    this.#slider.choose(key);
    return this.#slider.element;
  }

  nudge(direction) {
    this.#slider.nudge(direction);
  }

  describe(control, sentence) {
    this.#slider.describe(control, sentence, this.problem.id);
  }

  get missing() {
    return this.words.missingRating;
  }

  get missingControl() {
    return this.#slider.range;
  }

  showOption() {
    this.showChoices();
  }
}

register("rating", Rating);
