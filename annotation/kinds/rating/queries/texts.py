"""The items of a rating study as records: texts, contexts and figures, and the test sets."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation.basics.cells import Cell
from annotation.kinds.queries.item_records import ListedItem, ListedItems, ShownItem
from annotation.kinds.rating.queries.answers import PhaseRatings
from annotation.kinds.rating.queries.exporting import RatedStudy, json_list, known
from annotation.kinds.rating.queries.items import EffectSize
from scoring.arrays import BoolArray, FloatArray
from scoring.ratings.context_effects import TTest


class PhaseFigures(NamedTuple):
    """What the ratings of one phase say of an item; None if there is nothing."""

    n: int
    mean: float | None
    sd: float | None
    median: float | None
    majority: Cell
    # The decision of an expert.
    adjudicated: Cell
    final: float | None


class GainTest(NamedTuple):
    """The effect of context on an item by one test; None if there is nothing."""

    gain: float | None
    p: float | None
    p_adjusted: float | None
    # Ratings without context; by the paired test the people who rated both.
    n_free: int | None


class RatedItem(NamedTuple):
    """An item with its figures."""

    item: ListedItem
    expected: Cell
    # What the round before said, and what the first of several rounds said.
    earlier: float | None
    first: float | None
    # The figures of each phase.
    phases: list[PhaseFigures]
    # None in a study that does not have both conditions.
    pooled: GainTest | None
    paired: GainTest | None
    # None without a margin, and of items that are no data.
    effect_size: EffectSize | None


class RatedItems(ListedItems):
    """Every item with its texts and contexts, what was known of it, and its figures.

    Reading them to the end fills `shown`, which the test files are written from.
    """

    def __init__(self, rated: RatedStudy, *, n_sentences: int) -> None:
        super().__init__(rated, rated.figures.is_asked, n_sentences=n_sentences)
        self.rated = rated

    def __iter__(self) -> Iterator[RatedItem]:
        items = self.items
        for n, item in self.listed():
            yield RatedItem(
                item=item,
                expected=self.rated.rating(items.expected[n]),
                earlier=known(items.earlier[n]),
                first=known(items.first[n]),
                phases=[
                    phase_figures(self.rated, place, n)
                    for place in range(len(self.rated.read.phases))
                ],
                pooled=self._gain_test("pooled", n),
                paired=self._gain_test("paired", n),
                effect_size=self._effect_sizes.get(n),
            )

    @cached_property
    def _effects(self) -> dict[TTest, dict[str, FloatArray]]:
        """By test; empty in a study that does not have both conditions."""
        if self.rated.read.conditions() is None:
            return {}
        tests: tuple[TTest, ...] = ("pooled", "paired")
        return {test: self.rated.figures.effects(test) for test in tests}

    @cached_property
    def _effect_sizes(self) -> dict[int, EffectSize]:
        """By the test of the latest result; empty if it has no margin."""
        options = self.rated.options
        if options.margin is None:
            return {}
        return self.rated.figures.equivalence(options.test, options.margin)

    def _gain_test(self, test: TTest, n: int) -> GainTest | None:
        if test not in self._effects:
            return None
        effects = self._effects[test]
        n_free = known(effects["n_free"][n])
        return GainTest(
            gain=known(effects["gain"][n]),
            p=known(effects["p"][n]),
            p_adjusted=known(effects["p_adjusted"][n]),
            n_free=None if n_free is None else int(n_free),
        )


def phase_figures(rated: RatedStudy, place: int, n: int) -> PhaseFigures:
    """The figures of item n in the phase of this place."""
    figures = rated.figures
    scores = figures.scores[place]
    return PhaseFigures(
        n=int(scores.n[n]),
        mean=known(scores.mean[n]),
        sd=known(scores.sd[n]),
        median=known(figures.medians[place][n]),
        majority=rated.rating(figures.majorities[place][n]),
        adjudicated=rated.rating(rated.adjudicated[place][n]),
        final=known(rated.finals[place][n]),
    )


class TestSetRecord(NamedTuple):
    """An item of a test set with its ratings under one condition."""

    shown: ShownItem
    figures: PhaseFigures
    # A JSON list.
    ratings: str
    earlier: float | None
    first: float | None


def test_set(
    rated: RatedStudy, phase: PhaseRatings, items: RatedItems, *, is_kept: BoolArray
) -> Iterator[TestSetRecord]:
    """The items of a test set under one condition; of both conditions in the same order.

    `items` were read to their end.
    """
    place, main = rated.read.phases.index(phase), phase.main
    in_order = np.lexsort((main.annotator, main.unit))
    values = main.value[in_order].tolist()
    ends = np.cumsum(rated.figures.scores[place].n).tolist()
    for shown in items.shown:
        n = shown.number
        if not is_kept[n]:
            continue
        figures = phase_figures(rated, place, n)
        ratings = values[ends[n] - figures.n : ends[n]]
        yield TestSetRecord(
            shown=shown,
            figures=figures,
            ratings=json_list([rated.rating(value) for value in ratings]),
            earlier=known(rated.read.items.earlier[n]),
            first=known(rated.read.items.first[n]),
        )
