"""Changing what is known of contexts and items after the import: each change is logged."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import connection, transaction

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries import further_columns
from annotation.core.services import release_events
from annotation.core.services.bounded_writes import BoundedWrites
from annotation.core.services.locks import lock_study
from annotation.core.services.many_rows import RowWriter
from annotation.items.imports.headers import MAX_COLUMNS, too_many_columns
from annotation.items.imports.problems import Problems, text_problem
from annotation.items.imports.relabels import RequestedChange, RowKind
from annotation.items.services.labels_of_rows import (
    COLUMNS,
    Row,
    after_of,
    before_of,
    contexts_that_say,
    problem_with,
    why_refused,
)
from annotation.models import Context, Item, Relabelling, Study

T = TypeVar("T")

_BATCH = 500


@dataclass(frozen=True)
class Change:
    row_kind: RowKind
    row: Row
    field: str
    before: Any
    after: Any


@dataclass
class Comparison:
    """What would change, and what speaks against it."""

    changes: list[Change] = field(default_factory=list)
    n_same: int = 0
    problems: Problems = field(default_factory=Problems)


@dataclass(frozen=True)
class RelabellingResult:
    n_changed: int
    n_same: int


def relabel(
    *, study: Study, wanted: Sequence[RequestedChange], reason: str, by: User
) -> RelabellingResult:
    """Change all of it or, if anything speaks against it, nothing.

    Done in short transactions: if it is interrupted, the same call changes the rest. Raises
    ImportProblemsError with every problem.
    """
    if not reason.strip():
        raise AnnotationError(_("Give a reason. It is stored with the change."))
    if problem := text_problem(reason):
        raise AnnotationError(problem % {"field": _("The reason")})
    # Looked up before anything is held: on SQLite nobody could save an answer meanwhile.
    before = Study.objects.get(pk=study.pk)
    comparison = compare(study=before, wanted=wanted)
    comparison.problems.raise_if_any()
    now, n_changed = clock.now(), 0

    def change(batch: list[Change]) -> None:
        nonlocal n_changed
        study = lock_study(before.pk)
        if study.is_draft != before.is_draft:
            raise StateError(
                _("The study has been opened in the meantime. Check the changes again.")
            )
        changes = [*_as_it_is(Item, batch), *_as_it_is(Context, batch)]
        for present_change in changes:
            _write(present_change)
        _store(Item, changes)
        _store(Context, changes)
        _log(study, changes, reason=reason.strip(), by=by, now=now)
        n_changed += len(changes)

    BoundedWrites(transaction.atomic).in_batches(comparison.changes, change)
    return RelabellingResult(n_changed, comparison.n_same)


def _log(study: Study, changes: Sequence[Change], *, reason: str, by: User, now: datetime) -> None:
    if not changes:
        return
    # Objects of so many would take most of the time in which nobody can save an answer.
    RowWriter(
        Relabelling,
        ("item_id", "context_id", "field", "before", "after"),
        study_id=study.pk,
        reason=reason,
        by_id=by.pk,
        made_at=now,
    ).write(
        (
            change.row.pk if change.row_kind == "item" else None,
            change.row.pk if change.row_kind == "context" else None,
            change.field,
            change.before,
            change.after,
        )
        for change in changes
    )
    release_events.relabelled(study, n_values=len(changes), reason=reason, now=now)


def _as_it_is(model: type[Item] | type[Context], changes: Sequence[Change]) -> Iterator[Change]:
    """The same changes of rows as they are by now: somebody else may have changed them, too."""
    of_model = [change for change in changes if isinstance(change.row, model)]
    rows: dict[int, Any] = {}
    for chunk in _chunks(sorted({change.row.pk for change in of_model})):
        rows |= model._default_manager.in_bulk(chunk)
    for change in of_model:
        if row := rows.get(change.row.pk):
            yield replace(change, row=row, before=before_of(row, change.field))


def compare(*, study: Study, wanted: Sequence[RequestedChange]) -> Comparison:
    """What a relabelling would change."""
    comparison = Comparison()
    rows = _rows(study, {requested.key for requested in wanted})
    refused = {name: why_refused(study, *name) for name in {(w.row_kind, w.field) for w in wanted}}
    of_item = _ContextsOfItems(study, rows)
    seen: set[tuple[RowKind, str, str]] = set()
    reported: set[tuple[int | None, str]] = set()
    for requested in wanted:
        if problem := refused[requested.row_kind, requested.field]:
            # True of the column, however many lines it has.
            if (None, requested.field) not in reported:
                reported.add((None, requested.field))
                comparison.problems.add(None, problem)
            continue
        row = _row(rows, requested)
        if not isinstance(row, Item | Context):
            # One line may name a row for several columns.
            if (requested.line, requested.key) not in reported:
                reported.add((requested.line, requested.key))
                comparison.problems.add(requested.line, row)
            continue
        for meant in of_item.meant(row, requested.field):
            _compare(study, requested, meant, seen, comparison)
    if names := new_names(study, comparison.changes):
        n_names = len(further_columns.all_names(study)) + len(names)
        if n_names > MAX_COLUMNS:
            comparison.problems.add(None, too_many_columns(n_names, MAX_COLUMNS))
    return comparison


def _compare(
    study: Study,
    requested: RequestedChange,
    row: Row,
    seen: set[tuple[RowKind, str, str]],
    comparison: Comparison,
) -> None:
    """What one value would change of one row."""
    row_kind: RowKind = "item" if isinstance(row, Item) else "context"
    if (row_kind, row.key, requested.field) in seen:
        comparison.problems.add(
            requested.line,
            Problem("duplicate", _("%(id)s is listed twice"), _("remove one of the two lines"))
            % {"id": row.key},
        )
        return
    seen.add((row_kind, row.key, requested.field))
    before = before_of(row, requested.field)
    problem = problem_with(study, row_kind, row, requested, before)
    if problem:
        comparison.problems.add(requested.line, problem)
        return
    after = after_of(requested, row_kind, before)
    if type(before) is type(after) and before == after:
        comparison.n_same += 1
    else:
        comparison.changes.append(Change(row_kind, row, requested.field, before, after))


def having(*, study: Study, row_kind: RowKind, field: str, value: str) -> list[str]:
    """The ids of all items or contexts that have this value now; empty: those without one."""
    rows = _all(study, row_kind).select_related(None)
    if field in COLUMNS[row_kind]:
        return list(rows.filter(**{field: value}).values_list("key", flat=True))
    stored = rows.values_list("key", "metadata").iterator(chunk_size=2000)
    return [key for key, metadata in stored if _has(metadata.get(field), value)]


def _has(now: Any, value: str) -> bool:
    return not value if now is None else written(now) == value


def written(value: Any) -> str:
    """A value of the metadata as a form or a cell has it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fields_of(study: Study) -> list[str]:
    """The names that there are, as proposals."""
    names = {"domain", "source", "intended_class"}
    for model in (Item, Context):
        labelled_rows = model._default_manager.filter(study=study).exclude(metadata={})
        for metadata in islice(
            labelled_rows.order_by("pk").values_list("metadata", flat=True), 1000
        ):
            names |= {
                name
                for name, value in metadata.items()
                if not isinstance(value, dict | list) and not why_refused(study, "", name)
            }
    return sorted(names)


