"""Horizontal bars with their names."""

from collections.abc import Sequence

from django.utils.safestring import SafeString

from annotation.basics.chart_frame import (
    BOTTOM,
    LETTER,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    in_two_widths,
    round_numbers,
    shortened,
    written,
)
from annotation.basics.numbers import decimal

# Letters of the name of a bar, how wide one is at most, and the least room for the names.
MAX_BAR_NAME = 30
_LEAST_LEFT = 150
# A row, and one whose name stands above its bar.
_ROW, _HIGH_ROW = 26, 44


@in_two_widths
def bars(
    rows: Sequence[tuple[str, float | None]],
    *,
    title: str,
    x_label: str,
    description: str,
    x: tuple[float, float] = (0.0, 1.0),
    missing: str = "–",
    width: int = WIDTH,
) -> SafeString:
    """Horizontal bars with their names and values written beside them."""
    is_narrow = width < WIDTH
    row_height = _HIGH_ROW if is_narrow else _ROW
    height = TOP + BOTTOM + row_height * max(len(rows), 1)
    values = [v for _, v in rows if v is not None]
    low = min([x[0], *values])
    names = [shortened(name, MAX_BAR_NAME) for name, _value in rows]
    longest = max((len(name) for name in names), default=0)
    plot = Frame(
        width=width,
        x=(low, max([x[1], *values])),
        y=(0, max(len(rows), 1)),
        height=height,
        left=RIGHT if is_narrow else max(_LEAST_LEFT, round(8 + longest * LETTER)),
    )
    bottom = height - BOTTOM
    for tick in round_numbers(*plot.x):
        plot.line(plot.at_x(tick), TOP, plot.at_x(tick), bottom, "plot-grid")
    plot.line(plot.at_x(0), TOP, plot.at_x(0), bottom, "plot-axis")
    plot.ticks()
    plot.label_below(x_label)
    for number, (name, value) in enumerate(rows):
        y = TOP + row_height * (number + 1) - _ROW + 5
        if is_narrow:
            plot.text(plot.left + 4, y - 6, names[number], "start")
        else:
            plot.text(plot.left - 8, y + 12, names[number], "end")
        if value is None:
            plot.text(plot.at_x(0) + 6, y + 12, missing, "start")
            continue
        x1, x2 = sorted((plot.at_x(0), plot.at_x(value)))
        plot.bar(x1, y, x2 - x1, 16, f"{name}: {written(value)}")
        inside = x2 > plot.width - RIGHT - 44
        kind = "plot-inside" if inside else ""
        plot.text(
            x2 - 6 if inside else x2 + 6,
            y + 12,
            decimal(value, 2),
            "end" if inside else "start",
            kind,
        )
    return plot.svg(title, description)
