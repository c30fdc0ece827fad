// A label question: a button for each category, of which one is chosen, or several.

import { Buttons } from "./buttons.js";
import { register } from "./question.js";

/**
 * @import { Answer } from "./pending.js"
 * @import { ChangeListener, Words } from "./question.js"
 */

class Label extends Buttons {
  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   */
  constructor(section, words, listener) {
    super(section, words, listener, "categories");
  }

  /**
   * A list, which is sent as often as it is long.
   * @param {Answer[string]} value
   */
  picked(value) {
    const names = [value ?? []].flat().filter(Boolean).map(String);
    return names.length ? names : "";
  }

  get missing() {
    return this.words[this.takesMore ? "missingCategories" : "missingCategory"];
  }
}

register("label", Label);
