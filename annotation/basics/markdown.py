"""Researchers' texts: Markdown in, harmless HTML out."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# Nothing that loads from elsewhere (images, frames) and nothing that runs.
_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}

# Of a text that somebody writes now; the parser takes up to a second for 50,000.
MAX_MARKDOWN_LENGTH = 20_000
# Each may begin a link, whose end the parser looks for: quadratic time.
MAX_BRACKETS = 500

# A table's rows are filled up to its widest one: a few characters may become thousands of cells.
MAX_CELLS = 20_000

_parser = MarkdownIt("commonmark", {"html": False}).enable("table")
_without_tables = MarkdownIt("commonmark", {"html": False})


def _below_the_title(tokens: Sequence[Token]) -> Sequence[Token]:
    """A page has its own first heading, so a text's begin one level lower."""
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    return tokens


class _Rendered:
    """The texts that were rendered last, with their HTML, as many as fit."""

    def __init__(self, max_chars: int) -> None:
        self.max_chars = max_chars
        self.n_chars = 0
        self._html: OrderedDict[str, SafeString] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> SafeString | None:
        with self._lock:
            if (html := self._html.get(text)) is not None:
                self._html.move_to_end(text)
            return html

    def keep(self, text: str, html: SafeString) -> None:
        with self._lock:
            if text in self._html or len(text) + len(html) > self.max_chars:
                return
            self._html[text] = html
            self.n_chars += len(text) + len(html)
            while self.n_chars > self.max_chars:
                oldest, its_html = self._html.popitem(last=False)
                self.n_chars -= len(oldest) + len(its_html)


# A character of HTML has one to four bytes.
_rendered = _Rendered(max_chars=2 * 1024 * 1024)


def is_slow(text: str) -> bool:
    """Whether rendering would take far longer than the text is long."""
    return text.count("[") > MAX_BRACKETS


def has_too_many_cells(text: str) -> bool:
    """Whether its tables might have more cells than a page can show."""
    rows = text.splitlines()
    n_columns = 1 + max((row.count("|") for row in rows), default=0)
    return n_columns > 1 and n_columns * len(rows) > MAX_CELLS


def render_markdown(text: str) -> SafeString:
    """The text as HTML. HTML inside it is shown as it was typed, never interpreted."""
    if (known := _rendered.get(text)) is not None:
        return known
    html = _html_of(text)
    _rendered.keep(text, html)
    return html


def _html_of(text: str) -> SafeString:
    parser = _without_tables if has_too_many_cells(text) else _parser
    html = parser.renderer.render(_below_the_title(parser.parse(text)), parser.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        # A link that replaced the page would take people out of the study.
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(clean)  # noqa: S308 - sanitised in the line above
