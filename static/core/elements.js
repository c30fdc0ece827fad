// The elements that a script needs from its page, of the kind that it needs.

/**
 * The first element that a selector names. One that is missing is a fault of the template: that is
 * said here, and not by whatever comes to need it.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} [kind]
 * @returns {T}
 */
export function element(parent, selector, kind) {
  const match = parent.querySelector(selector);
  if (!isOfKind(match, kind)) throw new Error(`The page lacks ${selector}.`);
  return match;
}

/**
 * The first element that a selector names; null where there is none.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} [kind]
 * @returns {T | null}
 */
export function optionalElement(parent, selector, kind) {
  return parent.querySelector(selector) ? element(parent, selector, kind) : null;
}

/**
 * All elements that a selector names.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} [kind]
 * @returns {T[]}
 */
export function elements(parent, selector, kind) {
  return [...parent.querySelectorAll(selector)].map((match) => {
    if (!isOfKind(match, kind)) throw new Error(`The page has another ${selector}.`);
    return match;
  });
}

/**
 * What an event happened to; null where that is no element.
 * @param {Event} event
 */
export function targetOf(event) {
  return event.target instanceof Element ? event.target : null;
}

/**
 * @template {Element} T
 * @param {Element | null} match
 * @param {(new () => T) | undefined} kind
 * @returns {match is T}
 */
function isOfKind(match, kind) {
  return match instanceof (kind ?? HTMLElement);
}

/**
 * The sentences that a template holds for a script, by their names.
 * @param {string} selector
 * @returns {Record<string, string>}
 */
export function sentencesIn(selector) {
  const { content } = element(document, selector, HTMLTemplateElement);
  return Object.fromEntries(
    elements(content, "[data-name]").map((p) => [p.dataset.name, p.textContent]),
  );
}
