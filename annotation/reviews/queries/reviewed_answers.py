"""What people say of items that were taken out of a scored study, beside what is kept of each."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np

from annotation.basics.reviewed import Reviewed
from annotation.core.queries.counted_answers import Population
from annotation.kinds.label.queries.answers import LabelAnswers, read_labels
from annotation.models import Annotator, Item, Result, Study
from annotation.models.items import ONE_POOL
from scoring import Labels
from scoring.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class ReviewedItem:
    """An item with what it was when it was taken."""

    pk: int
    key: str
    # The dialogue or group that it was in; empty where it was in none.
    group: str
    reviewed: Reviewed


@dataclass(frozen=True)
class ComparedResult:
    """The result that scores were taken from, or the column of labels."""

    study: Study
    # None of a column.
    computed_at: datetime | None
    # Number of the phase, where ratings were asked for.
    phase: int | None
    # Whether that study has been scored again since.
    is_old: bool
    column: str = ""
    # Whether the most frequent ratings were taken, and not the scores.
    is_majority: bool = False


@dataclass(frozen=True, eq=False)
class ReviewedAnswers:
    """The counted answers about items that were taken out of a scored study.

    Other items, which a file may have brought, are not among them. Arrays have a row for each
    item, in their order, and a column for each person who answered.
    """

    study: Study
    items: Sequence[ReviewedItem]
    read: LabelAnswers
    # Places of the items among all of the study.
    places: IntArray = field(repr=False)

    @cached_property
    def people(self) -> list[str]:
        """Pseudonyms."""
        names = dict(
            Annotator.objects.filter(study=self.study).values_list("pk", "pseudonym").iterator()
        )
        return [names[pk] for pk in self.read.annotator_pks]

    @cached_property
    def scores(self) -> FloatArray:
        return np.array([item.reviewed.score for item in self.items], dtype=np.float64)

    @cached_property
    def main(self) -> Labels:
        """What each person said first about each item, in the first phase."""
        return self.read.phases[0].main

    @cached_property
    def chosen(self) -> BoolArray:
        """Shape (items, people, categories)."""
        choices = self.main
        shape = (choices.n_units, choices.n_annotators, len(self.read.categories.names))
        chosen = np.zeros(shape, dtype=np.bool_)
        chosen[choices.unit, choices.annotator] = choices.chosen
        return chosen[self.places]

    @cached_property
    def compared(self) -> list[ComparedResult]:
        """As a rule one: choosing again takes all scores anew."""
        earlier = self.study.earlier_round
        if earlier is None:
            return []
        latest = (
            Result.objects.filter(study=earlier, population="people")
            .order_by("-pk")
            .values_list("pk", flat=True)
            .first()
        )
        named = {
            (r.result or 0, r.computed_at, r.phase, r.column, r.label is not None)
            for r in (item.reviewed for item in self.items)
        }
        return [
            ComparedResult(earlier, None, None, is_old=False, column=column)
            if column
            else ComparedResult(
                earlier,
                datetime.fromisoformat(at),
                phase,
                is_old=result != latest,
                is_majority=is_majority,
            )
            for result, at, phase, column, is_majority in sorted(
                named, key=lambda pair: (pair[0], pair[3])
            )
        ]


def reviewed_answers(study: Study, population: Population) -> ReviewedAnswers | None:
    """Read them; None where no item is from a scored study, or no design asks about any."""
    rows = (
        Item.objects.filter(study=study)
        .order_by("number")
        .values_list("pk", "key", "metadata", "derived_from__pool__key")
    )
    items, places = [], []
    for place, (pk, key, metadata, pool) in enumerate(rows.iterator(chunk_size=2000)):
        if reviewed := Reviewed.of(metadata):
            group = "" if pool in (None, ONE_POOL) else pool
            items.append(ReviewedItem(pk, key, group, reviewed))
            places.append(place)
    if not items or not study.design.is_made:
        return None
    read = read_labels(study, population)
    return ReviewedAnswers(study, items, read, np.array(places, dtype=np.int64))
