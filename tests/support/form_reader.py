"""The forms of a page, as a browser without JavaScript has them."""

from html.parser import HTMLParser


class FormReader(HTMLParser):
    """What the forms of a page would send as they stand, by address, and what may be picked."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self.options: dict[str, list[str]] = {}
        self._fields: dict[str, str] = {}
        self._area = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = dict(attrs)
        name, value = at.get("name") or "", at.get("value") or ""
        if tag == "form":
            self._fields = self.forms.setdefault(at.get("action") or "", {})
        elif tag == "input" and at.get("type") == "hidden":
            self._fields[name] = value
        elif tag == "input" and at.get("type") == "radio":
            self.options.setdefault(name, []).append(value)
            if "checked" in at:
                self._fields[name] = value
        elif tag == "textarea":
            self._area = name
            self._fields[name] = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self._fields[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            # A browser drops the line break that follows the opening tag.
            self._fields[self._area] = self._fields[self._area].removeprefix("\n")
            self._area = ""
