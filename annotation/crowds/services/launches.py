"""Coming in by a platform: who it is, which sitting, and the place that they get.

A launch that nobody signed is a claim. It may hold a place for a while; it leads to no other
sitting of the person it names, and what it sends counts only once the platform shows it.
"""

from django.db import transaction

from annotation.answering.services import assignments, disputes, join_limits, visits
from annotation.answering.services.join_limits import Origin
from annotation.basics import clock, keys
from annotation.basics.errors import AssignmentClosedError, NothingLeftError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Launch
from annotation.core.platforms.errors import LaunchError
from annotation.core.services.locks import lock_study
from annotation.crowds.services.launch_admission import (
    DONE_IN_PILOT,
    NOT_TAKEN,
    arrival_of,
    knows_from_pilot,
    next_run,
)
from annotation.crowds.services.launch_claims import claim_run
from annotation.crowds.services.launch_identity import (
    EnteredVisit,
    find_or_make_person,
    first_phase,
    key_of,
    known_person,
    of_code,
    own_visit,
    ticket_of,
)
from annotation.crowds.services.launch_room import make_room
from annotation.crowds.services.launch_sittings import (
    OVER_ON_PLATFORM,
    hand_over,
    is_led_back_to,
    refuse_without_code,
    settle_other_sitting,
)
from annotation.models import ConsentText, Listing, Person, PhaseRun, Ticket, Visit
from annotation.models.kinds import Outcome

_NOWHERE = Origin()


def known(listing: Listing, launch: Launch) -> EnteredVisit | None:
    """The sitting that was begun by an earlier launch, where it is open or has ended for good."""
    key = key_of(listing, launch)
    visit = Visit.objects.filter(key_hash=keys.key_hash(key)).first()
    return EnteredVisit(key, visit) if visit and is_led_back_to(visit) else None


def refuse_shut(listing: Listing, launch: Launch) -> None:
    """Say why somebody new cannot begin; the claim asks again, under its lock. Writes nothing.

    If the address names no sitting it says the same of every person.

    Raises LaunchError, NothingLeftError or PhaseNotOpenError.
    """
    ticket_of(listing, launch)
    if not listing.is_open:
        raise NothingLeftError(NOT_TAKEN)
    first = first_phase(listing)
    if listing.phase_number == first:
        if not listing.study.takes_new_people:
            raise NothingLeftError(NOT_TAKEN)
        if not launch.needs_code and knows_from_pilot(listing, launch):
            raise NothingLeftError(DONE_IN_PILOT)
    elif not (launch.is_preview or launch.needs_code):
        next_run(listing, known_person(listing, launch))


