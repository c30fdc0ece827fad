"""What an export of a ranking study reads: items with their places, and every order."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

import scoring
from annotation.basics.cells import as_json
from annotation.core.queries import comments, counted_answers, run_status
from annotation.core.queries.counted_answers import Population
from annotation.kinds.best_worst.queries import exporting
from annotation.kinds.best_worst.queries.answers import TupleTable
from annotation.kinds.best_worst.queries.exporting import ItemRecord
from annotation.kinds.ranking.queries.answers import items_in_order
from annotation.models import Design, Result, Study
from annotation.models.kinds import QuestionKind
from scoring.rankings.orders import Orders, mean_ranks

_CHUNK = 2000


@dataclass(frozen=True)
class RankedItem(ItemRecord):
    """An item with its mean rank; None if it was never shown."""

    mean_place: float | None = None


def item_records(
    study: Study, answers: scoring.BestWorst, result: Result | None
) -> Iterator[RankedItem]:
    """Items by number; `result` is that of these answers, if there is one."""
    assert isinstance(answers, Orders)
    ranks, scores = mean_ranks(answers), answers.scores()
    # Rank of the next item that belongs to the study: only these were ordered.
    place = 0
    for record in exporting.item_records(study, scoring.count(answers), result):
        counts, mean = record.counts, None
        if record.check is None:
            if counts.appearances:
                score = float(scores[place])
                counts = counts._replace(score=score, rescaled=(score + 1) / 2)
                mean = float(ranks.mean[place])
            place += 1
        yield RankedItem(record.item, record.check, counts, record.result, mean)


class JudgmentRecord(NamedTuple):
    """An answer with all that a table says of it; the orders are JSON lists of ids."""

    pseudonym: str
    source: str
    booklet: int
    screen: int
    position: int
    tuple_number: int
    status: str
    stored_order: str
    shown_order: str
    order: str
    shown_at: datetime | None
    answered_at: datetime | None
    active_ms: int | None
    comment: str
    superseded_at: datetime | None


_FIELDS = {
    "pk": "pk",
    "superseded_at": "superseded_at",
    "is_excluded": "is_excluded",
    "run": "run",
    "tuple_pk": "question__tuple_id",
    "shown_order": "shown_order",
    "shown_at": "shown_at",
    "answered_at": "answered_at",
    "active_ms": "active_ms",
    "comment": "comment",
    "pseudonym": "assignment__annotator__pseudonym",
    "source": "assignment__annotator__source",
    "booklet": "assignment__booklet__number",
    "screen": "question__screen",
    "position": "question__position",
    "tuple_number": "question__tuple__number",
}


class JudgmentRecords:
    """Every stored answer of one population, in the order of storing; counts them by status."""

    def __init__(self, design: Design, population: Population, table: TupleTable) -> None:
        self.design = design
        self.population = population
        self.by_status = dict.fromkeys(run_status.STATUSES, 0)
        self._keys = dict(zip(table.item_pks, table.item_keys, strict=True))
        self._stored = {
            pk: as_json([table.item_keys[i] for i in row])
            for pk, row in zip(table.tuple_pks, table.tuples.tolist(), strict=True)
        }

    def __iter__(self) -> Iterator[JudgmentRecord]:
        rows = iter(
            counted_answers.judgments_of(self.design, self.population)
            .filter(kind=QuestionKind.RANKING, withdrawn_at=None)
            .order_by("pk")
            .annotate(run=run_status.of_judgment(), is_excluded=counted_answers.is_excluded())
            .values_list(*_FIELDS.values())
            .iterator(chunk_size=_CHUNK)
        )
        while chunk := [dict(zip(_FIELDS, row, strict=True)) for row in islice(rows, _CHUNK)]:
            placed = items_in_order([row["pk"] for row in chunk])
            yield from (self._record(row, placed[row["pk"]]) for row in chunk)

    def _record(self, row: dict[str, Any], placed: list[int]) -> JudgmentRecord:
        status = run_status.status_of(
            row["run"], superseded_at=row["superseded_at"], is_excluded=row["is_excluded"]
        )
        self.by_status[status] += 1
        shown = row["shown_order"]
        return JudgmentRecord(
            status=status,
            stored_order=self._stored[row["tuple_pk"]],
            shown_order="" if shown is None else as_json([self._keys[pk] for pk in shown]),
            order=as_json([self._keys[pk] for pk in placed]),
            comment=comments.in_a_table(row["comment"], row["superseded_at"]),
            **{
                name: row[name]
                for name in JudgmentRecord._fields
                if name in _FIELDS and name not in {"shown_order", "comment"}
            },
        )
