// Consent asked anew: what this browser could not save earlier is saved before anybody decides.
// It was answered under the text of before; once somebody has stopped nothing more is taken.

import { Kept } from "./keeping.js";
import { Saver } from "./saving.js";
import { Tabs } from "./tabs.js";

const PATIENCE_MS = 5_000; // without a network the form does not arrive either

const form = document.querySelector("form[data-store]");
const kept = new Kept(form.dataset.store);
const saver = new Saver({ kept, tabs: new Tabs(form.dataset.store), listener: () => {} });
for (const id of kept.questions()) {
  saver.resume(id, form.dataset.save.replace(/\/0\/$/, `/${id}/`));
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
