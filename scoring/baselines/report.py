"""The report of a study's measures: people's scores x measures x subsets, and every difference.

Symbols: n items, k measures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.subset_figures import SubsetReport
from scoring.baselines.subset_report import Subset
from scoring.bootstrap import METHODS, MIN_POOLS
from scoring.decimals import in_words, rounded
from scoring.json_values import JsonObject, JsonValue, json_number
from scoring.measures.comparison import COEFFICIENTS, FISHER, check_request, complete_items
from scoring.measures.correlation_tests import TESTS, DifferenceTest
from scoring.measures.holm import HOLM
from scoring.measures.leaderboard import EVERYTHING
from scoring.measures.noise_ceiling import NoiseCeiling
from scoring.measures.pool_spread import OVER_POOLS
from scoring.measures.weighted_correlation import Coefficient
from scoring.measures.within_pools import DIFFERENCE_WITHIN_POOLS, WITHIN_POOLS
from scoring.ratings.rater_agreement import TYPICAL_HUMAN
from shell.messages import Message
from shell.messages import message as _

# Items times resamples: beyond this fewer are drawn, since intervals of so many items are narrow.
MAX_DRAWN = 50_000_000
# But never fewer than these, unless fewer were asked for.
MIN_RESAMPLES = 200

RESAMPLED = _(
    "If items share pools, the intervals of correlations that hold best are by Fisher's z with the"
    " standard error over pools, and the test of a difference leaves out pools. With fewer than"
    " %(least)s pools, no pools are resampled.",
    least=MIN_POOLS,
)


@dataclass(frozen=True, eq=False)
class TypicalHuman:
    """How closely raters follow the mean of the other raters: a line beside the noise ceiling.

    Parameters
    ----------
    mean, sd, best, worst : float
        Over the raters' Pearson correlations, n - 1 in the denominator of sd; nan where undefined.
    n : int
        Raters who have one.
    reason : Message or None
        Why there is no mean.

    References
    ----------
    [STSS131] in docs/references.md
    """

    mean: float
    sd: float
    best: float
    worst: float
    n: int
    reason: Message | None = None

    def as_dict(self) -> JsonObject:
        """All of it in plain JSON types."""
        return {
            "mean": json_number(self.mean),
            "sd": json_number(self.sd),
            "best": json_number(self.best),
            "worst": json_number(self.worst),
            "n": self.n,
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class BaselineReport:
    """Measures beside people's scores, subset by subset.

    Parameters
    ----------
    measures : list of str
    subsets : list of SubsetReport
    level : float
        Nominal coverage of the intervals.
    n_resamples : int
        Resamples asked for.
    test : {"jackknife", "meng", "steiger", "dunn-clark", "williams"}
    typical_human : TypicalHuman or None
        Of all items.
    decimals : int or None
        To how many the measures were rounded before they were correlated; None: not at all.
    """

    measures: list[str]
    subsets: list[SubsetReport]
    level: float
    n_resamples: int
    test: DifferenceTest
    typical_human: TypicalHuman | None = None
    decimals: int | None = None

    @property
    def definitions(self) -> dict[str, Message]:
        """What was computed, in words, by the keys that `as_dict` uses."""
        return {
            **{str(name): definition for name, definition in COEFFICIENTS.items()},
            **{f"fisher_{name}": definition for name, definition in FISHER.items()},
            "fisher_over_pools": OVER_POOLS,
            **METHODS,
            # Differences by every coefficient have it, whatever the test of Pearson's is.
            "jackknife": TESTS["jackknife"],
            self.test: TESTS[self.test],
            "within": WITHIN_POOLS,
            "difference_within": DIFFERENCE_WITHIN_POOLS,
            "p_corrected": HOLM,
            "resampled": RESAMPLED,
            **({} if self.typical_human is None else {"typical_human": TYPICAL_HUMAN}),
            **({} if self.decimals is None else {"decimals": in_words(self.decimals)}),
        }

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definitions once for all."""
        definitions: JsonObject = {**self.definitions}
        return {
            "measures": list[JsonValue](self.measures),
            "coefficients": list[JsonValue](get_args(Coefficient)),
            "level": self.level,
            "n_resamples": self.n_resamples,
            "test": self.test,
            "typical_human": None if self.typical_human is None else self.typical_human.as_dict(),
            "decimals": self.decimals,
            "definitions": definitions,
            "subsets": [subset.as_dict() for subset in self.subsets],
        }


