// What the researcher's pages do beyond links and forms. Each part works without it, too.

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "✓ " + label;
      setTimeout(() => { button.textContent = label; }, 2000);
    } catch {
      // No permission, or no secure address: the text is selected, so the keyboard copies it.
      field.focus();
    }
  });
}

// A file that is too large is refused before it travels.
for (const field of document.querySelectorAll("input[data-limit]")) {
  const note = field.form.querySelector("[data-too-large]");
  const isTooLarge = () => [...field.files].some((file) => file.size > Number(field.dataset.limit));
  field.addEventListener("change", () => { note.hidden = !isTooLarge(); });
  field.form.addEventListener("submit", (event) => {
    if (isTooLarge()) event.preventDefault();
  });
}

// On a narrow screen the pages of a study stand in one line that scrolls.
document
  .querySelector(".sections [aria-current]")
  ?.scrollIntoView({ inline: "center", block: "nearest", behavior: "instant" });

// A job's page asks how far it is; a reload begins the same way.
for (const section of document.querySelectorAll("[data-job]")) {
  const find = (name) => section.querySelector(`[data-job-${name}]`);
  let wait = 500;
  const ask = async () => {
    try {
      const answer = await fetch(section.dataset.job, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(answer.statusText);
      const job = await answer.json();
      if (find("state").textContent !== job.state_label) find("state").textContent = job.state_label;
      if (job.is_finished) {
        // Elsewhere somebody may be typing: there a link leads to how it went.
        if ("jobPage" in section.dataset) location.reload();
        find("bar").value = 100;
        find("percent").textContent = "";
        find("time").textContent = "";
        find("leave").hidden = true;
        find("cancel").hidden = true;
        find("no-worker").hidden = true;
        find("no-long-worker").hidden = true;
        find("after").hidden = false;
        find("message").textContent = find("after").textContent.trim();
        find("message").classList.add("visually-hidden");
        return;
      }
      find("time").textContent = job.time_passed;
      find("bar").value = job.percent;
      find("percent").textContent = `${job.percent} %`;
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
for (const form of document.querySelectorAll("[data-consequences]")) {
  const sentence = form.querySelector("[data-sentence]");
  const problem = form.querySelector("[data-problem]");
  let timer = 0;
  let latest = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const number = ++latest;
      const fields = new FormData(form);
      fields.delete("csrfmiddlewaretoken");
      try {
        const query = new URLSearchParams(fields);
        const answer = await fetch(`${form.dataset.consequences}?${query}`);
        const said = await answer.json();
        // A slow answer to older numbers must not replace a newer one.
        if (number !== latest) return;
        sentence.textContent = said.sentence;
        problem.textContent = said.problem;
      } catch {
        sentence.textContent = "";
      }
    }, 250);
  });
}

// Of the settings of measures, those of the chosen one are shown.
for (const part of document.querySelectorAll("[data-options-of]")) {
  const choice = document.getElementById(part.dataset.optionsOf);
  const show = () => {
    for (const option of part.querySelectorAll("[data-of]")) {
      const isOf = option.dataset.of.split(" ").includes(choice.value);
      // What is wrong is seen, whatever was chosen.
      option.hidden = !isOf && !option.querySelector(".errorlist");
    }
    part.hidden = !choice.value && !part.querySelector(".errorlist");
  };
  choice.addEventListener("change", () => {
    show();
    part.open = Boolean(choice.value);
  });
  show();
}
