"""Researchers' texts: Markdown in, harmless HTML out."""

from collections.abc import Sequence
from functools import lru_cache

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

_parser = MarkdownIt("commonmark", {"html": False}).enable("table")


def _below_the_title(tokens: Sequence[Token]) -> Sequence[Token]:
    """A page has its own first heading, so a text's begin one level lower."""
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    return tokens


@lru_cache(maxsize=512)
def render_markdown(text: str) -> SafeString:
    """The text as HTML. HTML inside it is shown as it was typed, never interpreted."""
    html = _parser.renderer.render(_below_the_title(_parser.parse(text)), _parser.options, {})
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
