// The note at a question that was answered in another place in the meantime: it names what was
// chosen here, and offers to use that instead.

import { element, elements, optionalElement } from "../core/elements.js";

/** @import { Answer } from "./pending.js" */

export class Elsewhere {
  #section;
  #note;
  #names; // of what can be chosen, and of the comment
  /** @type {Answer | null} what was chosen here and does not stand */
  here = null;
  isSeen = false;
  /** @type {(answer: Answer) => void} somebody wants what was chosen here */
  onUse = () => {};

  /** @param {HTMLElement} section */
  constructor(section) {
    this.#section = section;
    this.#note = element(section, "[data-elsewhere]");
    this.#names = elements(this.#note, "[data-here]")
      .map((slot) => slot.dataset.here ?? "")
      .filter((name) => name !== "nothing");
    if (!this.#note.hidden) this.#read();
    this.#button.addEventListener("click", (event) => {
      event.preventDefault();
      if (this.here) this.onUse(this.here);
    });
  }

  get #button() {
    return element(this.#note, "[data-use]");
  }

  get isOpen() {
    return !this.#note.hidden;
  }

  /** @param {Answer} answer */
  offer(answer) {
    this.#name(answer);
    this.isSeen = false;
    this.#note.hidden = false;
  }

  /**
   * Somebody goes on typing: what is offered keeps their words.
   * @param {string} comment
   */
  type(comment) {
    if (this.isOpen) this.#name({ ...this.here, comment });
  }

  /** Nothing is taken any more: it says what was chosen here, and offers nothing. */
  lock() {
    this.#button.hidden = true;
  }

  close() {
    this.#note.hidden = true;
    this.here = null;
  }

  /** Bring it into view, with the focus on it and not on its button: Enter goes on. */
  show() {
    this.isSeen = true;
    this.#note.focus({ preventScroll: true });
    this.#note.scrollIntoView({ block: "center" });
  }

  // The server has written it, after a form that was sent without a script.
  #read() {
    /** @param {string} name */
    const value = (name) => {
      const inputs = elements(this.#note, `input[name$="-here-${name}"]`, HTMLInputElement);
      const values = inputs.map((input) => input.value);
      return values.length > 1 ? values : (values[0] ?? "");
    };
    this.here = Object.fromEntries(this.#names.map((name) => [name, value(name)]));
    this.isSeen = true;
  }

  /** @param {Answer} answer */
  #name(answer) {
    this.here = answer;
    for (const name of this.#names) this.#fill(this.#slot(name), answer[name]);
    this.#slot("nothing").hidden = this.#names.some((name) => answer[name]);
  }

  /** @param {string} name */
  #slot(name) {
    return element(this.#note, `[data-here="${name}"]`);
  }

  /**
   * @param {HTMLElement} slot
   * @param {Answer[string]} value
   */
  #fill(slot, value) {
    const description = element(slot, "dd");
    const values = [value ?? ""].flat().map(String).filter(Boolean);
    if ("hereOption" in slot.dataset) this.#nameOption(description, values[0]);
    else if ("hereOrder" in slot.dataset) description.replaceChildren(...this.#inOrder(values));
    else description.textContent = values.join(", ");
    slot.hidden = !description.textContent;
  }

  /**
   * @param {HTMLElement} description
   * @param {string | undefined} item
   */
  #nameOption(description, item) {
    const option = this.#optionOf(item);
    description.dir = option ? element(option, ".text:last-child").dir : "";
    // biome-ignore lint/performance/useDomNodeTextContent: turns of a dialogue stay on lines of their own.
    description.textContent = option?.innerText.trim() ?? "";
  }

  /**
   * The texts of the items that have a place, each in its own direction, with a sign between them.
   * @param {string[]} values items with their places, as the server writes them
   */
  #inOrder(values) {
    const texts = values
      .map((value) => value.split(":"))
      .filter(([, place]) => place)
      .sort(([, a], [, b]) => Number(a) - Number(b))
      .flatMap(([item]) => this.#optionOf(item) ?? [])
      .map((option) => element(option, ".text:last-child"));
    return texts.flatMap((text, n) => {
      const copy = document.createElement("bdi");
      copy.dir = text.dir;
      copy.textContent = text.textContent;
      return n ? [" › ", copy] : [copy];
    });
  }

  /** @param {string | undefined} item */
  #optionOf(item) {
    if (!item) return null;
    return optionalElement(this.#section, `.option[data-item="${item}"] .option-text`);
  }
}
