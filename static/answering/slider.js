// A slider that proposes nothing: it has no value and no thumb before the first touch. Without a
// script there is a list to choose from, which keeps the value here, too.

import { element, elements, targetOf } from "../core/elements.js";

/** @import { Control, Words } from "./question.js" */

const UP = ["ArrowRight", "ArrowUp", "PageUp", "Home"];
const DOWN = ["ArrowLeft", "ArrowDown", "PageDown", "End"];

export class Slider {
  #select;
  #slider;
  #range;
  #value;
  #marks;
  #words;
  #listener;
  #rating;
  #ends;

  /**
   * @param {HTMLElement} holder
   * @param {Words} words
   * @param {(rating: string) => void} listener somebody has chosen another value; it is shown when
   *   `paint` is called
   */
  constructor(holder, words, listener) {
    this.#words = words;
    this.#listener = listener;
    this.#select = element(holder, "select", HTMLSelectElement);
    this.#slider = element(holder, "[data-slider]");
    this.#range = element(holder, "[data-range]", HTMLInputElement);
    this.#value = element(holder, "[data-value]");
    this.#marks = elements(holder, "[data-point]", HTMLButtonElement);
    this.#ends = this.#range.getAttribute("aria-describedby") ?? "";
    element(holder, "[data-plain]").hidden = true;
    this.#slider.hidden = false;
    this.#listen();
    this.#rating = this.#select.value;
    this.paint(this.#rating);
  }

  #listen() {
    const range = this.#range;
    // While it is dragged the number goes along; what is let go of is the answer.
    range.addEventListener("input", () => this.#show(this.#text(range.value)));
    range.addEventListener("change", () => this.choose(this.#text(range.value)));
    // A first touch just where the thumb would stand changes nothing, but it is a choice.
    range.addEventListener("click", () => {
      if (!this.#rating) this.choose(this.#text(range.value));
    });
    range.addEventListener("keydown", (event) => {
      if (this.#rating || event.ctrlKey || event.metaKey || event.altKey) return;
      const isUp = UP.includes(event.key);
      if (!isUp && !DOWN.includes(event.key)) return;
      // From the end that the key leads away from.
      event.preventDefault();
      this.nudge(isUp ? 1 : -1);
    });
    this.#slider.addEventListener("click", (event) => {
      const mark = this.#marks.find((one) => one === targetOf(event)?.closest("[data-point]"));
      if (mark) this.choose(mark.dataset.point ?? "");
    });
  }

  /**
   * As the server writes it: 2.5, not 2.50.
   * @param {string} value
   */
  #text(value) {
    return String(Number(value));
  }

  /** @param {string} rating */
  choose(rating) {
    if (rating === this.#rating) this.paint(rating);
    else this.#listener(rating);
  }

  /** The value; "" before the first touch. */
  get rating() {
    return this.#rating;
  }

  get element() {
    return this.#slider;
  }

  get range() {
    return this.#range;
  }

  get controls() {
    return [this.#range, ...this.#marks];
  }

  /** @param {string} rating */
  paint(rating) {
    this.#rating = rating;
    this.#select.value = rating;
    this.#range.value = rating || this.#range.min;
    this.#show(rating);
  }

  /** @param {string} rating */
  #show(rating) {
    const { decimals, mark = "." } = this.#slider.dataset;
    const text = rating && Number(rating).toFixed(Number(decimals)).replace(".", mark);
    const label = this.#labelOf(rating);
    this.#slider.classList.toggle("is-touched", Boolean(rating));
    this.#value.textContent = text || "–";
    this.#range.setAttribute(
      "aria-valuetext",
      !rating ? this.#words.notChosen : label ? `${text}, ${label}` : text,
    );
    for (const mark of this.#marks) {
      mark.classList.toggle("is-chosen", mark.dataset.point === rating);
    }
  }

  /** @param {string} rating */
  #labelOf(rating) {
    const option = [...this.#select.options].find((one) => rating && one.value === rating);
    return option ? option.text.split(" – ").slice(1).join(" – ") : "";
  }

  /**
   * Whether a key is a value of the scale.
   * @param {string} key
   */
  hasKey(key) {
    return /^[0-9]$/.test(key) && [...this.#select.options].some((one) => one.value === key);
  }

  /**
   * One step up or down; the first leads to the end that is left behind.
   * @param {number} direction
   */
  nudge(direction) {
    const range = this.#range;
    if (!this.#rating) {
      this.choose(this.#text(direction > 0 ? range.min : range.max));
      return;
    }
    range.value = this.#rating;
    if (direction > 0) range.stepUp();
    else range.stepDown();
    this.choose(this.#text(range.value));
  }

  /**
   * What is wrong is said of the range, beside the words at its ends.
   * @param {Control} control
   * @param {string} sentence
   * @param {string} problem the id of what says it
   */
  describe(control, sentence, problem) {
    if (control !== this.#range) return;
    control.setAttribute("aria-describedby", sentence ? `${problem} ${this.#ends}` : this.#ends);
  }
}
