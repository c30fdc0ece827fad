// A best-worst question: each option has two radio buttons, and no option can have both.

import { elements, optionalElement } from "../core/elements.js";
import { Question, register } from "./question.js";

/** @import { ChangeListener, Picks, Words } from "./question.js" */

/** @type {Record<string, string>} */
const OTHER = { best: "worst", worst: "best" };

class BestWorst extends Question {
  #radios;

  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   */
  constructor(section, words, listener) {
    super(section, words, listener, ["best", "worst"]);
    this.#radios = elements(section, "input[type=radio]", HTMLInputElement);
    /** @type {Picks} */
    this.picks = { best: this.#checked("best"), worst: this.#checked("worst") };
    section.addEventListener("click", (event) => {
      // A click on the label arrives here, too, as a click on the radio button.
      const radio = this.#radios.find((one) => one === event.target);
      if (radio) this.toggle(radio.dataset.role ?? "", radio.value);
    });
  }

  /** @param {string} role */
  #checked(role) {
    return this.#radios.find((r) => r.dataset.role === role && r.checked)?.value ?? "";
  }

  get controls() {
    return this.#radios;
  }

  get choices() {
    return elements(this.section, ".option");
  }

  /**
   * Choose an item for a role, or take the choice back if it was that already.
   * @param {string} role
   * @param {string} item
   */
  toggle(role, item) {
    this.pick(role, this.picks[role] === item ? "" : item);
  }

  /**
   * @param {string} role
   * @param {string} item
   */
  pick(role, item) {
    const picks = { ...this.picks, [role]: item };
    const isTaken = Boolean(item) && picks[OTHER[role]] === item;
    if (isTaken) picks[OTHER[role]] = "";
    const taken = item ? (isTaken ? OTHER[role] : "") : role;
    this.choose(picks, item || `${this.picks[role]}`, taken);
  }

  paint() {
    for (const radio of this.#radios) {
      radio.checked = this.picks[radio.dataset.role ?? ""] === radio.value;
    }
  }

  /** @param {string} key */
  hasKey(key) {
    return Boolean(key && this.#radioOfKey(key));
  }

  /** @param {string} key */
  press(key) {
    const radio = this.#radioOfKey(key);
    if (!radio) return this.section;
    this.toggle(radio.dataset.role ?? "", radio.value);
    return /** @type {HTMLElement} */ (radio.closest(".option"));
  }

  /**
   * Digits for the best, letters for the worst.
   * @param {string} key
   */
  #radioOfKey(key) {
    return this.#radios.find((radio) => radio.getAttribute("aria-keyshortcuts") === key);
  }

  /**
   * Move within a group as arrow keys do, over the item that the other role has.
   * @param {HTMLInputElement} radio
   * @param {number} direction
   */
  step(radio, direction) {
    const { role = "" } = radio.dataset;
    const order = this.#radios.filter((r) => r.dataset.role === role);
    const group = order.filter((r) => r.value !== this.picks[OTHER[role]]);
    let place = order.indexOf(radio);
    do {
      place = (place + direction + order.length) % order.length;
    } while (!group.includes(order[place]));
    order[place].focus();
    if (this.picks[role] !== order[place].value) this.pick(role, order[place].value);
  }

  get missing() {
    const { best, worst } = this.picks;
    return this.words[!best && !worst ? "missingBoth" : !best ? "missingBest" : "missingWorst"];
  }

  get missingControl() {
    const role = this.picks.best ? "worst" : "best";
    return this.#radios.find((r) => r.dataset.role === role && r.value !== this.picks[OTHER[role]]);
  }

  /** @param {string} item */
  showOption(item) {
    optionalElement(this.section, `[data-item="${item}"]`)?.scrollIntoView({ block: "nearest" });
  }
}

register("best_worst", BestWorst);