@transaction.atomic
def enter(
    *,
    listing: Listing,
    launch: Launch,
    consent: ConsentText,
    code: str = "",
    origin: Origin = _NOWHERE,
    takes_over: bool = False,
) -> EnteredVisit:
    """Let somebody in who agreed: person, annotator, place and visit in one step.

    Sent twice, it finds the same visit. If nothing is left for them, the visit ends with that.
    `code`: that of what they began before, where the address does not say enough. `origin` counts
    for panels, which never show whether an id is somebody's. `takes_over`: they say that they have
    returned another sitting, which is closed then; it stays open if nothing is left for them.

    Raises OpenElsewhereError, LaunchError, PhaseNotOpenError, AssignmentClosedError, TooManyError,
    join_limits.CrowdedError, CodeNeededError; and NothingLeftError where somebody takes over.
    """
    _refuse_preview(launch)
    study = lock_study(listing.study_id)
    if study.erased_at:
        # Nothing is left to be known by, and nothing is written down anew.
        raise NothingLeftError(NOT_TAKEN)
    listing = Listing.objects.get(pk=listing.pk)
    listing.study = study
    ticket = ticket_of(listing, launch)
    person = find_or_make_person(listing, launch)
    visit = own_visit(listing, launch, person)
    key = key_of(listing, launch)
    if launch.needs_code:
        begun = of_code(listing, launch, code)
        if begun and begun.visit == visit and visit.state != Visit.State.CLOSED:
            return begun
        if begun is None:
            refuse_without_code(listing, launch, person)
    if visit and is_led_back_to(visit):
        if visit.run and visit.key_hash != keys.key_hash(key):
            # A person who goes on with a place that they did not take has taken it from another.
            join_limits.store(arrival_of(listing, launch, origin), visit.run.assignment)
        return EnteredVisit(key, _with_key(visit, key))
    if visit and visit.remote_state in OVER_ON_PLATFORM:
        raise AssignmentClosedError(assignments.SITTING_OVER)
    settle_other_sitting(listing, launch, person, visit, takes_over=takes_over)
    hand_over(listing, launch, person)
    try:
        with transaction.atomic():
            if not launch.is_signed:
                make_room(listing, ticket, origin)
            run = claim_run(listing, launch, person, visit, consent, origin=origin)
    except NothingLeftError:
        if takes_over:
            raise
        before = visit.run if visit else None
        visit = _write(listing, launch, ticket, person, visit, run=before)
        return EnteredVisit(key, visits.end(visit=visit, outcome=Outcome.NOTHING_LEFT))
    visit = _write(listing, launch, ticket, person, visit, run=run)
    # Of several sittings that went on with it the last one alone sees and withdraws what is
    # answered: the others may have been somebody else's, who only knew the id.
    run.visits.exclude(pk=visit.pk).exclude(outcome=Outcome.COMPLETED).update(run=None)
    if run.completed_at:
        # Closed by another's launch after everything was sent: it has ended as it had.
        visit = visits.end(visit=visit, outcome=Outcome(visit.outcome or Outcome.COMPLETED))
    return EnteredVisit(key, visit)


@transaction.atomic
def decline(*, listing: Listing, launch: Launch) -> Visit:
    """Write down that somebody did not agree; they may change their mind while it is open.

    Raises CodeNeededError if something was begun under the id, which stays as it is.
    """
    _refuse_preview(launch)
    if lock_study(listing.study_id).erased_at:
        raise NothingLeftError(NOT_TAKEN)
    ticket = ticket_of(listing, launch)
    person = find_or_make_person(listing, launch)
    visit = own_visit(listing, launch, person)
    if launch.needs_code:
        refuse_without_code(listing, launch, person)
    if visit and is_led_back_to(visit):
        return visit
    if visit and visit.state == Visit.State.CLOSED and visit.remote_state in OVER_ON_PLATFORM:
        raise AssignmentClosedError(assignments.SITTING_OVER)
    hand_over(listing, launch, person)
    visit = _write(listing, launch, ticket, person, visit, run=visit.run if visit else None)
    # Closed by another's launch after everything was sent: that is not taken back by it.
    return visits.end(visit=visit, outcome=Outcome(visit.outcome or Outcome.NO_CONSENT))


def _refuse_preview(launch: Launch) -> None:
    if launch.is_preview or not launch.person_id:
        raise LaunchError(_("Please accept the task first. Then you can take part."))


def _with_key(visit: Visit, key: str) -> Visit:
    if visit.key_hash != keys.key_hash(key):
        # The server's secret was changed meanwhile.
        visit.key_hash = keys.key_hash(key)
        visit.save(update_fields=["key_hash"])
    return visit


def _write(
    listing: Listing,
    launch: Launch,
    ticket: Ticket | None,
    person: Person,
    visit: Visit | None,
    *,
    run: PhaseRun | None,
) -> Visit:
    visit = visit or Visit(
        platform=listing.platform,
        environment=listing.submission_realm,
        submission_id=launch.submission_id,
        person=person,
    )
    visit.listing, visit.ticket, visit.run = listing, ticket, run
    visit.state = Visit.State.WORKING
    if not (run and run.completed_at):
        visit.outcome = ""
    visit.ended_at = None
    visit.key_hash = keys.key_hash(key_of(listing, launch))
    if launch.is_signed and not visit.verified_at:
        visit.verified_at = clock.now()
    visit.save()
    if launch.is_signed and run:
        disputes.settle_dispute(run.assignment)
    return visit
