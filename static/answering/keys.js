// Answering with single keys: which key is meant, what it does, and the switch to turn it off.

import { optionalElement, targetOf } from "../core/elements.js";
import { recall, remember } from "./memory.js";

// What can be chosen: each has arrow keys and the space bar from here, in every browser alike.
const CHOICE = "input[type=radio], [data-question] input[type=checkbox]";

/**
 * The key as it is printed on the controls, on any keyboard.
 * @param {KeyboardEvent} event
 */
export function keyOf(event) {
  const key = event.key.toLowerCase();
  if (/^[a-z0-9]$/.test(key)) return key;
  // Where the digits need Shift (Czech, French) or the letters are not Latin: by their place. Not
  // so for keys with a name: on a number pad without Num Lock, 7 is Home.
  if (event.key.length !== 1) return "";
  return /^(?:Digit|Numpad|Key)(.)$/.exec(event.code)?.[1].toLowerCase() ?? "";
}

/**
 * Where a key moves a cursor: 1 is down, -1 is up; 0 for any other key.
 * @param {KeyboardEvent} event
 * @param {string} key
 */
function directionOf(event, key) {
  if (event.key === "ArrowDown" || key === "j") return 1;
  return event.key === "ArrowUp" || key === "k" ? -1 : 0;
}

/** Whether single keys answer: a choice of this browser, for every study. */
export class KeySwitch {
  isOn = true;

  /** @param {HTMLElement | null} panel */
  constructor(panel) {
    const box = panel && optionalElement(panel, "[data-keys-switch]", HTMLInputElement);
    if (panel) panel.hidden = false;
    box?.addEventListener("change", () => {
      remember("keys", box.checked ? "on" : "off");
      this.#set(box.checked);
    });
    this.#set(recall("keys") !== "off");
    if (box) box.checked = this.isOn;
  }

  /** @param {boolean} isOn */
  #set(isOn) {
    this.isOn = isOn;
    document.documentElement.classList.toggle("with-keys", isOn);
  }
}

/**
 * What keys do: `isChoice` says whether a key stands for a choice where the focus is; `choose`,
 * `step`, `toggle` and `nudge` change the answer, `move` a cursor; any other key is `touched`.
 * @typedef {object} KeyActions
 * @property {(key: string, control: Element) => boolean} isChoice
 * @property {(key: string, control: Element) => void} choose
 * @property {(choice: HTMLInputElement, direction: number) => void} step
 * @property {(choice: HTMLInputElement) => void} toggle
 * @property {() => boolean} canMove
 * @property {(direction: number) => void} move
 * @property {() => boolean} canNudge
 * @property {(direction: number) => void} nudge
 * @property {() => void} undo
 * @property {() => void} goOn
 * @property {() => void} touched
 */

/**
 * @param {KeySwitch} keySwitch
 * @param {KeyActions} screen
 */
export function listenToKeys(keySwitch, screen) {
  document.addEventListener("keydown", (event) => {
    const target = targetOf(event);
    if (event.isComposing || event.altKey || !target) return;
    if (target.closest("textarea, select, input:not([type=radio], [type=checkbox], [type=range])"))
      return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "z" || event.shiftKey) return;
      event.preventDefault();
      screen.undo();
      return;
    }
    const choice = target.closest(CHOICE);
    const radio = choice instanceof HTMLInputElement ? choice : null;
    const key = keyOf(event);
    const isChoice = !event.repeat && keySwitch.isOn && screen.isChoice(key, target);
    if (!isChoice) screen.touched(); // Home, say: where the page was going is not wanted any more
    if (event.key === "Enter") {
      if (!radio && target.closest("a, button, summary, [type=checkbox]")) return;
      event.preventDefault();
      if (!event.repeat) screen.goOn();
    } else if (radio && event.key.startsWith("Arrow")) {
      event.preventDefault();
      const isBack = event.key === "ArrowUp" || event.key === "ArrowLeft";
      screen.step(radio, isBack ? -1 : 1);
    } else if (radio && event.key === " ") {
      // By itself the space bar chooses, but does not take back.
      event.preventDefault();
      if (!event.repeat) screen.toggle(radio);
    } else if (isChoice) {
      event.preventDefault();
      screen.choose(key, target);
    } else if (target.matches("[type=range]")) {
      if (event.key === "Backspace" || (keySwitch.isOn && key === "u")) {
        event.preventDefault();
        if (!event.repeat) screen.undo();
      }
    } else if (keySwitch.isOn && directionOf(event, key) && screen.canMove()) {
      event.preventDefault();
      screen.move(directionOf(event, key));
    } else if (keySwitch.isOn && /^Arrow(Left|Right)$/.test(event.key) && screen.canNudge()) {
      event.preventDefault();
      screen.nudge(event.key === "ArrowRight" ? 1 : -1);
    } else if (event.key === "Backspace" || (keySwitch.isOn && key === "u")) {
      event.preventDefault();
      if (!event.repeat) screen.undo();
    }
  });

  document.addEventListener("keyup", (event) => {
    // Browsers that click when the key goes up would undo what was done when it went down.
    if (event.key === " " && targetOf(event)?.closest(CHOICE)) event.preventDefault();
  });
}
