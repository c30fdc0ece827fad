// Every annotator's page: copying the personal link, the focus where a message waits, and the
// way back for whoever opens the invitation once more.

import { element, elements, optionalElement } from "../core/elements.js";
import { forget, recall, remember } from "./memory.js";

for (const button of elements(document, "[data-copies]")) {
  const { copies, copied = "" } = button.dataset;
  const source = element(document, `#${copies}`, HTMLInputElement);
  const status = element(button.parentElement ?? document, "[role=status]");
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    source.select();
    try {
      await navigator.clipboard.writeText(source.value);
    } catch {
      // Without https there is no clipboard to write to; the old way still works there.
      document.execCommand("copy");
    }
    button.textContent = copied;
    status.textContent = copied;
    setTimeout(() => {
      button.textContent = label;
      status.textContent = "";
    }, 2500);
  });
}

// -- the way back -----------------------------------------------------------------------------

const { study, own } = document.body.dataset;
if (own) remember(`own:${study}`, own);
else if (study) forget(`own:${study}`);

const begun = optionalElement(document, "[data-begun]");
if (begun) offerToGoOn(begun);

/**
 * Somebody has begun in this browser: they go on, unless they say that they are another person.
 * @param {HTMLElement} offer
 */
function offerToGoOn(offer) {
  const name = `own:${offer.dataset.begun}`;
  const address = recall(name);
  if (!address?.startsWith("/a/")) return;
  const newcomer = elements(document, "[data-newcomer]");
  /** @param {boolean} isOffered */
  const show = (isOffered) => {
    offer.hidden = !isOffered;
    for (const part of newcomer) part.hidden = isOffered;
  };
  const goOn = element(offer, "[data-go-on]", HTMLAnchorElement);
  goOn.href = address;
  show(true);
  goOn.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const answer = await fetch(address, { method: "HEAD", credentials: "omit" }).catch(() => null);
    if (answer?.status !== 404) {
      location.assign(address);
      return;
    }
    // A personal link that was given out anew, say.
    forget(name);
    show(false);
    const gone = element(document, "[data-begun-gone]");
    gone.hidden = false;
    gone.focus();
  });
  element(offer, "[data-anew]").addEventListener("click", () => {
    // Whoever comes next on this computer is not led to the page of somebody before them.
    forget(name);
    show(false);
    element(document, "#main").focus();
  });
}

// -- times ---------------------------------------------------------------------------------------

// In the reader's own time zone, which is named; the server counts in its own.
for (const moment of elements(document, "[data-moment]", HTMLTimeElement)) {
  const at = new Date(moment.dateTime);
  moment.textContent = at.toLocaleString(document.documentElement.lang, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  });
}

// The page leads on when it is time: by the server's clock, which said how long that is.
const MAX_TIMER_MS = 2 ** 31 - 1;
const opensIn = Number(optionalElement(document, "[data-opens-in]")?.dataset.opensIn);
if (opensIn > 0 && opensIn < MAX_TIMER_MS) setTimeout(() => location.reload(), opensIn + 500);

// -- the focus ----------------------------------------------------------------------------------

// Not every browser heeds `autofocus` on what is not a control.
const message = optionalElement(document, "[autofocus]");
if (message && document.activeElement !== message) message.focus();
