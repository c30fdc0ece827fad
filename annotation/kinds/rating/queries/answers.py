"""The counted ratings of a design as arrays, phase by phase, and what is known of its items."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from django.db.models import FloatField
from django.db.models.functions import Cast

from annotation.basics.scale import Scale
from annotation.core.queries.counted_answers import Basis, Population, counted_judgments
from annotation.core.queries.key_sums import key_sum_of
from annotation.core.shown_items import own_label
from annotation.models import Block, Design, Item, Phase, Question, Study
from annotation.models.items import ONE_POOL
from annotation.models.kinds import QuestionKind
from scoring import Ratings
from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.batches import Batch
from scoring.jackknife import MIN_POOLS

AnyBatch = TypeVar("AnyBatch", bound=Batch)
AnyPhase = TypeVar("AnyPhase", bound="PhaseAnswers[Any]")

_CHUNK = 5000
PURPOSES: tuple[str, ...] = tuple(Block.Purpose.values)
MAIN, CALIBRATION, REPEAT = map(
    PURPOSES.index, (Block.Purpose.MAIN, Block.Purpose.CALIBRATION, Block.Purpose.REPEAT)
)
CONDITIONS: tuple[str, str] = (Phase.Condition.FREE.value, Phase.Condition.DEPENDENT.value)


@dataclass(frozen=True, eq=False)
class ItemTable:
    """The items of a study in the order of their numbers: unit n is the n-th of them."""

    pks: list[int]
    keys: list[str]
    classes: list[str]
    # Of the contexts of both sides; two different ones are both named. Where these say nothing, as
    # of pairs without context, what the imported file said of the item. Empty if unknown.
    domains: list[str]
    sources: list[str]
    # The key of each item's pool.
    pools: list[str]
    # The known answers; nan if there is none.
    expected: FloatArray
    # What the round before said, and what the first round of all said: the same after one round.
    earlier: FloatArray
    first: FloatArray

    @cached_property
    def number(self) -> dict[int, int]:
        """Place of each primary key."""
        return {pk: n for n, pk in enumerate(self.pks)}

    @cached_property
    def clusters(self) -> list[str]:
        """What intervals leave out as a whole, of each item: its pool.

        Where only some items have a group, the others have nothing in common: each stands alone.
        Of few groups not they are left out, but their items.
        """
        if len({*self.pools} - {ONE_POOL}) < MIN_POOLS:
            return [ONE_POOL] * len(self.pools)
        return [
            f"{ONE_POOL}: {key}" if pool == ONE_POOL else pool
            for key, pool in zip(self.keys, self.pools, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class PhaseAnswers(Generic[AnyBatch]):
    """The counted answers of one phase; people and units are numbered alike in every phase."""

    phase: Phase
    # Of all blocks. `order` is the place in the person's phase, calibration included. It says what
    # was answered first: a time would not, for answers are changed later.
    all: AnyBatch
    # When each answer was stored, in seconds since 1970; nan if unknown.
    answered_at: FloatArray
    # Milliseconds of use of the page; nan if unknown.
    active_ms: FloatArray
    # The purpose of each answer's block, as an index into `PURPOSES`.
    purpose: IntArray
    judgment_pks: IntArray
    # Which units the main block of any booklet asks for, shape (n_units,).
    is_asked: BoolArray

    def of_block(self, purpose: int) -> AnyBatch:
        return self.all.of_rows(self.purpose == purpose)

    @cached_property
    def main(self) -> AnyBatch:
        """What is scored: of each person the first answer about each unit in the main block."""
        return self.of_block(MAIN).first_answers()

    @cached_property
    def main_and_repeats(self) -> AnyBatch:
        """The main block, and of the repeats those of a unit answered there by the same person."""
        return self.all.of_rows(self.rows_with_repeats)

    @cached_property
    def rows_with_repeats(self) -> IntArray:
        """Rows of `main_and_repeats`, by unit, then by person, the earlier answer first."""
        cell = self.all.cells()
        is_main = self.purpose == MAIN
        is_again = (self.purpose == REPEAT) & np.isin(cell, cell[is_main])
        rows = np.flatnonzero(is_main | is_again)
        return rows[
            np.lexsort((self.all.when()[rows], self.all.annotator[rows], self.all.unit[rows]))
        ]

    @property
    def number(self) -> int:
        return self.phase.number

    def of_asked(self, answers: AnyBatch) -> AnyBatch:
        """Answers about units of the main block, numbered among these alone."""
        return only_units(answers, self.is_asked)


PhaseRatings: TypeAlias = PhaseAnswers[Ratings]


def only_units(answers: AnyBatch, is_kept: BoolArray) -> AnyBatch:
    """The answers about some units, which are numbered anew, in their order."""
    part = answers.of_rows(is_kept[answers.unit])
    number = np.cumsum(is_kept) - 1
    return replace(part, unit=number[part.unit], n_units=int(is_kept.sum()))


@dataclass(frozen=True, eq=False)
class DesignAnswers(Generic[AnyPhase]):
    """The counted answers of one population to one design."""

    items: ItemTable
    phases: list[AnyPhase]
    # The keys of the people whom the batches number.
    annotator_pks: list[int]
    basis: Basis

    def conditions(self) -> tuple[AnyPhase, AnyPhase] | None:
        """The first phase without context and the first in context; None if one is missing."""
        phases = [
            next((p for p in self.phases if p.phase.condition == condition), None)
            for condition in CONDITIONS
        ]
        free, dependent = phases
        return (free, dependent) if free and dependent else None


@dataclass(frozen=True, eq=False)
class RatingAnswers(DesignAnswers[PhaseRatings]):
    """The counted ratings of one population to one design."""

    scale: Scale


def item_table(study: Study) -> ItemTable:
    columns: list[list[Any]] = [[] for _ in range(8)]
    rows = (
        Item.objects.filter(study=study)
        .order_by("number")
        .values_list(
            "pk",
            "key",
            "intended_class",
            "expected",
            "earlier_rating",
            "pool__key",
            "target_turn__context__domain",
            "candidate_turn__context__domain",
            "pool__context__domain",
            "target_turn__context__source",
            "candidate_turn__context__source",
            "pool__context__source",
            "metadata",
        )
    )
    for pk, key, intended, known, earlier, pool, *names, metadata in rows.iterator(
        chunk_size=_CHUNK
    ):
        of_item = (pk, key, intended, _float(known), _float(earlier), pool)
        labels = (
            _label(names[:3]) or own_label(metadata, "domain"),
            _label(names[3:]) or own_label(metadata, "source"),
        )
        for column, value in zip(columns, (*of_item, *labels), strict=True):
            column.append(value)
    pks, keys, classes, expected, of_round_before, pools, domains, sources = columns
    of_earlier = np.array(of_round_before, dtype=np.float64)
    return ItemTable(
        pks=pks,
        keys=keys,
        classes=classes,
        domains=domains,
        sources=sources,
        pools=pools,
        expected=np.array(expected, dtype=np.float64),
        earlier=of_earlier,
        first=_first_ratings(study, pks, of_earlier),
    )


def _first_ratings(study: Study, pks: Sequence[int], earlier: FloatArray) -> FloatArray:
    """What the first round said of each item, as far back as rounds know it."""
    first = earlier.copy()
    place = {pk: n for n, pk in enumerate(pks)}
    derived = Item.objects.filter(study=study, derived_from__isnull=False)
    # The places of the items that go back to each item of an earlier round.
    level: dict[int, list[int]] = {}
    for pk, origin in derived.values_list("pk", "derived_from").order_by("pk").iterator():
        if origin is not None:
            level.setdefault(origin, []).append(place[pk])
    while level:
        before: dict[int, list[int]] = {}
        origins = iter(level)
        while chunk := list(islice(origins, _CHUNK)):
            rows = Item.objects.filter(pk__in=chunk).order_by("pk")
            for pk, rating, origin in rows.values_list("pk", "earlier_rating", "derived_from"):
                if rating is not None:
                    first[level[pk]] = float(rating)
                if origin is not None:
                    before.setdefault(origin, []).extend(level[pk])
        level = before
    return first


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _label(names: Sequence[str | None]) -> str:
    """What the two sides' contexts say; that of the pool where these say nothing."""
    target, candidate, pool = (name or "" for name in names)
    return " / ".join(dict.fromkeys(filter(None, (target, candidate)))) or pool


