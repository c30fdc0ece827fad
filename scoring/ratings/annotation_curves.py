"""How agreement goes with practice and with time, and how long people waited between phases.

Ratings are compared with the mean that the *other* annotators gave the unit: a mean that holds the
rating itself would agree with it however careless it is. Or they are compared with a reference,
such as what the first round of several said of the unit.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import group_moments, group_pearson, group_sums, ratio
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.ratings.ratings import Ratings
from shell.messages import Message
from shell.messages import message as _


@dataclass(frozen=True, eq=False)
class AgreementCurve:
    """Agreement with the others in consecutive classes of ratings.

    Parameters
    ----------
    definition : Message
        What was computed, in words.
    start : float array, shape (b,)
        Lower end of each class that has ratings, in ascending order.
    width : float
        Width of a class.
    unit : str
        What `start` and `width` count.
    pearson : float array, shape (b,)
        Correlation of a class's ratings with the means of the others; nan where undefined.
    rmse : float array, shape (b,)
        Root of their mean squared difference, in units of the scale.
    n : int array, shape (b,)
        Ratings of each class.
    n_left_out : int
        Ratings of unknown time, or of units that nobody else rated.
    reason : Message or None
        Why there is no curve.
    """

    definition: Message
    start: FloatArray
    width: float
    unit: str
    pearson: FloatArray
    rmse: FloatArray
    n: IntArray
    n_left_out: int
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """The curve in plain JSON types, with the definition; None in place of nan."""
        return {
            "definition": self.definition,
            "start": json_numbers(self.start),
            "width": self.width,
            "unit": self.unit,
            "pearson": json_numbers(self.pearson),
            "rmse": json_numbers(self.rmse),
            "n": [int(n) for n in self.n],
            "n_left_out": self.n_left_out,
            "reason": self.reason,
        }


def calibration_curve(
    ratings: Ratings, *, width: int = 1, reference: FloatArray | None = None
) -> AgreementCurve:
    """Agreement with the others against the number of annotations already made.

    Parameters
    ----------
    ratings : Ratings
        m ratings with `order`.
    width : int
        Consecutive places put together, at least 1: with 10, the first ten annotations of all
        people make one class.
    reference : float array, shape (n_units,), optional
        What an earlier round said of each unit, to compare with in place of the others; nan where
        it said nothing.

    Raises
    ------
    ValueError
        If the ratings have no order, the width is below 1, or there is not one reference value for
        each unit.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    if ratings.order is None:
        raise ValueError("a calibration curve needs the order of each annotator's ratings")
    if width < 1:
        raise ValueError(f"width must be at least 1, not {width}")
    return _curve(
        ratings,
        np.floor_divide(ratings.order, width).astype(np.float64),
        width=float(width),
        unit="annotations already made",
        definition=_(
            "Ratings compared with the mean of the other annotators, by the number of ratings "
            "that the annotator had already given [CzechSTS]."
        )
        if reference is None
        else _(
            "Ratings compared with the first round's ratings of the same items, by the number"
            " of ratings that the annotator had already given [CzechSTS]."
        ),
        reference=reference,
    )