def baseline_report(
    human: npt.ArrayLike,
    measures: Mapping[str, npt.ArrayLike],
    *,
    subsets: Mapping[str, BoolArray] | None = None,
    pools: npt.ArrayLike | None = None,
    ceilings: NoiseCeiling | Mapping[str, NoiseCeiling] | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    test: DifferenceTest = "jackknife",
    typical_human: TypicalHuman | None = None,
    decimals: int | None = None,
    are_relative: bool = False,
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
) -> BaselineReport:
    """Correlate people's scores with every measure in every subset, and compare every two.

    Parameters
    ----------
    human : float array, shape (n,)
        Nan where missing.
    measures : dict of float arrays, shape (n,)
        By name; nan where missing.
    subsets : dict of bool arrays, shape (n,), optional
        By name, in the order wanted; see `scoring.baselines.subsets`. Without them all items.
    pools : array, shape (n,), optional
        Label of each item's pool. Where the items of a correlation are of at least 10
        pools these are resampled, otherwise items.
    ceilings : NoiseCeiling or dict of them, optional
        That of all items, or by subset. One of all items is shown where all of them are: the
        scores of a part vary more or less than the whole.
    level : float
        Nominal coverage of the intervals.
    n_resamples : int
        Resamples of the bootstrap; 0 for Fisher's intervals and the test only. Where resamples
        times items come to more than 50 million, fewer are drawn, but not fewer than 200.
    test : {"jackknife", "meng", "steiger", "dunn-clark", "williams"}
        Of the difference of two correlations; see `TESTS`. Those but the jackknife take items for
        independent and scores for normal: with pools or heavy tails they reject far too often.
    typical_human : TypicalHuman, optional
        Of all items; shown beside the ceiling.
    decimals : int, optional
        Round the measures to so many decimals first, such as 3 to compare with the literature on
        STSS-131; without it they are taken as they are.
    are_relative : bool
        Whether people's scores compare the items of a pool with each other only, as scores from
        best-worst tuples do. Where there are several pools, correlations within pools then are the
        headline.
    rng : numpy Generator
        Source of the resamples; needed if there are any. A subset's resamples depend on it and on
        the subset's name and items, not on the other subsets or on the measures.
    progress : callable, optional
        Told the share of the subsets that are done.

    Raises
    ------
    ValueError
        If there are no measures, a column does not fit the items or holds an infinite value, a
        subset is no mask of the items, a ceiling is of no subset, or the level, the number of
        resamples or the test is out of range.

    References
    ----------
    [Efron1987], [Efron1993], [Meng1992] in docs/references.md
    """
    check_request("pearson", level, n_resamples, rng)
    if test not in get_args(DifferenceTest):
        raise ValueError(
            f"test must be one of {', '.join(get_args(DifferenceTest))}, not {test!r}"
        )
    if not measures:
        raise ValueError(_("there is no measure to report on"))
    scores = np.asarray(human, dtype=np.float64)
    columns = np.array(
        [rounded(_column(scores, name, column), decimals) for name, column in measures.items()]
    )
    labels = None if pools is None else np.asarray(pools)
    if labels is not None and labels.shape != scores.shape:
        raise ValueError(
            f"pools has the shape {labels.shape}, but there are {len(scores)} items, and each "
            "needs the label of its pool"
        )
    masks = {EVERYTHING: np.ones(scores.shape, dtype=np.bool_)} if subsets is None else subsets
    for name, mask in masks.items():
        if np.shape(mask) != scores.shape or np.asarray(mask).dtype != np.bool_:
            raise ValueError(f"subset {name!r} must say of each item whether it belongs to it")
    if isinstance(ceilings, Mapping) and (unknown := set(ceilings) - set(masks)):
        raise ValueError(f"there is a ceiling of {min(unknown)!r}, but no such subset")

    seed = None if rng is None else int(rng.integers(2**63))
    reports = []
    for number, (name, mask) in enumerate(masks.items(), start=1):
        ceiling, ceiling_reason = _ceiling(ceilings, name, is_whole=bool(mask.all()))
        subset = Subset(
            name,
            list(measures),
            scores[mask],
            columns[:, mask],
            None if labels is None else labels[mask],
            level,
            min(n_resamples, max(MIN_RESAMPLES, MAX_DRAWN // max(int(mask.sum()), 1))),
            test,
            # By name: then neither another subset nor their order changes what is drawn.
            None
            if seed is None
            else np.random.default_rng(np.random.SeedSequence([seed, *name.encode()])),
            are_relative,
        )
        reports.append(subset.report(ceiling, ceiling_reason))
        if progress is not None:
            progress(number / len(masks))
    return BaselineReport(
        list(measures), reports, level, n_resamples, test, typical_human, decimals
    )


def _column(scores: FloatArray, name: str, column: npt.ArrayLike) -> FloatArray:
    """The values of a measure, as floats; ValueError, with its name, if they do not fit."""
    values = np.asarray(column, dtype=np.float64)
    try:
        complete_items(**{"human": scores, "measure": values})
    except ValueError as error:
        raise ValueError(
            _("measure %(measure)s: %(problem)s", measure=repr(name), problem=error.args[0])
        ) from error
    return values


def _ceiling(
    ceilings: NoiseCeiling | Mapping[str, NoiseCeiling] | None, subset: str, *, is_whole: bool
) -> tuple[NoiseCeiling | None, Message | None]:
    """The noise ceiling of a subset, and why it has no value."""
    if ceilings is None:
        return None, _("the noise ceiling of these scores is unknown")
    if isinstance(ceilings, Mapping):
        ceiling = ceilings.get(subset)
        if ceiling is None:
            return None, _("the noise ceiling of this subset was not computed")
        return ceiling, ceiling.reason
    if not is_whole:
        return None, _("the noise ceiling of all items does not apply to a subset")
    return ceilings, ceilings.reason
