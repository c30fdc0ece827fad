"""A review of discrepancies: into which categories people put what a measure says otherwise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.models import Study
from annotation.queries.answers import Population
from annotation.queries.exporting import Cell, as_json
from annotation.queries.item_texts import item_texts
from annotation.queries.reviewed_answers import ReviewedAnswers, ReviewedItem, reviewed_answers
from annotation.reviewed import MEASURE_HIGHER, PEOPLE_HIGHER
from scoring import SortedDiscrepancies, sort_discrepancies
from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.discrepancies import has_category

_SIGNS = {PEOPLE_HIGHER: 1.0, MEASURE_HIGHER: -1.0, "": 0.0}
_AROUND = 1000


@dataclass(frozen=True, eq=False)
class SortedItems:
    """The answers of one population about the items that differ most."""

    answers: ReviewedAnswers

    @property
    def items(self) -> Sequence[ReviewedItem]:
        return self.answers.items

    @property
    def categories(self) -> Sequence[str]:
        return self.answers.read.categories.names

    @cached_property
    def difference(self) -> FloatArray:
        """nan for an item that came without one."""
        return np.array(
            [
                np.nan if i.reviewed.difference is None else i.reviewed.difference
                for i in self.items
            ],
            dtype=np.float64,
        )

    @cached_property
    def signs(self) -> FloatArray:
        """1 where people are higher, -1 where the measure is; 0 where neither is."""
        return np.array([_SIGNS[item.reviewed.higher] for item in self.items], dtype=np.float64)

    @cached_property
    def votes(self) -> IntArray:
        """How many people chose each category, shape (items, categories)."""
        votes: IntArray = self.answers.chosen.sum(axis=1)
        return votes

    @cached_property
    def n_people(self) -> IntArray:
        """How many people labelled each item."""
        n: IntArray = self.answers.chosen.any(axis=2).sum(axis=1)
        return n

    @cached_property
    def is_chosen(self) -> BoolArray:
        return has_category(self.votes, self.n_people)

    @cached_property
    def counts(self) -> SortedDiscrepancies:
        return sort_discrepancies(self.signs, self.votes, self.n_people)

    def of_category(self, number: int) -> list[int]:
        """The items that have it, the largest difference first."""
        return self.largest_first(np.flatnonzero(self.is_chosen[:, number]))

    @property
    def without(self) -> list[int]:
        """Labelled items that no category has."""
        return self.largest_first(
            np.flatnonzero((self.n_people > 0) & ~self.is_chosen.any(axis=1))
        )

    def largest_first(self, places: IntArray) -> list[int]:
        sizes = np.abs(np.nan_to_num(self.difference[places]))
        found: list[int] = places[np.argsort(-sizes, kind="stable")].tolist()
        return found


def sorted_items(study: Study, population: Population) -> SortedItems | None:
    """None where no item is from a scored study, or no design asks about any."""
    found = reviewed_answers(study, population)
    return SortedItems(found) if found else None


def rows(found: SortedItems) -> Iterator[Sequence[Cell]]:
    """Every item of the review, for a file, the largest difference first."""
    texts = {text.key: text for text in item_texts(found.answers.study)}
    names = found.categories
    for place in found.largest_first(np.arange(len(found.items))):
        item = found.items[place]
        text, reviewed = texts[item.key], item.reviewed
        votes = found.votes[place].tolist()
        yield (
            item.key,
            item.group,
            text.target.marked(_AROUND),
            text.candidate.marked(_AROUND),
            reviewed.score,
            reviewed.label,
            reviewed.measure,
            reviewed.value,
            reviewed.difference,
            reviewed.by,
            reviewed.rule,
            item.reviewed.higher,
            int(found.n_people[place]),
            "|".join(names[n] for n in np.flatnonzero(found.is_chosen[place]).tolist()),
            as_json({name: n for name, n in zip(names, votes, strict=True) if n}),
            reviewed.phase,
            reviewed.computed_at,
            reviewed.column,
        )
