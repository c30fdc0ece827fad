"""Do people rate alike: each against the others, against themselves, and one by one?

- *Inter-annotator*: every rating against the mean of its stack, over all ratings together. With
  the rating itself in the mean, as the Czech study reports it [CzechSTS], agreement is overrated:
  of nine random ratings each correlates .33 with their mean. Without it, it is not.
- *Intra-annotator*: what a person rated again against what the person said before.
- *Raters*: each person's ratings against the mean of everybody else's, a correlation for each
  person, whose mean is the "typical human" that a measure is compared with [STSS131].
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.correlation import pearson, spearman, why_undefined
from scoring.groups import group_moments, group_pearson, group_spearman, settled
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.ratings.ratings import Ratings, stack_moments
from shell.messages import Message
from shell.messages import message as _

TYPICAL_HUMAN = _(
    "Correlation of each annotator's ratings with the mean ratings of the others for "
    "the same items. The mean over annotators is called the typical human [STSS131]."
)
NO_UNIT_OF_TWO = _("no item was rated by two annotators")


@dataclass(frozen=True, eq=False)
class PairedAgreement:
    """Agreement of values that come in pairs.

    Parameters
    ----------
    definition : Message
        What was compared with what, in words.
    pearson, spearman : float
        Correlations, in [-1, 1]; nan where undefined.
    rmse, mse : float
        Root of the mean squared difference, and its square, in (squared) units of the scale; nan
        without a pair.
    n : int
        Pairs.
    n_left_out : int
        Ratings with nothing to be compared with.
    reason : Message or None
        Why there is no correlation.
    """

    definition: Message
    pearson: float
    spearman: float
    rmse: float
    mse: float
    n: int
    n_left_out: int
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "pearson": json_number(self.pearson),
            "spearman": json_number(self.spearman),
            "rmse": json_number(self.rmse),
            "mse": json_number(self.mse),
            "n": self.n,
            "n_left_out": self.n_left_out,
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class InterAnnotator:
    """Every rating against the mean of its stack.

    Parameters
    ----------
    with_itself : PairedAgreement
        The rating counts in the mean: the figure of the paper [CzechSTS].
    without_itself : PairedAgreement
        The mean is that of the other annotators.
    """

    with_itself: PairedAgreement
    without_itself: PairedAgreement

    def as_dict(self) -> JsonObject:
        """Both agreements in plain JSON types."""
        return {
            "with_itself": self.with_itself.as_dict(),
            "without_itself": self.without_itself.as_dict(),
        }


def inter_annotator(ratings: Ratings) -> InterAnnotator:
    """Compare every rating with the mean of its stack, over all ratings together.

    Parameters
    ----------
    ratings : Ratings
        m ratings. Those of units that nobody else rated are left out of both figures: compared
        with themselves they would always agree.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    others = ratings.mean_of_others()
    is_compared = ~np.isnan(others)
    stack_mean = settled(stack_moments(ratings).mean, ratings.value)[ratings.unit]
    value, n_left_out = ratings.value[is_compared], int((~is_compared).sum())
    return InterAnnotator(
        with_itself=_agreement(
            value,
            stack_mean[is_compared],
            definition=_(
                "All ratings pooled, each compared with the mean rating of its item. The mean "
                "includes the rating itself [CzechSTS]."
            ),
            n_left_out=n_left_out,
        ),
        without_itself=_agreement(
            value,
            others[is_compared],
            definition=_(
                "All ratings pooled, each compared with the mean of the other annotators' ratings "
                "of the same item."
            ),
            n_left_out=n_left_out,
        ),
    )