def read_ratings(
    study_or_design: Study | Design,
    population: Population,
    *,
    items: ItemTable | None = None,
    also: Collection[int] = (),
) -> RatingAnswers:
    """Read the counted ratings in chunks: 80 bytes for each."""
    design = study_or_design.design if isinstance(study_or_design, Study) else study_or_design
    study = design.study
    table = items or item_table(study)
    scale = Scale.of(study.scale)
    # At most three decimals, so that the nearest float is the one that reads the same.
    rating = Cast("rating", FloatField())
    rows = read_rows(design, population, table, QuestionKind.RATING, rating, also=also)

    def ratings(is_wanted: BoolArray) -> Ratings:
        return Ratings(
            rows.person[is_wanted],
            rows.unit[is_wanted],
            rows.values[is_wanted, 0],
            len(rows.people),
            len(table.pks),
            low=float(scale.low),
            high=float(scale.high),
            step=float(scale.step),
            thinking_ms=rows.active_ms[is_wanted],
            order=rows.order[is_wanted],
        )

    return RatingAnswers(table, rows.phases(ratings), rows.people.tolist(), rows.basis, scale)


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """The counted answers of all phases of a design, a row for each, in order of their keys."""

    design: Design
    items: ItemTable
    pk: IntArray
    person: IntArray
    unit: IntArray
    phase: IntArray
    purpose: IntArray
    order: IntArray
    # The columns that the kind of question stores, shape (m, number of columns).
    values: FloatArray
    active_ms: FloatArray
    answered_at: FloatArray
    people: IntArray

    @property
    def basis(self) -> Basis:
        pk = self.pk
        return Basis(len(pk), int(pk[-1]) if len(pk) else None, key_sum_of(pk.tolist()))

    def phases(self, batch: Callable[[BoolArray], AnyBatch]) -> list[PhaseAnswers[AnyBatch]]:
        """Phase by phase, with the batch that is made of its rows."""
        is_asked = _asked_units(self.design, self.items)
        phases = []
        for phase in self.design.phases.order_by("number"):
            is_of_phase = self.phase == phase.pk
            times = self.answered_at[is_of_phase], self.active_ms[is_of_phase]
            keys = self.purpose[is_of_phase], self.pk[is_of_phase]
            phases.append(
                PhaseAnswers(phase, batch(is_of_phase), *times, *keys, is_asked[phase.pk])
            )
        return phases


