// A rating on a scale of few points that all have words: a button for each of them.

import { Buttons } from "./buttons.js";
import { register } from "./question.js";

/**
 * @import { Answer } from "./pending.js"
 * @import { ChangeListener, Words } from "./question.js"
 */

class Worded extends Buttons {
  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   */
  constructor(section, words, listener) {
    super(section, words, listener, "rating");
  }

  /** @param {Answer[string]} value */
  picked(value) {
    return `${[value ?? ""].flat()[0] ?? ""}`;
  }

  get missing() {
    return this.words.missingWords;
  }
}

register("worded", Worded);
