// Small things that the browser remembers. Where storage is forbidden or full, the pages work on
// without it, and nothing is remembered.

export function recall(name) {
  try {
    return localStorage.getItem(`likeness-${name}`);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`likeness-${name}`, value);
  } catch { /* see above */ }
}

export function forget(name) {
  try {
    localStorage.removeItem(`likeness-${name}`);
  } catch { /* see above */ }
}
