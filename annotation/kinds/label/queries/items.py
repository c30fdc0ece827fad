"""What people say of each item of a label study, and an expert's word on it, as it is now."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Population
from annotation.kinds.label.queries.answers import LabelAnswers
from annotation.models import Adjudication, Study
from scoring import LabelCounts
from scoring.arrays import BoolArray

Names = tuple[str, ...]


@dataclass(frozen=True)
class ItemLabel:
    """One item in one phase: counts of its categories, and what follows from them."""

    n: int
    counts: Sequence[int]
    # How often the most frequent answer was given; None without answers.
    share: float | None
    majority: Names
    mode: Names
    # Whether several answers are the most frequent. Where several categories may be chosen that
    # keeps an item from nothing unless none is chosen by more than half.
    is_tied: bool
    # The label that an expert decided on; empty without one.
    adjudicated: Names
    # The label of people, which an expert's overrides.
    final: Names

    @property
    def is_undecided(self) -> bool:
        """Whether people answered, but neither they nor an expert gave it a label."""
        return self.n > 0 and not self.final


@dataclass(frozen=True, eq=False)
class ItemLabels:
    """The labels of every item in every phase; places are indices into the table of items."""

    read: LabelAnswers
    # By phase's primary key and item's.
    adjudicated: dict[tuple[int, int], Names]

    @classmethod
    def of(cls, study: Study, read: LabelAnswers, population: Population) -> "ItemLabels":
        # An expert is one of the people: nothing of theirs is put beside simulated answers.
        if population != "people":
            return cls(read, {})
        rows = Adjudication.objects.current().filter(
            study=study, phase__in=[phase.phase.pk for phase in read.phases]
        )
        return cls(
            read,
            {
                (phase, item): read.categories.in_order(categories)
                for phase, item, categories in rows.values_list("phase", "item", "categories")
            },
        )

    @cached_property
    def counts(self) -> list[LabelCounts]:
        """By phase."""
        return [scoring.count_labels(phase.main) for phase in self.read.phases]

    @cached_property
    def is_asked(self) -> BoolArray:
        """Items that a main block asks for: only these are data."""
        is_asked = np.zeros(len(self.read.items.pks), dtype=np.bool_)
        for phase in self.read.phases:
            is_asked |= phase.is_asked
        return is_asked

    def label(self, phase: int, place: int) -> ItemLabel:
        """What there is of one item in the phase of this place."""
        counts, names = self.counts[phase], self.read.categories.names
        key = self.read.phases[phase].phase.pk, self.read.items.pks[place]
        by_expert = self.adjudicated.get(key, ())
        n = int(counts.n[place])
        return ItemLabel(
            n=n,
            counts=[int(count) for count in counts.counts[place]],
            share=float(counts.share[place]) if n else None,
            majority=_named(names, counts.majority[place]),
            mode=_named(names, counts.mode[place]),
            is_tied=self._is_tied(counts, place),
            adjudicated=by_expert,
            final=by_expert or _named(names, counts.label[place]),
        )

    def _is_tied(self, counts: LabelCounts, place: int) -> bool:
        is_several = self.read.categories.is_several
        return bool(counts.is_tied[place]) and not (is_several and counts.has_label[place])

    def labels(self, place: int) -> list[ItemLabel]:
        """One item in all phases."""
        return [self.label(phase, place) for phase in range(len(self.read.phases))]


def _named(names: Sequence[str], is_chosen: BoolArray) -> Names:
    return tuple(name for name, chosen in zip(names, is_chosen, strict=True) if chosen)
