"""Plots as SVG, drawn on the server: readable without colour, described in words.

Series differ by marker and dash, not by colour alone.
"""

from collections.abc import Sequence
from html import escape

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.basics.chart_frame import (
    HEIGHT,
    LEFT,
    LETTER,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    dressed,
    in_two_widths,
    px,
    round_numbers,
    shortened,
    written,
)
from annotation.basics.numbers import decimal


@in_two_widths
def histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    x_ticks: Sequence[float] | None = None,
    width: int = WIDTH,
) -> SafeString:
    """Bars over intervals, each labelled with its count while there is room."""
    plot = Frame(width=width, x=(edges[0], edges[-1]), y=(0, max([*counts, 1]) * 1.08))
    plot.axes(x_label, y_label, x_ticks)
    for left, right, n in zip(edges, edges[1:], counts, strict=False):
        x1, x2, y = plot.at_x(left), plot.at_x(right), plot.at_y(n)
        tooltip = _("%(low)s to %(high)s: %(n)s") % {
            "low": written(left),
            "high": written(right),
            "n": n,
        }
        plot.bar(x1 + 1, y, x2 - x1 - 2, plot.at_y(0) - y, tooltip)
        if n and x2 - x1 >= 16:
            plot.text((x1 + x2) / 2, y - 3, str(n), kind="plot-small")
    return plot.svg(title, description)


