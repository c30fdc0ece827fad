"""What was relabelled after the import: the log, and whether a result is of the labels of now."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.core.queries import researchers
from annotation.models import Relabelling, Result, Study

# What statistics are given by.
SPLITTING = ("domain", "source", "intended_class")


def log(study: Study) -> QuerySet[Relabelling]:
    """Newest first."""
    return study.relabellings.select_related("item", "context", "by").order_by("-pk")


def n_splitting(study: Study) -> int:
    """How many relabellings there are of what statistics are given by: it only grows."""
    return study.relabellings.filter(field__in=SPLITTING).count()


def is_relabelled_since(result: Result) -> bool:
    """Whether the groups that a stored result is given by have other items by now."""
    return n_splitting(result.study) != n_splitting_then(result)


def n_splitting_then(result: Result) -> int:
    """How many there were when a result was computed."""
    then: int = result.parameters.get("n_relabellings", 0)
    return then


class RelabellingRecord(NamedTuple):
    """A change with all that a table says of it."""

    of: str
    key: str
    field: str
    # None: there was none, or none is left.
    before: Any
    after: Any
    reason: str
    by: str
    made_at: datetime


def records(study: Study) -> Iterator[RelabellingRecord]:
    """Every change, in the order in which they were made."""
    made = (
        Relabelling.objects.filter(study=study)
        .order_by("pk")
        .values_list(
            "item__key",
            "context__key",
            "field",
            "before",
            "after",
            "reason",
            "by",
            "made_at",
        )
    )
    names = researchers.names(study)
    for item, context, field, before, after, reason, by, made_at in made.iterator(chunk_size=2000):
        yield RelabellingRecord(
            of="context" if item is None else "item",
            key=context if item is None else item,
            field=field,
            before=before,
            after=after,
            reason=reason,
            by=names[by],
            made_at=made_at,
        )
