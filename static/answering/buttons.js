// A question that is answered by choosing among buttons: one, or several.

import { elements } from "../core/elements.js";
import { Question } from "./question.js";

/** @import { ChangeListener, Control, Words } from "./question.js" */

const CONTROLS = "fieldset.choices :is(input[type=radio], input[type=checkbox])";

export class Buttons extends Question {
  #boxes;
  #name;

  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   * @param {string} name
   */
  constructor(section, words, listener, name) {
    super(section, words, listener, [name]);
    this.#name = name;
    this.#boxes = elements(section, CONTROLS, HTMLInputElement);
    this.takesMore = this.#boxes[0].type === "checkbox";
    this.picks = { [name]: this.picked(this.#boxes.filter((b) => b.checked).map((b) => b.value)) };
    section.addEventListener("click", (event) => {
      // A click on the label arrives here, too, as a click on the button in it.
      const box = this.#boxes.find((one) => one === event.target);
      if (box) this.toggle(name, box.value);
    });
  }

  get #chosen() {
    return [this.picks[this.#name]].flat();
  }

  get controls() {
    return this.#boxes;
  }

  get choices() {
    return this.#boxes.map((box) => this.#choiceOf(box));
  }

  /** @param {HTMLInputElement} box */
  #choiceOf(box) {
    return /** @type {HTMLElement} */ (box.closest(".choice"));
  }

  /**
   * Choose, or take the choice back; of one that shuts out the others, instead of them.
   * @param {string} _
   * @param {string} value
   */
  toggle(_, value) {
    const isChosen = this.#chosen.includes(value);
    // In the order of the page: the same choices are the same answer, in whatever order.
    const all = this.#boxes
      .map((box) => box.value)
      .filter((one) => (one === value ? !isChosen : this.takesMore && this.#chosen.includes(one)));
    this.choose({ [this.#name]: this.picked(all) }, value);
  }

  paint() {
    for (const box of this.#boxes) box.checked = this.#chosen.includes(box.value);
  }

  /** @param {string} key */
  hasKey(key) {
    return Boolean(key && this.#boxOfKey(key));
  }

  /** @param {string} key */
  press(key) {
    const box = this.#boxOfKey(key);
    if (!box) return this.section;
    this.toggle(this.#name, box.value);
    return this.#choiceOf(box);
  }

  /** @param {string} key */
  #boxOfKey(key) {
    return this.#boxes.find((box) => box.getAttribute("aria-keyshortcuts") === key);
  }

  /**
   * Move as arrow keys do; where only one can be chosen, that is a choice.
   * @param {HTMLInputElement} box
   * @param {number} direction
   */
  step(box, direction) {
    const n = this.#boxes.length;
    const next = this.#boxes[(this.#boxes.indexOf(box) + direction + n) % n];
    next.focus();
    if (!this.takesMore && !this.#chosen.includes(next.value)) this.toggle(this.#name, next.value);
  }

  /**
   * What is wrong is said beside the explanation of a choice.
   * @param {Control} control
   * @param {string} sentence
   */
  describe(control, sentence) {
    const explanation = control.parentElement?.querySelector(".choice-explanation");
    const ids = [explanation?.id, sentence && this.problem.id].filter(Boolean);
    if (ids.length) control.setAttribute("aria-describedby", ids.join(" "));
    else control.removeAttribute("aria-describedby");
  }

  get missingControl() {
    return this.#boxes[0];
  }

  /** @param {string} value */
  showOption(value) {
    const box = this.#boxes.find((one) => one.value === value);
    if (box) this.#choiceOf(box).scrollIntoView({ block: "nearest" });
  }
}
