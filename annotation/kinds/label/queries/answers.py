"""The counted label answers of a design as arrays, phase by phase."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from annotation.basics.categories import Categories
from annotation.core.queries.counted_answers import SOURCES, Population
from annotation.kinds.rating.queries.answers import (
    DesignAnswers,
    ItemTable,
    PhaseAnswers,
    item_table,
    read_rows,
)
from annotation.models import Choice, Design, Study
from annotation.models.kinds import QuestionKind
from scoring import Labels
from scoring.arrays import BoolArray, IntArray

_CHUNK = 5000


PhaseLabels: TypeAlias = PhaseAnswers[Labels]


@dataclass(frozen=True, eq=False)
class LabelAnswers(DesignAnswers[PhaseLabels]):
    """The counted label answers of one population to one design."""

    categories: Categories


def read_labels(
    study_or_design: Study | Design,
    population: Population,
    *,
    items: ItemTable | None = None,
    also: Collection[int] = (),
) -> LabelAnswers:
    """Read the counted answers.

    Raises CategoriesError for a study whose categories nobody could choose from.
    """
    design = study_or_design.design if isinstance(study_or_design, Study) else study_or_design
    study = design.study
    table = items or item_table(study)
    categories = Categories.of(study.categories)
    rows = read_rows(design, population, table, QuestionKind.LABEL, also=also)
    chosen = _chosen(design, population, rows.pk, categories)

    def labels(is_wanted: BoolArray) -> Labels:
        return Labels(
            rows.person[is_wanted],
            rows.unit[is_wanted],
            chosen[is_wanted],
            len(rows.people),
            len(table.pks),
            is_several=categories.is_several,
            order=rows.order[is_wanted],
        )

    return LabelAnswers(table, rows.phases(labels), rows.people.tolist(), rows.basis, categories)


def _chosen(
    design: Design, population: Population, pks: IntArray, categories: Categories
) -> BoolArray:
    """Which categories each of these judgments names, shape (m, c)."""
    chosen = np.zeros((len(pks), len(categories.names)), dtype=np.bool_)
    number = {name: k for k, name in enumerate(categories.names)}
    row_of = {pk: row for row, pk in enumerate(pks.tolist())}
    for judgment, name in choices_of(design, population):
        if (row := row_of.get(judgment)) is not None:
            chosen[row, number[name]] = True
    return chosen


def choices_of(design: Design, population: Population) -> Iterator[tuple[int, str]]:
    """Judgment and category of every choice that is stored, counted or not."""
    rows: Iterator[tuple[int, str]] = (
        Choice.objects.filter(
            judgment__question__block__phase__design=design,
            judgment__assignment__annotator__source__in=SOURCES[population],
        )
        .order_by("judgment_id", "pk")
        .values_list("judgment_id", "category")
        .iterator(chunk_size=_CHUNK)
    )
    return rows
