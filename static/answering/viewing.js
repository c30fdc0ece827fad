// Which question somebody is looking at: the one whose options stand in the window.

/** @import { Question } from "./question.js" */

const ENOUGH = 0.5; // of its options in view: no other question is meant then
const SOME = 0.2; // less than this is a sliver at the edge that nobody reads

/**
 * How much of a question's options is in view, of what could be at most.
 * @param {Question} question
 * @param {number} bottom
 */
function shareInView(question, bottom) {
  const options = question.choices;
  const top = options[0].getBoundingClientRect().top;
  const end = options[options.length - 1].getBoundingClientRect().bottom;
  const seen = Math.min(end, bottom) - Math.max(top, 0);
  return Math.max(seen, 0) / Math.min(end - top, bottom);
}

/**
 * The question that a key is meant for; null where the options of none can be seen.
 * @template {Question} T
 * @param {T[]} questions
 * @param {T} current
 * @param {HTMLElement} bar
 */
export function inView(questions, current, bar) {
  const bottom = Math.min(innerHeight, bar.getBoundingClientRect().top);
  if (shareInView(current, bottom) >= ENOUGH) return current;
  const shares = questions.map((question) => shareInView(question, bottom));
  const most = Math.max(...shares);
  return most >= SOME ? questions[shares.indexOf(most)] : null;
}

/** In the frame of a platform the bar belongs to the page, whose window may show only a part. */
export function belongToFrame() {
  document.documentElement.classList.toggle("in-frame", window !== window.top);
}

/**
 * A bar that large letters have made high must not cover the question: it joins the page then.
 * @param {HTMLElement} bar
 * @param {HTMLElement} message
 */
export function yieldWhenTall(bar, message) {
  const measure = () => {
    const height = bar.offsetHeight - message.offsetHeight;
    document.documentElement.classList.toggle("with-tall-bar", height > innerHeight / 4);
  };
  new ResizeObserver(measure).observe(bar);
  addEventListener("resize", measure);
}
