"""A review of discrepancies: into which categories people put what a measure says otherwise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation.basics.reviewed import MEASURE_HIGHER, PEOPLE_HIGHER
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.item_texts import ItemTexts, item_texts
from annotation.models import Study
from annotation.reviews.queries.reviewed_answers import (
    ReviewedAnswers,
    ReviewedItem,
    reviewed_answers,
)
from scoring import SortedDiscrepancies, sort_discrepancies
from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.measures.discrepancies import has_category

_SIGNS = {PEOPLE_HIGHER: 1.0, MEASURE_HIGHER: -1.0, "": 0.0}


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
        order: list[int] = places[np.argsort(-sizes, kind="stable")].tolist()
        return order


def sorted_items(study: Study, population: Population) -> SortedItems | None:
    """None where no item is from a scored study, or no design asks about any."""
    answers = reviewed_answers(study, population)
    return SortedItems(answers) if answers else None


class DiscrepancyRecord(NamedTuple):
    """An item of the review with all that a table says of it."""

    item: ReviewedItem
    texts: ItemTexts
    n_people: int
    categories: list[str]
    # By category; without those that nobody chose.
    votes: dict[str, int]


def records(items: SortedItems) -> Iterator[DiscrepancyRecord]:
    """Every item of the review, for a file, the largest difference first."""
    texts = {text.key: text for text in item_texts(items.answers.study)}
    names = items.categories
    for place in items.largest_first(np.arange(len(items.items))):
        item = items.items[place]
        votes = items.votes[place].tolist()
        yield DiscrepancyRecord(
            item=item,
            texts=texts[item.key],
            n_people=int(items.n_people[place]),
            categories=[names[n] for n in np.flatnonzero(items.is_chosen[place]).tolist()],
            votes={name: n for name, n in zip(names, votes, strict=True) if n},
        )


class CategoryCounts(NamedTuple):
    """Items of a category by direction; a share of no items is nan."""

    category: str
    people_higher: int
    people_higher_share: float
    measure_higher: int
    measure_higher_share: float
    n_all: int


def category_counts(items: SortedItems) -> list[CategoryCounts]:
    """Of each category; then of the items without one, and of all labelled items."""
    counts = items.counts
    made = [
        _counts_of(
            name,
            counts.n_chosen[number].tolist(),
            counts.share[number].tolist(),
            int(items.is_chosen[:, number].sum()),
        )
        for number, name in enumerate(items.categories)
    ]
    without = counts.n_without.tolist(), counts.share_without.tolist()
    made.append(_counts_of("(no category)", *without, len(items.without)))
    n_labelled = int((items.n_people > 0).sum())
    no_shares = [float("nan"), float("nan")]
    made.append(_counts_of("(labelled items)", counts.n_items.tolist(), no_shares, n_labelled))
    return made


def _counts_of(
    category: str, numbers: Sequence[int], shares: Sequence[float], n_all: int
) -> CategoryCounts:
    """`numbers` and `shares` are of the items that people put higher, then of the others."""
    return CategoryCounts(category, numbers[0], shares[0], numbers[1], shares[1], n_all)
