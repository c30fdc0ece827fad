// What the researcher's pages do beyond links and forms. Each part works without it, too.

import { element, elements, optionalElement, sentencesIn } from "./elements.js";
import { watchTables } from "./tables.js";

watchTables(document);

for (const button of elements(document, "[data-copy]")) {
  const id = `#${button.dataset.copy}`;
  const shown = element(document, id);
  const field =
    optionalElement(document, `input${id}`, HTMLInputElement) ??
    optionalElement(document, `textarea${id}`, HTMLTextAreaElement);
  const sentences = sentencesIn("#copy-sentences");
  const status = element(document, "#copy-status");
  const note = document.createElement("span");
  note.className = "quiet";
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    note.remove();
    try {
      await navigator.clipboard.writeText(field?.value ?? shown.textContent ?? "");
      button.textContent = sentences.copied ?? "";
      status.textContent = button.textContent;
      setTimeout(() => {
        button.textContent = label;
        status.textContent = "";
      }, 2500);
    } catch {
      // No permission, or no secure address: the keyboard copies what is selected.
      if (field) field.select();
      else getSelection()?.selectAllChildren(shown);
      note.textContent = sentences.refused ?? "";
      button.after(note);
      status.textContent = note.textContent;
    }
  });
}

// A file that is too large is refused before it travels.
for (const field of elements(document, "input[data-limit]", HTMLInputElement)) {
  const note = element(field.form ?? document, "[data-too-large]");
  const limit = Number(field.dataset.limit);
  const isTooLarge = () => [...(field.files ?? [])].some((file) => file.size > limit);
  field.addEventListener("change", () => {
    note.hidden = !isTooLarge();
  });
  field.form?.addEventListener("submit", (event) => {
    if (isTooLarge()) event.preventDefault();
  });
}

// On a narrow screen the pages of a study stand in one line that scrolls.
optionalElement(document, ".sections [aria-current]")?.scrollIntoView({
  inline: "center",
  block: "nearest",
  behavior: "instant",
});

// A job's page asks how far it is; a reload begins the same way.
for (const section of elements(document, "[data-job]")) {
  /** @param {string} name */
  const find = (name) => element(section, `[data-job-${name}]`);
  const bar = element(section, "[data-job-bar]", HTMLProgressElement);
  let wait = 500;
  const ask = async () => {
    try {
      const answer = await fetch(section.dataset.job ?? "", {
        headers: { Accept: "application/json" },
      });
      if (!answer.ok) throw new Error(answer.statusText);
      const job = await answer.json();
      if (find("state").textContent !== job.state_label)
        find("state").textContent = job.state_label;
      if (job.is_finished) {
        // Elsewhere somebody may be typing: there a link leads to how it went.
        if ("jobPage" in section.dataset) location.reload();
        bar.value = 100;
        find("percent").textContent = "";
        find("time").textContent = "";
        find("leave").hidden = true;
        find("cancel").hidden = true;
        find("no-worker").hidden = true;
        find("no-long-worker").hidden = true;
        find("after").hidden = false;
        find("message").textContent = find("after").textContent?.trim() ?? "";
        find("message").classList.add("visually-hidden");
        return;
      }
      find("time").textContent = job.time_passed;
      bar.value = job.percent;
      find("percent").textContent = job.percent_text;
      if (find("message").textContent !== job.message) find("message").textContent = job.message;
      find("no-worker").hidden = !job.needs_worker;
      find("no-long-worker").hidden = !job.needs_long_worker;
      wait = 1000;
    } catch {
      // The server restarts, or the network is away: ask again, less often.
      wait = Math.min(wait * 2, 15000);
    }
    setTimeout(ask, wait);
  };
  setTimeout(ask, wait);
}

// What the numbers of a design lead to is computed by the server, while they are typed.
for (const form of elements(document, "[data-consequences]", HTMLFormElement)) {
  const sentence = element(form, "[data-sentence]");
  const problem = element(form, "[data-problem]");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let latest = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const number = ++latest;
      // The fields are numbers and texts, never files.
      const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
      query.delete("csrfmiddlewaretoken");
      try {
        const answer = await fetch(`${form.dataset.consequences}?${query}`);
        const consequences = await answer.json();
        // A slow answer to older numbers must not replace a newer one.
        if (number !== latest) return;
        sentence.textContent = consequences.sentence;
        problem.textContent = consequences.problem;
      } catch {
        sentence.textContent = "";
      }
    }, 250);
  });
}

// Of the settings of measures, those of the chosen one are shown.
for (const part of elements(document, "[data-options-of]")) {
  const choice = element(document, `#${part.dataset.optionsOf}`, HTMLSelectElement);
  const show = () => {
    for (const option of elements(part, "[data-of]")) {
      const isOf = option.dataset.of?.split(" ").includes(choice.value);
      // What is wrong is seen, whatever was chosen.
      option.hidden = !isOf && !option.querySelector(".errorlist");
    }
    part.hidden = !choice.value && !part.querySelector(".errorlist");
  };
  choice.addEventListener("change", () => {
    show();
    if (part instanceof HTMLDetailsElement) part.open = Boolean(choice.value);
  });
  show();
}

/**
 * Of a group of radio buttons, the chosen one is where the keyboard begins.
 * @param {HTMLElement} field
 */
function focusField(field) {
  const chosen =
    field instanceof HTMLInputElement && field.type === "radio"
      ? [...(field.form?.elements ?? [])].find(
          (other) =>
            other instanceof HTMLInputElement && other.name === field.name && other.checked,
        )
      : null;
  (chosen instanceof HTMLElement ? chosen : field).focus({ preventScroll: true });
}

// A link of the note leads to its field without a fragment in the address: the page that follows a
// corrected form would begin there, too, and hide its message.
for (const link of elements(
  document,
  ".errornote a[href^='#'], .note a[href^='#id_']",
  HTMLAnchorElement,
)) {
  link.addEventListener("click", (event) => {
    const field = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (!field) return;
    event.preventDefault();
    const folded = field.closest("details");
    if (folded) folded.open = true;
    focusField(field.querySelector("input") ?? field);
    // Its name and its error stand above it.
    (field.closest(".field") ?? field).scrollIntoView({ block: "center", behavior: "instant" });
  });
}

// A page that refuses what was sent begins at the first field that is wrong, or at the note.
const fault =
  optionalElement(document, '#content [aria-invalid="true"]') ??
  optionalElement(document, "#content [role=alert]:not([hidden])") ??
  optionalElement(document, ".messagelist .error");
if (fault) {
  const folded = fault.closest("details");
  if (folded) folded.open = true;
  if (!fault.matches("input, select, textarea")) fault.tabIndex = -1;
  focusField(fault);
  // Its name and its error stand above it.
  (fault.closest(".field") ?? fault).scrollIntoView({ block: "nearest", behavior: "instant" });
}
