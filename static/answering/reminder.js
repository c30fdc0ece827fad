// A short copy of the target that stays in view while the options are scrolled. It takes no room
// of its own, so nothing moves when it comes and goes; whoever hears the page has the target itself.

const LEFT = 0.6; // of its height: less of the target than this in view is not enough to read

export class Reminder {
  #target;
  #holder;
  #box;
  #text;
  #more;
  #words;

  constructor(section, words) {
    this.#target = section.querySelector("[data-target]");
    this.#words = words;
    if (!this.#target) return;
    this.#build(section);
    const look = () => requestAnimationFrame(() => this.#look());
    addEventListener("scroll", look, { passive: true });
    new ResizeObserver(() => this.#measure(section)).observe(this.#box);
    addEventListener("resize", look);
    this.#look();
  }

  #build(section) {
    const spoken = this.#target.querySelector(".text");
    this.#text = spoken.cloneNode(true);
    this.#text.className = "reminder-text";
    this.#text.lang = spoken.closest("[lang]").lang;
    this.#text.setAttribute("aria-hidden", "true");
    this.#more = document.createElement("button");
    Object.assign(this.#more, { type: "button", className: "reminder-more", hidden: true });
    this.#more.addEventListener("click", () => this.#unfold(!this.#isOpen));
    this.#box = document.createElement("div");
    this.#box.className = "reminder-box";
    this.#box.append(this.#text, this.#more);
    this.#holder = document.createElement("div");
    this.#holder.className = "reminder";
    this.#holder.append(this.#box);
    section.querySelector("fieldset").before(this.#holder);
    this.#unfold(false);
  }

  get #isOpen() {
    return this.#holder.classList.contains("is-open");
  }

  #unfold(isOpen) {
    this.#holder.classList.toggle("is-open", isOpen);
    this.#more.setAttribute("aria-expanded", String(isOpen));
    this.#more.setAttribute("aria-label", isOpen ? this.#words.showLess : this.#words.showAll);
    this.#text.scrollTop = 0;
  }

  /** Whether it covers what has the focus is the window's business: it only says how high it is. */
  #measure(section) {
    section.style.setProperty("--reminder", `${this.#box.offsetHeight}px`);
    const isCut = this.#text.scrollHeight > this.#text.clientHeight + 1;
    this.#more.hidden = !isCut && !this.#isOpen;
  }

  #look() {
    const { bottom } = this.#target.getBoundingClientRect();
    const height = this.#box.offsetHeight;
    // At the end of its question it would cover the beginning of the next one.
    const hasRoom = this.#holder.parentElement.getBoundingClientRect().bottom > height;
    const isOn = bottom < height * LEFT && hasRoom;
    if (!isOn && this.#isOpen) this.#unfold(false);
    this.#holder.classList.toggle("is-on", isOn);
  }
}
