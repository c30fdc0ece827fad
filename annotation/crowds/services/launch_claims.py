"""The place that a launch gets: a new one, a later phase, or one that was left unfinished."""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.answering.services import (
    assignments,
    disputes,
    giving_way,
    join_limits,
    open_places,
    phases,
)
from annotation.answering.services.join_limits import Origin
from annotation.basics import clock
from annotation.basics.errors import NoPlaceError, NothingLeftError
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch
from annotation.crowds.services.launch_admission import (
    DONE_IN_PILOT,
    NOT_TAKEN,
    arrival_of,
    knows_from_pilot,
    next_run,
    refuse_done,
)
from annotation.crowds.services.launch_identity import first_phase
from annotation.crowds.services.launch_sittings import is_untouched, may_begin_again
from annotation.models import (
    Annotator,
    Arrival,
    Assignment,
    ConsentText,
    Judgment,
    Listing,
    Person,
    PhaseRun,
    QuestionnaireReply,
    Visit,
)


def claim_run(
    listing: Listing,
    launch: Launch,
    person: Person,
    visit: Visit | None,
    consent: ConsentText,
    *,
    origin: Origin,
) -> PhaseRun:
    """The run that a launch leads to: resumed, of a later phase, or of a new place."""
    if visit and visit.run and visit.state == Visit.State.CLOSED:
        # The sitting that somebody else's launch closed, opened again by its holder. Of what
        # another sitting went on with it has no part any more.
        return _resumed(visit.run)
    if not listing.is_open:
        raise NothingLeftError(NOT_TAKEN)
    if listing.phase_number != first_phase(listing):
        run = next_run(listing, person)
        _clear_unproven(run, launch)
        assignments.note_consent(run.assignment.annotator, consent, now=clock.now())
        return _resumed(run)
    return _claim_first(listing, launch, person, consent, origin)


def _claim_first(
    listing: Listing, launch: Launch, person: Person, consent: ConsentText, origin: Origin
) -> PhaseRun:
    study = listing.study
    annotator, _is_new = Annotator.objects.get_or_create(study=study, person=person)
    annotator.study = study
    if knows_from_pilot(listing, launch):
        raise NothingLeftError(DONE_IN_PILOT)
    if not Judgment.objects.filter(assignment__annotator=annotator).exists():
        _begin_anew(annotator, launch)
    refuse_done(listing, launch, person, origin)
    is_shown = platform_of(listing.platform).capabilities.shows_submissions
    if not launch.is_signed and not is_shown:
        # Before anything is counted: a code helps nobody while no place is free.
        giving_way.refuse_if_full(study)
    arrival = arrival_of(listing, launch, origin)
    for run in _left_unfinished(listing, annotator, launch):
        if study.takes_new_people and open_places.has_free_place(run.assignment):
            join_limits.store(arrival, run.assignment)
            assignments.note_consent(annotator, consent, now=clock.now())
            return _resumed(run)

    def claim() -> PhaseRun:
        made = assignments.claim(
            study, annotator, consent, comes_first=launch.is_signed, arrival=arrival
        )
        return phases.latest(made)

    try:
        with transaction.atomic():
            return claim()
    except NoPlaceError:
        if not is_shown or not disputes.dispute(_claims_of_others(annotator, launch, arrival)):
            raise
    return claim()


def _begin_anew(annotator: Annotator, launch: Launch) -> None:
    """Forget what was done before the first answer: it may be another's, who only knew the id."""
    if annotator.instructed_at or annotator.comprehension_tries:
        # Tries are of a sitting: another's launch must not use them up, nor pass for this one.
        annotator.comprehension_tries, annotator.instructed_at = 0, None
        annotator.save(update_fields=["comprehension_tries", "instructed_at"])
    sittings = Visit.objects.filter(run__assignment__annotator=annotator)
    if not launch.is_signed or sittings.filter(verified_at=None).exists():
        # What another said about themselves must not end the study for this person.
        QuestionnaireReply.objects.filter(annotator=annotator).delete()


def _claims_of_others(
    annotator: Annotator, launch: Launch, arrival: Arrival | None
) -> QuerySet[Assignment]:
    """What came under this name from elsewhere, and no platform has shown yet."""
    sittings = Visit.objects.filter(run__assignment=OuterRef("pk"))
    unconfirmed = annotator.assignments.filter(
        Exists(sittings), ~Exists(sittings.filter(verified_at__isnull=False))
    )
    if launch.is_signed:
        return unconfirmed
    if arrival is None:
        return unconfirmed.none()
    return unconfirmed.exclude(arrival__group=arrival.group)


def _left_unfinished(listing: Listing, annotator: Annotator, launch: Launch) -> list[PhaseRun]:
    """What the same person began in a sitting that is over, and may go on with.

    Only if nothing was answered, or if both sittings are proven and nothing was withdrawn.
    """
    runs = PhaseRun.objects.filter(
        assignment__annotator=annotator,
        assignment__state__in=(Assignment.State.LAPSED, Assignment.State.WITHDRAWN),
        phase__number=listing.phase_number,
        completed_at=None,
    ).select_related("assignment__annotator__study", "phase")
    unfinished = []
    for run in runs.order_by("pk"):
        earlier = list(run.visits.all())
        is_over = all(
            visit.state == Visit.State.CLOSED or may_begin_again(visit) for visit in earlier
        )
        if not earlier or not is_over:
            continue
        is_proven = launch.is_signed and all(visit.verified_at for visit in earlier)
        has_lapsed = run.assignment.state == Assignment.State.LAPSED
        if is_untouched(run.assignment) or (is_proven and has_lapsed):
            unfinished.append(run)
    return unfinished


def _clear_unproven(run: PhaseRun, launch: Launch) -> None:
    """A phase is there once: what an unproven sitting answered in it stands no longer.

    It stays as revisions do; a person who comes now starts with empty pages.
    """
    earlier = list(run.visits.all())
    if not earlier or (launch.is_signed and all(visit.verified_at for visit in earlier)):
        return
    of_phase = {"question__block__phase": run.phase_id}
    run.assignment.judgments.current().filter(**of_phase).update(superseded_at=clock.now())
    run.assignment.drafts.filter(**of_phase).delete()


def _resumed(run: PhaseRun) -> PhaseRun:
    """The run, open again as it was left; it begins anew if nothing was answered in it."""
    assignment = run.assignment
    if is_untouched(assignment):
        # As for somebody new, also where another one under this name has withdrawn from it.
        phases.restart(run, at=clock.now())
        if assignment.state == Assignment.State.WITHDRAWN:
            assignment.state = Assignment.State.LAPSED
            assignment.save(update_fields=["state"])
    if assignment.state == Assignment.State.LAPSED:
        assignments.resume(assignment)
    return run
