// A selection question: of the reports' sentences one for each of three roles, each with a rating.
// A cursor goes over the sentences; the keys 1, 2 and 3 give a role to the one that it is on.

import { Question, register } from "./question.js";
import { Slider } from "./slider.js";

const ROLES = ["similar", "middle", "dissimilar"];
const rated = (role) => `${role}_rating`;

class Selection extends Question {
  #sentences;
  #radios;
  #sliders = new Map(); // by role
  #texts = new Map(); // by role: where its sentence is said once more
  #cursor = null;

  constructor(section, words, listener) {
    super(section, words, listener, [...ROLES, ...ROLES.map(rated)]);
    this.#sentences = [...section.querySelectorAll(".sentence")];
    this.#radios = [...section.querySelectorAll("input[type=radio]")];
    for (const role of ROLES) {
      const holder = section.querySelector(`[data-role-rating="${role}"]`);
      const choose = (rating) => this.choose({ ...this.picks, [rated(role)]: rating }, rated(role));
      this.#sliders.set(role, new Slider(holder, words, choose));
      this.#texts.set(role, holder.querySelector("[data-role-sentence]"));
      this.picks[role] = this.#radios.find((r) => r.dataset.role === role && r.checked)?.value ?? "";
      this.picks[rated(role)] = this.#sliders.get(role).rating;
    }
    this.#listen();
    this.paint();
    new ResizeObserver(() => this.#showCurrent()).observe(document.documentElement);
  }

  #listen() {
    this.section.addEventListener("click", (event) => {
      // A click on the label arrives here, too, as a click on the radio button.
      if (event.target.type === "radio") this.toggle(event.target.dataset.role, event.target.value);
    });
    for (const sign of ["focusin", "pointerdown"]) {
      this.section.addEventListener(sign, (event) => {
        const sentence = event.target.closest(".sentence");
        if (sentence) this.#point(sentence);
      });
    }
  }

  /** A summary that is longer than the window is scrolled in its place, also with the keyboard. */
  #showCurrent() {
    const summary = this.section.querySelector(".incident-summary");
    if (summary.scrollHeight <= summary.clientHeight + 1) {
      summary.removeAttribute("tabindex");
      return;
    }
    summary.tabIndex = 0;
    const current = summary.querySelector("[data-target]").getBoundingClientRect();
    const box = summary.getBoundingClientRect();
    if (current.top < box.top || current.bottom > box.bottom) {
      summary.scrollTop += current.top - box.top;
    }
  }

  get controls() {
    return [...this.#radios, ...[...this.#sliders.values()].flatMap((slider) => slider.controls)];
  }

  /** What has to be in view for a key to be meant for this question. */
  get choices() {
    return [...this.#sentences, ...[...this.#sliders.values()].map((slider) => slider.element)];
  }

  /** Choose a sentence for a role, or take the choice back if it was that already. */
  toggle(role, item) {
    this.pick(role, this.picks[role] === item ? "" : item);
  }

  pick(role, item) {
    const before = this.picks;
    // A rating is one of a sentence; one that was given first is of the sentence chosen then.
    const given = item && !before[role] ? before[rated(role)] : "";
    const picks = { ...before, [role]: item, [rated(role)]: given };
    // It comes along to the new role.
    const taken = item && ROLES.find((other) => other !== role && before[other] === item);
    if (taken) {
      picks[rated(role)] = before[rated(taken)] || given;
      picks[taken] = picks[rated(taken)] = "";
    }
    this.choose(picks, item || before[role], item ? taken : role);
  }

  paint() {
    for (const radio of this.#radios) {
      radio.checked = this.picks[radio.dataset.role] === radio.value;
    }
    for (const [role, slider] of this.#sliders) {
      slider.paint(this.picks[rated(role)]);
      this.#say(role);
    }
  }

  /** Say at the scale which sentence it is about. */
  #say(role) {
    const text = this.#texts.get(role);
    const sentence = this.#optionOf(this.picks[role])?.querySelector(".option-text");
    text.textContent = sentence ? sentence.textContent.trim() : this.words.noSentence;
    text.dir = sentence ? sentence.querySelector(".text").dir : "";
    text.lang = sentence ? sentence.lang : document.documentElement.lang;
    text.classList.toggle("is-empty", !sentence);
  }

  #optionOf(item) {
    return item ? this.#sentences.find((sentence) => sentence.dataset.item === item) : undefined;
  }

  // -- keys -------------------------------------------------------------------------------------

  #sliderOf(control) {
    return [...this.#sliders.values()].find((slider) => slider.range === control);
  }

  /** In a slider digits rate; elsewhere they give roles. */
  hasKey(key, control) {
    const slider = this.#sliderOf(control);
    return slider ? slider.hasKey(key) : Boolean(ROLES[key - 1]);
  }

  /** Do what a key stands for; what has changed. */
  press(key, control) {
    const slider = this.#sliderOf(control);
    if (slider) {
      slider.choose(key);
      return slider.element;
    }
    // Without a cursor nobody can see which sentence would be meant: it comes first.
    if (!this.#cursor) this.move(1);
    else this.toggle(ROLES[key - 1], this.#cursor.dataset.item);
    return this.#cursor;
  }

  /** The cursor goes to the next sentence, or to the one before. */
  move(direction) {
    this.#step(direction).focus({ preventScroll: true });
    this.#cursor.scrollIntoView({ block: "nearest" });
  }

  /** The same from a radio button: the one of the same role has the focus then. */
  step(radio, direction) {
    const sentence = this.#step(direction);
    sentence.querySelector(`[data-role="${radio.dataset.role}"]`).focus({ preventScroll: true });
    sentence.scrollIntoView({ block: "nearest" });
  }

  #step(direction) {
    const last = this.#sentences.length - 1;
    const place = this.#cursor ? this.#sentences.indexOf(this.#cursor) + direction : this.#first;
    this.#point(this.#sentences[Math.min(Math.max(place, 0), last)]);
    return this.#cursor;
  }

  /** The first sentence whose beginning is in view. */
  get #first() {
    const place = this.#sentences.findIndex((one) => one.getBoundingClientRect().top >= 0);
    return Math.max(place, 0);
  }

  #point(sentence) {
    this.#cursor?.classList.remove("is-cursor");
    this.#cursor = sentence;
    sentence.classList.add("is-cursor");
  }

  // -- what is missing --------------------------------------------------------------------------

  get missing() {
    const lacksSentence = ROLES.some((role) => !this.picks[role]);
    return this.words[lacksSentence ? "missingSentences" : "missingRatings"];
  }

  get missingControl() {
    const role = ROLES.find((one) => !this.picks[one]);
    if (!role) return this.#sliders.get(ROLES.find((one) => !this.picks[rated(one)])).range;
    const taken = ROLES.map((one) => this.picks[one]);
    return this.#radios.find((r) => r.dataset.role === role && !taken.includes(r.value));
  }

  focusMissing() {
    const control = this.missingControl;
    control.focus({ preventScroll: true });
    (control.type === "range" ? control : this.problem).scrollIntoView({ block: "center" });
  }

  describe(control, sentence) {
    const slider = this.#sliderOf(control);
    if (slider) slider.describe(control, sentence, this.problem.id);
    else if (control.type === "radio") super.describe(control, sentence);
  }

  /** Bring into view what a change was about. */
  showOption(item) {
    const role = ROLES.find((one) => rated(one) === item);
    const shown = role ? this.#sliders.get(role).element : this.#optionOf(item);
    shown?.scrollIntoView({ block: "nearest" });
  }
}

register("selection", Selection);
