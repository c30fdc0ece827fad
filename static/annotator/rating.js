// A rating question: a slider that proposes nothing. It has no value and no thumb before the first
// touch; without a script there is a list to choose from, which keeps the value here, too.

import { Question } from "./question.js";

const UP = ["ArrowRight", "ArrowUp", "PageUp", "Home"];
const DOWN = ["ArrowLeft", "ArrowDown", "PageDown", "End"];

export class Rating extends Question {
  #select;
  #slider;
  #range;
  #value;
  #marks;

  constructor(section, words, listener) {
    super(section, words, listener, ["rating"]);
    this.#select = section.querySelector("select");
    this.#slider = section.querySelector("[data-slider]");
    this.#range = section.querySelector("[data-range]");
    this.#value = section.querySelector("[data-value]");
    this.#marks = [...section.querySelectorAll("[data-point]")];
    this.ends = this.#range.getAttribute("aria-describedby");
    this.picks = { rating: this.#select.value };
    section.querySelector("[data-plain]").hidden = true;
    this.#slider.hidden = false;
    this.#listen();
    this.paint();
  }

  #listen() {
    const range = this.#range;
    // While it is dragged the number goes along; what is let go of is the answer.
    range.addEventListener("input", () => this.#show(this.#text(range.value)));
    range.addEventListener("change", () => this.#choose(this.#text(range.value)));
    // A first touch just where the thumb would stand changes nothing, but it is a choice.
    range.addEventListener("click", () => {
      if (!this.picks.rating) this.#choose(this.#text(range.value));
    });
    range.addEventListener("keydown", (event) => {
      if (this.picks.rating || event.ctrlKey || event.metaKey || event.altKey) return;
      const isUp = UP.includes(event.key);
      if (!isUp && !DOWN.includes(event.key)) return;
      // From the end that the key leads away from.
      event.preventDefault();
      this.nudge(isUp ? 1 : -1);
    });
    this.#slider.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-point]");
      if (mark) this.#choose(mark.dataset.point);
    });
  }

  // As the server writes it: 2.5, not 2.50.
  #text(value) {
    return String(Number(value));
  }

  #choose(rating) {
    if (rating === this.picks.rating) {
      this.paint();
      return;
    }
    this.choose({ rating }, rating);
  }

  get controls() {
    return [this.#range, ...this.#marks];
  }

  get choices() {
    return [this.#slider];
  }

  paint() {
    const { rating } = this.picks;
    this.#select.value = rating;
    this.#range.value = rating || this.#range.min;
    this.#show(rating);
  }

  #show(rating) {
    const text = rating && Number(rating).toFixed(Number(this.#slider.dataset.decimals));
    const label = this.#labelOf(rating);
    this.#slider.classList.toggle("is-touched", Boolean(rating));
    this.#value.textContent = text || "–";
    this.#range.setAttribute(
      "aria-valuetext", !rating ? this.words.notChosen : label ? `${text}, ${label}` : text,
    );
    for (const mark of this.#marks) {
      mark.classList.toggle("is-chosen", mark.dataset.point === rating);
    }
  }

  #labelOf(rating) {
    const option = rating && [...this.#select.options].find((one) => one.value === rating);
    return option ? option.textContent.split(" – ").slice(1).join(" – ") : "";
  }

  hasKey(key) {
    return /^[0-9]$/.test(key) && [...this.#select.options].some((one) => one.value === key);
  }

  press(key) {
    this.#choose(key);
    return this.#slider;
  }

  /** One step up or down; the first leads to the end that is left behind. */
  nudge(direction) {
    const range = this.#range;
    if (!this.picks.rating) {
      this.#choose(this.#text(direction > 0 ? range.min : range.max));
      return;
    }
    range.value = this.picks.rating;
    if (direction > 0) range.stepUp();
    else range.stepDown();
    this.#choose(this.#text(range.value));
  }

  describe(control, sentence) {
    if (control !== this.#range) return;
    control.setAttribute("aria-describedby", sentence ? `${this.problem.id} ${this.ends}` : this.ends);
  }

  get missing() {
    return this.words.missingRating;
  }

  get missingControl() {
    return this.#range;
  }

  showOption() {
    this.showChoices();
  }
}
