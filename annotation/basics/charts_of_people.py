"""Plots of one person's answers over the course of a booklet."""

import math
from collections.abc import Sequence

from django.utils.safestring import SafeString

from annotation.basics.chart_frame import (
    BOTTOM,
    HEIGHT,
    RIGHT,
    WIDTH,
    Frame,
    in_two_widths,
    written,
)

# Marks of the axis of times, in seconds; those are drawn that the times lie between.
_MARKS = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000)


@in_two_widths
def times(
    points: Sequence[tuple[int, float, float | None]],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    width: int = WIDTH,
) -> SafeString:
    """A dot for each (place, seconds), and a ring where the others' median is."""
    known = [t for _n, own, usual in points for t in (own, usual) if t]
    low = max((mark for mark in _MARKS if mark <= min(known)), default=_MARKS[0])
    high = min((mark for mark in _MARKS if mark >= max(known)), default=max(known))
    low, high = min(low, *known), max(high, low * 10)
    plot = Frame(width=width, x=(0, points[-1][0] + 1), y=(math.log10(low), math.log10(high)))
    left, right = plot.at_x(plot.x[0]), plot.width - RIGHT
    for mark in _MARKS:
        if low <= mark <= high:
            y = plot.at_y(math.log10(mark))
            plot.line(left, y, right, y, "plot-grid")
            plot.text(left - 6, y + 4, written(mark), "end")
    base = HEIGHT - BOTTOM
    plot.line(left, base, right, base, "plot-axis")
    plot.ticks()
    plot.label_below(x_label)
    plot.text(left, 10, y_label, "start", "plot-small")
    for place, own, usual in points:
        x = plot.at_x(place)
        if usual:
            plot.dot(x, plot.at_y(math.log10(usual)), f"{place}: {written(usual)}", kind="hollow")
        plot.dot(x, plot.at_y(math.log10(own)), f"{place}: {written(own)}")
    return plot.svg(title, description)
