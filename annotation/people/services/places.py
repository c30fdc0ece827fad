"""Places that a researcher gives back with an exclusion, and what becomes of held sittings.

The caller's transaction holds the study, so that no two get one place; assignments are locked in
the order of their keys.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.answering.services.assignments import is_first
from annotation.answering.services.disputes import promote_next
from annotation.answering.services.open_places import has_given_back, unfilled
from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import run_status
from annotation.core.services import release_events
from annotation.core.services.locks import lock_study
from annotation.models import Annotator, Assignment, Exclusion, PhaseRun, Place

# Change logs are in English.
_LET_COUNT = "had been held for review as too fast, and was let count."


def free(annotators: Collection[Annotator]) -> None:
    """Give the places of excluded people to others. Their answers stay, and are not counted."""
    held = _hold(annotators)
    counted = list(PhaseRun.objects.filter(assignment__in=held, is_counted=True).order_by("pk"))
    PhaseRun.objects.filter(pk__in=[run.pk for run in counted]).update(is_counted=False)
    Assignment.objects.filter(pk__in=[assignment.pk for assignment in held]).update(
        is_surplus=True
    )
    for run in counted:
        assert run.place_id is not None  # constraint run_counted_is_complete
        promote_next(place_id=run.place_id, phase_id=run.phase_id)


def take_back(annotators: Collection[Annotator]) -> None:
    """Give people a place of their booklets again, and count what is complete.

    Their own, or if somebody else has it, one that is free. Not those whose place was given
    back with an exclusion that still stands.
    """
    for assignment in _hold(annotators):
        if has_given_back(assignment.annotator_id) or _is_refused(assignment):
            continue
        if assignment.place_id is None or _is_taken(assignment):
            place = _another(assignment)
            if place is None:
                continue
            assignment.place = place
            assignment.save(update_fields=["place"])
            assignment.runs.filter(is_counted=False).update(place=place)
        if assignment.state in Assignment.LIVE and assignment.is_surplus:
            assignment.is_surplus = False
            assignment.save(update_fields=["is_surplus"])
        completed = run_status.with_status(
            assignment.runs.filter(place=assignment.place_id, completed_at__isnull=False)
        ).filter(status=run_status.SURPLUS)
        for run in completed.order_by("phase__number"):
            if is_first(run):
                run.is_counted = True
                run.save(update_fields=["is_counted"])


def _is_refused(assignment: Assignment) -> bool:
    """Whether what was sent was returned or rejected: it would hold a place for nothing."""
    runs = run_status.with_status(assignment.runs.filter(completed_at__isnull=False))
    return bool(runs.filter(status__in=(run_status.RETURNED, run_status.REJECTED)).exists())


def to_have_again(annotators: Collection[Annotator]) -> tuple[int, int]:
    """How many booklets they have had a place in, and for how many of them none is left."""
    theirs = Assignment.objects.filter(annotator__in=annotators).exclude(
        state=Assignment.State.WITHDRAWN
    )
    lost = [
        assignment
        for assignment in theirs
        if _is_taken(assignment) and _another(assignment) is None
    ]
    return len(theirs), len(lost)


@transaction.atomic
def give_back(*, annotators: Collection[Annotator]) -> list[Annotator]:
    """Give the places of people who are excluded to others after all; return whose they were.

    Raises StateError if nobody is excluded and holds a place yet.
    """
    for study_id in sorted({annotator.study_id for annotator in annotators}):
        lock_study(study_id)
    not_given_back = Exclusion.objects.in_force().filter(
        annotator__in=annotators, gives_place_back=False
    )
    pks = set(not_given_back.values_list("annotator", flat=True))
    excluded = [annotator for annotator in annotators if annotator.pk in pks]
    if not excluded:
        raise StateError(
            _("These people are not excluded, or their places have already been freed.")
        )
    not_given_back.update(gives_place_back=True)
    free(excluded)
    return excluded


@dataclass(frozen=True)
class Released:
    """People of whom something was held for review, by what became of it.

    Somebody is `left_out` who is excluded, or whom a platform has not confirmed.
    """

    counted: list[Annotator]
    surplus: list[Annotator]
    left_out: list[Annotator]


@transaction.atomic
def let_count(*, annotators: Collection[Annotator]) -> Released:
    """Score what was held for review after all, if nobody else has the place.

    Raises StateError if nothing was held.
    """
    for study_id in sorted({annotator.study_id for annotator in annotators}):
        lock_study(study_id)
    held = PhaseRun.objects.filter(assignment__annotator__in=annotators, is_held=True)
    runs = dict(held.values_list("pk", "assignment__annotator"))
    whose = set(runs.values())
    released = [annotator for annotator in annotators if annotator.pk in whose]
    if not released:
        raise StateError(_("Select people whose answers are held for review."))
    _hold(released)
    held.update(is_held=False, was_held=True)
    take_back(released)
    outcome = _sorted_by_outcome(released, runs)
    release_events.included(outcome.counted, reason=_LET_COUNT, now=clock.now())
    return outcome


def _sorted_by_outcome(released: list[Annotator], runs: Collection[int]) -> Released:
    statuses: dict[int, set[str]] = defaultdict(set)
    of_runs = run_status.with_status(PhaseRun.objects.filter(pk__in=list(runs)))
    for pk, status in of_runs.values_list("assignment__annotator", "status"):
        statuses[pk].add(status)
    in_force = Exclusion.objects.in_force().filter(annotator__in=released)
    excluded = set(in_force.values_list("annotator", flat=True))
    outcome = Released([], [], [])
    for annotator in released:
        if annotator.pk in excluded:
            outcome.left_out.append(annotator)
        elif run_status.SURPLUS in statuses[annotator.pk]:
            outcome.surplus.append(annotator)
        elif statuses[annotator.pk] == {run_status.COUNTED}:
            outcome.counted.append(annotator)
        else:
            outcome.left_out.append(annotator)
    return outcome


def _hold(annotators: Collection[Annotator]) -> list[Assignment]:
    theirs = Assignment.objects.filter(annotator__in=annotators).exclude(
        state=Assignment.State.WITHDRAWN
    )
    return list(theirs.select_for_update(no_key=True).order_by("pk"))


def _is_taken(assignment: Assignment) -> bool:
    return Assignment.objects.filter(_by_another(), pk=assignment.pk).exists()


def _another(assignment: Assignment) -> Place | None:
    """A free place of the same booklet."""
    places = Place.objects.filter(
        booklet=assignment.booklet_id, source=assignment.annotator.source
    )
    return unfilled(places).order_by("number").first()


def _by_another() -> Exists:
    """Of an assignment: somebody else holds its place, or has completed a phase in it."""
    others = Assignment.objects.holding().filter(place=OuterRef("place"))
    counted = PhaseRun.objects.filter(place=OuterRef("place"), is_counted=True)
    taken = Exists(others.exclude(pk=OuterRef("pk"))) | Exists(
        counted.exclude(assignment=OuterRef("pk"))
    )
    return cast(Exists, taken)
