"""When a phase may be answered: its pause, its opening, its end, by the server's clock alone."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import (
    AnnotationError,
    AssignmentClosedError,
    PhaseClosedError,
    PhaseNotOpenError,
    StateError,
)
from annotation.basics.sentences import sentence as _
from annotation.core.queries.statements import Statement
from annotation.models import Assignment, Phase, PhaseRun

SENT = _("You have already sent these answers. They are safe.")
CLOSED = _("The time for this part is over. The answers you sent before are saved. Thank you.")

# Of an assignment that is not over: a lapsed one can be resumed.
_UNFINISHED = {Assignment.State.ACTIVE, Assignment.State.WAITING, Assignment.State.LAPSED}

_LATEST = Statement(
    """
    SELECT {run}, {phase}
    FROM annotation_phaserun AS run
    JOIN annotation_phase AS phase ON phase.id = run.phase_id
    WHERE run.assignment_id = %s
    ORDER BY phase.number DESC
    LIMIT 1
    """,
    run=PhaseRun,
    phase=Phase,
)


def begin(assignment: Assignment, phase: Phase, *, after: datetime) -> PhaseRun:
    """Write down when somebody may answer a phase: its delay after they completed the last one."""
    opens_at = after + phase.delay if phase.delay else after
    return PhaseRun.objects.create(
        assignment=assignment,
        phase=phase,
        opens_at=opens_at,
        closes_at=_closes_at(phase, opens_at),
    )


def restart(run: PhaseRun, *, at: datetime) -> None:
    """Let a phase in which nothing was answered be open from a moment on, for its whole time."""
    run.opens_at, run.closes_at = at, _closes_at(run.phase, at)
    run.save(update_fields=["opens_at", "closes_at"])


def _closes_at(phase: Phase, opens_at: datetime) -> datetime | None:
    return opens_at + phase.closes_after if phase.closes_after else None


def following(run: PhaseRun) -> Phase | None:
    """The phase after this one, if the design has one."""
    return (
        Phase.objects.filter(design=run.phase.design_id, number__gt=run.phase.number)
        .order_by("number")
        .first()
    )


def awaited(run: PhaseRun) -> PhaseRun | None:
    """The later phase that this person can still answer, now or once it opens."""
    if not run.assignment.annotator.study.takes_answers:
        return None
    later = latest(run.assignment)
    if later.pk == run.pk or later.completed_at or later.assignment.state not in _UNFINISHED:
        return None
    return None if is_over(later) else later


def latest(assignment: Assignment) -> PhaseRun:
    """The phase that is answered, waited for, or was sent last."""
    row = _LATEST.first(assignment.pk)
    assert row is not None  # a claim makes the first one
    run: PhaseRun
    run, run.phase = row
    run.assignment = assignment
    return run


def is_begun(run: PhaseRun) -> bool:
    """Whether anything of the phase was answered."""
    of_phase = {"question__block__phase": run.phase_id}
    assignment = run.assignment
    return (
        assignment.judgments.filter(**of_phase).exists()
        # One that was emptied again says nothing.
        or assignment.drafts.filter(**of_phase).exclude(payload={}).exists()
    )


def refuse_shut(held: Assignment, *, shown_in: int | None) -> None:
    """Refuse what is not of the phase that is open now.

    `shown_in`: the run in which the page was shown; None if the design has one phase only, or
    if nothing of a page is at stake.
    """
    if shown_in is None and held.state not in {held.State.WAITING, held.State.LAPSED}:
        return
    run = latest(held)
    if shown_in is not None and shown_in != run.pk:
        raise AssignmentClosedError(SENT)
    refuse_unopened(run)
    if is_over(run):
        raise PhaseClosedError(CLOSED)


def refuse_unopened(run: PhaseRun) -> None:
    if clock.now() < run.opens_at:
        raise PhaseNotOpenError(run.opens_at)


def is_over(run: PhaseRun) -> bool:
    """Whether it is too late to begin; anybody who has begun may finish."""
    if run.closes_at is None or clock.now() < run.closes_at:
        return False
    return not is_begun(run)


@transaction.atomic
def open_now(*, run: PhaseRun, reason: str, by: User) -> PhaseRun:
    """Open a phase for one person before its time, or once more after it; the reason is kept."""
    if not reason.strip():
        raise AnnotationError(_("Give a reason. It is stored with the opening."))
    if "\x00" in reason:
        raise AnnotationError(_("The reason contains a character that cannot be stored (NUL)."))
    held = Assignment.objects.select_for_update(no_key=True).get(pk=run.assignment_id)
    run = PhaseRun.objects.select_related("phase").get(pk=run.pk)
    run.assignment = held
    now = clock.now()
    if held.state not in {held.State.WAITING, held.State.LAPSED} or is_begun(run):
        raise StateError(_("This person is not waiting for another part of the study."))
    if run.opens_at <= now and not is_over(run):
        raise StateError(_("This part is already open for them."))
    run.opens_at = now
    run.closes_at = now + run.phase.closes_after if run.phase.closes_after else None
    run.opened_early_by, run.reason = by, reason.strip()
    run.save(update_fields=["opens_at", "closes_at", "opened_early_by", "reason"])
    return run
