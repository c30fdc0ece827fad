"""Tables whose rows stand below each other on a phone, each cell beside its column's name."""

import re
from typing import Final

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

# A tag, or what is between two. An attribute's value has its angle brackets escaped.
_PIECE: Final = re.compile(r"<(/?)(table|thead|tbody|tfoot|tr|th|td)\b([^>]*)>")
# A cell in which a condition shows nothing: the style sheet hides empty cells on a phone.
_BLANK: Final = re.compile(r"(<td\b[^>]*>)\s+(?=</td>)")
_SPAN: Final = re.compile(r'colspan="(\d+)"')
# A browser forgets what is not drawn as a table, unless it is told.
_ROLES: Final = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tfoot": "rowgroup",
    "tr": "row",
    "td": "cell",
}


@register.tag
def stacked(parser: Parser, token: Token) -> "StackedNode":
    """`{% stacked %}<table>…</table>{% endstacked %}`: a plain table with one row of headers."""
    del token
    nodes = parser.parse(("endstacked",))
    parser.delete_first_token()
    return StackedNode(nodes)


class StackedNode(template.Node):
    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        # Only tags are added to what the templates have escaped.
        table = _BLANK.sub(r"\1", self.nodelist.render(context))
        return mark_safe(with_labels(table))  # noqa: S308


def with_labels(table: str) -> str:
    """The table with roles, and with each cell's column beside it as `data-label`."""
    labels: list[str] = []
    first = column = 0
    is_head = False

    def labelled(piece: re.Match[str]) -> str:
        nonlocal first, column, is_head
        is_end, name, attributes = piece[1], piece[2], piece[3]
        if name == "thead":
            is_head = not is_end
        if is_end:
            return piece[0]
        if name == "tr":
            column = 0
        elif name in {"th", "td"}:
            span = _SPAN.search(attributes)
            first, column = column, column + (int(span[1]) if span else 1)
        if name == "th":
            if is_head:
                labels.append(_text(table, piece.end()))
            role = "columnheader" if is_head else "rowheader"
            return f'<th{attributes} role="{role}">'
        if name == "td" and first < len(labels) and labels[first]:
            attributes += f' data-label="{labels[first]}"'
        return f'<{name}{attributes} role="{_ROLES[name]}">'

    return _PIECE.sub(labelled, table)


def _text(table: str, start: int) -> str:
    """What the header that begins here says, without markup; escaped as it was."""
    inner = strip_tags(table[start : table.index("</th>", start)])
    return " ".join(inner.split()).replace('"', "&quot;")