def read_rows(
    design: Design,
    population: Population,
    items: ItemTable,
    kind: QuestionKind,
    *values: Any,
    also: Collection[int] = (),
) -> AnswerRows:
    """Read the counted answers in chunks: 80 bytes for each."""
    blocks = list(Block.objects.filter(phase__design=design))
    keys = (
        *("pk", "assignment_id", "assignment__annotator_id", "question__item_id"),
        *("question__block_id", "question__screen", "question__position"),
    )
    counted = counted_judgments(design, population, also=also).filter(kind=kind)
    rows = iter(
        counted.values_list(*keys, *values, "active_ms", "answered_at").iterator(chunk_size=_CHUNK)
    )
    n, nan = len(keys), float("nan")
    whole, real = [np.empty((0, n), dtype=np.int64)], [np.empty((0, len(values) + 2))]
    while chunk := list(islice(rows, _CHUNK)):
        whole.append(np.array([row[:n] for row in chunk], dtype=np.int64))
        real.append(
            np.array(
                [
                    (*row, nan if ms is None else ms, nan if at is None else at.timestamp())
                    for *row, ms, at in (row[n:] for row in chunk)
                ],
                dtype=np.float64,
            )
        )
    pk, assignment, annotator, item, block, screen, position = np.concatenate(whole).T
    floats = np.concatenate(real)
    # People are sorted by their keys, so that nothing depends on who answered first.
    people, person = np.unique(annotator, return_inverse=True)
    phase = _numbers_of(block, {row.pk: row.phase_id for row in blocks})
    return AnswerRows(
        design=design,
        items=items,
        pk=pk,
        person=person,
        unit=_numbers_of(item, items.number),
        phase=phase,
        purpose=_numbers_of(block, {row.pk: PURPOSES.index(row.purpose) for row in blocks}),
        order=_orders_of(phase, person, assignment, screen, position),
        values=floats[:, :-2],
        active_ms=floats[:, -2],
        answered_at=floats[:, -1],
        people=people,
    )


def _numbers_of(keys: IntArray, number: dict[int, int]) -> IntArray:
    """The number of each key."""
    distinct, place = np.unique(keys, return_inverse=True)
    numbers = np.array([number[key] for key in distinct.tolist()], dtype=np.int64)
    return numbers[place] if len(distinct) else np.empty(0, dtype=np.int64)


def _orders_of(
    phase: IntArray, person: IntArray, assignment: IntArray, screen: IntArray, position: IntArray
) -> IntArray:
    """Place of each rating in its person's phase, from 0, as the screens asked for them."""
    in_order = np.lexsort((position, screen, assignment, person, phase))
    _, first, group = np.unique(
        np.stack([phase[in_order], person[in_order]], axis=1),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    order = np.empty(len(phase), dtype=np.int64)
    order[in_order] = np.arange(len(phase)) - first[group.reshape(-1)]
    return order


def _asked_units(design: Design, table: ItemTable) -> dict[int, BoolArray]:
    """The units for which the main blocks of each phase ask."""
    is_asked = {
        phase: np.zeros(len(table.pks), dtype=np.bool_)
        for phase in design.phases.values_list("pk", flat=True)
    }
    rows = (
        Question.objects.filter(
            block__phase__design=design,
            block__purpose=Block.Purpose.MAIN,
            item__isnull=False,
        )
        .order_by()
        .values_list("block__phase_id", "item_id")
        .distinct()
    )
    for phase, item in rows.iterator(chunk_size=_CHUNK):
        is_asked[phase][table.number[item]] = True
    return is_asked
