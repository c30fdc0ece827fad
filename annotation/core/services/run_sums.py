"""Storing what the answers of completed parts add up to, so that no page reads them all."""

from collections.abc import Sequence

from django.db import transaction

from annotation.core.queries.counted_answers import SOURCES, Population, judgments_of
from annotation.core.queries.run_sums import OF_JUDGMENTS
from annotation.core.services.bounded_writes import let_others_in
from annotation.core.services.many_rows import update_rows
from annotation.models import Design, PhaseRun
from annotation.models.kinds import Source

# Of somebody who answered nothing.
_NOTHING = (0, None, 0, 0, 0, 0)
# Others who save wait for as long as this many are counted.
_AT_ONCE = 100


def store(design: Design, population: Population) -> int:
    """Of the parts that were completed since; return how many. Running it twice is harmless."""
    # What an import adds up to is stored once, with its design.
    sources = set(SOURCES[population]) - {Source.IMPORTED}
    waiting = list(
        PhaseRun.objects.filter(
            phase__design=design,
            n_answers=None,
            completed_at__isnull=False,
            assignment__annotator__source__in=sources,
        )
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    for start in range(0, len(waiting), _AT_ONCE):
        _store(design, population, waiting[start : start + _AT_ONCE])
        let_others_in()
    return len(waiting)


@transaction.atomic
def _store(design: Design, population: Population, some: Sequence[int]) -> None:
    # Whoever withdraws meanwhile empties the sums after they were stored, or answers before they
    # are counted. What somebody holds is stored the next time: nobody waits who holds others.
    free = PhaseRun.objects.select_for_update(no_key=True, skip_locked=True)
    runs = list(free.filter(pk__in=some).order_by("pk"))
    counted = (
        judgments_of(design, population, with_checks=True)
        .current()
        .filter(assignment__in=[run.assignment_id for run in runs])
        .order_by()
        .values_list("assignment", "question__block__phase")
        .annotate(**{f"of_{name}": aggregate for name, aggregate in OF_JUDGMENTS.items()})
    )
    sums = {(assignment, phase): numbers for assignment, phase, *numbers in counted}
    for run in runs:
        numbers = sums.get((run.assignment_id, run.phase_id), _NOTHING)
        for name, number in zip(OF_JUDGMENTS, numbers, strict=True):
            setattr(run, name, number)
    update_rows(runs, list(OF_JUDGMENTS))