def error_by_thinking_time(
    ratings: Ratings, *, bucket_s: float = 1.0, reference: FloatArray | None = None
) -> AgreementCurve:
    """Error against the others by thinking time.

    Parameters
    ----------
    ratings : Ratings
        m ratings with `thinking_ms`.
    bucket_s : float
        Width of a bucket in seconds, above 0. A time at an end belongs to the bucket above it;
        buckets without ratings are left out.
    reference : float array, shape (n_units,), optional
        As of `calibration_curve`.

    Raises
    ------
    ValueError
        If the ratings have no thinking times, the bucket has no width, or there is not one
        reference value for each unit.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    if ratings.thinking_ms is None:
        raise ValueError("the error by thinking time needs the thinking time of each rating")
    if not bucket_s > 0:
        raise ValueError(f"bucket_s must be above 0, not {bucket_s}")
    return _curve(
        ratings,
        np.floor(ratings.thinking_ms / (1000.0 * bucket_s)),
        width=bucket_s,
        unit="seconds",
        definition=_(
            "Ratings compared with the mean of the other annotators, by thinking time in steps "
            "of %(seconds)s s [CzechSTS].",
            seconds=bucket_s,
        )
        if reference is None
        else _(
            "Ratings compared with the first round's ratings of the same items, by thinking "
            "time in steps of %(seconds)s s [CzechSTS].",
            seconds=bucket_s,
        ),
        reference=reference,
    )


def _curve(
    ratings: Ratings,
    number: FloatArray,
    *,
    width: float,
    unit: str,
    definition: Message,
    reference: FloatArray | None,
) -> AgreementCurve:
    """Agreement of the ratings in each class, numbered by `number`, shape (m,); nan: unknown."""
    if reference is not None and reference.shape != (ratings.n_units,):
        raise ValueError(
            f"reference has shape {reference.shape}, but there are {ratings.n_units} units"
        )
    others = ratings.mean_of_others() if reference is None else reference[ratings.unit]
    is_compared = ~(np.isnan(others) | np.isnan(number))
    value, others = ratings.value[is_compared], others[is_compared]
    numbers, group = np.unique(number[is_compared], return_inverse=True)
    n_groups = len(numbers)
    n = np.bincount(group, minlength=n_groups)
    mse = ratio(group_sums((value - others) ** 2, group, n_groups=n_groups), n)
    return AgreementCurve(
        definition,
        start=numbers * width,
        width=width,
        unit=unit,
        pearson=group_pearson(value, others, group, n_groups=n_groups),
        rmse=np.sqrt(mse),
        n=n,
        n_left_out=int((~is_compared).sum()),
        reason=None if n_groups else _why_none(number, has_reference=reference is not None),
    )


def _why_none(number: FloatArray, *, has_reference: bool) -> Message:
    """Why a curve has no class: an order is always known, a time need not be."""
    if len(number) and np.isnan(number).all():
        return _("no rating has a known thinking time")
    if has_reference:
        return _("the first round has no ratings of these items")
    return _("no rating can be compared with those of other annotators")


@dataclass(frozen=True, eq=False)
class WaitingTimes:
    """How long each annotator waited between two phases.

    Parameters
    ----------
    hours : float array, shape (n_annotators,)
        From the last rating of the first phase to the first one of the second; nan for people
        without known times in both. Below 0 where the phases overlap.
    """

    hours: FloatArray

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return (
            "Hours from an annotator's last rating in the first phase to the same person's first "
            "rating in the second."
        )

    @property
    def reason(self) -> str | None:
        """Why nobody has a waiting time."""
        if np.isnan(self.hours).all():
            return "nobody has ratings of known time in both phases"
        return None

    def as_dict(self) -> JsonObject:
        """Distribution over annotators in plain JSON types, with the definition."""
        known = self.hours[~np.isnan(self.hours)]
        names = ["min", "quartile_1", "median", "quartile_3", "max"]
        quantiles = np.quantile(known, np.linspace(0, 1, 5)) if len(known) else np.full(5, np.nan)
        return {
            "definition": self.definition,
            "n": len(known),
            "mean": json_number(known.mean()) if len(known) else None,
            "sd": json_number(known.std(ddof=1)) if len(known) > 1 else None,
            **{name: json_number(q) for name, q in zip(names, quantiles, strict=True)},
            "n_overlapping": int((known < 0).sum()),
            "hours": json_numbers(self.hours),
            "reason": self.reason,
        }


def waiting_times(first: Ratings, second: Ratings) -> WaitingTimes:
    """Time that each annotator let pass between two phases.

    Parameters
    ----------
    first, second : Ratings
        Ratings of the two phases with `submitted_at`, by people numbered alike.

    Raises
    ------
    ValueError
        If times are missing altogether or the batches number people differently.
    """
    if first.submitted_at is None or second.submitted_at is None:
        raise ValueError("waiting times need the times at which the ratings were submitted")
    if first.n_annotators != second.n_annotators:
        raise ValueError(
            f"the batches have {first.n_annotators} and {second.n_annotators} annotators: both "
            "have to number the same people"
        )
    ends = _moments_of_known_times(first, first.submitted_at)
    starts = _moments_of_known_times(second, second.submitted_at)
    return WaitingTimes((starts[0] - ends[1]) / 3600)


def _moments_of_known_times(ratings: Ratings, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First and last known time of each annotator, each (n_annotators,); nan for nobody."""
    is_known = ~np.isnan(at)
    times = group_moments(at[is_known], ratings.annotator[is_known], n_groups=ratings.n_annotators)
    return times.low, times.high
