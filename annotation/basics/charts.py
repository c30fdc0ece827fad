"""Plots as SVG, drawn on the server: readable without colour, described in words.

No inline style: a strict Content-Security-Policy forbids it, so classes are dressed by the style
sheet, in light and dark. Alone, in a file, they are dressed by attributes, to which any style
sheet is preferred: black on white, 16 cm wide. Series differ by marker and dash, not by colour
alone.
"""

import re
from collections.abc import Sequence
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.basics.numbers import decimal, grouped

WIDTH, HEIGHT = 560, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 14, 46
WIDTH_CM = 16
# Above it a whole number is written with an exponent, too.
_MAX_WRITTEN_OUT = 10**9

_INK, _OTHER, _PAPER = "#2f5f78", "#a34a00", "#ffffff"
_FONT = 'font-family="DejaVu Sans, Verdana, Arial, sans-serif" fill="#1a1a1a"'
# XML knows no such characters, not even escaped: one in a name, and no program opens the file.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# How each class looks where no style sheet reaches it.
_LOOKS = {
    "plot-paper": f'fill="{_PAPER}"',
    "plot-text": f'{_FONT} font-size="12"',
    "plot-text plot-small": f'{_FONT} font-size="10"',
    "plot-text plot-label": f'{_FONT} font-size="12"',
    "plot-text plot-inside": f'{_FONT.replace("#1a1a1a", _PAPER)} font-size="12"',
    "plot-axis": 'stroke="#1a1a1a" stroke-width="1"',
    "plot-grid": 'stroke="#d5d5d5" stroke-width="1"',
    "plot-bar": f'fill="{_INK}"',
    "plot-dot": f'fill="{_INK}"',
    "plot-hollow": f'fill="{_PAPER}" stroke="{_OTHER}" stroke-width="1.4"',
    "plot-range": f'stroke="{_OTHER}" stroke-width="1"',
    "plot-line": f'fill="none" stroke="{_INK}" stroke-width="2"',
    "plot-line plot-line-1": f'fill="none" stroke="{_OTHER}" stroke-width="2"'
    ' stroke-dasharray="6 4"',
    "plot-line plot-line-2": f'fill="none" stroke="{_INK}" stroke-width="2"'
    ' stroke-dasharray="2 3"',
    "plot-line plot-line-3": f'fill="none" stroke="{_OTHER}" stroke-width="2"'
    ' stroke-dasharray="10 3 2 3"',
    "plot-mean plot-mean-0": f'stroke="{_INK}" stroke-width="2"',
    "plot-mean plot-mean-1": f'stroke="{_OTHER}" stroke-width="2" stroke-dasharray="6 4"',
}


def _dressed(kind: str) -> str:
    """The attributes of a class: for the pages its name, for a file how it looks."""
    return f'class="{kind}" {_LOOKS[kind]}'


def written(value: float) -> str:
    # Adding 0 turns -0, which the steps of a scale arrive at, into 0.
    text = f"{value + 0.0:.4g}"
    # A text for people; coordinates are `_at`'s. Other exponents stay as they are.
    if "e" not in text:
        return decimal(float(text), len(text.partition(".")[2]))
    return (
        grouped(int(value))
        if float(value).is_integer() and abs(value) < _MAX_WRITTEN_OUT
        else text
    )