@in_two_widths
def dots(
    series: Sequence[tuple[str, Sequence[float | None]]],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    width: int = WIDTH,
) -> SafeString:
    """One value a repeat; each series has a marker of its own and a line at its mean."""
    values = [v for _, values_of_series in series for v in values_of_series if v is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = max((high - low) * 0.1, 0.01)
    n = max((len(values_of_series) for _, values_of_series in series), default=1)
    # The names stand above the plot, where no dot can hide them; on a phone below each other.
    is_narrow = width < WIDTH
    plot = Frame(
        width=width,
        x=(0, n + 1),
        y=(max(low - room, -1.0), min(high + room, 1.0)),
        top=TOP + 2 + 18 * (len(series) if is_narrow else 1),
    )
    plot.axes(x_label, y_label, [tick for tick in round_numbers(*plot.x) if 1 <= tick <= n])
    for number, (name, points) in enumerate(series):
        known = [v for v in points if v is not None]
        for repeat, value in enumerate(points, start=1):
            if value is not None:
                x, y = plot.at_x(repeat), plot.at_y(value)
                plot.parts.append(_marker(number, x, y, f"{name} {repeat}: {written(value)}"))
        x, above = plot.left + 8.0, 12 + 18 * number
        if not is_narrow:
            x, above = x + number * (plot.width - plot.left - RIGHT) / max(len(series), 1), 12
        plot.parts.append(_marker(number, x, above, name))
        label = f"{name}: {decimal(sum(known) / len(known), 3)}" if known else f"{name}: –"
        plot.text(x + 10, above + 4, label, "start", "plot-label")
        if known:
            y = plot.at_y(sum(known) / len(known))
            plot.line(plot.left, y, plot.width - RIGHT, y, f"plot-mean plot-mean-{number % 2}")
    return plot.svg(title, description)


@in_two_widths
def curve(
    points: Sequence[tuple[float, float]],
    *,
    marked: float,
    title: str,
    x_label: str,
    y_label: str,
    mark_label: str,
    description: str,
    width: int = WIDTH,
) -> SafeString:
    """A line through points, from 0 to 1, and a vertical one where we are now."""
    plot = Frame(
        width=width, x=(0, max((x for x, _y in points), default=1.0)), y=(0.0, 1.0), top=TOP + 20
    )
    plot.axes(x_label, y_label)
    x = plot.at_x(marked)
    plot.line(x, plot.at_y(0), x, plot.top - 4, "plot-mean plot-mean-1")
    # Beside the line, where there is more room.
    is_left = marked * 2 > plot.x[1]
    plot.text_within(x - 6 if is_left else x + 6, 16, mark_label, "end" if is_left else "start")
    path = " ".join(
        f"{'L' if place else 'M'}{px(plot.at_x(x))} {px(plot.at_y(y))}"
        for place, (x, y) in enumerate(points)
    )
    plot.parts.append(f'<path {dressed("plot-line")} d="{path}"/>')
    for x, y in points:
        plot.parts.append(_marker(0, plot.at_x(x), plot.at_y(y), f"{written(x)}: {written(y)}"))
    return plot.svg(title, description)


Points = Sequence[tuple[float, float | None]]
# Of more series nobody could tell the lines apart.
MAX_LINES = 4
# On a line of more points they would cover it.
_MAX_MARKED_POINTS = 60


@in_two_widths
def lines(
    series: Sequence[tuple[str, Points]],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    x: tuple[float, float] | None = None,
    y: tuple[float, float] | None = None,
    is_marked: bool = True,
    diagonal: bool = False,
    width: int = WIDTH,
) -> SafeString:
    """A line through the points of each series, told apart by its dashes; none where y is None.

    `x` and `y` are at least what the axes cover; `diagonal` draws the line of equal x and y.
    """
    known = [(at, value) for _name, points in series for at, value in points if value is not None]
    across = [at for at, _value in known] + list(x or ()) or [0.0, 1.0]
    up = [value for _at, value in known] + list(y or ()) or [0.0, 1.0]
    per_row, most = (2, 32) if width == WIDTH else (1, int((width - LEFT - 38) / LETTER))
    rows = -(-len(series) // per_row)
    room = (max(up) - min(up)) * 0.04
    plot = Frame(
        width=width,
        x=(min(across), max(across)),
        y=(min(up) - (0 if y else room), max(up) + (0 if y else room)),
        height=HEIGHT + 18 * rows,
        top=TOP + 18 * rows,
    )
    plot.axes(x_label, y_label)
    if diagonal:
        low, high = max(plot.x[0], plot.y[0]), min(plot.x[1], plot.y[1])
        ends = plot.at_x(low), plot.at_y(low), plot.at_x(high), plot.at_y(high)
        plot.line(*ends, "plot-axis")
    for number, (name, points) in enumerate(series):
        kind = f"plot-line plot-line-{number % MAX_LINES}" if number % MAX_LINES else "plot-line"
        plot.parts.append(f'<path {dressed(kind)} d="{_path(plot, points)}"/>')
        if is_marked and len(points) <= _MAX_MARKED_POINTS:
            plot.parts += [
                _marker(
                    number,
                    plot.at_x(at),
                    plot.at_y(value),
                    f"{name}, {written(at)}: {written(value)}",
                )
                for at, value in points
                if value is not None
            ]
        # The names stand above the plot, where no line can hide them.
        left = plot.left + 8.0 + number % per_row * (plot.width - plot.left - RIGHT) / per_row
        at_name = TOP + 18 * (number // per_row)
        plot.parts.append(f'<path {dressed(kind)} d="M{px(left)} {at_name}h24"/>')
        if is_marked:
            plot.parts.append(_marker(number, left + 12, at_name, name))
        plot.text(left + 30, at_name + 4, shortened(name, most), "start")
    return plot.svg(title, description)


def _path(plot: Frame, points: Points) -> str:
    """A line that is broken where a value is missing."""
    drawn, is_on = [], False
    for at, value in points:
        if value is not None:
            drawn.append(f"{'L' if is_on else 'M'}{px(plot.at_x(at))} {px(plot.at_y(value))}")
        is_on = value is not None
    return " ".join(drawn)


def _marker(number: int, x: float, y: float, tooltip: str) -> str:
    title = f"<title>{escape(tooltip)}</title>"
    if number % MAX_LINES == 3:
        corners = ((x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y))
        points = " ".join(f"{px(right)},{px(down)}" for right, down in corners)
        return f'<polygon {dressed("plot-hollow")} points="{points}">{title}</polygon>'
    if number % 2:
        points = f"{px(x)},{px(y - 3.6)} {px(x + 3.4)},{px(y + 2.6)} {px(x - 3.4)},{px(y + 2.6)}"
        return f'<polygon {dressed("plot-hollow")} points="{points}">{title}</polygon>'
    if number % MAX_LINES == 2:
        place = f'x="{px(x - 2.8)}" y="{px(y - 2.8)}" width="5.6" height="5.6"'
        return f"<rect {dressed('plot-dot')} {place}>{title}</rect>"
    at = f'cx="{px(x)}" cy="{px(y)}" r="2.6"'
    return f"<circle {dressed('plot-dot')} {at}>{title}</circle>"
