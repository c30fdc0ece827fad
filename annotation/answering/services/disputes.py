"""Places that two claim under one name, and who counts when a run is given up."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.basics import clock
from annotation.core.queries import run_status
from annotation.core.services import release_events
from annotation.models import Assignment, Exclusion, PhaseRun, Place


def dispute(assignments: QuerySet[Assignment]) -> bool:
    """Let their booklets be new to the name they came under; return whether there are any.

    For sittings that no platform has confirmed and that may be another's, where the name's owner
    finds nothing else to do. They may finish. The caller holds the study's lock.
    """
    return bool(assignments.filter(is_disputed=False).update(is_disputed=True))


def settle_dispute(assignment: Assignment) -> None:
    """A platform has confirmed whose it is: it counts, and what came instead is in dispute now.

    Unless that was confirmed before: nobody's answers to one booklet count twice. The caller holds
    the study's lock and the assignment.
    """
    if not assignment.is_disputed:
        return
    instead = Assignment.objects.filter(
        annotator=assignment.annotator_id, booklet=assignment.booklet_id, is_disputed=False
    )
    if instead.filter(runs__visits__verified_at__isnull=False).exists():
        return
    instead.update(is_disputed=True)
    assignment.is_disputed = False
    assignment.save(update_fields=["is_disputed"])


def promote_next(*, place_id: int, phase_id: int) -> None:
    """After a counted run is withdrawn or given up, the next one that is complete counts."""
    Place.objects.select_for_update(no_key=True).get(pk=place_id)
    # Nothing of who is excluded is scored: the place would be lost on them.
    excluded = Exclusion.objects.in_force().filter(annotator=OuterRef("assignment__annotator"))
    completed = run_status.with_status(
        PhaseRun.objects.filter(
            ~Exists(excluded),
            place=place_id,
            phase=phase_id,
            assignment__is_disputed=False,
        ).exclude(assignment__state=Assignment.State.WITHDRAWN)
    )
    following = completed.filter(status=run_status.SURPLUS).order_by("completed_at", "pk").first()
    if following:
        following.is_counted = True
        following.save(update_fields=["is_counted"])
        release_events.promoted(following.assignment, now=clock.now())
