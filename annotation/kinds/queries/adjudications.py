"""What experts decided: the adjudications that stand, for results, pages and files."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import FloatField
from django.db.models.functions import Cast

from annotation.basics.categories import SEPARATOR
from annotation.basics.cells import Cell
from annotation.basics.scale import Scale
from annotation.core.queries import researchers
from annotation.core.queries.counted_answers import Population
from annotation.kinds.rating.queries.answers import RatingAnswers
from annotation.models import Adjudication, Phase, Study
from scoring.arrays import FloatArray


def count(study: Study, population: Population = "people") -> int:
    """How many items are adjudicated, in whatever phase.

    An expert is one of the people: nothing of theirs is put beside simulated answers.
    """
    if population != "people":
        return 0
    standing = Adjudication.objects.current().filter(study=study)
    return standing.values("item").distinct().count()


def ratings(read: RatingAnswers, population: Population) -> list[FloatArray]:
    """By phase: the expert's rating of each item of the study; nan if there is none."""
    number = read.items.number
    phases_values = []
    for phase_answers in read.phases:
        values = np.full(len(read.items.pks), np.nan)
        if population == "people":
            standing = Adjudication.objects.current().filter(
                phase=phase_answers.phase, rating__isnull=False
            )
            # At most three decimals, so that the nearest float reads the same.
            as_float = Cast("rating", FloatField())
            for item, rating in standing.order_by("pk").values_list("item_id", as_float):
                values[number[item]] = rating
        phases_values.append(values)
    return phases_values


def in_words(adjudication: Adjudication, study: Study) -> str:
    """What was decided, as every page and file writes it: 3, 2.50, or the categories."""
    if adjudication.rating is not None:
        return Scale.of(study.scale).text(adjudication.rating)
    return f" {SEPARATOR} ".join(adjudication.categories)


class AdjudicationRecord(NamedTuple):
    """An adjudication with all that a table says of it."""

    item: str
    phase: int
    condition: str
    value: Cell
    reason: str
    by: str
    made_at: datetime
    lifted_at: datetime | None


def records(study: Study, population: Population) -> Iterator[AdjudicationRecord]:
    """Every adjudication, also those taken back, in the order of their making."""
    if population != "people":
        return
    made = (
        Adjudication.objects.filter(study=study)
        .order_by("pk")
        .values_list(
            "item__key",
            "phase__number",
            "phase__condition",
            "rating",
            "categories",
            "reason",
            "by",
            "made_at",
            "lifted_at",
        )
    )
    scale = Scale.of(study.scale) if study.scale else None
    names = researchers.names(study)
    for item, phase, condition, rating, chosen, reason, by, made_at, lifted_at in made.iterator():
        value: Cell = SEPARATOR.join(chosen)
        if rating is not None and scale:
            value = int(rating) if scale.decimals == 0 else float(rating)
        yield AdjudicationRecord(
            item=item,
            phase=phase,
            condition=condition,
            value=value,
            reason=reason,
            by=names[by],
            made_at=made_at,
            lifted_at=lifted_at,
        )


def of_phase(phase: Phase) -> dict[int, Adjudication]:
    """The current adjudications of one phase, by the primary key of the item."""
    standing = Adjudication.objects.current().filter(phase=phase).select_related("by")
    return {
        decision.item_id: decision
        for decision in standing.order_by("pk").iterator(chunk_size=2000)
    }
