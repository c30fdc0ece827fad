// Other tabs of the same browser with the same booklet: what is chosen in one is told to all.

/** @import { TabMessage } from "./saving.js" */

export class Tabs {
  /** @type {BroadcastChannel | null} */
  #channel = null;

  /** @param {string} store the name of the booklet, as the server names it */
  constructor(store) {
    try {
      this.#channel = new BroadcastChannel(`likeness:${store}`);
    } catch {
      // Then each tab knows of the others what the server says.
    }
  }

  /** @param {(message: TabMessage) => void} listener */
  listen(listener) {
    this.#channel?.addEventListener("message", (event) => listener(event.data));
  }

  /** @param {TabMessage} message */
  tell(message) {
    this.#channel?.postMessage(message);
  }
}
