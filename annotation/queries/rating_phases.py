"""How people went through the phases: when each opened, how long they waited, what counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Min, OuterRef, Q
from django.db.models.functions import Coalesce

from annotation.models import Design, Exclusion, PhaseRun
from annotation.queries import run_status
from annotation.queries.answers import SOURCES, Population, judgments_of

WAITING = (
    "Hours from the moment in which a person completed the one phase to the first screen of the"
    " next one that was shown to the same person and answered; runs that are scored only."
)


@dataclass(frozen=True)
class Run:
    """One person's way through one phase."""

    run: PhaseRun
    # When the first screen was shown that was then answered; of imported answers the first answer.
    began_at: datetime | None
    # Since the same assignment completed the phase before; None for a first one.
    gap_hours: float | None
    is_excluded: bool
    # As `run_status` has it.
    status: str


def phase_runs(design: Design, population: Population) -> Iterator[Run]:
    """Every run, by assignment and phase."""
    began = {
        (assignment, phase): at
        for assignment, phase, at in judgments_of(design, population, with_checks=True)
        .filter(withdrawn_at=None)
        .order_by()
        .values_list("assignment_id", "question__block__phase_id")
        .annotate(at=Min(Coalesce("shown_at", "answered_at")))
        .iterator()
    }
    standing = Exclusion.objects.in_force()
    runs = (
        PhaseRun.objects.filter(
            phase__design=design, assignment__annotator__source__in=SOURCES[population]
        )
        .annotate(
            status=run_status.of_run(),
            is_excluded=Exists(
                standing.filter(
                    Q(annotator=OuterRef("assignment__annotator"))
                    | Q(assignment=OuterRef("assignment"))
                )
            ),
        )
        .select_related("phase", "assignment__annotator", "assignment__booklet")
        .order_by("assignment", "phase__number")
    )
    before: PhaseRun | None = None
    for run in runs.iterator(chunk_size=2000):
        began_at = began.get((run.assignment_id, run.phase_id))
        gap = None
        is_next = before is not None and before.assignment_id == run.assignment_id
        if before is not None and is_next and before.completed_at and began_at:
            gap = (began_at - before.completed_at).total_seconds() / 3600
        yield Run(run, began_at, gap, run.is_excluded, run.status)
        before = run


def counted_gaps(design: Design, population: Population) -> dict[int, list[float]]:
    """By number of the later phase: the gaps of runs that are scored before and after them."""
    found: dict[int, list[float]] = {}
    before: PhaseRun | None = None
    for one in phase_runs(design, population):
        run = one.run
        is_next = before is not None and before.assignment_id == run.assignment_id
        if before is not None and is_next and before.is_counted and run.is_counted:
            gaps = found.setdefault(run.phase.number, [])
            if one.gap_hours is not None and not one.is_excluded:
                gaps.append(one.gap_hours)
        before = run
    return found
