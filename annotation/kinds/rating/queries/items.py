"""The figures of each item of a rating study, computed from the answers as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

import scoring
from annotation.kinds.rating.queries.answers import PhaseRatings, RatingAnswers, only_units
from annotation.kinds.scoring_options import ContextTest
from scoring import ContextEffects, UnitScores
from scoring.arrays import BoolArray, FloatArray
from scoring.ratings.context_effects import ChosenTest, usual_test
from scoring.ratings.equivalence import Outcome


class EffectSize(NamedTuple):
    """Whether the effect of context on an item is smaller than a margin; nan if not tested."""

    outcome: Outcome | None
    p: float
    p_adjusted: float


@dataclass(frozen=True, eq=False)
class ItemFigures:
    """Arrays over all items of the study, in their order; nan if there is nothing."""

    read: RatingAnswers

    @cached_property
    def is_asked(self) -> BoolArray:
        """Items that a main block asks for: those of a calibration block alone are no data."""
        is_asked = np.zeros(len(self.read.items.pks), dtype=np.bool_)
        for phase in self.read.phases:
            is_asked |= phase.is_asked
        return is_asked

    @cached_property
    def scores(self) -> list[UnitScores]:
        """Number, mean and standard deviation of the ratings, by phase."""
        return [scoring.unit_scores(phase.main) for phase in self.read.phases]

    @cached_property
    def medians(self) -> list[FloatArray]:
        return [scoring.aggregate(p.main, by="median").value for p in self.read.phases]

    @cached_property
    def majorities(self) -> list[FloatArray]:
        """The most frequent rating, by phase; nan for a tie, too."""
        return [scoring.aggregate(p.main, by="majority").value for p in self.read.phases]

    def finals(self, adjudicated: Sequence[FloatArray]) -> list[FloatArray]:
        """By phase: the expert's rating if there is one, else the mean of the people's."""
        return [
            scoring.aggregate(phase.main, by="mean", adjudicated=values).value
            for phase, values in zip(self.read.phases, adjudicated, strict=True)
        ]

    @cached_property
    def gain(self) -> FloatArray:
        return self.effects("pooled")["gain"]

    def used_test(self, test: ContextTest) -> ContextTest:
        """The test that was chosen; of `auto` the one that suits the ratings, never `auto`."""
        if test != "auto":
            return test
        pair = self.read.conditions()
        return usual_test(pair[0].main, pair[1].main) if pair else "pooled"

    def effects(self, test: ChosenTest, level: float = 0.05) -> dict[str, FloatArray]:
        """`gain`, `p`, `p_adjusted` and both numbers of ratings of each item.

        The gain is what the test is of: by `paired` that of the people who rated both.
        """
        pair = self.read.conditions()
        names = ("gain", "p", "p_adjusted", "n_free", "n_dependent")
        columns = {name: np.full(len(self.read.items.pks), np.nan) for name in names}
        if pair is not None:
            effects = context_effects(*pair, test=test, level=level)
            is_asked = asked_in_either(*pair)
            for name, values in columns.items():
                values[is_asked] = getattr(effects, name)
        return columns

    def equivalence(self, test: ChosenTest, margin: float) -> dict[int, EffectSize]:
        """Of each item that is asked in either condition; empty without both conditions."""
        pair = self.read.conditions()
        if pair is None:
            return {}
        sizes = context_effects(*pair, test=test, margin=margin).equivalence
        assert sizes is not None
        rows = zip(sizes.outcomes, sizes.p.tolist(), sizes.p_adjusted.tolist(), strict=True)
        items = np.flatnonzero(asked_in_either(*pair)).tolist()
        return {n: EffectSize(*row) for n, row in zip(items, rows, strict=True)}

    def is_significant(self, test: ChosenTest, level: float, *, corrected: bool) -> BoolArray:
        """Whose p-value is below the level; corrected: at most it, adjusted."""
        effects = self.effects(test, level)
        # Not tested is not significant: nan compares as False.
        if corrected:
            return np.asarray(effects["p_adjusted"] <= level)
        return np.asarray(effects["p"] < level)


def context_effects(
    free: PhaseRatings,
    dependent: PhaseRatings,
    *,
    test: ChosenTest,
    level: float = 0.05,
    margin: float | None = None,
) -> ContextEffects:
    """Effect of context on every item that either main block asks for, in their order."""
    is_asked = asked_in_either(free, dependent)
    return scoring.effects_of_context(
        only_units(free.main, is_asked),
        only_units(dependent.main, is_asked),
        test=test,
        level=level,
        margin=margin,
    )


def asked_in_either(free: PhaseRatings, dependent: PhaseRatings) -> BoolArray:
    return free.is_asked | dependent.is_asked
