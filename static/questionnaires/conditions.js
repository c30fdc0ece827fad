// Which questions about people are shown: those that the answers so far lead to.

import { element, elements, optionalElement } from "../core/elements.js";

/**
 * @param {HTMLFormElement} form
 * @returns {Record<string, string[]>} what is chosen, by name of the field
 */
export function fields(form) {
  /** @type {Record<string, string[]>} */
  const chosen = Object.create(null);
  for (const [field, value] of new FormData(form)) {
    if (typeof value === "string" && value !== "")
      chosen[field] = [...(chosen[field] ?? []), value];
  }
  return chosen;
}

/**
 * Show the questions that the answers so far lead to; whoever declines chooses nothing else.
 * @param {HTMLFormElement} form
 */
export function follow(form) {
  for (const question of elements(form, "[data-question]")) {
    const { dependsOn, dependsOnCodes = "" } = question.dataset;
    if (dependsOn) {
      const other = element(form, `[data-question="${dependsOn}"]`);
      const chosen = other.hidden ? [] : fields(form)[dependsOn];
      question.hidden = !dependsOnCodes.split(" ").some((code) => chosen?.includes(code));
      const condition = optionalElement(question, "[data-condition]");
      if (condition) condition.hidden = true;
    }
    const declines = optionalElement(question, "[data-declines]", HTMLInputElement);
    for (const control of elements(question, "input, textarea")) {
      if (control === declines) continue;
      if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) {
        control.disabled = Boolean(declines?.checked);
      }
    }
  }
}
