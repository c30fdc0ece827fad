"""Plots of measures beside people: correlations with their intervals, and one measure's values."""

import textwrap
from collections.abc import Sequence

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.basics.chart_frame import (
    BOTTOM,
    LETTER,
    LINE,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    in_two_widths,
    round_numbers,
    written,
)
from annotation.basics.numbers import decimal

# (name, value, low, high); None if there is none.
Correlated = tuple[str, float | None, float | None, float | None]
# Characters in a line of a name that stands beside a plot, and lines; the table has names whole.
_MAX_LINE_LENGTH, _MAX_NAME_LINES = 30, 5
_ROW, _LEFT = 28, 210
# Below a name that stands above its row, as on a phone.
_MAX_LONG_LINE_LENGTH = 38


@in_two_widths
def correlations(
    rows: Sequence[Correlated],
    *,
    title: str,
    x_label: str,
    description: str,
    ceiling: float | None = None,
    ceiling_label: str = "",
    width: int = WIDTH,
) -> SafeString:
    """A dot with its interval for each row, and a dashed line where the ceiling is."""
    has_ceiling = ceiling is not None
    top = TOP + (18 if has_ceiling else 0)
    is_narrow = width < WIDTH
    names = [
        _lines(name, _MAX_LONG_LINE_LENGTH if is_narrow else _MAX_LINE_LENGTH)
        for name, *_figures in rows
    ]
    heights = [_ROW + LINE * (len(lines) - (0 if is_narrow else 1)) for lines in names]
    bottom = top + max(sum(heights), _ROW)
    ends = [end for _name, *interval in rows for end in interval if end is not None]
    plot = Frame(
        width=width,
        x=(min([0.0, *ends]), max([1.0, *ends])),
        y=(0, 1),
        height=bottom + BOTTOM,
        left=RIGHT if is_narrow else _LEFT,
        top=top,
    )
    for tick in round_numbers(*plot.x):
        plot.line(plot.at_x(tick), top, plot.at_x(tick), bottom, "plot-grid")
    plot.line(plot.at_x(0), top, plot.at_x(0), bottom, "plot-axis")
    plot.ticks()
    plot.label_below(x_label)
    if ceiling is not None:
        x = plot.at_x(ceiling)
        plot.line(x, top - 2, x, bottom, "plot-mean plot-mean-1")
        # Beside the line, where there is more room.
        is_left = x > (plot.left + plot.width - RIGHT) / 2
        label = f"{ceiling_label}: {decimal(ceiling, 3)}"
        plot.text_within(
            x if not is_left else x + 6, TOP + 4, label, "end" if is_left else "start"
        )
    above = float(top)
    for lines, height, (name, value, low, high) in zip(names, heights, rows, strict=True):
        y = above + height / 2 + _ROW * 0.15
        if is_narrow:
            y = above + height - 6
        for place, line in enumerate(lines):
            lower = LINE * (place - (len(lines) - 1) / 2)
            if is_narrow:
                plot.text(plot.left + 4, above + LINE * (place + 1), line, "start")
            else:
                plot.text(plot.left - 10, y + 4 + lower, line, "end")
        above += height
        if value is None:
            plot.text(plot.at_x(0) + 8, y + 4, _("not computed"), "start", "plot-small")
            continue
        x = plot.at_x(value)
        if low is not None and high is not None:
            plot.line(plot.at_x(low), y, plot.at_x(high), y, "plot-range")
            for end in (low, high):
                plot.line(plot.at_x(end), y - 4, plot.at_x(end), y + 4, "plot-range")
        plot.dot(x, y, f"{name}: {decimal(value, 3)}", size=3.4)
        # At the edge of the drawing half of it would be cut off.
        anchor = "end" if x > plot.width - RIGHT - 20 else "middle"
        plot.text(x, y - 7, decimal(value, 3), anchor, "plot-small")
    return plot.svg(title, description)