def new_names(study: Study, changes: Iterable[Change]) -> set[str]:
    """The names that these changes would bring, and that no item and no context has yet."""
    wanted = {change.field for change in changes} - {"domain", "source", "intended_class"}
    return wanted - further_columns.all_names(study) if wanted else wanted


# -- Rows ---------------------------------------------------------------------------------------


def _all(study: Study, row_kind: RowKind) -> Any:
    if row_kind == "context":
        return Context.objects.filter(study=study).order_by("pk")
    return (
        Item.objects.filter(study=study)
        .select_related("pool__context", "target_turn__context", "candidate_turn__context")
        .order_by("number")
    )


def _rows(study: Study, keys: set[str]) -> dict[tuple[RowKind, str], Row]:
    rows: dict[tuple[RowKind, str], Row] = {}
    row_kinds: tuple[RowKind, RowKind] = ("item", "context")
    for row_kind in row_kinds:
        for chunk in _chunks(sorted(keys)):
            # In no order: by its index SQLite would look at every item for each chunk.
            for row in _all(study, row_kind).order_by().filter(key__in=chunk):
                rows[row_kind, row.key] = row
    return rows


def _chunks(keys: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(keys)
    # One query of SQLite takes no more.
    while chunk := list(islice(rest, _BATCH)):
        yield chunk


def _row(rows: dict[tuple[RowKind, str], Row], requested: RequestedChange) -> Row | Said:
    """The row that is meant, or why it cannot be known."""
    if requested.row_kind:
        row = rows.get((requested.row_kind, requested.key))
        if row is None and requested.row_kind == "item":
            return _("this study has no item %(id)s") % {"id": requested.key}
        if row is None:
            return _("this study has no context %(id)s") % {"id": requested.key}
        return row
    item, context = rows.get(("item", requested.key)), rows.get(("context", requested.key))
    if item and context:
        return Problem(
            "conflict",
            _("both an item and a context are called %(id)s"),
            _("name the column of ids “item” or “context”"),
        ) % {"id": requested.key}
    return item or context or _("this study has no item or context %(id)s") % {"id": requested.key}


class _ContextsOfItems:
    """Which rows a change is about: an item may have its label from its context."""

    def __init__(self, study: Study, rows: dict[tuple[RowKind, str], Row]) -> None:
        self.study = study
        # One object of each row: what is changed of another would be lost.
        self.rows = rows

    def meant(self, row: Row, name: str) -> list[Row]:
        """The item's contexts, if they have the label and are of no other item; else the row."""
        if not isinstance(row, Item) or name not in {"domain", "source"}:
            return [row]
        contexts = contexts_that_say(row, name)
        if not contexts or any(self._n_items[context.pk] > 1 for context in contexts):
            return [row]
        return [self.rows.setdefault(("context", context.key), context) for context in contexts]

    @cached_property
    def _n_items(self) -> Counter[int]:
        """How many items each context has."""
        of_items = Item.objects.filter(study=self.study).values_list(
            "target_turn__context", "candidate_turn__context", "pool__context"
        )
        return Counter(
            context
            for contexts in of_items.iterator(chunk_size=2000)
            for context in {*contexts}
            if context is not None
        )


def _store(model: type[Item] | type[Context], changes: Sequence[Change]) -> None:
    of_model = [change for change in changes if isinstance(change.row, model)]
    rows: dict[int, Any] = {change.row.pk: change.row for change in of_model}
    columns = sorted(
        {
            change.field if change.field in COLUMNS[change.row_kind] else "metadata"
            for change in of_model
        }
    )
    if not rows:
        return
    # Row by row in one prepared statement: Django's bulk_update of so many takes ten times as
    # long, while nobody can save an answer.
    fields = [field for field in model._meta.concrete_fields if field.name in columns]
    assignments = ", ".join(
        f"{connection.ops.quote_name(str(field.column))} = %s" for field in fields
    )
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {connection.ops.quote_name(model._meta.db_table)}"  # noqa: S608 - no input
            f" SET {assignments} WHERE id = %s",
            [
                (
                    *(
                        field.get_db_prep_save(getattr(row, field.name), connection)
                        for field in fields
                    ),
                    pk,
                )
                for pk, row in rows.items()
            ],
        )


def _write(change: Change) -> None:
    row = change.row
    if change.field in COLUMNS[change.row_kind]:
        setattr(row, change.field, change.after or "")
    elif change.after is None:
        row.metadata.pop(change.field, None)
    else:
        row.metadata[change.field] = change.after
