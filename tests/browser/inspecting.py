"""Looks at what a page shows just now: axe, its width, its targets, its language, its focus."""

from functools import cache
from pathlib import Path
from typing import Any

from tests.browser.arriving import settled

LANGUAGES = {"en", "de", "cs"}
# All rules that axe has by itself, and the one of WCAG 2.2 that it leaves to be asked for.
# It need not read the style sheets again to see what they do.
_OPTIONS = {
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
    "preload": False,
}
_TARGETS = """() => [...document.querySelectorAll(
    "a.button, a.action, button:not([tabindex]), .pick, .check, summary"
)].filter(e => e.checkVisibility()).map(e => [e.className, e.offsetHeight])"""
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
    return path.read_text(encoding="utf-8")


class Inspector:
    """Collects in `found` what is wrong with the pages it looks at."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def look(self, page: Any, name: str) -> None:
        """At the page as it is just now."""
        settled(page)
        self._run_axe(page, name)
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if width[0] > width[1]:
            self.found.append(f"{name}: {width[0]} wide in a window of {width[1]}")
        for kind, height in page.evaluate(_TARGETS):
            # What leads on is large; what stands in a row of a table or a line meets AA.
            least = 24 if "small" in kind or not kind else 44
            if height < least:
                self.found.append(f"{name}: {kind or 'a control'} is only {height} px high")
        language = page.evaluate("document.documentElement.lang")
        if language not in LANGUAGES:
            self.found.append(f"{name}: the language of the page is {language!r}")
        if not page.title().strip():
            self.found.append(f"{name}: no title")

    def _run_axe(self, page: Any, name: str) -> None:
        if not page.evaluate("'axe' in window"):
            page.evaluate(f"() => {{ {_axe()} }}")
        violations = page.evaluate("async o => (await axe.run(document, o)).violations", _OPTIONS)
        for violation in violations:
            for node in violation["nodes"]:
                self.found.append(f"{name}: {violation['id']} {node['html'][:120]}")

    def look_at_focus(self, page: Any, name: str) -> None:
        """Give each control the focus, as the keyboard does: it must be seen to have it."""
        page.keyboard.press("Tab")  # from now on the browser shows where the focus is
        self.found += [f"{name}: {problem}" for problem in page.evaluate(_FOCUS)]
