// One request, and an answer that is the server's own or none at all.

/** @import { Answer } from "./pending.js" */

const TIMEOUT_MS = 20_000;
// Browsers refuse to send more than 64 KiB in requests that outlive the page.
const MAX_KEPT_ALIVE = 50_000;

/**
 * What the server says when it has taken something, with the status of HTTP. Of a change: the
 * answer that stands now, its key and how far the booklet is.
 * @typedef {object} Success
 * @property {number} status
 * @property {string} state
 * @property {Answer} answer
 * @property {string} key
 * @property {number} [questions]
 * @property {number} [answered]
 * @property {string[]} [unfit] of a questionnaire: questions whose answer no draft can have
 */

/**
 * Why the server has not: `outdated` where a newer page could, `closed` where nothing is taken any
 * more. Where another answer stands, that one, its key and the address of its screen.
 * @typedef {object} Refusal
 * @property {number} status
 * @property {undefined} [state]
 * @property {string} error
 * @property {boolean} [closed]
 * @property {boolean} [outdated]
 * @property {Answer} [answer]
 * @property {string} [key]
 * @property {string} [screen]
 */

/** @typedef {Success | Refusal} Reply */

/**
 * The server's answer; null where there is none, or none to rely on.
 * @param {string} url
 * @param {Answer} fields
 * @returns {Promise<Reply | null>}
 */
export async function post(url, fields) {
  // Of a list each value is sent under the same name.
  const body = new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value ?? ""].flat().map((one) => [name, String(one)]),
    ),
  );
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
      credentials: "omit",
      keepalive: String(body).length < MAX_KEPT_ALIVE,
      redirect: "error", // the server sends nobody elsewhere from here, but some networks do
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status >= 500 || response.status === 429) return null;
    // A network that wants a login first answers 200, too, but not with this.
    const reply = await response.json();
    const isOurs = response.ok ? reply.state : reply.error;
    return isOurs ? { ...reply, status: response.status } : null;
  } catch {
    return null;
  }
}

/**
 * How long to wait before the next try, in milliseconds.
 * @param {number} nth
 */
export function pauseBefore(nth) {
  // Spread out, so that a whole class does not come back in the same moment.
  return Math.min(1_000 * 2 ** nth, 30_000) * (0.75 + Math.random() / 2);
}
