// The live page asks for what is new while somebody looks at it. Without scripts: the link "Refresh".

for (const room of document.querySelectorAll("[data-live]")) {
  const find = (name) => document.querySelector(`[data-live-${name}]`);
  const every = Number(room.dataset.liveEvery) * 1000;
  const updated = find("updated");
  let tag = room.dataset.liveTag;
  let wait = every;
  let timer = 0;
  let isAsking = false;

  const part = (name, within = room) => within.querySelector(`[data-live-part="${CSS.escape(name)}"]`);
  const partsOf = (within) => [...within.querySelectorAll("[data-live-part]")];

  // What did not change stays as it is: with its focus, its place and what was unfolded.
  const take = (html) => {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const names = partsOf(fresh.content).map((one) => one.dataset.livePart);
    for (const old of partsOf(room)) {
      if (!names.includes(old.dataset.livePart)) old.remove();
    }
    let before = null;
    for (const name of names) {
      const next = part(name, fresh.content);
      const old = part(name);
      const written = next.innerHTML;
      if (!old) {
        if (before) before.after(next);
        else room.prepend(next);
        sources.set(next, written);
        before = next;
        continue;
      }
      if (sources.get(old) !== written) {
        const isOpen = [...old.querySelectorAll("details")].map((one) => one.open);
        const focused = [...old.querySelectorAll("a, summary, [tabindex]")].indexOf(document.activeElement);
        const scrolled = [...old.querySelectorAll(".table, .plot-room")].map((one) => one.scrollLeft);
        old.innerHTML = written;
        sources.set(old, written);
        old.querySelectorAll("details").forEach((one, n) => { one.open = Boolean(isOpen[n]); });
        old.querySelectorAll(".table, .plot-room").forEach((one, n) => { one.scrollLeft = scrolled[n] ?? 0; });
        if (focused >= 0) {
          old.querySelectorAll("a, summary, [tabindex]")[focused]?.focus({ preventScroll: true });
        }
      }
      old.dataset.liveAnnouncement = next.dataset.liveAnnouncement ?? "";
      before = old;
    }
  };

  // Told once when it changes, and not at each update.
  const announce = () => {
    const said = part("now")?.dataset.liveAnnouncement ?? "";
    if (said !== announced) find("said").textContent = said;
    announced = said;
  };

  const mark = () => {
    const time = updated.querySelector("time");
    const now = new Date();
    time.dateTime = now.toISOString();
    time.textContent = now.toLocaleTimeString(document.documentElement.lang || undefined);
  };

  const lost = (isLost) => {
    const note = find("lost");
    if (note.hidden === !isLost) return;
    note.hidden = !isLost;
    find("said").textContent = isLost ? note.textContent : "";
  };

  const ask = async () => {
    clearTimeout(timer);
    if (isAsking || document.hidden) return;
    isAsking = true;
    try {
      const answer = await fetch(room.dataset.live, {
        headers: { "If-None-Match": tag },
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(20000),
      });
      if (answer.status !== 304) {
        if (!answer.ok) throw new Error(answer.statusText);
        take(await answer.text());
        tag = answer.headers.get("ETag");
        announce();
      }
      lost(false);
      mark();
      wait = every;
    } catch {
      // The server restarts, the network is away, or nobody is signed in: less often.
      lost(true);
      wait = Math.min(wait * 2, 120000);
    }
    isAsking = false;
    timer = setTimeout(ask, wait);
  };

  // As they were written: what the browser makes of it is not compared with what the server says.
  const sources = new WeakMap();
  let announced = part("now")?.dataset.liveAnnouncement ?? "";
  mark();
  document.addEventListener("visibilitychange", () => {
    // Hidden, nothing is asked; seen again, at once.
    if (document.hidden) clearTimeout(timer);
    else ask();
  });
  addEventListener("online", ask);
  find("refresh").addEventListener("click", (event) => {
    event.preventDefault();
    wait = every;
    ask();
  });
  timer = setTimeout(ask, wait);
}
