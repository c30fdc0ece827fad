// A ranking question: texts are put in order. Those with a place stand first, in their order; each can
// be tapped or given its key (the next free place), moved by buttons, dragged, or given a place by
// its list.

import { element, elements } from "../core/elements.js";
import { Question, register } from "./question.js";

/**
 * @import { Answer } from "./pending.js"
 * @import { ChangeListener, Words } from "./question.js"
 */

const PLACED = "is-placed";

/** @param {HTMLElement} option */
const itemOf = (option) => option.dataset.item ?? "";

class Ranking extends Question {
  #list;
  #shuffled; // the options as the server shuffled them
  /** @type {string | null} the item that is being dragged */
  #dragged = null;

  /**
   * @param {HTMLElement} section
   * @param {Words} words
   * @param {ChangeListener} listener
   */
  constructor(section, words, listener) {
    super(section, words, listener, ["order"]);
    this.#list = element(section, "[data-options]");
    this.#shuffled = elements(this.#list, ":scope > *").sort((a, b) =>
      (a.dataset.key ?? "").localeCompare(b.dataset.key ?? ""),
    );
    const given = [...this.#shuffled].filter((option) => this.#select(option).selectedIndex > 0);
    given.sort((a, b) => this.#select(a).selectedIndex - this.#select(b).selectedIndex);
    this.picks = { order: this.#written(given.map(itemOf)) };
    for (const option of this.#shuffled) this.#listenTo(option);
    if (!this.problem.hidden) return; // what was sent and refused stays as it is
    this.paint();
  }

  get controls() {
    return [
      ...elements(this.section, "[data-place]", HTMLSelectElement),
      ...elements(this.section, "[data-move]", HTMLButtonElement),
    ];
  }

  get choices() {
    return this.#shuffled;
  }

  /** The items with a place, from the first. */
  get #order() {
    return [this.picks.order || []]
      .flat()
      .map((one) => one.split(":"))
      .filter(([, place]) => place)
      .sort(([, a], [, b]) => Number(a) - Number(b))
      .map(([item]) => item);
  }

  /**
   * As the server writes it: each item with its place; "" is no order at all.
   * @param {string[]} order
   */
  #written(order) {
    if (!order.length) return "";
    const others = this.#shuffled.map(itemOf).filter((one) => !order.includes(one));
    return [...order.map((item, n) => `${item}:${n + 1}`), ...others.map((item) => `${item}:`)];
  }

  /** @param {Answer[string]} value */
  picked(value) {
    const all = [value ?? []].flat().filter(Boolean).map(String);
    return all.some((one) => !one.endsWith(":")) ? all : "";
  }

  get isComplete() {
    return this.#order.length === this.#shuffled.length;
  }

  get missing() {
    return this.words.missingOrder;
  }

  get missingControl() {
    const open = this.#shuffled.find((option) => !this.#order.includes(itemOf(option)));
    return this.#select(open ?? this.#shuffled[0]);
  }

  /** @param {HTMLElement} option */
  #select(option) {
    return element(option, "[data-place]", HTMLSelectElement);
  }

  /** @param {string} item */
  #option(item) {
    return this.#shuffled.find((option) => itemOf(option) === item);
  }

  /** @param {HTMLElement} option */
  #listenTo(option) {
    const item = itemOf(option);
    element(option, "[data-moves]").hidden = false;
    element(option, ".option-text").addEventListener("click", () => {
      if (!getSelection()?.toString()) this.#turn(item);
    });
    this.#select(option).addEventListener("change", () => {
      this.#put(item, this.#select(option).selectedIndex - 1);
      this.#select(option).focus();
    });
    for (const button of elements(option, "[data-move]")) {
      button.addEventListener("click", () => {
        this.#moveBy(item, Number(button.dataset.move));
        button.focus();
      });
    }
    option.draggable = true;
    option.addEventListener("dragstart", (event) => {
      if (this.isClosed || !event.dataTransfer) {
        event.preventDefault();
        return;
      }
      this.#dragged = item;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", item);
      option.classList.add("is-dragged");
    });
    option.addEventListener("dragend", () => {
      this.#dragged = null;
      option.classList.remove("is-dragged");
    });
    option.addEventListener("dragover", (event) => {
      if (this.#dragged && this.#dragged !== item) event.preventDefault();
    });
    option.addEventListener("drop", (event) => {
      if (!this.#dragged || this.#dragged === item) return;
      event.preventDefault();
      const order = this.#order.filter((one) => one !== this.#dragged);
      const at = order.indexOf(item);
      const box = option.getBoundingClientRect();
      const isBelow = event.clientY > box.top + box.height / 2;
      // Onto a text without a place: the next free one.
      this.#put(this.#dragged, at < 0 ? order.length : at + (isBelow ? 1 : 0));
    });
  }

  /**
   * Give an item a place, counted from 0; below 0: none.
   * @param {string} item
   * @param {number} place
   */
  #put(item, place) {
    const order = this.#order.filter((one) => one !== item);
    if (place >= 0) order.splice(Math.min(place, order.length), 0, item);
    this.choose({ order: this.#written(order) }, item);
    const at = order.indexOf(item);
    element(this.section, "[data-order-said]").textContent =
      at < 0
        ? this.words.unplaced
        : this.words.placed
            .replace("{place}", `${at + 1}`)
            .replace("{n}", `${this.#shuffled.length}`);
  }

  /**
   * The next free place, or no place any more.
   * @param {string} item
   */
  #turn(item) {
    const order = this.#order;
    this.#put(item, order.includes(item) ? -1 : order.length);
  }

  /**
   * @param {string} item
   * @param {number} by
   */
  #moveBy(item, by) {
    const order = this.#order;
    const at = order.indexOf(item);
    if (at < 0) this.#put(item, order.length);
    else if (at + by >= 0) this.#put(item, at + by);
  }

  paint() {
    const order = this.#order;
    const open = this.#shuffled.filter((option) => !order.includes(itemOf(option)));
    const placed = order.flatMap((item) => this.#option(item) ?? []);
    for (const option of [...placed, ...open]) {
      this.#list.append(option);
      const place = order.indexOf(itemOf(option));
      this.#select(option).selectedIndex = place + 1;
      option.classList.toggle(PLACED, place >= 0);
      option.dataset.placed = place >= 0 ? `${place + 1}` : "";
    }
  }

  close() {
    super.close();
    for (const option of this.#shuffled) option.draggable = false;
  }

  /** @param {string} key */
  hasKey(key) {
    return Boolean(key && this.#shuffled.some((option) => option.dataset.key === key));
  }

  /** @param {string} key */
  press(key) {
    const option = this.#shuffled.find((one) => one.dataset.key === key);
    if (option) this.#turn(itemOf(option));
    return option ?? this.section;
  }

  /** @param {string} item */
  showOption(item) {
    this.#option(item)?.scrollIntoView({ block: "nearest" });
  }
}

register("ranking", Ranking);
