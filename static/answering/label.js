// A label question: a button for each category, of which one is chosen, or several.

import { Buttons } from "./buttons.js";
import { register } from "./question.js";

class Label extends Buttons {
  constructor(section, words, listener) {
    super(section, words, listener, "categories");
  }

  // A list, which is sent as often as it is long.
  picked(value) {
    const names = [value ?? []].flat().filter(Boolean);
    return names.length ? names : "";
  }

  get missing() {
    return this.words[this.takesMore ? "missingCategories" : "missingCategory"];
  }
}

register("label", Label);
