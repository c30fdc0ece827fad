"""Stored answers as a stream that reads a few at a time."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.basics.cells import iso
from annotation.core.queries import comments, counted_answers, run_status
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.run_status import status_of
from annotation.models import Choice, Item, Pick, Placement, Study

CHUNK = 1000
_VALUES = {
    "id": "pk",
    "annotator": "assignment__annotator__pseudonym",
    "source": "assignment__annotator__source",
    "kind": "kind",
    "phase": "question__block__phase__number",
    "condition": "question__block__phase__condition",
    "purpose": "question__block__purpose",
    "booklet": "assignment__booklet__number",
    "screen": "question__screen",
    "position": "question__position",
    "tuple": "question__tuple__number",
    "item": "question__item__key",
    "context": "question__turn__context__key",
    "turn": "question__turn__position",
    "active_ms": "active_ms",
    "n_away": "n_away",
    "n_pasted": "n_pasted",
    "comment": "comment",
}
_ALSO = {
    "shown": "shown_order",
    "best": "best_id",
    "worst": "worst_id",
    "rating": "rating",
    "shown_at": "shown_at",
    "answered_at": "answered_at",
    "superseded_at": "superseded_at",
    "run": "run",
    "excluded": "is_excluded",
}
# The columns of the table, in their order.
NAMES = (
    "id",
    "annotator",
    "source",
    "kind",
    "phase",
    "condition",
    "purpose",
    "booklet",
    "screen",
    "position",
    "tuple",
    "item",
    "context",
    "turn",
    "status",
    "shown",
    "best",
    "worst",
    "rating",
    "choices",
    "picks",
    "order",
    "shown_at",
    "answered_at",
    "active_ms",
    "n_away",
    "n_pasted",
    "comment",
    "superseded_at",
)


@dataclass(frozen=True)
class JudgmentFilter:
    """Which of a study's answers the stream contains."""

    population: Population = "people"
    # True: also answers that were changed later.
    all_versions: bool = False
    with_checks: bool = False
    # Only answers whose id is larger than this one.
    after: int = 0
    # The largest number of answers; None for all.
    limit: int | None = None


def rows(study: Study, wanted: JudgmentFilter) -> Iterator[dict[str, Any]]:
    """Answers in the order of storing, by the names of `NAMES`; withdrawn ones are empty, and left
    out.

    Each few are a query of their own: nothing is held open while somebody reads slowly.
    """
    after, left = wanted.after, wanted.limit
    while left is None or left > 0:
        chunk = _chunk(study, wanted, after, CHUNK if left is None else min(CHUNK, left))
        yield from chunk
        if len(chunk) < CHUNK:
            return
        after = chunk[-1]["id"]
        left = None if left is None else left - len(chunk)


def _chunk(study: Study, wanted: JudgmentFilter, after: int, n: int) -> list[dict[str, Any]]:
    judgments = counted_answers.judgments_of(
        study, wanted.population, with_checks=wanted.with_checks
    )
    judgments = judgments.filter(withdrawn_at=None, pk__gt=after)
    if not wanted.all_versions:
        judgments = judgments.filter(superseded_at=None)
    fields = {**_VALUES, **_ALSO}
    values = (
        judgments.order_by("pk")
        .annotate(run=run_status.of_judgment(), is_excluded=counted_answers.is_excluded())
        .values_list(*fields.values())[:n]
    )
    read = [dict(zip(fields, row, strict=True)) for row in values]
    pks = [row["id"] for row in read]
    keys = _keys(read)
    choices, picks, orders = _choices(pks), _picks(pks), _orders(pks)
    return [_row(row, keys, choices, picks, orders) for row in read]


def _row(
    read: dict[str, Any],
    keys: dict[int, str],
    choices: dict[int, list[str]],
    picks: dict[int, list[dict[str, Any]]],
    orders: dict[int, list[str]],
) -> dict[str, Any]:
    pk, shown, rating = read["id"], read["shown"], read["rating"]
    row = {
        **{name: read[name] for name in _VALUES},
        "status": status_of(
            read["run"], superseded_at=read["superseded_at"], is_excluded=read["excluded"]
        ),
        # Of what is compared: the order of the options on that screen.
        "shown": None if shown is None else [keys.get(pk) for pk in shown],
        "best": keys.get(read["best"]),
        "worst": keys.get(read["worst"]),
        "rating": None if rating is None else float(rating),
        "choices": choices[pk],
        "picks": picks[pk],
        "order": orders[pk],
        "comment": comments.in_a_table(read["comment"], read["superseded_at"]),
        **{name: iso(read[name]) for name in ("shown_at", "answered_at", "superseded_at")},
    }
    return {name: row[name] for name in NAMES}


def _keys(read: list[dict[str, Any]]) -> dict[int, str]:
    wanted = {row[name] for row in read for name in ("best", "worst")} - {None}
    wanted |= {pk for row in read for pk in row["shown"] or ()}
    keys: dict[int, str] = {}
    pks = sorted(wanted)
    for start in range(0, len(pks), CHUNK):
        some = Item.objects.filter(pk__in=pks[start : start + CHUNK])
        keys |= dict(some.values_list("pk", "key"))
    return keys


def _choices(pks: list[int]) -> dict[int, list[str]]:
    categories: dict[int, list[str]] = defaultdict(list)
    rows = Choice.objects.filter(judgment__in=pks).order_by("judgment", "pk")
    for judgment, category in rows.values_list("judgment_id", "category"):
        categories[judgment].append(category)
    return categories


def _orders(pks: list[int]) -> dict[int, list[str]]:
    """Of rankings: the ids of the items from the first place to the last."""
    orders: dict[int, list[str]] = defaultdict(list)
    rows = Placement.objects.filter(judgment__in=pks).order_by("judgment", "place")
    for judgment, item in rows.values_list("judgment_id", "item__key"):
        orders[judgment].append(item)
    return orders


def _picks(pks: list[int]) -> dict[int, list[dict[str, Any]]]:
    picks: dict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = Pick.objects.filter(judgment__in=pks).order_by("judgment", "pk")
    for judgment, role, context, turn, rating in rows.values_list(
        "judgment_id", "role", "turn__context__key", "turn__position", "rating"
    ):
        picks[judgment].append(
            {
                "role": role,
                "context": context,
                "turn": turn,
                "rating": None if rating is None else float(rating),
            }
        )
    return picks
