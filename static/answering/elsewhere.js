// The note at a question that was answered in another place in the meantime: it names what was
// chosen here, and offers to use that instead.

export class Elsewhere {
  #section;
  #note;
  #names; // of what can be chosen, and of the comment
  here = null; // what was chosen here and does not stand
  isSeen = false;

  /** `use(record)`: somebody wants what was chosen here. */
  constructor(section, use) {
    this.#section = section;
    this.#note = section.querySelector("[data-elsewhere]");
    this.#names = [...this.#note.querySelectorAll("[data-here]")]
      .map((slot) => slot.dataset.here)
      .filter((name) => name !== "nothing");
    if (!this.#note.hidden) this.#read();
    this.#note.querySelector("[data-use]").addEventListener("click", (event) => {
      event.preventDefault();
      use(this.here);
    });
  }

  get isOpen() {
    return !this.#note.hidden;
  }

  offer(record) {
    this.#name(record);
    this.isSeen = false;
    this.#note.hidden = false;
  }

  /** Somebody goes on typing: what is offered keeps their words. */
  type(comment) {
    if (this.isOpen) this.#name({ ...this.here, comment });
  }

  /** Nothing is taken any more: it says what was chosen here, and offers nothing. */
  lock() {
    this.#note.querySelector("[data-use]").hidden = true;
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
    const value = (name) => {
      const inputs = [...this.#note.querySelectorAll(`input[name$="-here-${name}"]`)];
      const values = inputs.map((input) => input.value);
      return values.length > 1 ? values : values[0] ?? "";
    };
    this.here = Object.fromEntries(this.#names.map((name) => [name, value(name)]));
    this.isSeen = true;
  }

  #name(record) {
    this.here = record;
    for (const name of this.#names) this.#fill(name, this.#text(name, record[name]));
    this.#slot("nothing").hidden = this.#names.some((name) => record[name]);
  }

  #slot(name) {
    return this.#note.querySelector(`[data-here="${name}"]`);
  }

  #fill(name, text) {
    this.#slot(name).hidden = !text;
    this.#slot(name).querySelector("dd").textContent = text;
  }

  #text(name, value) {
    const slot = this.#slot(name);
    if (!("hereOption" in slot.dataset)) return [value ?? ""].flat().join(", ");
    const option = value && this.#section.querySelector(`.option[data-item="${value}"] .option-text`);
    if (!option) return "";
    slot.querySelector("dd").dir = option.querySelector(".text:last-child").dir;
    return option.innerText.trim();
  }
}
