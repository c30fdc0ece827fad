"""Which orders count, as arrays: scores, pages and exports all ask here."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import numpy as np

from annotation.core.queries.counted_answers import Basis, Population, counted_judgments
from annotation.core.queries.key_sums import key_sum_of
from annotation.kinds.best_worst.queries.answers import Answers, TupleTable, tuple_table
from annotation.models import Design, Placement, Study
from annotation.models.kinds import QuestionKind
from scoring.rankings.orders import orders_of

_CHUNK = 5000


def orders_arrays(
    study_or_design: Study | Design,
    population: Population,
    *,
    table: TupleTable | None = None,
    also: Collection[int] = (),
) -> Answers:
    """The counted answers as arrays; `best_worst` of what is returned are `Orders`."""
    design = study_or_design.design if isinstance(study_or_design, Study) else study_or_design
    table = table or tuple_table(design)
    item_number = {pk: number for number, pk in enumerate(table.item_pks)}
    tuple_number = {pk: number for number, pk in enumerate(table.tuple_pks)}
    annotators: dict[int, int] = {}
    numbers, people, orders, positions, times, keys = [], [], [], [], [], []
    for row, placed in _rows(design, population, also):
        pk, tuple_pk, annotator, shown, active_ms, at = row
        keys.append(pk)
        numbers.append(tuple_number[tuple_pk])
        people.append(annotators.setdefault(annotator, len(annotators)))
        orders.append([item_number[item] for item in placed])
        ends = (placed[0], placed[-1])
        positions.append([-1, -1] if shown is None else [shown.index(item) for item in ends])
        times.append(
            (
                np.nan if active_ms is None else active_ms / 1000,
                np.nan if at is None else at.timestamp(),
            )
        )
    size = table.tuples.shape[1]
    read = orders_of(
        table.tuples,
        np.array(numbers, dtype=np.int64),
        np.array(orders, dtype=np.int64).reshape(-1, size),
        n_items=len(table.item_pks),
        annotator=np.array(people, dtype=np.int64),
    )
    of_times = np.array(times, dtype=np.float64).reshape(-1, 2)
    return Answers(
        table,
        read,
        list(annotators),
        np.array(positions, dtype=np.int64).reshape(-1, 2),
        of_times[:, 0],
        of_times[:, 1],
        Basis(len(keys), max(keys, default=None), key_sum_of(keys)),
    )


def _rows(
    design: Design, population: Population, also: Collection[int]
) -> Iterator[tuple[tuple[Any, ...], list[int]]]:
    """Each answer with its items from the first place to the last."""
    rows = iter(
        counted_judgments(design, population, also=also)
        .filter(kind=QuestionKind.RANKING)
        .values_list(
            "pk",
            "question__tuple_id",
            "assignment__annotator_id",
            "shown_order",
            "active_ms",
            "answered_at",
        )
        .iterator(chunk_size=_CHUNK)
    )
    while chunk := list(islice(rows, _CHUNK)):
        placed = items_in_order([row[0] for row in chunk])
        yield from ((row, placed[row[0]]) for row in chunk)


def items_in_order(judgments: Collection[int]) -> dict[int, list[int]]:
    """The items of each judgment from the first place to the last, all as primary keys."""
    orders: dict[int, list[int]] = defaultdict(list)
    rows = Placement.objects.filter(judgment__in=judgments).order_by("judgment", "place")
    for judgment, item in rows.values_list("judgment_id", "item_id"):
        orders[judgment].append(item)
    return orders
