// Small things that the browser remembers. Where storage is forbidden or full, the pages work on
// without it, and nothing is remembered.

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(`likeness-${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`likeness-${name}`, value);
  } catch {
    // Storage is forbidden or full.
  }
}

/** @param {string} name */
export function forget(name) {
  try {
    localStorage.removeItem(`likeness-${name}`);
  } catch {
    // Storage is forbidden: there is nothing to forget.
  }
}