def _at(value: float) -> str:
    """A coordinate: two decimals are finer than any screen."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def round_numbers(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from low to high."""
    if high <= low:
        return [low]
    raw = (high - low) / about
    step = 1.0
    for candidate in (k * 10**e for e in range(-6, 9) for k in (1, 2, 5)):
        if candidate >= raw:
            step = float(candidate)
            break
    first = -(-low // step) * step
    ticks = []
    while first <= high + step * 1e-9:
        ticks.append(round(first, 10) + 0.0)
        first += step
    return ticks


class Frame:
    """The frame: axes with labels, and a linear scale for each."""

    def __init__(
        self,
        *,
        x: tuple[float, float],
        y: tuple[float, float],
        height: int = HEIGHT,
        left: int = LEFT,
        top: int = TOP,
    ) -> None:
        self.x, self.y = x, y
        self.height, self.left, self.top = height, left, top
        self.parts: list[str] = []

    def at_x(self, value: float) -> float:
        low, high = self.x
        return self.left + (value - low) / ((high - low) or 1) * (WIDTH - self.left - RIGHT)

    def at_y(self, value: float) -> float:
        low, high = self.y
        return (self.height - BOTTOM) - (value - low) / ((high - low) or 1) * (
            self.height - BOTTOM - self.top
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self.parts.append(
            f'<line {_dressed(kind)} x1="{_at(x1)}" y1="{_at(y1)}" x2="{_at(x2)}" y2="{_at(y2)}"/>'
        )

    def text(
        self, x: float, y: float, content: str, anchor: str = "middle", kind: str = ""
    ) -> None:
        self.parts.append(
            f'<text {_dressed(f"plot-text {kind}".strip())} x="{_at(x)}" y="{_at(y)}"'
            f' text-anchor="{anchor}">'
            f"{escape(content)}</text>"
        )

    def bar(self, x: float, y: float, width: float, height: float, tooltip: str) -> None:
        self.parts.append(
            f'<rect {_dressed("plot-bar")} x="{_at(x)}" y="{_at(y)}" width="{_at(max(width, 0))}"'
            f' height="{_at(max(height, 0))}"><title>{escape(tooltip)}</title></rect>'
        )

    def dot(
        self, x: float, y: float, tooltip: str, *, size: float = 2.6, kind: str = "dot"
    ) -> None:
        self.parts.append(
            f'<circle {_dressed(f"plot-{kind}")} cx="{_at(x)}" cy="{_at(y)}" r="{size}">'
            f"<title>{escape(tooltip)}</title></circle>"
        )

    def axes(self, x_label: str, y_label: str, x_ticks: Sequence[float] | None = None) -> None:
        bottom = self.height - BOTTOM
        for tick in round_numbers(*self.y):
            self.line(self.left, self.at_y(tick), WIDTH - RIGHT, self.at_y(tick), "plot-grid")
            self.text(self.left - 6, self.at_y(tick) + 4, written(tick), "end")
        self.line(self.left, bottom, WIDTH - RIGHT, bottom, "plot-axis")
        for tick in round_numbers(*self.x) if x_ticks is None else x_ticks:
            self.text(self.at_x(tick), bottom + 16, written(tick))
        self.text((self.left + WIDTH - RIGHT) / 2, self.height - 8, x_label)
        x, y = 13, (self.top + bottom) / 2
        self.parts.append(
            f'<text {_dressed("plot-text")} x="{x}" y="{_at(y)}" text-anchor="middle"'
            f' transform="rotate(-90 {x} {_at(y)})">{escape(y_label)}</text>'
        )

    def svg(self, title: str, description: str) -> SafeString:
        # Two plots of a page have two titles.
        name = slugify(title)
        svg = (
            f'<svg class="plot" role="img" viewBox="0 0 {WIDTH} {self.height}"'
            f' width="{WIDTH_CM}cm" height="{_at(WIDTH_CM * self.height / WIDTH)}cm"'
            f' aria-labelledby="{name}-title {name}-desc"'
            ' xmlns="http://www.w3.org/2000/svg">'
            f'<title id="{name}-title">{escape(title)}</title>'
            f'<desc id="{name}-desc">{escape(description)}</desc>'
            f'<path {_dressed("plot-paper")} d="M0 0H{WIDTH}V{self.height}H0Z"/>'
            f"{''.join(self.parts)}</svg>"
        )
        svg = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", svg)
        return mark_safe(svg)  # noqa: S308 - every text in it was escaped


def histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    x_ticks: Sequence[float] | None = None,
) -> SafeString:
    """Bars over intervals, each labelled with its count while there is room."""
    plot = Frame(x=(edges[0], edges[-1]), y=(0, max([*counts, 1]) * 1.08))
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


def dots(
    series: Sequence[tuple[str, Sequence[float | None]]],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
) -> SafeString:
    """One value a repeat; each series has a marker of its own and a line at its mean."""
    values = [v for _, values_of_series in series for v in values_of_series if v is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = max((high - low) * 0.1, 0.01)
    n = max((len(values_of_series) for _, values_of_series in series), default=1)
    # The names stand above the plot, where no dot can hide them.
    plot = Frame(x=(0, n + 1), y=(max(low - room, -1.0), min(high + room, 1.0)), top=TOP + 20)
    plot.axes(x_label, y_label, [tick for tick in round_numbers(*plot.x) if 1 <= tick <= n])
    for number, (name, points) in enumerate(series):
        known = [v for v in points if v is not None]
        for repeat, value in enumerate(points, start=1):
            if value is not None:
                x, y = plot.at_x(repeat), plot.at_y(value)
                plot.parts.append(_marker(number, x, y, f"{name} {repeat}: {written(value)}"))
        x = plot.left + 8 + number * (WIDTH - plot.left - RIGHT) / max(len(series), 1)
        plot.parts.append(_marker(number, x, 12, name))
        label = f"{name}: {decimal(sum(known) / len(known), 3)}" if known else f"{name}: –"
        plot.text(x + 10, 16, label, "start", "plot-label")
        if known:
            y = plot.at_y(sum(known) / len(known))
            plot.line(plot.left, y, WIDTH - RIGHT, y, f"plot-mean plot-mean-{number % 2}")
    return plot.svg(title, description)


def curve(
    points: Sequence[tuple[float, float]],
    *,
    marked: float,
    title: str,
    x_label: str,
    y_label: str,
    mark_label: str,
    description: str,
) -> SafeString:
    """A line through points, from 0 to 1, and a vertical one where we are now."""
    plot = Frame(x=(0, max((x for x, _y in points), default=1.0)), y=(0.0, 1.0), top=TOP + 20)
    plot.axes(x_label, y_label)
    x = plot.at_x(marked)
    plot.line(x, plot.at_y(0), x, plot.top - 4, "plot-mean plot-mean-1")
    # Beside the line, where there is more room.
    is_left = marked * 2 > plot.x[1]
    plot.text(x - 6 if is_left else x + 6, 16, mark_label, "end" if is_left else "start")
    path = " ".join(
        f"{'L' if place else 'M'}{_at(plot.at_x(x))} {_at(plot.at_y(y))}"
        for place, (x, y) in enumerate(points)
    )
    plot.parts.append(f'<path {_dressed("plot-line")} d="{path}"/>')
    for x, y in points:
        plot.parts.append(_marker(0, plot.at_x(x), plot.at_y(y), f"{written(x)}: {written(y)}"))
    return plot.svg(title, description)


Points = Sequence[tuple[float, float | None]]
# Of more series nobody could tell the lines apart.
MAX_LINES = 4
# On a line of more points they would cover it.
_MAX_MARKED_POINTS = 60


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
) -> SafeString:
    """A line through the points of each series, told apart by its dashes; none where y is None.

    `x` and `y` are at least what the axes cover; `diagonal` draws the line of equal x and y.
    """
    known = [(at, value) for _name, points in series for at, value in points if value is not None]
    across = [at for at, _value in known] + list(x or ()) or [0.0, 1.0]
    up = [value for _at, value in known] + list(y or ()) or [0.0, 1.0]
    rows = -(-len(series) // 2)
    room = (max(up) - min(up)) * 0.04
    plot = Frame(
        x=(min(across), max(across)),
        y=(min(up) - (0 if y else room), max(up) + (0 if y else room)),
        height=HEIGHT + 18 * rows,
        top=TOP + 18 * rows,
    )
    plot.axes(x_label, y_label)
    if diagonal:
        low, high = max(plot.x[0], plot.y[0]), min(plot.x[1], plot.y[1])
        ends = plot.at_x(low), plot.at_y(low), plot.at_x(high), plot.at_y(high)
        plot.line(*ends, "plot-grid")
    for number, (name, points) in enumerate(series):
        kind = f"plot-line plot-line-{number % MAX_LINES}" if number % MAX_LINES else "plot-line"
        plot.parts.append(f'<path {_dressed(kind)} d="{_path(plot, points)}"/>')
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
        # The names stand above the plot, two in a row, where no line can hide them.
        left = plot.left + 8 + number % 2 * (WIDTH - plot.left - RIGHT) / 2
        at_name = TOP + 18 * (number // 2)
        plot.parts.append(f'<path {_dressed(kind)} d="M{_at(left)} {at_name}h24"/>')
        if is_marked:
            plot.parts.append(_marker(number, left + 12, at_name, name))
        plot.text(left + 30, at_name + 4, shortened(name, 32), "start")
    return plot.svg(title, description)


def shortened(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _path(plot: Frame, points: Points) -> str:
    """A line that is broken where a value is missing."""
    drawn, is_on = [], False
    for at, value in points:
        if value is not None:
            drawn.append(f"{'L' if is_on else 'M'}{_at(plot.at_x(at))} {_at(plot.at_y(value))}")
        is_on = value is not None
    return " ".join(drawn)


def _marker(number: int, x: float, y: float, tooltip: str) -> str:
    title = f"<title>{escape(tooltip)}</title>"
    if number % MAX_LINES == 3:
        corners = ((x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y))
        points = " ".join(f"{_at(right)},{_at(down)}" for right, down in corners)
        return f'<polygon {_dressed("plot-hollow")} points="{points}">{title}</polygon>'
    if number % 2:
        points = (
            f"{_at(x)},{_at(y - 3.6)} {_at(x + 3.4)},{_at(y + 2.6)} {_at(x - 3.4)},{_at(y + 2.6)}"
        )
        return f'<polygon {_dressed("plot-hollow")} points="{points}">{title}</polygon>'
    if number % MAX_LINES == 2:
        place = f'x="{_at(x - 2.8)}" y="{_at(y - 2.8)}" width="5.6" height="5.6"'
        return f"<rect {_dressed('plot-dot')} {place}>{title}</rect>"
    at = f'cx="{_at(x)}" cy="{_at(y)}" r="2.6"'
    return f"<circle {_dressed('plot-dot')} {at}>{title}</circle>"
