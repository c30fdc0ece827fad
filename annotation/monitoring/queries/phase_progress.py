"""How far people are in each phase of a study that has several."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from annotation.basics import clock
from annotation.core.queries import run_status
from annotation.core.queries.progress import current_designs, is_of_excluded, overdue
from annotation.models import Assignment, PhaseRun, Study

# Of which something is still to come, from the person or from a researcher.
_TO_COME = frozenset({"at_work", "can_begin", "shut", run_status.HELD})


@dataclass(frozen=True)
class PhaseProgress:
    """Runs of one phase by where their people are; each run is counted once."""

    number: int
    condition: str
    n_counted: int
    # Completed after somebody else had completed it in the same place: kept, not scored.
    n_surplus: int
    # Completed, and the platform has not confirmed it; or it was returned or rejected there.
    n_unverified: int
    n_given_up: int
    # Completed in less than the minimum time: a researcher decides.
    n_held: int
    n_at_work: int
    # Open, and not begun yet.
    n_can_begin: int
    # Not open yet, and when the first of them opens.
    n_shut: int
    next_opens_at: datetime | None
    # Idle for too long, or not begun before it closed.
    n_lapsed: int


def phase_progress(study: Study, source: str) -> list[PhaseProgress]:
    """The phases in their order; none if the design has only one. Five queries."""
    design = current_designs([study]).get(study.pk)
    phases = list(study.design.phases.order_by("number")) if design else []
    if len(phases) < 2:
        return []
    late = set(
        Assignment.objects.filter(overdue(study), annotator__study=study).values_list(
            "pk", flat=True
        )
    )
    # Of whom nothing that counts will come.
    excluded = set(
        Assignment.objects.filter(is_of_excluded(), annotator__study=study).values_list(
            "pk", flat=True
        )
    )
    runs = (
        run_status.with_status(
            PhaseRun.objects.filter(phase__in=phases, assignment__annotator__source=source)
        )
        .exclude(assignment__state=Assignment.State.WITHDRAWN)
        .select_related("assignment")
        .order_by("pk")
    )
    now = clock.now()
    counts: Counter[tuple[int, str]] = Counter()
    openings: dict[int, datetime] = {}
    for run in runs:
        where = "lapsed" if run.assignment_id in late else _where(run, now)
        if run.completed_at:
            where = run.status
        if run.assignment_id in excluded and where in _TO_COME:
            continue
        counts[run.phase_id, where] += 1
        if where == "shut":
            known = openings.setdefault(run.phase_id, run.opens_at)
            openings[run.phase_id] = min(known, run.opens_at)
    return [
        PhaseProgress(
            number=phase.number,
            condition=phase.get_condition_display(),
            n_counted=counts[phase.pk, run_status.COUNTED],
            n_surplus=counts[phase.pk, run_status.SURPLUS],
            n_unverified=counts[phase.pk, run_status.UNVERIFIED],
            n_given_up=counts[phase.pk, run_status.RETURNED]
            + counts[phase.pk, run_status.REJECTED],
            n_held=counts[phase.pk, run_status.HELD],
            n_at_work=counts[phase.pk, "at_work"],
            n_can_begin=counts[phase.pk, "can_begin"],
            n_shut=counts[phase.pk, "shut"],
            next_opens_at=openings.get(phase.pk),
            n_lapsed=counts[phase.pk, "lapsed"],
        )
        for phase in phases
    ]


def _where(run: PhaseRun, now: datetime) -> str:
    """Of a run that is not complete."""
    state = run.assignment.state
    if state == Assignment.State.ACTIVE:
        return "at_work"
    if state == Assignment.State.LAPSED or (run.closes_at and run.closes_at <= now):
        return "lapsed"
    return "shut" if run.opens_at > now else "can_begin"
