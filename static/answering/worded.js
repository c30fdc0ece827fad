// A rating on a scale of few points that all have words: a button for each of them.

import { Buttons } from "./buttons.js";
import { register } from "./question.js";

class Worded extends Buttons {
  constructor(section, words, listener) {
    super(section, words, listener, "rating");
  }

  picked(value) {
    return `${[value ?? ""].flat()[0] ?? ""}`;
  }

  get missing() {
    return this.words.missingWords;
  }
}

register("worded", Worded);
