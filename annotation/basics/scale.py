"""The scale of a rating: its ends, its steps and the words at its points."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _

# As many digits as the column of a rating has.
MAX_DECIMALS = 3
MAX_VALUE = Decimal(9999)
MAX_POINTS = 1001
LABEL_LIMIT = 120
# As many points as there can be buttons for, each with its words.
MAX_BUTTONS = 7
# A scale of at most so many points has a mark at each of them.
MAX_MARKS = 11
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,6}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")


class ScaleError(AnnotationError):
    """No scale has these ends, steps or labels."""


def number_of(text: Any) -> Decimal | None:
    """A decimal number as people or files write it; None if it is none that a scale can have."""
    written = str(text).strip().replace(",", ".")
    # No exponents: 1e9999999 is a number, too, but none to calculate with.
    if not _NUMBER.fullmatch(written):
        return None
    value = Decimal(written) + 0  # no minus before nothing
    return value if abs(value) <= MAX_VALUE and _decimals(value) <= MAX_DECIMALS else None


def _decimals(value: Decimal) -> int:
    """How many decimals a number needs: 2 for 0.25, none for 3.00."""
    exponent = value.normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` in steps, some of which have a label."""

    low: Decimal
    high: Decimal
    step: Decimal
    # By value; the two ends have one each.
    labels: Mapping[Decimal, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Scale":
        """Read what `as_json` wrote. Raises ScaleError if that is no scale."""
        numbers = [number_of(data.get(name)) for name in ("low", "high", "step")]
        low, high, step = numbers
        if low is None or high is None or step is None:
            raise ScaleError(
                _(
                    "The scale needs two ends and a step. Each must be a number with at most 3 "
                    "decimals."
                )
            )
        labels = {number_of(point): text for point, text in data.get("labels", {}).items()}
        scale = cls(low, high, step, {p: text for p, text in labels.items() if p is not None})
        scale.check()
        return scale

    @property
    def as_json(self) -> dict[str, Any]:
        """Numbers as texts, so that no digit of them changes on the way."""
        return {
            "low": self.text(self.low),
            "high": self.text(self.high),
            "step": self.text(self.step),
            "labels": {self.text(point): label for point, label in sorted(self.labels.items())},
        }

    def check(self) -> None:
        """Raise ScaleError, with what to change, unless this is a scale."""
        if self.step <= 0:
            raise ScaleError(_("The step of the scale must be above 0."))
        if self.low >= self.high:
            raise ScaleError(_("The lower end of the scale must be below the upper one."))
        if (self.high - self.low) % self.step:
            raise ScaleError(
                _(
                    "Steps of %(step)s do not lead from %(low)s exactly to %(high)s. Choose "
                    "another step or another end."
                )
                % {name: self.text(getattr(self, name)) for name in ("step", "low", "high")}
            )
        if self.n_points > MAX_POINTS:
            raise ScaleError(
                _(
                    "The scale has %(n)s points, but at most %(most)s are possible. Choose a "
                    "larger step."
                )
                % {"n": self.n_points, "most": MAX_POINTS}
            )
        for point, label in self.labels.items():
            if not self.has(point):
                raise ScaleError(
                    _("%(point)s has a label but is not a point of the scale.")
                    % {"point": plain(point)}
                )
            if len(label) > LABEL_LIMIT:
                raise ScaleError(
                    _("The label of %(point)s is longer than %(n)s characters.")
                    % {"point": plain(point), "n": LABEL_LIMIT}
                )

    @property
    def n_points(self) -> int:
        return int((self.high - self.low) / self.step) + 1

    @cached_property
    def points(self) -> tuple[Decimal, ...]:
        """Every value that can be chosen, from the lowest up."""
        return tuple(self.low + n * self.step for n in range(self.n_points))

    @property
    def is_worded(self) -> bool:
        """Whether its points are few and have words each: then they are classes to choose from."""
        return self.n_points <= MAX_BUTTONS and all(map(self.label, self.points))

    def has(self, value: Decimal) -> bool:
        """Whether a value can be chosen."""
        return self.low <= value <= self.high and not (value - self.low) % self.step

    @cached_property
    def decimals(self) -> int:
        """As many decimals as the step or an end needs: 2 for 0.00 to 4.00."""
        return max(map(_decimals, (self.low, self.high, self.step)))

    def text(self, value: Decimal) -> str:
        """A value as forms, files and pages of every language write it: 3, or 2.50."""
        return f"{value:.{self.decimals}f}"

    def label(self, value: Decimal) -> str:
        return self.labels.get(value, "")


def is_on(scale: Scale | None, value: Decimal | None) -> bool:
    """Whether a value, if there is one, can be chosen on a scale."""
    return value is None or (scale is not None and scale.has(value))


def plain(value: Decimal) -> str:
    """The shortest way to write a value, the same in forms, scripts and stored drafts: 3, 2.5."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
