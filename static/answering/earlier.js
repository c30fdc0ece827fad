// The earlier turns of long dialogues: whoever unfolds them once wants to see them from then on.

import { element } from "../core/elements.js";
import { recall, remember } from "./memory.js";

/**
 * @param {HTMLDetailsElement[]} dialogues
 * @param {string} store names the booklet's person: another one in this browser chooses anew
 */
export function foldAsBefore(dialogues, store) {
  const name = `earlier:${store}`;
  if (recall(name) === "open") {
    for (const dialogue of dialogues) dialogue.open = true;
  }
  for (const dialogue of dialogues) {
    // Not `toggle`: that is told of the opening above, too.
    element(dialogue, "summary").addEventListener("click", () => {
      remember(name, dialogue.open ? "closed" : "open");
    });
  }
}
