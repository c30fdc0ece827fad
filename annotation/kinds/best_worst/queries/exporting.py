"""What an export reads: rows in a stated order, read in chunks, all from one moment."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count

from annotation.basics.cells import as_json
from annotation.core.queries import comments, counted_answers, run_status
from annotation.core.queries.counted_answers import Population
from annotation.core.shown_items import beside_columns, own_label
from annotation.kinds.best_worst.queries.answers import TupleTable
from annotation.models import Check, Design, Item, ItemTuple, Result, Study, Turn
from annotation.models.items import ONE_POOL
from annotation.models.kinds import QuestionKind
from scoring import Counts
from scoring.arrays import FloatArray

_CHUNK = 2000


# -- Items --------------------------------------------------------------------------------------


class ItemCounts(NamedTuple):
    """What the counted answers say of an item; None throughout for a check."""

    appearances: int | None = None
    best: int | None = None
    worst: int | None = None
    score: float | None = None
    rescaled: float | None = None


class ItemResult(NamedTuple):
    """What the latest result says of an item."""

    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    first_group: int | None = None
    last_group: int | None = None
    utility: float | None = None
    utility_error: float | None = None


@dataclass(frozen=True)
class ItemRecord:
    """An item with all that a table says of it."""

    item: Item
    check: Check | None
    counts: ItemCounts
    result: ItemResult

    def label(self, name: str) -> str:
        """Its domain or source: that of the dialogue, or what the file said of the item."""
        context = self.item.pool.context
        return getattr(context, name) if context else own_label(self.item.metadata, name)

    @property
    def metadata(self) -> dict[str, Any]:
        """What the file said of the item in columns that have none here."""
        labels = {name: self.label(name) for name in ("domain", "source")}
        return beside_columns(self.item.metadata, **labels)

    @property
    def turns_as_json(self) -> str:
        turns = [{"speaker": turn.speaker, "text": turn.text} for turn in self._turns]
        return as_json(turns) if turns else ""

    @property
    def turns_as_lines(self) -> str:
        return "\n".join(
            f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text for turn in self._turns
        )

    @property
    def dialogue_metadata(self) -> str:
        context = self.item.pool.context
        return as_json(context.metadata) if context and context.metadata else ""

    @property
    def group(self) -> str:
        return "" if self.item.pool.key == ONE_POOL else self.item.pool.key

    @property
    def _turns(self) -> list[Turn]:
        context = self.item.pool.context
        return sorted(context.turns.all(), key=lambda turn: turn.position) if context else []


def item_records(study: Study, counts: Counts, result: Result | None) -> Iterator[ItemRecord]:
    """Items by number, with their scores; `result` is that of these answers, if there is one."""
    results: dict[int, ItemResult] = {}
    if result:
        rows = result.item_scores.values_list("item_id", *ItemResult._fields)
        results = {pk: ItemResult(*figures) for pk, *figures in rows.iterator()}
    scores, rescaled = counts.scores(), counts.rescaled()
    items = (
        Item.objects.filter(study=study)
        .order_by("number")
        .select_related("target_turn", "candidate_turn")
        # Not joined: a dialogue is read once for all of its candidates.
        .prefetch_related("pool__context__turns")
    )
    known = {check.pool_id: check for check in study.checks.filter(item=None)}
    # Rank of the next item that belongs to the study: only these were counted.
    place = 0
    for item in items.iterator(chunk_size=_CHUNK):
        check = known.get(item.pool_id)
        of_item = ItemCounts()
        if check is None:
            of_item = _counts_of(counts, scores, rescaled, place)
            place += 1
        yield ItemRecord(item, check, of_item, results.get(item.pk, ItemResult()))


def _counts_of(counts: Counts, scores: FloatArray, rescaled: FloatArray, n: int) -> ItemCounts:
    n_shown = int(counts.appearances[n])
    return ItemCounts(
        appearances=n_shown,
        best=int(counts.best[n]),
        worst=int(counts.worst[n]),
        # An item that was never shown has no score; it is not average.
        score=float(scores[n]) if n_shown else None,
        rescaled=float(rescaled[n]) if n_shown else None,
    )


# -- Tuples -------------------------------------------------------------------------------------


class TupleRecord(NamedTuple):
    number: int
    pool: str
    booklet: int | None
    screen: int | None
    position: int | None
    # The ids of the items, in stored order.
    items: list[str]


def tuple_records(design: Design, table: TupleTable) -> Iterator[TupleRecord]:
    """Tuples by number, each with its place in a booklet and its items in stored order."""
    # A tuple is asked in one booklet; were it asked in several, each would have a row.
    rows = (
        ItemTuple.objects.filter(design=design, pool__known_answer=None)
        .order_by("number", "questions__booklet__number", "questions__pk")
        .values_list(
            "number",
            "pool__key",
            "questions__booklet__number",
            "questions__screen",
            "questions__position",
        )
    )
    row_of = {number: row for row, number in enumerate(table.tuple_numbers)}
    for number, pool, booklet, screen, position in rows.iterator(chunk_size=_CHUNK):
        items = [table.item_keys[i] for i in table.tuples[row_of[number]].tolist()]
        yield TupleRecord(number, pool, booklet, screen, position, items)


# -- Answers ------------------------------------------------------------------------------------


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
    best: str
    worst: str
    shown_at: datetime | None
    answered_at: datetime | None
    active_ms: int | None
    comment: str
    superseded_at: datetime | None


class JudgmentRecords:
    """Every stored answer of one population, in the order of storing; counts them by status."""

    def __init__(self, design: Design, population: Population, table: TupleTable) -> None:
        self.design = design
        self.population = population
        self.by_status = dict.fromkeys(run_status.STATUSES, 0)
        self._keys = dict(zip(table.item_pks, table.item_keys, strict=True))
        self._json_keys = {pk: as_json(key) for pk, key in self._keys.items()}
        self._stored = {
            pk: as_json([table.item_keys[i] for i in row])
            for pk, row in zip(table.tuple_pks, table.tuples.tolist(), strict=True)
        }

    def __iter__(self) -> Iterator[JudgmentRecord]:
        rows = (
            counted_answers.judgments_of(self.design, self.population)
            .filter(kind=QuestionKind.BEST_WORST, withdrawn_at=None)
            .order_by("pk")
            .annotate(run=run_status.of_judgment(), is_excluded=counted_answers.is_excluded())
            .values_list(
                "superseded_at",
                "is_excluded",
                "run",
                "question__tuple_id",
                "shown_order",
                "best_id",
                "worst_id",
                "shown_at",
                "answered_at",
                "active_ms",
                "comment",
                "assignment__annotator__pseudonym",
                "assignment__annotator__source",
                "assignment__booklet__number",
                "question__screen",
                "question__position",
                "question__tuple__number",
            )
        )
        keys, json_keys = self._keys, self._json_keys
        for (
            superseded_at,
            is_excluded,
            run,
            tuple_pk,
            shown_order,
            best,
            worst,
            shown_at,
            answered_at,
            active_ms,
            comment,
            pseudonym,
            source,
            booklet,
            screen,
            position,
            tuple_number,
        ) in rows.iterator(chunk_size=_CHUNK):
            status = run_status.status_of(
                run, superseded_at=superseded_at, is_excluded=is_excluded
            )
            self.by_status[status] += 1
            yield JudgmentRecord(
                pseudonym=pseudonym,
                source=source,
                booklet=booklet,
                screen=screen,
                position=position,
                tuple_number=tuple_number,
                status=status,
                stored_order=self._stored[tuple_pk],
                shown_order=""
                if shown_order is None
                else f"[{','.join([json_keys[pk] for pk in shown_order])}]",
                best=keys[best],
                worst=keys[worst],
                shown_at=shown_at,
                answered_at=answered_at,
                active_ms=active_ms,
                comment=comments.in_a_table(comment, superseded_at),
                superseded_at=superseded_at,
            )


class CountedRecord(NamedTuple):
    """A counted answer; the items in stored order."""

    items: list[str]
    best: str
    worst: str
    pseudonym: str
    tuple_number: int


def counted_records(
    design: Design, population: Population, table: TupleTable
) -> Iterator[CountedRecord]:
    keys = dict(zip(table.item_pks, table.item_keys, strict=True))
    stored = {
        pk: [table.item_keys[i] for i in row]
        for pk, row in zip(table.tuple_pks, table.tuples.tolist(), strict=True)
    }
    rows = (
        counted_answers.counted_judgments(design, population)
        .filter(kind=QuestionKind.BEST_WORST)
        .values_list(
            "question__tuple_id",
            "best_id",
            "worst_id",
            "assignment__annotator__pseudonym",
            "question__tuple__number",
        )
    )
    for tuple_pk, best, worst, pseudonym, number in rows.iterator(chunk_size=_CHUNK):
        yield CountedRecord(stored[tuple_pk], keys[best], keys[worst], pseudonym, number)


# -- People -------------------------------------------------------------------------------------


class AnnotatorResult(NamedTuple):
    """What the latest result says of an annotator."""

    compliance: float | None = None
    n_pairs: int | None = None
    n_left_out: int | None = None
    best_chi_square: float | None = None
    best_p: float | None = None
    worst_chi_square: float | None = None
    worst_p: float | None = None


class AnnotatorRecord(NamedTuple):
    pseudonym: str
    source: str
    n_judgments: int
    result: AnnotatorResult


def annotator_records(
    design: Design,
    population: Population,
    result: Result | None,
    *,
    kind: QuestionKind = QuestionKind.BEST_WORST,
) -> Iterator[AnnotatorRecord]:
    """Annotators of counted answers by pseudonym; `result` as in `item_records`."""
    results: dict[int, AnnotatorResult] = {}
    if result:
        rows = result.annotators.values_list("annotator_id", *AnnotatorResult._fields)
        results = {pk: AnnotatorResult(*figures) for pk, *figures in rows.iterator()}
    counted = (
        counted_answers.counted_judgments(design, population)
        .filter(kind=kind)
        .order_by("assignment__annotator__pseudonym")
        .values_list(
            "assignment__annotator_id",
            "assignment__annotator__pseudonym",
            "assignment__annotator__source",
        )
        .annotate(n=Count("pk"))
    )
    for pk, pseudonym, source, n_judgments in counted.iterator(chunk_size=_CHUNK):
        yield AnnotatorRecord(pseudonym, source, n_judgments, results.get(pk, AnnotatorResult()))
