"""Pairs that were drawn beside those they were drawn from, by how alike they look."""

from collections.abc import Sequence

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.basics.chart_frame import HEIGHT, RIGHT, TOP, WIDTH, Frame, in_two_widths, written

_ROOM = 20


@in_two_widths
def drawn_and_candidates(
    edges: Sequence[float],
    drawn: Sequence[int],
    candidates: Sequence[int],
    *,
    title: str,
    x_label: str,
    y_label: str,
    names: tuple[str, str],
    description: str,
    width: int = WIDTH,
) -> SafeString:
    """Bars for what was drawn, and a dashed outline for the candidates: each in % of its own."""
    shares = [_shares(drawn), _shares(candidates)]
    # The names stand above the plot, where nothing can hide them; on a phone below each other.
    is_narrow = width < WIDTH
    room = 2 * _ROOM if is_narrow else _ROOM
    plot = Frame(
        width=width,
        x=(edges[0], edges[-1]),
        y=(0, max(*shares[0], *shares[1], 1.0) * 1.08),
        height=HEIGHT + room,
        top=TOP + room,
    )
    plot.axes(x_label, y_label)
    zero = plot.at_y(0)
    for left, right, n, share in zip(edges, edges[1:], drawn, shares[0], strict=False):
        x1, x2, y = plot.at_x(left), plot.at_x(right), plot.at_y(share)
        tooltip = _("%(low)s to %(high)s: %(n)s") % {
            "low": written(left),
            "high": written(right),
            "n": n,
        }
        plot.bar(x1 + 1, y, x2 - x1 - 2, zero - y, tooltip)
        if n and x2 - x1 >= 16:
            plot.text((x1 + x2) / 2, y - 3, str(n), kind="plot-small")
    before = zero
    for left, right, share in zip(edges, edges[1:], shares[1], strict=False):
        x1, x2, y = plot.at_x(left), plot.at_x(right), plot.at_y(share)
        plot.line(x1, before, x1, y, _OUTLINE)
        plot.line(x1, y, x2, y, _OUTLINE)
        before = y
    plot.line(plot.at_x(edges[-1]), before, plot.at_x(edges[-1]), zero, _OUTLINE)
    plot.bar(plot.left + 8, 7, 22, 10, names[0])
    plot.text(plot.left + 36, 16, names[0], "start")
    left, lower = plot.left + 6.0, _ROOM
    if not is_narrow:
        left, lower = plot.left + (plot.width - plot.left - RIGHT) / 2, 0
    plot.line(left, 12 + lower, left + 24, 12 + lower, _OUTLINE)
    plot.text(left + 30, 16 + lower, names[1], "start")
    return plot.svg(title, description)


_OUTLINE = "plot-mean plot-mean-1"


def _shares(counts: Sequence[int]) -> list[float]:
    whole = sum(counts) or 1
    return [100 * n / whole for n in counts]
