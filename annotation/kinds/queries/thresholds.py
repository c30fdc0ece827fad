"""Whether a coefficient is high enough, by the thresholds that papers quote most."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise

ENOUGH, BORDERLINE, TOO_LOW = "enough", "borderline", "too-low"
LEVEL_NAMES: dict[str, Text] = {
    ENOUGH: _("Enough"),
    BORDERLINE: _("Borderline"),
    TOO_LOW: _("Too low"),
}


@dataclass(frozen=True)
class Verdict:
    """`level` is one of `LEVEL_NAMES`; `text` says for what the value is enough, and by whom."""

    level: str
    text: Text

    @property
    def level_name(self) -> Text:
        return LEVEL_NAMES[self.level]


# The least value of each verdict, from the highest down; the last one takes every other value.
Scale = tuple[tuple[float, Verdict], ...]

SPLIT_HALF: Scale = (
    (
        0.9,
        Verdict(
            ENOUGH, _("Scores of single items can be compared: at least 0.90 [Nunnally1978].")
        ),
    ),
    (
        0.8,
        Verdict(
            ENOUGH,
            _("Groups of items and measures can be compared: at least 0.80 [Nunnally1978]."),
        ),
    ),
    (
        0.7,
        Verdict(
            BORDERLINE,
            _(
                "Enough for early research (0.70); established research should reach 0.80"
                " [Nunnally1978]."
            ),
        ),
    ),
    (
        float("-inf"),
        Verdict(
            TOO_LOW,
            _("Even early research needs 0.70 [Nunnally1978]. More answers per item raise it."),
        ),
    ),
)
ALPHA: Scale = (
    (0.8, Verdict(ENOUGH, _("Reliable data have at least 0.80 [Krippendorff2004]."))),
    (
        0.667,
        Verdict(
            BORDERLINE,
            _(
                "Only tentative conclusions are possible between 0.667 and 0.80"
                " [Krippendorff2004]."
            ),
        ),
    ),
    (
        float("-inf"),
        Verdict(
            TOO_LOW,
            _(
                "Single answers are not reliable below 0.667 [Krippendorff2004]. Scores or"
                " labels from several answers can still be reliable."
            ),
        ),
    ),
)
ICC: Scale = (
    (0.9, Verdict(ENOUGH, _("Excellent: at least 0.90 [KooLi2016]."))),
    (0.75, Verdict(ENOUGH, _("Good: at least 0.75 [KooLi2016]."))),
    (0.5, Verdict(BORDERLINE, _("Moderate: between 0.50 and 0.75 [KooLi2016]."))),
    (float("-inf"), Verdict(TOO_LOW, _("Poor: below 0.50 [KooLi2016]."))),
)

# The same where there is an interval, whose lower end decides.
ICC_BY_LOWER_END: Scale = (
    (
        0.9,
        Verdict(
            ENOUGH, _("Excellent: the lower end of the interval is at least 0.90 [KooLi2016].")
        ),
    ),
    (
        0.75,
        Verdict(ENOUGH, _("Good: the lower end of the interval is at least 0.75 [KooLi2016].")),
    ),
    (
        0.5,
        Verdict(
            BORDERLINE,
            _("Moderate: the lower end of the interval is between 0.50 and 0.75 [KooLi2016]."),
        ),
    ),
    (
        float("-inf"),
        Verdict(TOO_LOW, _("Poor: the lower end of the interval is below 0.50 [KooLi2016].")),
    ),
)


def verdict_of(value: float | None, scale: Scale) -> Verdict | None:
    """The verdict on a coefficient; None if there is no value."""
    if value is None:
        return None
    return next(verdict for least, verdict in scale if value >= least)
