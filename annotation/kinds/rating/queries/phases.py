"""How people went through the phases: when each opened, how long they waited, what counted."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Exists, Min, OuterRef, Q
from django.db.models.functions import Coalesce

from annotation.core.queries import run_status
from annotation.core.queries.counted_answers import SOURCES, Population, judgments_of
from annotation.models import Design, Exclusion, PhaseRun
from shell.messages import message as _

WAITING = _(
    "Hours between the end of one phase and the first screen that the person answered in the "
    "next. Only people whose answers count are included."
)


@dataclass(frozen=True)
class Run:
    """One person's way through one phase."""

    run: PhaseRun
    # When the first screen was shown that was then answered; of imported answers the first answer.
    began_at: datetime | None
    # The time since the same assignment completed the phase before; None for a first phase.
    gap_hours: float | None
    # A researcher opened it before its time, but not again after it had closed.
    is_opened_early: bool
    is_excluded: bool
    # The status that `run_status` computes.
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
        gap, is_early = None, False
        is_next = before is not None and before.assignment_id == run.assignment_id
        if before is not None and is_next and before.completed_at:
            if began_at:
                gap = (began_at - before.completed_at).total_seconds() / 3600
            due = before.completed_at + (run.phase.delay or timedelta())
            is_early = run.opened_early_by_id is not None and run.opens_at < due
        yield Run(run, began_at, gap, is_early, run.is_excluded, run.status)
        before = run


@dataclass
class Pauses:
    """Between a phase and the one before it: of runs that are scored in both."""

    n: int = 0
    n_opened_early: int = 0
    # The hours of the runs whose times are known.
    hours: list[float] = field(default_factory=list)


def counted_pauses(design: Design, population: Population) -> dict[int, Pauses]:
    """By number of the later phase; the runs of people who are excluded are left out."""
    pauses_by_phase: dict[int, Pauses] = {}
    before: PhaseRun | None = None
    for counted_run in phase_runs(design, population):
        run = counted_run.run
        is_next = before is not None and before.assignment_id == run.assignment_id
        if before is not None and is_next and before.is_counted and run.is_counted:
            pauses = pauses_by_phase.setdefault(run.phase.number, Pauses())
            if not counted_run.is_excluded:
                pauses.n += 1
                pauses.n_opened_early += counted_run.is_opened_early
                if counted_run.gap_hours is not None:
                    pauses.hours.append(counted_run.gap_hours)
        before = run
    return pauses_by_phase
