"""The counted label answers of a design as arrays, phase by phase."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from annotation.basics.categories import Categories
from annotation.core.queries.counted_answers import SOURCES, Basis, Population, counted_judgments
from annotation.kinds.rating.queries.answers import (
    CONDITIONS,
    MAIN,
    PURPOSES,
    ItemTable,
    asked_units,
    item_table,
    main_and_repeats,
    numbers_of,
    orders_of,
)
from annotation.models import Block, Choice, Design, Phase, Study
from annotation.models.kinds import QuestionKind
from scoring import Labels
from scoring.arrays import BoolArray, FloatArray, IntArray

_CHUNK = 5000


@dataclass(frozen=True, eq=False)
class PhaseLabels:
    """The counted answers of one phase; people and units are numbered alike in every phase."""

    phase: Phase
    # Of all blocks. `order` is the place in the person's phase, as the screens asked.
    all: Labels
    # When each answer was stored, in seconds since 1970; nan where unknown.
    answered_at: FloatArray
    # Milliseconds of use of the page; nan where unknown.
    active_ms: FloatArray
    # Which block each answer is from, a place in `PURPOSES`.
    purpose: IntArray
    judgment_pks: IntArray
    # Which units the main block of any booklet asks for, shape (n_units,).
    is_asked: BoolArray

    @cached_property
    def main(self) -> Labels:
        """What is scored: of each person the first answer about each unit in the main block."""
        return self.all.of_answers(self.purpose == MAIN).first_answers()

    @cached_property
    def main_and_repeats(self) -> Labels:
        """The main block, and of the repeats those of a unit labelled there by the same person."""
        return self.all.of_answers(self.rows_with_repeats)

    @cached_property
    def rows_with_repeats(self) -> IntArray:
        """Rows of `main_and_repeats`, by unit, then by person, the earlier answer first."""
        return main_and_repeats(self.all, self.purpose)

    @property
    def number(self) -> int:
        return self.phase.number

    def of_asked(self, labels: Labels) -> Labels:
        """Answers about units of the main block, numbered among these alone."""
        return only_units(labels, self.is_asked)


def only_units(labels: Labels, is_kept: BoolArray) -> Labels:
    """The answers about some units, which are numbered anew, in their order."""
    part = labels.of_answers(is_kept[labels.unit])
    number = np.cumsum(is_kept) - 1
    return replace(part, unit=number[part.unit], n_units=int(is_kept.sum()))


@dataclass(frozen=True, eq=False)
class LabelAnswers:
    """The counted label answers of one population to one design."""

    items: ItemTable
    categories: Categories
    phases: list[PhaseLabels]
    # Whose number an annotator is.
    annotator_pks: list[int]
    basis: Basis

    def conditions(self) -> tuple[PhaseLabels, PhaseLabels] | None:
        """The first phase without context and the first in context; None if one is missing."""
        found = [
            next((p for p in self.phases if p.phase.condition == condition), None)
            for condition in CONDITIONS
        ]
        free, dependent = found
        return (free, dependent) if free and dependent else None


def read_labels(
    of: Study | Design,
    population: Population,
    *,
    items: ItemTable | None = None,
    also: Collection[int] = (),
) -> LabelAnswers:
    """Read the counted answers.

    Raises CategoriesError for a study whose categories nobody could choose from.
    """
    design = of.design if isinstance(of, Study) else of
    study = design.study
    table = items or item_table(study)
    categories = Categories.of(study.categories)
    phases = list(design.phases.order_by("number"))
    blocks = list(Block.objects.filter(phase__design=design))

    whole, real = _read(design, population, also)
    pk, assignment, annotator, item, block, screen, position = whole.T
    active, answered = real.T
    # People by their keys, so that nothing depends on who happened to answer first.
    people, person = np.unique(annotator, return_inverse=True)
    unit = numbers_of(item, table.number)
    phase = numbers_of(block, {one.pk: one.phase_id for one in blocks})
    purpose = numbers_of(block, {one.pk: PURPOSES.index(one.purpose) for one in blocks})
    order = orders_of(phase, person, assignment, screen, position)
    asked = asked_units(design, table)
    chosen = _chosen(design, population, pk, categories)

    found = []
    for one in phases:
        rows = phase == one.pk
        labels = Labels(
            person[rows],
            unit[rows],
            chosen[rows],
            len(people),
            len(table.pks),
            is_several=categories.is_several,
            order=order[rows],
        )
        found.append(
            PhaseLabels(
                one,
                labels,
                answered[rows],
                active[rows],
                purpose[rows],
                pk[rows],
                asked[one.pk],
            )
        )
    basis = Basis(len(pk), int(pk[-1]) if len(pk) else None, int(pk.sum()))
    return LabelAnswers(table, categories, found, people.tolist(), basis)


def _read(
    design: Design, population: Population, also: Collection[int]
) -> tuple[IntArray, FloatArray]:
    """Columns of whole numbers, shape (m, 7), and of real ones, shape (m, 2), by primary key."""
    rows = (
        counted_judgments(design, population, also=also)
        .filter(kind=QuestionKind.LABEL)
        .values_list(
            "pk",
            "assignment_id",
            "assignment__annotator_id",
            "question__item_id",
            "question__block_id",
            "question__screen",
            "question__position",
            "active_ms",
            "answered_at",
        )
        .iterator(chunk_size=_CHUNK)
    )
    whole: list[tuple[Any, ...]] = []
    real: list[tuple[float, float]] = []
    nan = float("nan")
    for *keys, ms, at in rows:
        whole.append(tuple(keys))
        real.append((nan if ms is None else ms, nan if at is None else at.timestamp()))
    return (
        np.array(whole, dtype=np.int64).reshape(-1, 7),
        np.array(real, dtype=np.float64).reshape(-1, 2),
    )


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
