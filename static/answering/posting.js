// One request, and an answer that is the server's own or none at all.

const TIMEOUT_MS = 20_000;

/** The server's answer; null where there is none, or none to rely on. */
export async function post(url, fields) {
  try {
    const response = await fetch(url, {
      method: "POST",
      // Of a list each value is sent under the same name.
      body: new URLSearchParams(
        Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
      ),
      headers: { Accept: "application/json" },
      credentials: "omit",
      keepalive: true,
      redirect: "error", // the server sends nobody elsewhere from here, but some networks do
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status >= 500 || response.status === 429) return null;
    // A network that wants a login first answers 200, too, but not with this.
    const answer = await response.json();
    const isOurs = response.ok ? answer.state : answer.error;
    return isOurs ? { ...answer, status: response.status } : null;
  } catch {
    return null;
  }
}

/** How long to wait before the next try, in milliseconds. */
export function pauseBefore(nth) {
  // Spread out, so that a whole class does not come back in the same moment.
  return Math.min(1_000 * 2 ** nth, 30_000) * (0.75 + Math.random() / 2);
}
