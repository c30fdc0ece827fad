// A short copy of the target that stays in view while the options are scrolled. It takes no room
// of its own, so nothing moves when it comes and goes; whoever hears the page has the target itself.

import { element, optionalElement } from "../core/elements.js";

/** @import { Words } from "./question.js" */

const LEFT = 0.6; // of its height: less of the target than this in view is not enough to read

/**
 * Remind of the target of a question, if it has one.
 * @param {HTMLElement} section
 * @param {Words} words
 */
export function remind(section, words) {
  const target = optionalElement(section, "[data-target]");
  if (target) new Reminder(section, target, words);
}

class Reminder {
  #target;
  #holder = document.createElement("div");
  #box = document.createElement("div");
  #text;
  #more = document.createElement("button");
  #words;

  /**
   * @param {HTMLElement} section
   * @param {HTMLElement} target
   * @param {Words} words
   */
  constructor(section, target, words) {
    this.#target = target;
    this.#words = words;
    this.#text = copyOf(element(target, ".text"));
    this.#build(section);
    const look = () => requestAnimationFrame(() => this.#look());
    addEventListener("scroll", look, { passive: true });
    new ResizeObserver(() => this.#measure(section)).observe(this.#box);
    addEventListener("resize", look);
    this.#look();
  }

  /** @param {HTMLElement} section */
  #build(section) {
    Object.assign(this.#more, { type: "button", className: "reminder-more", hidden: true });
    this.#more.addEventListener("click", () => this.#unfold(!this.#isOpen));
    this.#box.className = "reminder-box";
    this.#box.append(this.#text, this.#more);
    this.#holder.className = "reminder";
    this.#holder.append(this.#box);
    element(section, "fieldset").before(this.#holder);
    this.#unfold(false);
  }

  get #isOpen() {
    return this.#holder.classList.contains("is-open");
  }

  /** @param {boolean} isOpen */
  #unfold(isOpen) {
    this.#holder.classList.toggle("is-open", isOpen);
    this.#more.setAttribute("aria-expanded", String(isOpen));
    this.#more.setAttribute("aria-label", isOpen ? this.#words.showLess : this.#words.showAll);
    this.#text.scrollTop = 0;
  }

  /**
   * Whether it covers what has the focus is the window's business: it only says how high it is.
   * @param {HTMLElement} section
   */
  #measure(section) {
    section.style.setProperty("--reminder", `${this.#box.offsetHeight}px`);
    const isCut = this.#text.scrollHeight > this.#text.clientHeight + 1;
    this.#more.hidden = !isCut && !this.#isOpen;
  }

  #look() {
    const { bottom } = this.#target.getBoundingClientRect();
    const height = this.#box.offsetHeight;
    const end = this.#holder.parentElement?.getBoundingClientRect().bottom;
    // At the end of its question it would cover the beginning of the next one.
    const hasRoom = end === undefined || end > height;
    const isOn = bottom < height * LEFT && hasRoom;
    if (!isOn && this.#isOpen) this.#unfold(false);
    this.#holder.classList.toggle("is-on", isOn);
  }
}

/** @param {HTMLElement} spoken */
function copyOf(spoken) {
  const copy = /** @type {HTMLElement} */ (spoken.cloneNode(true));
  copy.className = "reminder-text";
  copy.lang = spoken.closest("[lang]")?.getAttribute("lang") ?? "";
  copy.setAttribute("aria-hidden", "true");
  return copy;
}
