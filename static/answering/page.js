// Every annotator's page: copying the personal link, the focus where a message waits, and the
// way back for whoever opens the invitation once more.

import { forget, recall, remember } from "./memory.js";

for (const button of document.querySelectorAll("[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  const status = button.parentElement.querySelector("[role=status]");
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
    button.textContent = button.dataset.copied;
    status.textContent = button.dataset.copied;
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

const begun = document.querySelector("[data-begun]");
if (begun) offerToGoOn(begun);

/** Somebody has begun in this browser: they go on, unless they say that they are another person. */
function offerToGoOn(offer) {
  const name = `own:${offer.dataset.begun}`;
  const address = recall(name);
  if (!address?.startsWith("/a/")) return;
  const newcomer = document.querySelectorAll("[data-newcomer]");
  const show = (isOffered) => {
    offer.hidden = !isOffered;
    for (const part of newcomer) part.hidden = isOffered;
  };
  const goOn = offer.querySelector("[data-go-on]");
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
    const gone = document.querySelector("[data-begun-gone]");
    gone.hidden = false;
    gone.focus();
  });
  offer.querySelector("[data-anew]").addEventListener("click", () => {
    // Whoever comes next on this computer is not led to the page of somebody before them.
    forget(name);
    show(false);
    document.getElementById("main").focus();
  });
}

// -- times ---------------------------------------------------------------------------------------

// In the reader's own time zone, which is named; the server counts in its own.
for (const moment of document.querySelectorAll("[data-moment]")) {
  const at = new Date(moment.dateTime);
  const zone = { timeZoneName: "short" };
  moment.textContent = at.toLocaleString(document.documentElement.lang, {
    weekday: "long", day: "numeric", month: "long", year: "numeric",
    hour: "numeric", minute: "2-digit", ...zone,
  });
}

// The page leads on when it is time: by the server's clock, which said how long that is.
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const opensIn = Number(document.querySelector("[data-opens-in]")?.dataset.opensIn);
if (opensIn > 0 && opensIn < LONGEST_TIMER_MS) setTimeout(() => location.reload(), opensIn + 500);

// -- the focus ----------------------------------------------------------------------------------

// Not every browser heeds `autofocus` on what is not a control.
const message = document.querySelector("[autofocus]");
if (message && document.activeElement !== message) message.focus();
