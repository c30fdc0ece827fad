"""Which answers count, and those answers as arrays: scores, pages and exports all ask here."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from django.db.models import Count

from annotation.core.queries.counted_answers import Basis, Population, counted_judgments
from annotation.core.queries.key_sums import key_sum_of
from annotation.core.queries.median_times import MS_PER_HOUR, WorkingTime
from annotation.models import (
    Design,
    Item,
    ItemTuple,
    Member,
    Study,
)
from annotation.models.kinds import QuestionKind
from scoring import BestWorst, Counts, connected_items
from scoring.arrays import FloatArray, IntArray
from tuples import DesignCertificate, certify, combine

_CHUNK = 5000
# The column of a chunk that has the answer's own key.
_PK = 8


@dataclass(frozen=True, eq=False)
class TupleTable:
    """The items and tuples of a design, numbered from 0 in the order of their own numbers."""

    item_pks: list[int]
    item_keys: list[str]
    # The pool's key for each item.
    item_pools: list[str]
    tuple_pks: list[int]
    # The tuples' numbers as in the files: `ItemTuple.number`.
    tuple_numbers: list[int]
    tuple_pools: list[str]
    # By name of the stratum (turns, domain, source): its label for each tuple, empty if unknown.
    strata: dict[str, list[str]]
    # Items of each tuple in stored order, shape (t, k).
    tuples: IntArray

    @cached_property
    def compared_pools(self) -> list[str]:
        """For each item the pool within which it is compared, perhaps by way of other items.

        That is its stored pool; if the tuples of that fall into parts which share no item, as
        those of an imported file may, the part.
        """
        numbers = self._part_numbers
        return [
            f"{pool} ({numbers[pool][part]})" if part >= 0 and len(numbers[pool]) > 1 else pool
            for pool, part in zip(self.item_pools, self._parts, strict=True)
        ]

    @property
    def n_unconnected_pools(self) -> int:
        """How many stored pools fall into parts that were never compared with one another."""
        return sum(len(parts) > 1 for parts in self._part_numbers.values())

    @cached_property
    def _parts(self) -> list[int]:
        parts: list[int] = connected_items(self.tuples, n_items=len(self.item_pools)).tolist()
        return parts

    @cached_property
    def _part_numbers(self) -> dict[str, dict[int, int]]:
        """The parts of each pool, numbered from 1; an item that no tuple shows is in none."""
        numbers: dict[str, dict[int, int]] = {}
        for pool, part in zip(self.item_pools, self._parts, strict=True):
            if part >= 0:
                of_pool = numbers.setdefault(pool, {})
                of_pool.setdefault(part, len(of_pool) + 1)
        return numbers

    def labels(self, *names: str) -> list[str]:
        """One label for each tuple, such as "written / 3" for source and turns."""
        return [" / ".join(parts) for parts in zip(*(self.strata[n] for n in names), strict=True)]


@dataclass(frozen=True, eq=False)
class Answers:
    """The counted answers of one population to one design."""

    table: TupleTable
    best_worst: BestWorst
    # The keys of the annotators whom `best_worst.annotator` numbers.
    annotator_pks: list[int]
    # Where each pick stood on the screen, from 0, shape (m, 2): best, worst; -1 where unknown.
    positions: IntArray
    # Active time, and when it was answered in seconds since 1970, shape (m,); nan if unknown.
    seconds: FloatArray
    answered_at: FloatArray
    basis: Basis

    def working_time(self) -> WorkingTime:
        """Of these answers together; no query takes their times a second time."""
        milliseconds = np.rint(1000 * self.seconds[~np.isnan(self.seconds)])
        if not len(milliseconds):
            return WorkingTime(self.basis.n_judgments, 0, None, None)
        return WorkingTime(
            self.basis.n_judgments,
            len(milliseconds),
            float(np.median(milliseconds)) / 1000,
            float(milliseconds.sum()) / MS_PER_HOUR,
        )


def tuple_table(design: Design) -> TupleTable:
    """Read a design's items and tuples; a design that was not made has no tuples.

    Checks are not among them: they are not studied, and are of any size.
    """
    item_pks, item_keys, item_pools = [], [], []
    items = Item.objects.filter(study=design.study_id).without_checks().order_by("number")
    for pk, key, pool in items.values_list("pk", "key", "pool__key").iterator():
        item_pks.append(pk)
        item_keys.append(key)
        item_pools.append(pool)
    number_of = {pk: number for number, pk in enumerate(item_pks)}

    tuple_pks, tuple_numbers, tuple_pools = [], [], []
    strata: dict[str, list[str]] = {"turns": [], "domain": [], "source": []}
    rows = ItemTuple.objects.filter(design=design, pool__known_answer=None).order_by("number")
    for pk, number, pool, turns, domain, source in rows.values_list(
        "pk",
        "number",
        "pool__key",
        "pool__context__n_turns",
        "pool__context__domain",
        "pool__context__source",
    ).iterator():
        tuple_pks.append(pk)
        tuple_numbers.append(number)
        tuple_pools.append(pool)
        strata["turns"].append("" if turns is None else str(turns))
        strata["domain"].append(domain or "")
        strata["source"].append(source or "")

    members = (
        Member.objects.filter(tuple__design=design, tuple__pool__known_answer=None)
        .order_by("tuple__number", "position")
        .values_list("item_id", flat=True)
    )
    shown = np.fromiter((number_of[pk] for pk in members.iterator()), dtype=np.int64)
    n_tuples = len(tuple_pks)
    size = len(shown) // n_tuples if n_tuples else 2
    return TupleTable(
        item_pks=item_pks,
        item_keys=item_keys,
        item_pools=item_pools,
        tuple_pks=tuple_pks,
        tuple_numbers=tuple_numbers,
        tuple_pools=tuple_pools,
        strata=strata,
        tuples=shown.reshape(n_tuples, size),
    )


def certificate_of(table: TupleTable) -> DesignCertificate | None:
    """Measure the tuples that a table has; None if a pool has none, so that it has no numbers."""
    item_pools, tuple_pools = np.array(table.item_pools), np.array(table.tuple_pools)
    certificates = []
    for pool in dict.fromkeys(table.item_pools):
        of_pool = np.flatnonzero(item_pools == pool)
        tuples = table.tuples[tuple_pools == pool]
        if not len(tuples):
            return None
        certificates.append(certify(np.searchsorted(of_pool, tuples), n_items=len(of_pool)))
    return combine(certificates) if certificates else None


def answers_arrays(
    study_or_design: Study | Design,
    population: Population,
    *,
    table: TupleTable | None = None,
    also: Collection[int] = (),
) -> Answers:
    """The counted answers as arrays: 64 bytes for each answer, read in chunks."""
    design = study_or_design.design if isinstance(study_or_design, Study) else study_or_design
    table = table or tuple_table(design)
    annotators: dict[int, int] = {}
    # An empty study has no chunk at all.
    parts = [np.empty((0, 8), dtype=np.int64)]
    last: int | None = None
    total = 0
    for chunk in _chunks(design, population, table, also):
        last = int(chunk[-1, _PK])
        total += key_sum_of(chunk[:, _PK].tolist())
        chunk[:, 3] = [annotators.setdefault(pk, len(annotators)) for pk in chunk[:, 3].tolist()]
        parts.append(chunk[:, :_PK].copy())
    columns = np.concatenate(parts)
    answers = BestWorst(
        tuples=table.tuples,
        tuple_number=columns[:, 0],
        best=columns[:, 1],
        worst=columns[:, 2],
        n_items=len(table.item_pks),
        annotator=columns[:, 3],
    )
    basis = Basis(len(columns), last, total)
    times = np.where(columns[:, 6:] < 0, np.nan, columns[:, 6:] / 1000)
    return Answers(
        table, answers, list(annotators), columns[:, 4:6], times[:, 0], times[:, 1], basis
    )


def item_counts(
    study_or_design: Study | Design, population: Population, *, table: TupleTable | None = None
) -> Counts:
    """How often each item was shown and picked, in the order of the items' numbers.

    Memory does not grow with the answers.
    """
    design = study_or_design.design if isinstance(study_or_design, Study) else study_or_design
    table = table or tuple_table(design)
    item_number = {pk: number for number, pk in enumerate(table.item_pks)}
    tuple_number = {pk: number for number, pk in enumerate(table.tuple_pks)}
    n_answers = np.zeros(len(table.tuple_pks), dtype=np.int64)
    best, worst = np.zeros((2, len(table.item_pks)), dtype=np.int64)
    groups = (
        counted_judgments(design, population)
        .filter(kind=QuestionKind.BEST_WORST)
        .order_by()
        .values_list("question__tuple_id", "best_id", "worst_id")
        .annotate(n=Count("pk"))
    )
    for tuple_pk, best_pk, worst_pk, n in groups.iterator(chunk_size=_CHUNK):
        n_answers[tuple_number[tuple_pk]] += n
        best[item_number[best_pk]] += n
        worst[item_number[worst_pk]] += n
    appearances = np.zeros_like(best)
    np.add.at(appearances, table.tuples, n_answers[:, None])
    return Counts(appearances, best, worst)


def _chunks(
    design: Design, population: Population, table: TupleTable, also: Collection[int] = ()
) -> Iterator[IntArray]:
    """Counted best-worst answers, shape (n, 9): tuple, best, worst, annotator's pk, position of
    the best and of the worst (see `Answers.positions`), active milliseconds, milliseconds since
    1970 when it was answered, own pk. What is unknown is -1.
    """
    item_number = {pk: number for number, pk in enumerate(table.item_pks)}
    tuple_number = {pk: number for number, pk in enumerate(table.tuple_pks)}
    rows: Iterator[tuple[Any, ...]] = iter(
        counted_judgments(design, population, also=also)
        .filter(kind=QuestionKind.BEST_WORST)
        .values_list(
            "question__tuple_id",
            "best_id",
            "worst_id",
            "assignment__annotator_id",
            "shown_order",
            "active_ms",
            "answered_at",
            "pk",
        )
        .iterator(chunk_size=_CHUNK)
    )
    while chunk := list(islice(rows, _CHUNK)):
        yield np.array(
            [
                (
                    tuple_number[shown],
                    item_number[best],
                    item_number[worst],
                    annotator,
                    # The order of the options is unknown for imported answers.
                    -1 if order is None else order.index(best),
                    -1 if order is None else order.index(worst),
                    -1 if active_ms is None else active_ms,
                    -1 if at is None else int(at.timestamp() * 1000),
                    pk,
                )
                for shown, best, worst, annotator, order, active_ms, at, pk in chunk
            ],
            dtype=np.int64,
        )
