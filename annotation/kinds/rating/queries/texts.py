"""The items of a rating study as records: texts, contexts and figures, and the test sets."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation.basics.cells import Cell
from annotation.kinds.queries.item_records import ListedItem, ListedItems, ShownItem
from annotation.kinds.rating.queries.answers import PhaseRatings
from annotation.kinds.rating.queries.exporting import RatedStudy, json_list, known
from scoring.arrays import BoolArray, FloatArray
from scoring.ratings.context_effects import TTest


class PhaseFigures(NamedTuple):
    """What the ratings of one phase say of an item; None where there is nothing."""

    n: int
    mean: float | None
    sd: float | None
    median: float | None
    majority: Cell
    # By an expert.
    adjudicated: Cell
    final: float | None


class GainTest(NamedTuple):
    """The effect of context on an item by one test; None where there is nothing."""

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
    # By phase.
    phases: list[PhaseFigures]
    # None in a study that does not have both conditions.
    pooled: GainTest | None
    paired: GainTest | None


class RatedItems(ListedItems):
    """Every item with its texts and contexts, what was known of it, and its figures.

    Reading them to the end fills `shown`, which the test files are written from.
    """

    def __init__(self, of: RatedStudy, *, n_sentences: int) -> None:
        super().__init__(of, of.figures.is_asked, n_sentences=n_sentences)
        self.of = of

    def __iter__(self) -> Iterator[RatedItem]:
        items = self.items
        for n, item in self.listed():
            yield RatedItem(
                item=item,
                expected=self.of.rating(items.expected[n]),
                earlier=known(items.earlier[n]),
                first=known(items.first[n]),
                phases=[
                    phase_figures(self.of, place, n) for place in range(len(self.of.read.phases))
                ],
                pooled=self._gain_test("pooled", n),
                paired=self._gain_test("paired", n),
            )

    @cached_property
    def _effects(self) -> dict[TTest, dict[str, FloatArray]]:
        """By test; empty in a study that does not have both conditions."""
        if self.of.read.conditions() is None:
            return {}
        tests: tuple[TTest, ...] = ("pooled", "paired")
        return {test: self.of.figures.effects(test) for test in tests}

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


def phase_figures(of: RatedStudy, place: int, n: int) -> PhaseFigures:
    """Those of item n in the phase of this place."""
    figures = of.figures
    scores = figures.scores[place]
    return PhaseFigures(
        n=int(scores.n[n]),
        mean=known(scores.mean[n]),
        sd=known(scores.sd[n]),
        median=known(figures.medians[place][n]),
        majority=of.rating(figures.majorities[place][n]),
        adjudicated=of.rating(of.adjudicated[place][n]),
        final=known(of.finals[place][n]),
    )


class TestSetRecord(NamedTuple):
    """An item of a test set with its ratings under one condition."""

    shown: ShownItem
    figures: PhaseFigures
    # As a JSON list.
    ratings: str
    earlier: float | None
    first: float | None


def test_set(
    of: RatedStudy, phase: PhaseRatings, items: RatedItems, *, is_kept: BoolArray
) -> Iterator[TestSetRecord]:
    """The items of a test set under one condition; of both conditions in the same order.

    `items` were read to their end.
    """
    place, main = of.read.phases.index(phase), phase.main
    in_order = np.lexsort((main.annotator, main.unit))
    values = main.value[in_order].tolist()
    ends = np.cumsum(of.figures.scores[place].n).tolist()
    for shown in items.shown:
        n = shown.number
        if not is_kept[n]:
            continue
        figures = phase_figures(of, place, n)
        ratings = values[ends[n] - figures.n : ends[n]]
        yield TestSetRecord(
            shown=shown,
            figures=figures,
            ratings=json_list([of.rating(value) for value in ratings]),
            earlier=known(of.read.items.earlier[n]),
            first=known(of.read.items.first[n]),
        )
