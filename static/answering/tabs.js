// Other tabs of the same browser with the same booklet: what is chosen in one is told to all.

export class Tabs {
  #channel = null;

  constructor(store) {
    try {
      this.#channel = new BroadcastChannel(`likeness:${store}`);
    } catch { /* then each tab knows of the others what the server says */ }
  }

  listen(listener) {
    this.#channel?.addEventListener("message", (event) => listener(event.data));
  }

  tell(message) {
    this.#channel?.postMessage(message);
  }
}
