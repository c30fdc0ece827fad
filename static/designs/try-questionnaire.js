// The questions about people in the walk through a study: as people see them, and nothing is saved.

import { element } from "../core/elements.js";
import { follow } from "../questionnaires/conditions.js";

const form = element(document, "#questionnaire", HTMLFormElement);
form.addEventListener("input", () => follow(form));
follow(form);
document.documentElement.dataset.ready = "";
