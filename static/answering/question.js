// What questions of every kind share: their comment, their messages, what is kept and restored.
// What is chosen, and how, is a matter of each kind, which registers itself: the page loads those
// that it has.

const KINDS = new Map();

/** Make a kind of question known, as `data-kind` names it. */
export function register(name, kind) {
  KINDS.set(name, kind);
}

/** The question of a section; for `listener` and `words` see `Question`. */
export function questionIn(section, words, listener) {
  return new (KINDS.get(section.dataset.kind))(section, words, listener);
}

export class Question {
  #listener;

  /**
   * `listener(question, taken)`: the answer has changed; `taken` names a choice that this took away.
   * `names`: the choices that make an answer, as the server names them.
   */
  constructor(section, words, listener, names) {
    this.section = section;
    this.id = section.dataset.question;
    this.url = section.dataset.save;
    this.words = words;
    this.names = names;
    this.#listener = listener;
    this.textarea = section.querySelector("textarea");
    this.state = section.querySelector("[data-state]");
    this.problem = section.querySelector("[data-problem]");
    this.shown = section.querySelector('input[name$="-shown"]').value;
    this.picks = {}; // by name; "" is no choice
  }

  get isComplete() {
    return this.names.every((name) => this.picks[name]);
  }

  get isUntouched() {
    return this.names.every((name) => !this.picks[name]);
  }

  get isEmpty() {
    return this.isUntouched && !this.textarea.value.trim();
  }

  get answer() {
    return { ...this.picks, comment: this.textarea.value, shown: this.shown };
  }

  /** Choose: `picks` is what is chosen from now on, `item` what the change is about. */
  choose(picks, item, taken = "") {
    if (this.isClosed) return;
    this.beforePick?.(this, { ...this.picks }, item);
    this.picks = picks;
    this.repaint();
    this.#listener(this, taken);
  }

  /** Choose again what was chosen before. */
  putBack(picks) {
    if (this.isClosed) return;
    this.picks = { ...picks };
    this.repaint();
    this.#listener(this, "");
  }

  /** Show an answer that was given before, or in another place; null and "" are no choice. */
  restore(record) {
    this.picks = Object.fromEntries(this.names.map((name) => [name, this.picked(record[name])]));
    this.setComment(record.comment);
    this.repaint();
  }

  /** A choice as it is kept here; "" is none. */
  picked(value) {
    return `${value ?? ""}`;
  }

  repaint() {
    this.paint();
    if (!this.problem.hidden) this.showMissing();
  }

  /** Nothing is taken any more; what was chosen stays to be seen. */
  close() {
    this.isClosed = true;
    for (const control of this.controls) control.disabled = true;
    this.textarea.readOnly = true;
  }

  setComment(text) {
    this.textarea.value = text;
    if (text) this.textarea.closest("details").open = true;
  }

  /** Say at the question what is still to be chosen; nothing once it is complete. */
  showMissing() {
    this.say(this.isComplete ? "" : this.missing);
  }

  say(sentence) {
    this.problem.hidden = !sentence;
    this.problem.querySelector("[data-problem-text]").textContent = sentence;
    this.section.classList.toggle("has-problem", Boolean(sentence));
    for (const control of this.controls) this.describe(control, sentence);
  }

  describe(control, sentence) {
    if (sentence) control.setAttribute("aria-describedby", this.problem.id);
    else control.removeAttribute("aria-describedby");
  }

  /** Bring the options into view, as many of them as the window holds. */
  showChoices() {
    this.section.querySelector("fieldset").scrollIntoView({ block: "nearest" });
  }

  /** Put the focus on the first control of what is missing. */
  focusMissing() {
    this.missingControl.focus({ preventScroll: true });
    // From the message down: what is missing and the options to choose from, both in view.
    this.problem.scrollIntoView({ block: "center" });
  }

  /** What was said of an earlier answer is no longer true; that nothing gets through still is. */
  unsettle() {
    if (this.reported !== "waiting") this.report("", "");
  }

  report(state, sentence) {
    this.reported = state;
    // Said aloud when it is saved or when there is trouble; one choice of two is seen, not heard.
    this.state.setAttribute("aria-live", state === "draft" ? "off" : "polite");
    this.state.textContent = sentence;
    this.state.classList.toggle("is-trouble", state === "waiting" || state === "refused");
  }
}
