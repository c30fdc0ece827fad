// A selection question: of the reports' sentences one for each of three roles, each with a rating.
// A cursor goes over the sentences; the keys 1, 2 and 3 give a role to the one that it is on.

import { element, elements, targetOf } from "../core/elements.js";
import { Question, register } from "./question.js";
import { Slider } from "./slider.js";

/** @import { ChangeListener, Control, Words } from "./question.js" */

const ROLES = ["similar", "middle", "dissimilar"];
/** @param {string} role */
const rated = (role) => `${role}_rating`;

class Selection extends Question {
  #sentences;
  #radios;
  /** @type {Map<string, Slider>} by role */
  #sliders = new Map();
  /** @type {Map<string, HTMLElement>} by role: where its sentence is said once more */
  #texts = new Map();
  /** @type {HTMLElement | null} */
  #cursor = null;

  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   */
  constructor(section, words, listener) {
    super(section, words, listener, [...ROLES, ...ROLES.map(rated)]);
    this.#sentences = elements(section, ".sentence");
    this.#radios = elements(section, "input[type=radio]", HTMLInputElement);
    for (const role of ROLES) {
      const holder = element(section, `[data-role-rating="${role}"]`);
      /** @param {string} rating */
      const choose = (rating) => this.choose({ ...this.picks, [rated(role)]: rating }, rated(role));
      const slider = new Slider(holder, words, choose);
      this.#sliders.set(role, slider);
      this.#texts.set(role, element(holder, "[data-role-sentence]"));
      this.picks[role] =
        this.#radios.find((r) => r.dataset.role === role && r.checked)?.value ?? "";
      this.picks[rated(role)] = slider.rating;
    }
    this.#listen();
    this.paint();
    new ResizeObserver(() => this.#showCurrent()).observe(document.documentElement);
  }

  #listen() {
    this.section.addEventListener("click", (event) => {
      // A click on the label arrives here, too, as a click on the radio button.
      const radio = this.#radios.find((one) => one === event.target);
      if (radio) this.toggle(radio.dataset.role ?? "", radio.value);
    });
    for (const sign of ["focusin", "pointerdown"]) {
      this.section.addEventListener(sign, (event) => {
        const sentence = targetOf(event)?.closest(".sentence");
        if (sentence instanceof HTMLElement) this.#point(sentence);
      });
    }
  }