def intra_annotator(ratings: Ratings, again: Ratings | None = None) -> PairedAgreement:
    """Compare what people rated again with what they said before.

    Parameters
    ----------
    ratings : Ratings
        m ratings.
    again : Ratings, optional
        A later batch that numbers people and units alike, such as the repeats of an earlier round.
        Without it, the repeats within `ratings` are compared, each with the rating before it.

    Raises
    ------
    ValueError
        If two batches are compared and one holds two ratings of a unit by one person.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    if again is None:
        earlier, later = ratings.repeats()
        first, second = ratings.value[earlier], ratings.value[later]
        n_left_out = 0
    else:
        rows, rows_again = same_person_and_unit(ratings, again)
        first, second = ratings.value[rows], again.value[rows_again]
        n_left_out = again.n_ratings - len(rows_again)
    return _agreement(
        first,
        second,
        definition=_("Every repeated rating compared with the same person's previous rating."),
        n_left_out=n_left_out,
        without_pairs=_("nobody rated an item twice"),
    )


def same_person_and_unit(first: Ratings, second: Ratings) -> tuple[IntArray, IntArray]:
    """Rows of two batches in which the same person rated the same unit.

    Returns
    -------
    rows_of_first, rows_of_second : int array, shape (r,)
        Matching rows, in order of unit and person.

    Raises
    ------
    ValueError
        If the batches number people or units differently, or one person rated a unit twice in one
        of them.
    """
    for name in ("n_annotators", "n_units"):
        if (first_n := getattr(first, name)) != (second_n := getattr(second, name)):
            raise ValueError(
                f"the batches are numbered differently: {name} is {first_n} and {second_n}"
            )
    for batch in (first, second):
        if len(again := batch.repeats()[1]):
            j = int(again[0])
            raise ValueError(
                f"annotator {batch.annotator[j]} rated unit {batch.unit[j]} more than once in one "
                "batch, so it is not clear which ratings belong together; keep one of them, for "
                "instance with first_answers()"
            )
    _cells, of_first, of_second = np.intersect1d(
        first.unit * first.n_annotators + first.annotator,
        second.unit * second.n_annotators + second.annotator,
        assume_unique=True,
        return_indices=True,
    )
    return of_first, of_second


@dataclass(frozen=True, eq=False)
class RatersAgainstOthers:
    """Correlation of each annotator's ratings with the mean of everybody else's.

    Parameters
    ----------
    pearson, spearman : float array, shape (n_annotators,)
        Correlations over the units that the annotator and somebody else rated, in [-1, 1]; nan
        where undefined.
    n : int array, shape (n_annotators,)
        These units.
    reason : Message or None
        Why nobody has a correlation.
    """

    pearson: FloatArray
    spearman: FloatArray
    n: IntArray
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return TYPICAL_HUMAN

    @property
    def undefined(self) -> IntArray:
        """Annotators without a correlation: fewer than two units in common, or equal values."""
        return np.flatnonzero(np.isnan(self.pearson))

    def as_dict(self) -> JsonObject:
        """Both correlations over annotators, their mean, sd, best and worst; None for nan."""
        return {
            "definition": self.definition,
            "pearson": _over_raters(self.pearson),
            "spearman": _over_raters(self.spearman),
            "n": [int(n) for n in self.n],
            "undefined": [int(annotator) for annotator in self.undefined],
            "reason": self.reason,
        }


def _over_raters(coefficients: FloatArray) -> JsonObject:
    """Mean, sd, best and worst of the defined coefficients, and all of them."""
    defined = coefficients[~np.isnan(coefficients)]
    return {
        "mean": json_number(defined.mean()) if len(defined) else None,
        "sd": json_number(defined.std(ddof=1)) if len(defined) > 1 else None,
        "best": json_number(defined.max()) if len(defined) else None,
        "worst": json_number(defined.min()) if len(defined) else None,
        "best_annotator": int(np.nanargmax(coefficients)) if len(defined) else None,
        "worst_annotator": int(np.nanargmin(coefficients)) if len(defined) else None,
        "values": json_numbers(coefficients),
    }


def raters_against_others(ratings: Ratings) -> RatersAgainstOthers:
    """Correlate each annotator's ratings with the mean of everybody else's.

    Parameters
    ----------
    ratings : Ratings
        m ratings. What a person rated repeatedly counts once, by the mean of these ratings; it is
        no part of the mean of the others.

    References
    ----------
    [STSS131] in docs/references.md
    """
    others = ratings.mean_of_others()
    is_compared = ~np.isnan(others)
    cells, first, cell = np.unique(
        (ratings.annotator * ratings.n_units + ratings.unit)[is_compared],
        return_index=True,
        return_inverse=True,
    )
    own = group_moments(ratings.value[is_compared], cell, n_groups=len(cells)).mean
    own = settled(own, ratings.value)
    # Equal for all ratings of a person and unit, so any one of them tells it.
    others = others[is_compared][first]
    annotator = ratings.annotator[is_compared][first]

    n_annotators = ratings.n_annotators
    coefficients = group_pearson(own, others, annotator, n_groups=n_annotators)
    reason = None
    if np.isnan(coefficients).all():
        reason = (
            _(
                "each annotator shares fewer than two items with the others, or the ratings of "
                "these items are all equal"
            )
            if len(cells)
            else NO_UNIT_OF_TWO
        )
    return RatersAgainstOthers(
        coefficients,
        group_spearman(own, others, annotator, n_groups=n_annotators),
        np.bincount(annotator, minlength=n_annotators),
        reason,
    )


def _agreement(
    x: FloatArray,
    y: FloatArray,
    *,
    definition: Message,
    n_left_out: int,
    without_pairs: Message = NO_UNIT_OF_TWO,
) -> PairedAgreement:
    if len(x) == 0:
        nan = float("nan")
        return PairedAgreement(definition, nan, nan, nan, nan, 0, n_left_out, without_pairs)
    mse = float(((x - y) ** 2).mean())
    return PairedAgreement(
        definition,
        pearson=float(pearson(x, y)),
        spearman=float(spearman(x, y)),
        rmse=float(np.sqrt(mse)),
        mse=mse,
        n=len(x),
        n_left_out=n_left_out,
        reason=why_undefined(x, y),
    )
