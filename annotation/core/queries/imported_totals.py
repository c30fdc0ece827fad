"""Figures of imported answers from what was counted when they were stored, right at any time.

A stored total is of all answers of the file. People who withdrew or were excluded since are
counted here and subtracted, by an index: these rows are read, and no others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import Count, QuerySet

from annotation.core.queries.key_sums import key_sum
from annotation.models import (
    Annotator,
    Assignment,
    Design,
    Exclusion,
    ImportedTotals,
    Judgment,
)
from annotation.models.kinds import Source

# A database takes only so many values in one question.
_AT_ONCE = 5000


@dataclass(frozen=True)
class Sums:
    """How many judgments, and the sum of their primary keys."""

    n: int = 0
    sum_of_keys: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.n + other.n, self.sum_of_keys + other.sum_of_keys)


@dataclass(frozen=True)
class Withdrawn:
    """What imported people who withdrew had."""

    n_people: int = 0
    n_places: int = 0
    n_answers: int = 0


def of_designs(designs: Iterable[int]) -> dict[int, ImportedTotals]:
    """By design; what is counted from the rows instead is not there."""
    rows = ImportedTotals.objects.filter(design__in=list(designs), has_other_places=False)
    return {totals.design_id: totals for totals in rows.select_related("design")}


def of_design(design: Design) -> ImportedTotals | None:
    # Most designs are not imported: of those nothing is asked.
    if not design.parameters.get("imported"):
        return None
    return of_designs([design.pk]).get(design.pk)


def withdrawn(totals: Iterable[ImportedTotals]) -> dict[int, Withdrawn]:
    """By design, in as many queries for many as for one."""
    designs = {
        totals_of_design.design.study_id: totals_of_design.design_id for totals_of_design in totals
    }
    people = Annotator.objects.filter(
        study__in=designs, source=Source.IMPORTED, withdrawn_at__isnull=False
    )
    n_people = _by_study(people, "study")
    if not n_people:
        return dict.fromkeys(designs.values(), Withdrawn())
    n_places = _by_study(Assignment.objects.filter(annotator__in=people), "annotator__study")
    n_answers = _by_study(
        Judgment.objects.filter(assignment__annotator__in=people), "assignment__annotator__study"
    )
    return {
        design: Withdrawn(n_people.get(study, 0), n_places.get(study, 0), n_answers.get(study, 0))
        for study, design in designs.items()
    }


def _by_study(rows: "QuerySet[Any]", study: str) -> dict[int, int]:
    return dict(rows.order_by(study).values_list(study).annotate(n=Count("pk")))


def counted(totals: ImportedTotals) -> tuple[int, int | None, int]:
    """Of the answers that are scored: how many, the last one's primary key, the keys' sum."""
    people = {*_withdrawn_people(totals), *excluded_people(totals)}
    standing = Exclusion.objects.in_force().filter(annotator=None)
    booklets = {
        assignment
        for some in _parts(standing.values_list("assignment_id", flat=True))
        for assignment, annotator in Assignment.objects.filter(
            pk__in=some, booklet__design=totals.design_id
        ).values_list("pk", "annotator_id")
        if annotator not in people
    }
    left_out = sum((_sums_of_people(some) for some in _parts(people)), Sums())
    for some in _parts(booklets):
        left_out += _sums(assignment__in=some)
    n = totals.n_answers - left_out.n
    if not n:
        return 0, None, 0
    last = totals.last_judgment
    if left_out.n:
        last = _last(totals, people, booklets)
    return n, last, totals.sum_of_keys - left_out.sum_of_keys


def excluded_people(totals: ImportedTotals) -> list[int]:
    """Primary keys of imported people who are excluded now."""
    # Exclusions first: joined, SQLite would look for one of each of a million people.
    standing = Exclusion.objects.in_force().filter(annotator__isnull=False)
    return [
        pk
        for some in _parts(standing.values_list("annotator_id", flat=True))
        for pk in Annotator.objects.filter(
            pk__in=some, study=totals.design.study_id, source=Source.IMPORTED
        ).values_list("pk", flat=True)
    ]


def _withdrawn_people(totals: ImportedTotals) -> list[int]:
    people = Annotator.objects.filter(
        study=totals.design.study_id, withdrawn_at__isnull=False, source=Source.IMPORTED
    )
    return list(people.values_list("pk", flat=True))


def _last(totals: ImportedTotals, people: set[int], booklets: set[int]) -> int:
    """The last answer of those that are not left out: looked for backwards."""
    rows = (
        Judgment.objects.filter(pk__range=(totals.first_judgment, totals.last_judgment))
        .order_by("-pk")
        .values_list(
            "pk", "assignment_id", "assignment__annotator_id", "assignment__booklet__design_id"
        )
    )
    return next(
        pk
        for pk, booklet, person, design in rows.iterator(chunk_size=_AT_ONCE)
        if design == totals.design_id and person not in people and booklet not in booklets
    )


def _sums_of_people(some: list[int]) -> Sums:
    return _sums(assignment__annotator__in=some)


def _sums(**whose: list[int]) -> Sums:
    sums = Judgment.objects.filter(**whose).aggregate(n=Count("pk"), total=key_sum())
    # PostgreSQL answers with a Decimal.
    return Sums(sums["n"], int(sums["total"] or 0))


def _parts(keys: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(keys)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