  /** A summary that is longer than the window is scrolled in its place, also with the keyboard. */
  #showCurrent() {
    const summary = element(this.section, ".incident-summary");
    if (summary.scrollHeight <= summary.clientHeight + 1) {
      summary.removeAttribute("tabindex");
      return;
    }
    summary.tabIndex = 0;
    const current = element(summary, "[data-target]").getBoundingClientRect();
    const box = summary.getBoundingClientRect();
    if (current.top < box.top || current.bottom > box.bottom) {
      summary.scrollTop += current.top - box.top;
    }
  }

  get controls() {
    return [...this.#radios, ...[...this.#sliders.values()].flatMap((slider) => slider.controls)];
  }

  get choices() {
    return [...this.#sentences, ...[...this.#sliders.values()].map((slider) => slider.element)];
  }

  /**
   * Choose a sentence for a role, or take the choice back if it was that already.
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
    const before = this.picks;
    // A rating is one of a sentence; one that was given first is of the sentence chosen then.
    const given = item && !before[role] ? before[rated(role)] : "";
    const picks = { ...before, [role]: item, [rated(role)]: given };
    // It comes along to the new role.
    const taken = ROLES.find((other) => item && other !== role && before[other] === item);
    if (taken) {
      picks[rated(role)] = before[rated(taken)] || given;
      picks[taken] = picks[rated(taken)] = "";
    }
    this.choose(picks, item || `${before[role]}`, item ? taken : role);
  }

  paint() {
    for (const radio of this.#radios) {
      radio.checked = this.picks[radio.dataset.role ?? ""] === radio.value;
    }
    for (const [role, slider] of this.#sliders) {
      slider.paint(`${this.picks[rated(role)]}`);
      this.#say(role);
    }
  }

  /**
   * Say at the scale which sentence it is about.
   * @param {string} role
   */
  #say(role) {
    const text = this.#texts.get(role);
    if (!text) return;
    const option = this.#optionOf(`${this.picks[role]}`);
    const sentence = option && element(option, ".option-text");
    text.textContent = sentence?.textContent?.trim() ?? this.words.noSentence;
    text.dir = sentence ? element(sentence, ".text").dir : "";
    text.lang = sentence ? sentence.lang : document.documentElement.lang;
    text.classList.toggle("is-empty", !sentence);
  }

  /** @param {string} item */
  #optionOf(item) {
    return item ? this.#sentences.find((sentence) => sentence.dataset.item === item) : undefined;
  }

  // -- keys -------------------------------------------------------------------------------------

  /** @param {Element} control */
  #sliderOf(control) {
    return [...this.#sliders.values()].find((slider) => slider.range === control);
  }

  /**
   * In a slider digits rate; elsewhere they give roles.
   * @param {string} key
   * @param {Element} control
   */
  hasKey(key, control) {
    const slider = this.#sliderOf(control);
    return slider ? slider.hasKey(key) : Boolean(ROLES[Number(key) - 1]);
  }

  /**
   * @param {string} key
   * @param {Element} control
   */
  press(key, control) {
    const slider = this.#sliderOf(control);
    if (slider) {
      slider.choose(key);
      return slider.element;
    }
    // Without a cursor nobody can see which sentence would be meant: it comes first.
    if (this.#cursor) this.toggle(ROLES[Number(key) - 1], this.#cursor.dataset.item ?? "");
    else this.move(1);
    return this.#cursor ?? this.section;
  }

  get canMove() {
    return true;
  }

  /**
   * The cursor goes to the next sentence, or to the one before.
   * @param {number} direction
   */
  move(direction) {
    const sentence = this.#step(direction);
    sentence.focus({ preventScroll: true });
    sentence.scrollIntoView({ block: "nearest" });
  }

  /**
   * The same from a radio button: the one of the same role has the focus then.
   * @param {HTMLInputElement} radio
   * @param {number} direction
   */
  step(radio, direction) {
    const sentence = this.#step(direction);
    element(sentence, `[data-role="${radio.dataset.role}"]`).focus({ preventScroll: true });
    sentence.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} direction */
  #step(direction) {
    const last = this.#sentences.length - 1;
    const place = this.#cursor ? this.#sentences.indexOf(this.#cursor) + direction : this.#first;
    const sentence = this.#sentences[Math.min(Math.max(place, 0), last)];
    this.#point(sentence);
    return sentence;
  }

  /** The first sentence whose beginning is in view. */
  get #first() {
    const place = this.#sentences.findIndex((one) => one.getBoundingClientRect().top >= 0);
    return Math.max(place, 0);
  }

  /** @param {HTMLElement} sentence */
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
    if (!role) {
      const unrated = ROLES.find((one) => !this.picks[rated(one)]) ?? "";
      return this.#sliders.get(unrated)?.range;
    }
    const taken = ROLES.map((one) => this.picks[one]);
    return this.#radios.find((r) => r.dataset.role === role && !taken.includes(r.value));
  }

  focusMissing() {
    const control = this.missingControl;
    control?.focus({ preventScroll: true });
    const isRange = control?.type === "range";
    (isRange ? control : this.problem).scrollIntoView({ block: "center" });
  }

  /**
   * @param {Control} control
   * @param {string} sentence
   */
  describe(control, sentence) {
    const slider = this.#sliderOf(control);
    if (slider) slider.describe(control, sentence, this.problem.id);
    else if (control.type === "radio") super.describe(control, sentence);
  }

  /** @param {string} item of a sentence, or the name of a rating */
  showOption(item) {
    const role = ROLES.find((one) => rated(one) === item);
    const shown = role ? this.#sliders.get(role)?.element : this.#optionOf(item);
    shown?.scrollIntoView({ block: "nearest" });
  }
}

register("selection", Selection);
