"""A scale as a screen shows it."""

from dataclasses import dataclass
from typing import Any

from annotation.basics.scale import MOST_MARKS, Scale, plain


@dataclass(frozen=True)
class ShownPoint:
    """A value of the scale."""

    # As it is sent, and as it is read.
    value: str
    number: str
    label: str
    key: str = ""


@dataclass(frozen=True)
class ShownScale:
    scale: Scale

    @property
    def points(self) -> list[ShownPoint]:
        return [self._point(value) for value in self.scale.points]

    @property
    def has_few(self) -> bool:
        return self.scale.n_points <= MOST_MARKS

    @property
    def labelled(self) -> list[ShownPoint]:
        ends = {self.scale.low, self.scale.high}
        values = sorted(ends | set(self.scale.labels))
        return [self._point(value) for value in values]

    @property
    def inner(self) -> list[ShownPoint]:
        """Points with words between the ends: where there are some, all words make a list."""
        return [p for p in self.labelled[1:-1] if p.label]

    @property
    def low(self) -> ShownPoint:
        return self._point(self.scale.low)

    @property
    def high(self) -> ShownPoint:
        return self._point(self.scale.high)

    @property
    def step(self) -> str:
        return plain(self.scale.step)

    @property
    def decimals(self) -> int:
        return self.scale.decimals

    def _point(self, value: Any) -> ShownPoint:
        sent = plain(value)
        return ShownPoint(
            sent,
            self.scale.text(value),
            self.scale.label(value),
            sent if sent.isdigit() and len(sent) == 1 else "",
        )
