// A best-worst question: each option has two radio buttons, and no option can have both.

import { Question, register } from "./question.js";

const OTHER = { best: "worst", worst: "best" };

class BestWorst extends Question {
  #radios;

  constructor(section, words, listener) {
    super(section, words, listener, ["best", "worst"]);
    this.#radios = [...section.querySelectorAll("input[type=radio]")];
    this.picks = { best: this.#checked("best"), worst: this.#checked("worst") };
    section.addEventListener("click", (event) => {
      // A click on the label arrives here, too, as a click on the radio button.
      if (event.target.type === "radio") this.toggle(event.target.dataset.role, event.target.value);
    });
  }

  #checked(role) {
    return this.#radios.find((r) => r.dataset.role === role && r.checked)?.value ?? "";
  }

  get controls() {
    return this.#radios;
  }

  /** What has to be in view for a key to be meant for this question. */
  get choices() {
    return [...this.section.querySelectorAll(".option")];
  }

  /** Choose an item for a role, or take the choice back if it was that already. */
  toggle(role, item) {
    this.pick(role, this.picks[role] === item ? "" : item);
  }

  pick(role, item) {
    const picks = { ...this.picks, [role]: item };
    const isTaken = Boolean(item) && picks[OTHER[role]] === item;
    if (isTaken) picks[OTHER[role]] = "";
    const taken = item ? (isTaken ? OTHER[role] : "") : role;
    this.choose(picks, item || this.picks[role], taken);
  }

  paint() {
    for (const radio of this.#radios) {
      radio.checked = this.picks[radio.dataset.role] === radio.value;
    }
  }

  hasKey(key) {
    return Boolean(key && this.#radioOfKey(key));
  }

  /** Do what a key stands for; what has changed. */
  press(key) {
    const radio = this.#radioOfKey(key);
    this.toggle(radio.dataset.role, radio.value);
    return radio.closest(".option");
  }

  // Digits for the best, letters for the worst.
  #radioOfKey(key) {
    return this.#radios.find((radio) => radio.getAttribute("aria-keyshortcuts") === key);
  }

  /** Move within a group as arrow keys do, over the item that the other role has. */
  step(radio, direction) {
    const group = this.#radios.filter(
      (r) => r.dataset.role === radio.dataset.role && r.value !== this.picks[OTHER[r.dataset.role]],
    );
    const order = this.#radios.filter((r) => r.dataset.role === radio.dataset.role);
    let place = order.indexOf(radio);
    do {
      place = (place + direction + order.length) % order.length;
    } while (!group.includes(order[place]));
    order[place].focus();
    if (this.picks[radio.dataset.role] !== order[place].value) {
      this.pick(radio.dataset.role, order[place].value);
    }
  }

  get missing() {
    const { best, worst } = this.picks;
    return this.words[!best && !worst ? "missingBoth" : !best ? "missingBest" : "missingWorst"];
  }

  get missingControl() {
    const role = this.picks.best ? "worst" : "best";
    return this.#radios.find(
      (r) => r.dataset.role === role && r.value !== this.picks[OTHER[role]],
    );
  }

  /** Bring into view what a change was about. */
  showOption(item) {
    this.section.querySelector(`[data-item="${item}"]`).scrollIntoView({ block: "nearest" });
  }
}

register("best_worst", BestWorst);
