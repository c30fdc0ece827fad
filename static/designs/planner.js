// The planner's sliders. The number beside each is what is sent: a slider only sets it, so that
// without a script the number alone is there, and works.

import { element, elements, optionalElement } from "../core/elements.js";

const form = optionalElement(document, "[data-planner]");
const source = optionalElement(document, "#id_known_from", HTMLSelectElement);
// Its answers have been looked at, and tell nothing.
const refused = form?.dataset.refused;
const estimates = form ? elements(form, "[data-estimated]") : [];
const language = document.documentElement.lang || undefined;
/** @type {(() => void)[]} */
const sliders = [];

/** Whether a study was named whose answers have not been looked at yet. */
function isToBeEstimated() {
  const named = source?.value;
  return Boolean(named) && named !== refused && !estimates.some((note) => !note.hidden);
}

/** What was estimated is not what will be asked about next. */
function forgetEstimates() {
  for (const note of estimates) note.hidden = true;
}

for (const part of form ? elements(form, "[data-slider-of]") : []) {
  const number = element(document, `#${part.dataset.sliderOf}`, HTMLInputElement);
  const slider = element(part, "input[type=range]", HTMLInputElement);
  const output = element(part, "output");
  /** @type {string[]} */
  const words = JSON.parse(part.dataset.words ?? "[]");
  const [low, high, step] = [slider.min, slider.max, slider.step].map(Number);

  const meaning = () => {
    if (isToBeEstimated()) return form?.dataset.toEstimate ?? "";
    const value = Number(number.value);
    const isOnIt = number.value !== "" && value >= low && value <= high;
    return (isOnIt && words[Math.round((value - low) / step)]) || "";
  };
  const show = () => {
    const text = meaning();
    const value = Number(number.value).toLocaleString(language);
    output.textContent = text;
    slider.setAttribute("aria-valuetext", text ? `${value}: ${text}` : value);
  };
  /** @param {"off" | "polite"} politeness */
  const set = (politeness) => {
    output.setAttribute("aria-live", politeness);
    // Somebody says it: no study is to be asked.
    if (source) source.value = "";
    forgetEstimates();
    for (const other of sliders) other();
  };

  sliders.push(show);
  slider.hidden = false;
  slider.value = number.value;
  slider.addEventListener("input", () => {
    number.value = slider.value;
    // A screen reader says what the slider says.
    set("off");
  });
  number.addEventListener("input", () => {
    slider.value = number.value;
    set("polite");
  });
}

source?.addEventListener("change", () => {
  forgetEstimates();
  for (const show of sliders) show();
});
for (const show of sliders) show();
