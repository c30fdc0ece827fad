// One best-worst question on the page: its radio buttons, its comment, its messages.

const OTHER = { best: "worst", worst: "best" };

export class Question {
  #radios;
  #listener;

  /** `listener(question, taken)`: the answer has changed, and a role's item went to the other. */
  constructor(section, words, listener) {
    this.section = section;
    this.id = section.dataset.question;
    this.url = section.dataset.save;
    this.words = words;
    this.#listener = listener;
    this.#radios = [...section.querySelectorAll("input[type=radio]")];
    this.textarea = section.querySelector("textarea");
    this.state = section.querySelector("[data-state]");
    this.problem = section.querySelector("[data-problem]");
    this.shown = section.querySelector('input[name$="-shown"]').value;
    this.picks = { best: this.#checked("best"), worst: this.#checked("worst") };
    section.addEventListener("click", (event) => {
      // A click on the label arrives here, too, as a click on the radio button.
      if (event.target.type === "radio") this.toggle(event.target.dataset.role, event.target.value);
    });
  }

  #checked(role) {
    return this.#radios.find((r) => r.dataset.role === role && r.checked)?.value ?? "";
  }

  get isComplete() {
    return Boolean(this.picks.best && this.picks.worst);
  }

  get isUntouched() {
    return !this.picks.best && !this.picks.worst;
  }

  get isEmpty() {
    return this.isUntouched && !this.textarea.value.trim();
  }

  get answer() {
    const { best, worst } = this.picks;
    return { best, worst, comment: this.textarea.value, shown: this.shown };
  }

  /** Choose an item for a role, or take the choice back if it was that already. */
  toggle(role, item) {
    this.pick(role, this.picks[role] === item ? "" : item);
  }

  pick(role, item) {
    if (this.isClosed) return;
    this.beforePick?.(this, { ...this.picks }, item || this.picks[role]);
    this.picks[role] = item;
    const isTaken = Boolean(item) && this.picks[OTHER[role]] === item;
    if (isTaken) this.picks[OTHER[role]] = "";
    this.#paint();
    this.#listener(this, item ? (isTaken ? OTHER[role] : "") : role);
  }

  /** Choose again what was chosen before. */
  putBack(picks) {
    if (this.isClosed) return;
    this.picks = { ...picks };
    this.#paint();
    this.#listener(this, "");
  }

  /** Show an answer that was given before, or in another place; null and "" are no choice. */
  restore(record) {
    this.picks = { best: `${record.best ?? ""}`, worst: `${record.worst ?? ""}` };
    this.setComment(record.comment);
    this.#paint();
  }

  /** Nothing is taken any more; what was chosen stays to be seen. */
  close() {
    this.isClosed = true;
    for (const radio of this.#radios) radio.disabled = true;
    this.textarea.readOnly = true;
  }

  setComment(text) {
    this.textarea.value = text;
    if (text) this.textarea.closest("details").open = true;
  }

  #paint() {
    for (const radio of this.#radios) {
      radio.checked = this.picks[radio.dataset.role] === radio.value;
    }
    if (!this.problem.hidden) this.showMissing();
  }

  /** The control that a key stands for: digits for the best, letters for the worst. */
  radioOfKey(key) {
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

  /** Say at the question what is still to be chosen; nothing once it is complete. */
  showMissing() {
    const { best, worst } = this.picks;
    const which = !best && !worst ? "missingBoth" : !best ? "missingBest" : "missingWorst";
    this.say(this.isComplete ? "" : this.words[which]);
  }

  say(sentence) {
    this.problem.hidden = !sentence;
    this.problem.querySelector("[data-problem-text]").textContent = sentence;
    this.section.classList.toggle("has-problem", Boolean(sentence));
    for (const radio of this.#radios) {
      if (sentence) radio.setAttribute("aria-describedby", this.problem.id);
      else radio.removeAttribute("aria-describedby");
    }
  }

  /** Bring the options into view, as many of them as the window holds. */
  showChoices() {
    this.section.querySelector("fieldset").scrollIntoView({ block: "nearest" });
  }

  showOption(item) {
    this.section.querySelector(`[data-item="${item}"]`).scrollIntoView({ block: "nearest" });
  }

  /** Put the focus on the first control of what is missing. */
  focusMissing() {
    const role = this.picks.best ? "worst" : "best";
    const radio = this.#radios.find(
      (r) => r.dataset.role === role && r.value !== this.picks[OTHER[role]],
    );
    radio.focus({ preventScroll: true });
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
