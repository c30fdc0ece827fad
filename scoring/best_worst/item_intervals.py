"""Intervals of the items' scores, the ranks left to each item, and how many pairs differ."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.pair_order import FALSE_DISCOVERY_RATE, ranks
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison
from scoring.best_worst.score_covariance import LEVEL, MIN_PEOPLE, score_covariance
from scoring.json_values import JsonObject, json_number, json_numbers
from shell.messages import Message, ngettext
from shell.messages import message as _

DEFINITION = _(
    "The interval (95 %) is for the score that many other people would give the item on average,"
    " among the same items. It is the score plus or minus the quantile of Student's t times the"
    " standard error. A choice model, fitted to all answers with a ridge penalty [Marley2005]"
    " [Plackett1975], gives the choice probabilities from which the standard error is computed."
    " The standard error is larger if the answers of one person resemble one another"
    " [LiangZeger1986], and for items that people disagree about. Two items of a pool are tested"
    " for a difference between their scores (two-sided tests). The false discovery rate is .05"
    " over all pairs [BH1995], so about 5 % of the significant differences are expected to be"
    " wrong."
)
_WITHOUT_PEOPLE = _(
    "It is not known who gave which answer. The intervals treat all answers as independent, so"
    " they are too narrow if people differ."
)


@dataclass(frozen=True, eq=False)
class ScoreIntervals:
    """Intervals and ranks of the scores, and the pairs of items that differ significantly.

    Parameters
    ----------
    low, high : float array, shape (n_items,)
        Ends of each score's 95 % interval, in [-1, 1]; nan for an item that no answer showed, and
        of all items if the choices could not be fitted.
    standard_error : float array, shape (n_items,)
    rank_low, rank_high : int array, shape (n_items,)
        Best and worst rank in the pool that the significant differences leave, from 1: the highest
        score;
        0 for an item that no answer showed.
    first_group, last_group : int array, shape (n_items,)
        Groups of the pool that hold the item, see `scoring.best_worst.pair_order.Ranks`.
    n_pairs, n_certain : int
        Pairs of items within pools, and those of them that differ significantly.
    inflation : float
        By how much all variances were multiplied at least because people differ; at least 1.
    n_people : int or None
        None if the batch does not say who answered.
    note : Message or None
        What a reader of the figures has to know about these data.
    reason : Message or None
        Why there are no intervals.
    """

    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    first_group: IntArray
    last_group: IntArray
    n_pairs: int
    n_certain: int
    inflation: float
    n_people: int | None
    note: Message | None = None
    reason: Message | None = None

    @property
    def certain_share(self) -> float:
        """Share of the pairs within pools that differ significantly; nan without a pair."""
        return self.n_certain / self.n_pairs if self.n_pairs else float("nan")

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return DEFINITION

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "level": LEVEL,
            "false_discovery_rate": FALSE_DISCOVERY_RATE,
            "low": json_numbers(self.low),
            "high": json_numbers(self.high),
            "standard_error": json_numbers(self.standard_error),
            "rank_low": self.rank_low.tolist(),
            "rank_high": self.rank_high.tolist(),
            "first_group": self.first_group.tolist(),
            "last_group": self.last_group.tolist(),
            "n_pairs": self.n_pairs,
            "n_certain": self.n_certain,
            "certain_share": json_number(self.certain_share),
            "inflation": self.inflation,
            "n_people": self.n_people,
            "note": self.note,
            "reason": self.reason,
        }


def score_intervals(answers: BestWorst, *, pool: IntArray | None = None) -> ScoreIntervals:
    """Intervals of the scores of all items, with ranks and pairs that differ significantly.

    Memory grows with the answers, not with the pairs. 150,000 answers in pools of five take about
    a second; one pool of 10,000 items takes another one for its 50 million pairs.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples; also `Orders`.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.

    Raises
    ------
    ValueError
        If a tuple shows items of two pools.

    References
    ----------
    [BH1995], [LiangZeger1986], [Marley2005], [Orme2009], [Plackett1975] in docs/references.md
    """
    pool = pools_by_comparison(answers) if pool is None else np.asarray(pool)
    pool_of_tuples(answers, pool)
    spread = score_covariance(answers)
    score = answers.scores()
    error = np.sqrt(spread.variance)
    margin = spread.quantile * error
    places = ranks(
        score,
        variance=spread.variance,
        covariance=spread.covariance,
        quantile=spread.quantile,
        pool=pool,
    )
    return ScoreIntervals(
        np.maximum(score - margin, -1),
        np.minimum(score + margin, 1),
        error,
        places.low,
        places.high,
        places.first_group,
        places.last_group,
        places.n_pairs,
        places.n_certain,
        spread.inflation,
        spread.n_people,
        _note(answers, spread.n_people) if spread.reason is None else None,
        spread.reason,
    )


def _note(answers: BestWorst, n_people: int | None) -> Message | None:
    if answers.n_judgments == 0:
        return _("there are no answers")
    if n_people is None:
        return _WITHOUT_PEOPLE
    if n_people < MIN_PEOPLE:
        return ngettext(
            "Only %(n)s person answered, which is too few to estimate how much people differ."
            " The intervals may be too narrow.",
            "Only %(n)s people answered, which is too few to estimate how much people differ."
            " The intervals may be too narrow.",
            "n",
            n=n_people,
        )
    return None
