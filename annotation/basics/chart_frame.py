"""The frame of a plot as SVG: its scales, axes, texts and looks, and its two widths.

No inline style: a strict Content-Security-Policy forbids it, so classes are dressed by the style
sheet, in light and dark. Alone, in a file, they are dressed by attributes, to which any style
sheet is preferred: black on white, 16 cm wide. Series differ by marker and dash, not by colour
alone. On a phone a page shows the narrow drawing of the same, whose texts are as large.
"""

import re
import textwrap
from collections.abc import Callable, Sequence
from functools import partial, wraps
from html import escape
from itertools import pairwise
from math import ceil
from typing import ParamSpec

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from annotation.basics.numbers import decimal, grouped

P = ParamSpec("P")

WIDTH, HEIGHT = 560, 260
# What a phone of 360 px leaves.
NARROW = 310
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 14, 46
WIDTH_CM = 16
# A letter of a text on average, and a line.
LETTER, LINE = 6.9, 14
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


def dressed(kind: str) -> str:
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


def px(value: float) -> str:
    """A length in pixels: two decimals are finer than any screen."""
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


class Drawing(SafeString):
    """An SVG, which can be drawn for a phone, too."""

    draw_narrow: Callable[[], SafeString]

    @property
    def narrow(self) -> SafeString:
        return self.draw_narrow()


def in_two_widths(draw: Callable[P, SafeString]) -> Callable[P, Drawing]:
    """Let a function that has an argument `width` draw for a phone, too, once that is wanted."""

    @wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> Drawing:
        svg = Drawing(draw(*args, **options))
        svg.draw_narrow = partial(draw, *args, **{**options, "width": NARROW})  # type: ignore[arg-type] # ParamSpec has no way to say that there is a `width`
        return svg

    return drawn


class Frame:
    """The frame: axes with labels, and a linear scale for each."""

    def __init__(
        self,
        *,
        x: tuple[float, float],
        y: tuple[float, float],
        width: int,
        height: int = HEIGHT,
        left: int = LEFT,
        top: int = TOP,
    ) -> None:
        self.x, self.y = x, y
        self.width, self.height, self.left, self.top = width, height, left, top
        # Lines of the label below the first one.
        self.n_more_lines = 0
        self.parts: list[str] = []

    def at_x(self, value: float) -> float:
        low, high = self.x
        return self.left + (value - low) / ((high - low) or 1) * (self.width - self.left - RIGHT)

    def at_y(self, value: float) -> float:
        low, high = self.y
        return (self.height - BOTTOM) - (value - low) / ((high - low) or 1) * (
            self.height - BOTTOM - self.top
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self.parts.append(
            f'<line {dressed(kind)} x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"/>'
        )

    def text(
        self, x: float, y: float, content: str, anchor: str = "middle", kind: str = ""
    ) -> None:
        self.parts.append(
            f'<text {dressed(f"plot-text {kind}".strip())} x="{px(x)}" y="{px(y)}"'
            f' text-anchor="{anchor}">'
            f"{escape(content)}</text>"
        )

    def bar(self, x: float, y: float, width: float, height: float, tooltip: str) -> None:
        self.parts.append(
            f'<rect {dressed("plot-bar")} x="{px(x)}" y="{px(y)}" width="{px(max(width, 0))}"'
            f' height="{px(max(height, 0))}"><title>{escape(tooltip)}</title></rect>'
        )

    def dot(
        self, x: float, y: float, tooltip: str, *, size: float = 2.6, kind: str = "dot"
    ) -> None:
        self.parts.append(
            f'<circle {dressed(f"plot-{kind}")} cx="{px(x)}" cy="{px(y)}" r="{size}">'
            f"<title>{escape(tooltip)}</title></circle>"
        )

    def axes(self, x_label: str, y_label: str, x_ticks: Sequence[float] | None = None) -> None:
        bottom = self.height - BOTTOM
        for tick in round_numbers(*self.y):
            self.line(self.left, self.at_y(tick), self.width - RIGHT, self.at_y(tick), "plot-grid")
            self.text(self.left - 6, self.at_y(tick) + 4, written(tick), "end")
        self.line(self.left, bottom, self.width - RIGHT, bottom, "plot-axis")
        self.ticks(x_ticks)
        self.label_below(x_label)
        x, y = 13, (self.top + bottom) / 2
        self.parts.append(
            f'<text {dressed("plot-text")} x="{x}" y="{px(y)}" text-anchor="middle"'
            f' transform="rotate(-90 {x} {px(y)})">{escape(y_label)}</text>'
        )

    def ticks(self, ticks: Sequence[float] | None = None) -> None:
        """The numbers below the axis, as many as have room."""
        ticks = round_numbers(*self.x) if ticks is None else ticks
        places = [self.at_x(tick) for tick in ticks]
        gaps = [right - left for left, right in pairwise(places)]
        widest = LETTER * max((len(written(tick)) for tick in ticks), default=0) + 4
        every = max(1, ceil(widest / min(gaps))) if gaps and min(gaps) > 0 else 1
        for tick in ticks[::every]:
            self.text(self.at_x(tick), self.height - BOTTOM + 16, written(tick))

    def label_below(self, label: str) -> None:
        """What the axis is of, in lines that fit; further ones lengthen the drawing."""
        middle = (self.left + self.width - RIGHT) / 2
        room = 2 * min(middle, self.width - middle)
        lines = textwrap.wrap(label, int(room / LETTER))
        for place, line in enumerate(lines):
            self.text(middle, self.height - 8 + LINE * place, line)
        self.n_more_lines = max(len(lines) - 1, 0)

    def text_within(self, x: float, y: float, content: str, anchor: str) -> None:
        """A text that begins or ends at x, unless it would leave the drawing."""
        content = shortened(content, int(self.width / LETTER))
        room = LETTER * len(content)
        x = max(x, room) if anchor == "end" else max(0, min(x, self.width - room))
        self.text(x, y, content, anchor)

    def svg(self, title: str, description: str) -> SafeString:
        # Two plots of a page have two titles, and so have two drawings of one.
        is_narrow = self.width < WIDTH
        name = f"{slugify(title)}{'-narrow' * is_narrow}"
        height = self.height + LINE * self.n_more_lines
        svg = (
            f'<svg class="plot{" plot-narrow" * is_narrow}" role="img"'
            f' viewBox="0 0 {self.width} {height}"'
            f' width="{WIDTH_CM}cm" height="{px(WIDTH_CM * height / self.width)}cm"'
            f' aria-labelledby="{name}-title {name}-desc"'
            ' xmlns="http://www.w3.org/2000/svg">'
            f'<title id="{name}-title">{escape(title)}</title>'
            f'<desc id="{name}-desc">{escape(description)}</desc>'
            f'<path {dressed("plot-paper")} d="M0 0H{self.width}V{height}H0Z"/>'
            f"{''.join(self.parts)}</svg>"
        )
        svg = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", svg)
        return mark_safe(svg)  # noqa: S308 - every text in it was escaped


def shortened(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
