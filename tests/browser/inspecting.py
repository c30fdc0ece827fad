"""Looks at what a page shows just now: axe, its width, its targets, its language, its focus.

To come to a page takes longer than to look at it: who wants it seen in several windows comes once,
and the window changes around the page.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal


@dataclass(frozen=True)
class Window:
    """The size that a page is told, the colours it shall have, and what it is touched with."""

    name: str
    width: int
    height: int
    scheme: Literal["light", "dark"] = "light"
    # How many dots draw one pixel; zoom is that, and a window so many times smaller.
    dots: int = 1
    has_finger: bool = False


WINDOWS = (
    Window("1280 light", 1280, 900),
    # Also what a window of 640 px is at 200 %.
    Window("320 dark", 320, 640, scheme="dark", has_finger=True),
)
# Of 1280 x 1024 px.
ZOOMED = (Window("200 %", 640, 512, dots=2), Window("400 %", 320, 256, dots=4))

LANGUAGES = {"en", "de", "cs"}
# It need not read the style sheets again to see what they do.
_OPTIONS: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
_CONTRAST, _TARGET_SIZE = "color-contrast", "target-size"
# In a further window the document is the same, and a style sheet may only have hidden, moved or
# coloured something. So of axe's rules those are asked that look at this, and those that look for
# a name, which may have been hidden.
_RULES_OF_LAYOUT = (
    _TARGET_SIZE,
    "aria-command-name",
    "aria-input-field-name",
    "aria-toggle-field-name",
    "button-name",
    "css-orientation-lock",
    "empty-heading",
    "empty-table-header",
    "input-button-name",
    "label",
    "link-in-text-block",
    "link-name",
    "scrollable-region-focusable",
    "select-name",
    "summary-name",
)
# Has all that moves come to its end at once, instead of waiting for it, and says whether axe is
# there. A page that still scrolls is given the time to arrive.
_HOLD_STILL = """async () => {
  if (!document.isHeldStill) {
    document.isHeldStill = true;
    const still = new CSSStyleSheet();
    still.replaceSync(`*, ::before, ::after, ::backdrop {
      transition: none !important; scroll-behavior: auto !important;
    }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  }
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  for (const animation of document.getAnimations()) {
    if (animation.effect.getComputedTiming().endTime !== Infinity) animation.finish();
  }
  let last;
  do {
    last = [scrollX, scrollY].join();
    await frame();
  } while ([scrollX, scrollY].join() !== last);
  return "axe" in window;
}"""
# Everything but axe: the width of the page and of its window, the language, the title, and what
# can be pressed with its height.
_FACTS = """() => ({
  width: [document.documentElement.scrollWidth, innerWidth],
  language: document.documentElement.lang,
  title: document.title.trim(),
  targets: [...document.querySelectorAll(
    "a.button, a.action, a.link-row, button:not([tabindex]), .pick, .check, summary"
  )].filter(e => e.checkVisibility()).map(e => [e.className, e.offsetHeight]),
})"""
# How every text of a page is drawn, each way once: its own colour, size and weight, what it stands
# in, and the ground under it, which is that of all elements around it.
_TEXT_LOOKS = """() => {
  const grounds = new Map();
  const ground = element => {
    if (!element) return "";
    if (!grounds.has(element)) {
      const s = getComputedStyle(element);
      const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter, s.mixBlendMode];
      const isPlain = own.join() === "rgba(0, 0, 0, 0),none,1,none,normal";
      const around = ground(element.parentElement);
      grounds.set(element, isPlain ? around : `${around} ${own.join()}`);
    }
    return grounds.get(element);
  };
  const hasText = element => element.matches("input, select, textarea")
    || [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
  const looks = [...document.body.querySelectorAll("*")]
    .filter(element => hasText(element) && element.checkVisibility({ visibilityProperty: true }))
    .map(element => {
      const s = getComputedStyle(element);
      const isOff = Boolean(element.closest(":disabled, [aria-disabled=true]"));
      const name = `${element.localName}.${element.className}.${element.type ?? ""}`;
      const own = [s.color, s.fontSize, s.fontWeight, s.textShadow, s.position];
      return [name, isOff, ...own, ground(element)].join();
    });
  const asked = ["(forced-colors: active)", "(prefers-contrast: more)"]
    .filter(query => matchMedia(query).matches).join();
  return [...new Set(looks)].map(look => asked + look);
}"""
# What each control looks like when it has the focus and when not, and whether it can be seen then.
_FOCUS = """() => {
  const calm = new CSSStyleSheet();
  calm.replaceSync("* { transition: none !important; scroll-behavior: auto !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, calm];
  const looks = e => {
    const around = [e, ...(e.closest("label, details, li")?.querySelectorAll("*") ?? [])];
    return around.map(one => {
      const s = getComputedStyle(one);
      return [s.outlineStyle, s.outlineWidth, s.outlineColor, s.boxShadow, s.borderColor,
        s.backgroundColor, s.opacity, s.clipPath, s.transform].join();
    }).join("|");
  };
  const found = [];
  const controls = document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
  );
  for (const control of controls) {
    if (!control.checkVisibility() || control.disabled || control.tabIndex < 0) continue;
    const name = control.outerHTML.slice(0, 110);
    document.activeElement.blur();
    const before = looks(control);
    control.focus();
    if (document.activeElement !== control) {
      found.push(`cannot have the focus: ${name}`);
      continue;
    }
    if (looks(control) === before) found.push(`focus is not seen: ${name}`);
    // A radio button that is drawn by its label is where the label is.
    const shown = control.matches("input") && control.closest("label") || control;
    const box = shown.getBoundingClientRect();
    const points = [0.1, 0.5, 0.9].map(share => [
      box.left + box.width / 2,
      Math.min(Math.max(box.top + box.height * share, 1), innerHeight - 1),
    ]);
    const isSeen = points.some(([x, y]) => {
      const top = document.elementFromPoint(x, y);
      return top && (shown.contains(top) || top.contains(shown));
    });
    if (!isSeen) found.push(`hidden while it has the focus: ${name}`);
  }
  document.activeElement.blur();
  return found;
}"""


@cache
def _axe() -> str:
    import axe_playwright_python

    [path] = Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")
    return f"() => {{ {path.read_text(encoding='utf-8')} }}"


class Inspector:
    """Collects in `found` what is wrong with the pages it looks at.

    It looks in each of its windows, and leaves the page in the first; without any, in the page's.
    """

    # How texts were drawn that axe found to have contrast, by the size of the window. To measure
    # it takes axe longer than all else together: it does where a page has a text that is drawn as
    # none was before.
    _has_contrast: ClassVar[dict[tuple[int, int], set[str]]] = defaultdict(set)

    def __init__(self, *windows: Window) -> None:
        self.found: list[str] = []
        self._windows = windows

    def look(self, page: Any, name: str) -> None:
        """At the page as it is just now."""
        is_first = True
        for where in self._in_each_window(page, name):
            if not page.evaluate(_HOLD_STILL):
                page.evaluate(_axe())
            shoot(page, where)
            self._run_axe(page, where, has_all_rules=is_first)
            self._look(page, where)
            is_first = False

    def look_at_focus(self, page: Any, name: str) -> None:
        """Give each control the focus, as the keyboard does: it must be seen to have it."""
        page.keyboard.press("Tab")  # from now on the browser shows where the focus is
        for where in self._in_each_window(page, name):
            self.found += [f"{where}: {problem}" for problem in page.evaluate(_FOCUS)]

    def _in_each_window(self, page: Any, name: str) -> Iterator[str]:
        if not self._windows:
            yield name
            return
        browser = page.context.new_cdp_session(page)
        for window in self._windows:
            change_window(page, browser, window)
            yield f"{name} {window.name}"
        if len(self._windows) > 1:
            change_window(page, browser, self._windows[0])
        browser.detach()

    def _look(self, page: Any, name: str) -> None:
        facts = page.evaluate(_FACTS)
        width, window = facts["width"]
        if width > window:
            self.found.append(f"{name}: {width} wide in a window of {window}")
        for kind, height in facts["targets"]:
            # What leads on is large; what stands in a row of a table or a line meets AA.
            least = 24 if "small" in kind or not kind else 44
            if height < least:
                self.found.append(f"{name}: {kind or 'a control'} is only {height} px high")
        if facts["language"] not in LANGUAGES:
            self.found.append(f"{name}: the language of the page is {facts['language']!r}")
        if not facts["title"]:
            self.found.append(f"{name}: no title")

    def _run_axe(self, page: Any, name: str, *, has_all_rules: bool) -> None:
        size = page.viewport_size
        known = self._has_contrast[size["width"], size["height"]]
        looks = page.evaluate(_TEXT_LOOKS)
        options = _axe_options(
            has_all_rules=has_all_rules, has_contrast=not known.issuperset(looks)
        )
        violations = page.evaluate("async o => (await axe.run(document, o)).violations", options)
        if _CONTRAST not in {violation["id"] for violation in violations}:
            known.update(looks)
        for violation in violations:
            for node in violation["nodes"]:
                self.found.append(f"{name}: {violation['id']} {node['html'][:120]}")


def _axe_options(*, has_all_rules: bool, has_contrast: bool) -> dict[str, Any]:
    if has_all_rules:
        # All that axe has by itself, and the one of WCAG 2.2 that it leaves to be asked for.
        rules = {_TARGET_SIZE: {"enabled": True}, _CONTRAST: {"enabled": has_contrast}}
        return {**_OPTIONS, "rules": rules}
    contrast = (_CONTRAST,) if has_contrast else ()
    return {**_OPTIONS, "runOnly": [*_RULES_OF_LAYOUT, *contrast]}


def change_window(page: Any, browser: Any, window: Window) -> None:
    """Put the page into another window, as if it had been moved there."""
    page.emulate_media(
        color_scheme=window.scheme,
        reduced_motion="reduce" if window.scheme == "dark" else "no-preference",
    )
    page.set_viewport_size({"width": window.width, "height": window.height})
    browser.send("Emulation.setTouchEmulationEnabled", {"enabled": window.has_finger})
    if window.dots > 1:
        metrics = {"width": window.width, "height": window.height, "mobile": False}
        browser.send(
            "Emulation.setDeviceMetricsOverride", {**metrics, "deviceScaleFactor": window.dots}
        )


def shoot(page: Any, name: str) -> None:
    """Pictures to look at, where somebody wants them."""
    if folder := os.environ.get("PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
