// A slider that proposes nothing: it has no value and no thumb before the first touch. Without a
// script there is a list to choose from, which keeps the value here, too.

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

  /** `listener(rating)`: somebody has chosen another value; it is painted when `paint` is told. */
  constructor(holder, words, listener) {
    this.#words = words;
    this.#listener = listener;
    this.#select = holder.querySelector("select");
    this.#slider = holder.querySelector("[data-slider]");
    this.#range = holder.querySelector("[data-range]");
    this.#value = holder.querySelector("[data-value]");
    this.#marks = [...holder.querySelectorAll("[data-point]")];
    this.#ends = this.#range.getAttribute("aria-describedby");
    holder.querySelector("[data-plain]").hidden = true;
    this.#slider.hidden = false;
    this.#listen();
    this.paint(this.#select.value);
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
      const mark = event.target.closest("[data-point]");
      if (mark) this.choose(mark.dataset.point);
    });
  }

  // As the server writes it: 2.5, not 2.50.
  #text(value) {
    return String(Number(value));
  }

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

  paint(rating) {
    this.#rating = rating;
    this.#select.value = rating;
    this.#range.value = rating || this.#range.min;
    this.#show(rating);
  }

  #show(rating) {
    const { decimals, mark } = this.#slider.dataset;
    const text = rating && Number(rating).toFixed(Number(decimals)).replace(".", mark);
    const label = this.#labelOf(rating);
    this.#slider.classList.toggle("is-touched", Boolean(rating));
    this.#value.textContent = text || "–";
    this.#range.setAttribute(
      "aria-valuetext", !rating ? this.#words.notChosen : label ? `${text}, ${label}` : text,
    );
    for (const mark of this.#marks) {
      mark.classList.toggle("is-chosen", mark.dataset.point === rating);
    }
  }

  #labelOf(rating) {
    const option = rating && [...this.#select.options].find((one) => one.value === rating);
    return option ? option.textContent.split(" – ").slice(1).join(" – ") : "";
  }

  /** Whether a key is a value of the scale. */
  hasKey(key) {
    return /^[0-9]$/.test(key) && [...this.#select.options].some((one) => one.value === key);
  }

  /** One step up or down; the first leads to the end that is left behind. */
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

  /** What is wrong is said of the range, beside the words at its ends. */
  describe(control, sentence, problem) {
    if (control !== this.#range) return;
    control.setAttribute("aria-describedby", sentence ? `${problem} ${this.#ends}` : this.#ends);
  }
}
