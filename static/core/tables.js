// A wide table scrolls by the keyboard, so its region is a stop of the Tab key; one that fits is none.

import { elements } from "./elements.js";

const regions = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const region = target.closest(".table");
    // Who stands in the region keeps the focus.
    if (!(region instanceof HTMLElement) || region === document.activeElement) continue;
    const scrolls =
      region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    if (scrolls) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
  }
});

/**
 * Watch the regions within a part of the page, and the tables in them, which change their size alone.
 * @param {ParentNode} parent
 */
export function watchTables(parent) {
  for (const element of elements(parent, '.table[tabindex="0"], .table[tabindex="0"] > table')) {
    regions.observe(element);
  }
}
