"""What was relabelled after the import: the log, and whether a result is of the labels of now."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from annotation.models import Relabelling, Result, Study
from annotation.queries import researchers
from annotation.queries.exporting import Cell, as_json, iso

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


def rows(study: Study) -> Iterator[Sequence[Cell]]:
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
        yield (
            "context" if item is None else "item",
            context if item is None else item,
            field,
            "" if before is None else as_json(before),
            "" if after is None else as_json(after),
            reason,
            names[by],
            iso(made_at),
        )
