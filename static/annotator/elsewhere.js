// The note at a question that was answered in another place in the meantime: it names what was
// chosen here, and offers to use that instead.

export class Elsewhere {
  #section;
  #note;
  here = null; // what was chosen here and does not stand
  isSeen = false;

  /** `use(record)`: somebody wants what was chosen here. */
  constructor(section, use) {
    this.#section = section;
    this.#note = section.querySelector("[data-elsewhere]");
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
    const value = (name) => this.#note.querySelector(`input[name$="-here-${name}"]`).value;
    this.here = { best: value("best"), worst: value("worst"), comment: value("comment") };
    this.isSeen = true;
  }

  #name(record) {
    this.here = record;
    for (const name of ["best", "worst", "comment"]) {
      this.#fill(name, name === "comment" ? record.comment : this.#text(record[name]));
    }
    this.#slot("nothing").hidden = Boolean(record.best || record.worst || record.comment);
  }

  #slot(name) {
    return this.#note.querySelector(`[data-here="${name}"]`);
  }

  #fill(name, text) {
    this.#slot(name).hidden = !text;
    this.#slot(name).querySelector("dd").textContent = text;
  }

  #text(item) {
    const option = item && this.#section.querySelector(`.option[data-item="${item}"] .option-text`);
    return option ? option.innerText.trim() : "";
  }
}
