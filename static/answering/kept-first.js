// Consent asked anew: what this browser could not save earlier is saved before anybody decides.
// It was answered under the text of before; once somebody has stopped nothing more is taken.

import { element } from "../core/elements.js";
import { UnsavedStore } from "./keeping.js";
import { Saver } from "./saving.js";
import { Tabs } from "./tabs.js";

const PATIENCE_MS = 5_000; // without a network the form does not arrive either

const form = element(document, "form[data-store]", HTMLFormElement);
const { store: name = "", save = "" } = form.dataset;
const store = new UnsavedStore(name);
const saver = new Saver({ store, tabs: new Tabs(name) });
for (const id of store.questions()) {
  saver.resume(id, save.replace(/\/0\/$/, `/${id}/`));
}

if (form.dataset.waits) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    saver.retry();
    await Promise.race([saver.empty(), new Promise((done) => setTimeout(done, PATIENCE_MS))]);
    form.submit();
  });
}
document.documentElement.dataset.ready = "";
