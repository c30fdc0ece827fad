"""Scores of items from people's answers, on one range for all kinds of studies."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from annotation.basics.scale import Scale
from annotation.models import Result
from scoring import BestWorst, Ratings
from scoring.arrays import IntArray
from scoring.baselines.report import TypicalHuman
from scoring.measures.noise_ceiling import NO_INTERVAL, NoiseCeiling
from shell.messages import Message

# How several ratings of an item become one score.
RatingRule: TypeAlias = Literal["mean", "majority"]


@dataclass(frozen=True)
class ScoredItems:
    """Scores by the primary key of the item; an item without one is not among them."""

    result: Result
    # Number of the phase that they are of; None if a study has scores of no single phase.
    phase: int | None
    scores: dict[int, float]
    n_without: int
    # Whether each score is a value that somebody chose, and no mean.
    is_labelled: bool = False


@dataclass(frozen=True)
class DescribedScores:
    """What files call some scores, and how well people agree about them."""

    # The description is in English.
    name: str
    ceiling: NoiseCeiling
    # How well raters agree with the others; None if nobody's ratings are known.
    typical_human: TypicalHuman | None = None
    # Whether they are means, of which equal ones may differ in the last digit.
    are_means: bool = False
    # Whether they compare the items of a pool with each other, and say nothing over pools.
    are_relative: bool = False


@dataclass(frozen=True, eq=False)
class PeopleAnswers:
    """People's answers one by one, and the primary keys of the items that they are about."""

    item_pks: Sequence[int]
    answers: Ratings | BestWorst
    # What the values of a model are read on; None where only their order counts.
    scale: Scale | None = None
    # Cluster of each item; None where the answers tell.
    clusters: IntArray | None = None


def no_typical_human(reason: Message) -> TypicalHuman:
    return TypicalHuman(math.nan, math.nan, math.nan, math.nan, 0, reason)


def stored_ceiling(figures: Mapping[str, Any]) -> NoiseCeiling:
    """The noise ceiling that a result stores."""
    value, reliability, low, high = (
        math.nan if figures[name] is None else figures[name]
        for name in ("value", "reliability", "low", "high")
    )
    why = figures["interval_reason"] or NO_INTERVAL
    return NoiseCeiling(value, reliability, figures["source"], figures["reason"], low, high, why)