def _lines(name: str, most: int) -> list[str]:
    """A name in lines that fit beside the plot; one that is longer still ends in dots."""
    lines = textwrap.wrap(name, most) or [""]
    if len(lines) > _MAX_NAME_LINES:
        lines = [
            *lines[: _MAX_NAME_LINES - 1],
            f"{lines[_MAX_NAME_LINES - 1][: most - 1]}…",
        ]
    return lines


@in_two_widths
def scatter(
    points: Sequence[tuple[str, float, float]],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    diagonal: str = "",
    width: int = WIDTH,
) -> SafeString:
    """A small ring at each (name, x, y): many of them still let one another through.

    `diagonal`: what the line of equal x and y is called; both axes then cover the same.
    """
    across = [x for _name, x, _y in points] or [0.0, 1.0]
    up = [y for _name, _x, y in points] or [0.0, 1.0]
    if diagonal:
        across = up = [*across, *up]
    top = TOP + (18 if diagonal else 0)
    height = (400 if width == WIDTH else width) + top - TOP
    plot = Frame(width=width, x=_with_room(across), y=_with_room(up), height=height, top=top)
    plot.axes(x_label, y_label)
    if diagonal:
        low, high = plot.x
        ends = plot.at_x(low), plot.at_y(low), plot.at_x(high), plot.at_y(high)
        plot.line(*ends, "plot-mean plot-mean-1")
        # Its name stands above the plot, where no ring can hide it.
        plot.line(plot.left + 8, TOP, plot.left + 32, TOP, "plot-mean plot-mean-1")
        plot.text_within(plot.left + 38, TOP + 4, diagonal, "start")
    for name, x, y in points:
        tooltip = f"{name}: {written(x)}, {written(y)}"
        plot.dot(plot.at_x(x), plot.at_y(y), tooltip, size=2.6, kind="hollow")
    return plot.svg(title, description)


# Label, lowest, quartiles and median, highest.
Box = tuple[str, float, float, float, float, float]


@in_two_widths
def boxes(
    rows: Sequence[Box],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    width: int = WIDTH,
) -> SafeString:
    """A box from quartile to quartile for each row, with its median and a line to both ends."""
    known = [end for _name, *of_row in rows for end in of_row] or [0.0, 1.0]
    plot = Frame(width=width, x=(-0.5, max(len(rows), 1) - 0.5), y=_with_room(known))
    plot.axes(x_label, y_label, [])
    bottom = plot.height - BOTTOM
    room = plot.at_x(1) - plot.at_x(0)
    half = min(40.0, room / 4)
    is_tight = LETTER * max((len(name) for name, *_of_row in rows), default=0) > room
    for place, (name, low, first, median, third, high) in enumerate(rows):
        x = plot.at_x(place)
        plot.line(x, plot.at_y(low), x, plot.at_y(first), "plot-range")
        plot.line(x, plot.at_y(third), x, plot.at_y(high), "plot-range")
        top, foot, left, right = plot.at_y(third), plot.at_y(first), x - half, x + half
        for ends in ((left, top, right, top), (left, foot, right, foot)):
            plot.line(*ends, "plot-range")
        for side in (left, right):
            plot.line(side, top, side, foot, "plot-range")
        plot.line(left, plot.at_y(median), right, plot.at_y(median), "plot-axis")
        figures = (low, first, median, third, high)
        tooltip = f"{name}: {', '.join(decimal(figure, 3) for figure in figures)}"
        plot.dot(x, plot.at_y(median), tooltip, size=3.4)
        # Names that would run into each other stand on two lines by turns.
        turn = 6 * (-1) ** place if is_tight else 0
        plot.text(x, bottom + 16 - turn, name)
    return plot.svg(title, description)


def _with_room(values: Sequence[float]) -> tuple[float, float]:
    """What an axis covers, so that no ring lies on its end."""
    low, high = min(values), max(values)
    room = (high - low) * 0.03 or 0.5
    return low - room, high + room
