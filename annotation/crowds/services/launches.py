"""Coming in by a platform: who it is, which sitting, and the place that they get.

A launch that nobody signed is a claim. It may hold a place for a while; it leads to no other
sitting of the person it names, and what it sends counts only once the platform shows it.
"""

import json
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.answering.services import (
    assignments,
    giving_way,
    join_limits,
    open_places,
    phases,
    visits,
)
from annotation.answering.services.join_limits import Origin
from annotation.basics import clock, keys
from annotation.basics.errors import (
    AnnotationError,
    AssignmentClosedError,
    NoPlaceError,
    NothingLeftError,
    PhaseNotOpenError,
    TooManyError,
)
from annotation.basics.sentences import ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch, LaunchError
from annotation.core.services.locks import lock_study
from annotation.models import (
    Annotator,
    Arrival,
    Assignment,
    ConsentText,
    Judgment,
    Listing,
    Person,
    PhaseRun,
    Ticket,
    Visit,
)
from annotation.models.kinds import Outcome

# More open sittings than places: those who returned theirs are not known at once.
SLACK = 3
# Nobody who left without working is hurt by having looked.
_RETRIABLE = frozenset({Outcome.NO_CONSENT, Outcome.NOTHING_LEFT, Outcome.TOO_EARLY})
_OVER = frozenset(Visit.Remote.values) - {Visit.Remote.UNSEEN, Visit.Remote.ACTIVE}

_NOWHERE = Origin()

NOT_TAKEN = _("Nobody new is taken at the moment. Thank you for coming.")
DONE_BEFORE = _("You have done everything there was for you. Thank you.")
DONE_IN_PILOT = _(
    "You took part in a pilot of this study, so you know some of its texts already. Thank you for"
    " coming again."
)
NOT_THEIRS = _("This part is for those who completed the part before it.")


class OpenElsewhereError(AnnotationError):
    """The same person has another sitting open, to be finished or returned first."""

    status = 409

    def __init__(self, visit: Visit) -> None:
        super().__init__(_("You have another task of this study open."))
        self.visit = visit


class CodeNeededError(AnnotationError):
    """Something was begun under this id, and only its code says that it is the same person."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            _(
                "Somebody has begun here under this id. To go on, type the code that you were"
                " shown; if you do not have it, ask those who run the study."
            )
        )


@dataclass(frozen=True)
class Entered:
    """A visit and the key to it, which is kept nowhere."""

    key: str
    visit: Visit


def realm_of(listing: Listing) -> str:
    """Within which the ids of people are. Of a panel, people are known within a study."""
    return listing.environment or f"study-{listing.study_id}"


def key_of(listing: Listing, launch: Launch) -> str:
    """The same for each launch of the same sitting; without a sitting, for each use of a form."""
    parts = [listing.pk, listing.environment, launch.submission_id, launch.person_id]
    if launch.needs_code:
        parts.append(launch.nonce)
    return keys.new_key(study_id=listing.study_id, nonce="visit/" + json.dumps(parts))


def known(listing: Listing, launch: Launch) -> Entered | None:
    """The sitting that was begun by an earlier launch, where it is open or has ended for good."""
    key = key_of(listing, launch)
    visit = Visit.objects.filter(key_hash=keys.key_hash(key)).first()
    return Entered(key, visit) if visit and _goes_on(visit) else None


def refuse_shut(listing: Listing, launch: Launch) -> None:
    """Say why somebody new cannot begin; the claim asks again, under its lock. Writes nothing.

    Where the address names no sitting it says the same of every person.

    Raises LaunchError, NothingLeftError or PhaseNotOpenError.
    """
    ticket_of(listing, launch)
    if not listing.is_open:
        raise NothingLeftError(NOT_TAKEN)
    first = _first_phase(listing)
    if listing.phase_number == first:
        if not listing.study.takes_new_people:
            raise NothingLeftError(NOT_TAKEN)
        if not launch.needs_code and _knows_from_pilot(listing, launch):
            raise NothingLeftError(DONE_IN_PILOT)
    elif not (launch.is_preview or launch.needs_code):
        _next_run(listing, _person(listing, launch))


def ticket_of(listing: Listing, launch: Launch) -> Ticket | None:
    """What was made on the platform, for this listing and no other."""
    if not launch.ticket_id:
        if launch.is_preview or not platform_of(listing.platform).capabilities.shows_submissions:
            return None
        raise LaunchError(_("The address that you came by is not complete."))
    ticket = Ticket.objects.filter(
        listing=listing, environment=listing.environment, remote_id=launch.ticket_id
    ).first()
    if ticket is None and not launch.is_preview:
        raise LaunchError(
            _(
                "This task is not known here. If it is new, please open it once more in a minute;"
                " else please return it."
            )
        )
    return ticket


@transaction.atomic
def enter(
    *,
    listing: Listing,
    launch: Launch,
    consent: ConsentText,
    code: str = "",
    origin: Origin = _NOWHERE,
    takes_over: bool = False,
) -> Entered:
    """Let somebody in who agreed: person, annotator, place and visit in one step.

    Sent twice, it finds the same visit. Where nothing is left for them, the visit ends with that.
    `code`: that of what they began before, where the address does not say enough. `origin` counts
    for panels, which never show whether an id is somebody's. `takes_over`: they say that they have
    returned another sitting, which is closed then; it stays open where nothing is left for them.

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
    person = _find_or_make(listing, launch)
    visit = _own(listing, launch, person)
    key = key_of(listing, launch)
    if launch.needs_code:
        begun = of_code(listing, launch, code)
        if begun and begun.visit == visit and visit.state != Visit.State.CLOSED:
            return begun
        if begun is None:
            _refuse_without_code(listing, launch, person)
    if visit and _goes_on(visit):
        if visit.run and visit.key_hash != keys.key_hash(key):
            # Whoever goes on with a place that they did not take has taken it from another.
            join_limits.store(_arrival(listing, launch, origin), visit.run.assignment)
        return Entered(key, _with_key(visit, key))
    if visit and visit.remote_state in _OVER:
        raise AssignmentClosedError(assignments.SITTING_OVER)
    _settle_other_sitting(listing, launch, person, visit, takes_over=takes_over)
    _hand_over(listing, launch, person)
    try:
        with transaction.atomic():
            if not launch.is_signed:
                _make_room(listing, ticket, origin)
            run = _claim(listing, launch, person, visit, consent, origin=origin)
    except NothingLeftError:
        if takes_over:
            raise
        before = visit.run if visit else None
        visit = _write(listing, launch, ticket, person, visit, run=before)
        return Entered(key, visits.end(visit=visit, outcome=Outcome.NOTHING_LEFT))
    visit = _write(listing, launch, ticket, person, visit, run=run)
    if run.completed_at:
        # Closed by another's launch after everything was sent: it has ended as it had.
        visit = visits.end(visit=visit, outcome=Outcome(visit.outcome or Outcome.COMPLETED))
    return Entered(key, visit)


def of_code(listing: Listing, launch: Launch, code: str) -> Entered | None:
    """What this person began in the study, by any listing, and knows the code of."""
    for key in keys.keys_of_code(study_id=listing.study_id, code=code):
        visit = (
            Visit.objects.select_related("run", "listing")
            .filter(
                key_hash=keys.key_hash(key),
                listing__study=listing.study_id,
                person__platform=listing.platform,
                person__environment=realm_of(listing),
                person__platform_id=launch.person_id,
            )
            .first()
        )
        if visit:
            return Entered(key, visit)
    return None


@transaction.atomic
def decline(*, listing: Listing, launch: Launch) -> Visit:
    """Write down that somebody did not agree; they may change their mind while it is open.

    Raises CodeNeededError where something was begun under the id, which stays as it is.
    """
    _refuse_preview(launch)
    if lock_study(listing.study_id).erased_at:
        raise NothingLeftError(NOT_TAKEN)
    ticket = ticket_of(listing, launch)
    person = _find_or_make(listing, launch)
    visit = _own(listing, launch, person)
    if launch.needs_code:
        _refuse_without_code(listing, launch, person)
    if visit and _goes_on(visit):
        return visit
    if visit and visit.state == Visit.State.CLOSED and visit.remote_state in _OVER:
        raise AssignmentClosedError(assignments.SITTING_OVER)
    _hand_over(listing, launch, person)
    visit = _write(listing, launch, ticket, person, visit, run=visit.run if visit else None)
    # Closed by another's launch after everything was sent: that is not taken back by it.
    return visits.end(visit=visit, outcome=Outcome(visit.outcome or Outcome.NO_CONSENT))


def _refuse_preview(launch: Launch) -> None:
    if launch.is_preview or not launch.person_id:
        raise LaunchError(_("Please accept the task first; then you can take part."))


def _find_or_make(listing: Listing, launch: Launch) -> Person:
    return Person.objects.get_or_create(
        platform=listing.platform,
        environment=realm_of(listing),
        platform_id=launch.person_id,
    )[0]


def _person(listing: Listing, launch: Launch) -> Person | None:
    return Person.objects.filter(
        platform=listing.platform,
        environment=realm_of(listing),
        platform_id=launch.person_id,
    ).first()


def _of_submission(listing: Listing, launch: Launch) -> Q:
    return Q(
        platform=listing.platform,
        environment=listing.submission_realm,
        submission_id=launch.submission_id,
    )


def _own(listing: Listing, launch: Launch, person: Person) -> Visit | None:
    """This person's visit of this sitting, whatever became of it."""
    mine = Visit.objects.select_related("run", "listing").filter(person=person)
    if not launch.submission_id:
        # Where a panel names no sittings there is one for each person and listing.
        return mine.filter(listing=listing, submission_id="").first()
    visit = mine.filter(_of_submission(listing, launch)).first()
    if visit and visit.listing_id not in {None, listing.pk}:
        raise LaunchError(_("This address belongs to another task."))
    return visit


def _refuse_without_code(listing: Listing, launch: Launch, person: Person) -> None:
    """An id that others know opens nothing that was answered, and closes nothing.

    What somebody began and answered nothing in may be begun again by anybody of the same id: so
    nobody is kept out by a stranger who was there first and only looked.
    """
    mine = keys.key_hash(key_of(listing, launch))
    theirs = Visit.objects.select_related("run__assignment", "run__phase").filter(
        person=person, listing__study=listing.study_id
    )
    if theirs.filter(key_hash=mine).exists():
        return
    # A later part is for known people, whoever they are: the answer is the same for all ids.
    is_later = listing.phase_number != _first_phase(listing)
    has_no_key = theirs.filter(key_hash=None).exists()
    if (is_later and not has_no_key) or any(_is_somebodys(visit) for visit in theirs):
        raise CodeNeededError


def _is_somebodys(visit: Visit) -> bool:
    """Whether something would be lost, or shown, if another went on with it."""
    if visit.key_hash is None or _may_begin_again(visit):
        return False
    if visit.run and visit.state in {Visit.State.WORKING, Visit.State.CLOSED}:
        return _is_begun(visit)
    return True


def _goes_on(visit: Visit) -> bool:
    """Whether whoever comes again is led to it as it is: open, or ended for good."""
    if visit.state == Visit.State.ENDED:
        return not _may_begin_again(visit)
    return visit.state == Visit.State.WORKING


def _may_begin_again(visit: Visit) -> bool:
    """Whether they left without an answer, also by withdrawing: then there is nothing to lose."""
    return (
        visit.state == Visit.State.ENDED
        and visit.outcome in _RETRIABLE
        and visit.remote_state not in _OVER
        and (visit.run is None or _is_untouched(visit.run.assignment))
    )


def _is_untouched(assignment: Assignment) -> bool:
    """Whether nothing was ever answered in it, nor erased since."""
    return not (assignment.judgments.exists() or assignment.drafts.exists())


def _with_key(visit: Visit, key: str) -> Visit:
    if visit.key_hash != keys.key_hash(key):
        # The server's secret was changed meanwhile.
        visit.key_hash = keys.key_hash(key)
        visit.save(update_fields=["key_hash"])
    return visit


def _settle_other_sitting(
    listing: Listing, launch: Launch, person: Person, mine: Visit | None, *, takes_over: bool
) -> None:
    """One open sitting for each person and study, as far as claims go.

    A launch that nobody signed closes nothing that was answered, since anybody can invent it: then
    the two go on side by side, each with a booklet of its own.
    """
    others = Visit.objects.filter(
        person=person, listing__study=listing.study_id, state=Visit.State.WORKING
    )
    for other in others:
        if other == mine:
            continue
        if launch.needs_code and other.submission_id:
            # Of another kind of listing: who is in a sitting there is not closed by an id alone.
            raise LaunchError(_UNPROVEN)
        if other.remote_state not in _OVER:
            if not takes_over:
                raise OpenElsewhereError(other)
            if other.verified_at and not launch.is_signed:
                raise LaunchError(_UNPROVEN)
            if _is_begun(other) and not launch.is_signed:
                if listing.phase_number != _first_phase(listing):
                    # Of a later part there is no other booklet to begin.
                    raise LaunchError(_BEGUN_ELSEWHERE)
                continue
        visits.close(visit=other)


def _is_begun(visit: Visit) -> bool:
    """Whether it is somebody's, who has answered something; see `decisions.forget_key`."""
    return bool(visit.key_hash and visit.run and phases.is_begun(visit.run))


_BEGUN_ELSEWHERE = _(
    "This part was begun under your id in another sitting. Please go on there; if that was not"
    " you, ask those who run the study."
)
_UNPROVEN = _("Somebody is at work on this task. Please return it, and accept another one.")


def _hand_over(listing: Listing, launch: Launch, person: Person) -> None:
    """Close what another person did under the same id: it was returned, and is handed on."""
    if not launch.submission_id:
        return
    others = Visit.objects.filter(_of_submission(listing, launch)).exclude(
        state=Visit.State.CLOSED
    )
    is_shown = platform_of(listing.platform).capabilities.shows_submissions
    for other in others.exclude(person=person):
        # A panel never shows whose sitting it is, so that nobody is put out of what they began.
        is_theirs = other.verified_at or (not is_shown and _is_somebodys(other))
        if is_theirs and not launch.is_signed:
            raise LaunchError(_UNPROVEN)
        visits.close(visit=other)


def _make_room(listing: Listing, ticket: Ticket | None, origin: Origin) -> None:
    """Forged launches hold no more places than there are sittings to be had.

    Those count, too, who have sent theirs without the platform showing it. Of those who hold one
    the silent give way, then the network from which most came, then the least active of networks
    from which more came than from the newcomer's: so they keep nobody out who comes from
    elsewhere. Whoever gives way may go on, takes a place again if one is free, and otherwise
    counts if they complete it first.
    """
    n_places = ticket.n_places if ticket else listing.n_places
    if not n_places:
        return
    now = clock.now()
    of_task = Visit.objects.filter(
        Q(state=Visit.State.WORKING)
        | Q(state=Visit.State.ENDED, remote_state=Visit.Remote.UNSEEN, run__is_counted=False),
        Q(ticket=ticket) if ticket else Q(listing=listing),
        run__assignment=OuterRef("pk"),
        verified_at=None,
    )
    # Whoever was idle for too long has given the place back, and keeps nobody out.
    holders = Assignment.objects.holding().filter(
        Exists(of_task),
        last_active_at__gte=now - timedelta(minutes=listing.study.idle_minutes),
    )
    silent = holders.filter(~Exists(Judgment.objects.filter(assignment=OuterRef("pk"))))
    for _each in range(1 + holders.count() - n_places - SLACK):
        if _next_gives_way(holders, silent, listing, origin) is None:
            raise _crowded()


def _next_gives_way(
    holders: QuerySet[Assignment],
    silent: QuerySet[Assignment],
    listing: Listing,
    origin: Origin,
) -> Assignment | None:
    now = clock.now()
    group = join_limits.arrival_from(listing.study, origin.network).group
    return (
        giving_way.give_way(silent.order_by("pk"), now=now)
        or giving_way.give_way(join_limits.crowd(holders, beside=group).order_by("pk"), now=now)
        or giving_way.give_way(join_limits.least_active(holders, beside=group), now=now)
    )


def _crowded() -> TooManyError:
    minutes = settings.CROWDED_RETRY_MINUTES
    sentence = ngettext(
        "Many people have just come and not finished. Please try again in %(n)s minute.",
        "Many people have just come and not finished. Please try again in %(n)s minutes.",
        minutes,
    )
    return TooManyError(sentence % {"n": minutes}, retry_after=60 * minutes)


def _claim(
    listing: Listing,
    launch: Launch,
    person: Person,
    visit: Visit | None,
    consent: ConsentText,
    *,
    origin: Origin,
) -> PhaseRun:
    if visit and visit.run and visit.state == Visit.State.CLOSED:
        # The sitting that somebody else's launch closed, opened again by its holder; unless others
        # have answered in what was closed while nothing was.
        is_others = visit.run.visits.exclude(pk=visit.pk).exists() and phases.is_begun(visit.run)
        if launch.is_signed or not is_others:
            return _taken_up_again(visit.run)
    if not listing.is_open:
        raise NothingLeftError(NOT_TAKEN)
    if listing.phase_number != _first_phase(listing):
        run = _next_run(listing, person)
        _clear_unproven(run, launch)
        assignments.note_consent(run.assignment.annotator, consent, now=clock.now())
        return _taken_up_again(run)
    return _claim_first(listing, launch, person, consent, origin)


def _claim_first(
    listing: Listing, launch: Launch, person: Person, consent: ConsentText, origin: Origin
) -> PhaseRun:
    study = listing.study
    annotator, _is_new = Annotator.objects.get_or_create(study=study, person=person)
    annotator.study = study
    if _knows_from_pilot(listing, launch):
        raise NothingLeftError(DONE_IN_PILOT)
    has_been_here = annotator.instructed_at or annotator.comprehension_tries
    if has_been_here and not Judgment.objects.filter(assignment__annotator=annotator).exists():
        # Tries are of a sitting: another's launch must not use them up, nor pass for this one.
        annotator.comprehension_tries, annotator.instructed_at = 0, None
        annotator.save(update_fields=["comprehension_tries", "instructed_at"])
    _refuse_done(listing, launch, person, origin)
    is_shown = platform_of(listing.platform).capabilities.shows_submissions
    if not launch.is_signed and not is_shown:
        # Before anything is counted: a code helps nobody while no place is free.
        giving_way.refuse_if_full(study)
    arrival = _arrival(listing, launch, origin)
    for run in _left_behind(listing, annotator, launch):
        if study.takes_new_people and open_places.has_free_place(run.assignment):
            join_limits.store(arrival, run.assignment)
            assignments.note_consent(annotator, consent, now=clock.now())
            return _taken_up_again(run)

    def claim() -> PhaseRun:
        made = assignments.claim(
            study, annotator, consent, comes_first=launch.is_signed, arrival=arrival
        )
        return phases.latest(made)

    try:
        with transaction.atomic():
            return claim()
    except NoPlaceError:
        if not is_shown or not assignments.dispute(_of_others(annotator, launch, arrival)):
            raise
    return claim()


def _of_others(
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


def _arrival(listing: Listing, launch: Launch, origin: Origin) -> Arrival | None:
    """How somebody comes whom nobody vouches for; None: a signature does, or nobody counts them.

    Ids that no platform ever shows can be invented without end, so that the network counts as it
    does by the open link.
    """
    if launch.is_signed or not origin.network:
        return None
    if platform_of(listing.platform).capabilities.shows_submissions:
        return join_limits.arrival_from(listing.study, origin.network)
    return join_limits.admit(listing.study, network=origin.network, code=origin.invitation)


def _knows_from_pilot(listing: Listing, launch: Launch) -> bool:
    """Whether they began a booklet of a pilot, and none here: nobody is sent away from that."""
    theirs = Assignment.objects.filter(
        annotator__person__platform=listing.platform,
        annotator__person__platform_id=launch.person_id,
    )
    begun = theirs.filter(
        annotator__study=listing.study_id, annotator__person__environment=realm_of(listing)
    )
    # A panel's people are known within a study; a pilot's are taken to be of the same panel.
    in_pilots = theirs.filter(annotator__study__pilot_of=listing.study_id)
    if listing.environment:
        in_pilots = in_pilots.filter(annotator__person__environment=listing.environment)
    return in_pilots.filter(_is_proven_or_answered(listing)).exists() and not begun.exists()


def _is_proven_or_answered(listing: Listing) -> Exists:
    """Of an assignment: not a mere claim, by which anybody could keep its owner out."""
    if platform_of(listing.platform).capabilities.shows_submissions:
        return Exists(
            Visit.objects.filter(run__assignment=OuterRef("pk"), verified_at__isnull=False)
        )
    return Exists(Judgment.objects.filter(assignment=OuterRef("pk")))


def _refuse_done(listing: Listing, launch: Launch, person: Person, origin: Origin) -> None:
    """What was sent, or failed, under this name before; not what may be another's.

    That is: what nobody vouches for any more, and what came from elsewhere and no platform has
    shown yet: else whoever knows the name would keep its owner out until the platform was asked.
    """
    before = Visit.objects.filter(person=person, listing__study=listing.study_id)
    before = before.exclude(state=Visit.State.CLOSED).filter(
        Q(doubt="") | Q(verified_at__isnull=False)
    )
    if platform_of(listing.platform).capabilities.shows_submissions:
        if launch.is_signed:
            before = before.filter(verified_at__isnull=False)
        elif arrival := _arrival(listing, launch, origin):
            came_alike = Q(run__assignment__arrival__group=arrival.group)
            before = before.filter(Q(verified_at__isnull=False) | came_alike)
    screened = before.filter(outcome=Outcome.SCREENED_OUT)
    if platform_of(listing.platform).capabilities.shows_submissions:
        screened = screened.filter(verified_at__isnull=False)
    if screened.exists():
        raise NothingLeftError(NOT_TAKEN)
    sent = before.filter(outcome__in=visits.DONE, listing__phase_number=listing.phase_number)
    most = listing.study.max_booklets
    if most and sent.count() >= most:
        raise NothingLeftError(DONE_BEFORE)


def _left_behind(listing: Listing, annotator: Annotator, launch: Launch) -> list[PhaseRun]:
    """What the same person began in a sitting that is over, and may go on with.

    Only where nothing was answered, or where both sittings are proven and nothing was withdrawn.
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
            visit.state == Visit.State.CLOSED or _may_begin_again(visit) for visit in earlier
        )
        if not earlier or not is_over:
            continue
        is_proven = launch.is_signed and all(visit.verified_at for visit in earlier)
        has_lapsed = run.assignment.state == Assignment.State.LAPSED
        if _is_untouched(run.assignment) or (is_proven and has_lapsed):
            unfinished.append(run)
    return unfinished


def _clear_unproven(run: PhaseRun, launch: Launch) -> None:
    """A phase is there once: what an unproven sitting answered in it stands no longer.

    It stays as revisions do; whoever comes now starts with empty pages.
    """
    earlier = list(run.visits.all())
    if not earlier or (launch.is_signed and all(visit.verified_at for visit in earlier)):
        return
    of_phase = {"question__block__phase": run.phase_id}
    run.assignment.judgments.current().filter(**of_phase).update(superseded_at=clock.now())
    run.assignment.drafts.filter(**of_phase).delete()


def _next_run(listing: Listing, person: Person | None) -> PhaseRun:
    """A later phase of somebody who completed the one before, open by the server's clock."""
    runs = (
        PhaseRun.objects.filter(
            assignment__annotator__person=person,
            assignment__annotator__study=listing.study_id,
            phase__number=listing.phase_number,
            assignment__is_disputed=False,
        )
        .exclude(assignment__state=Assignment.State.WITHDRAWN)
        .select_related("assignment__annotator__study", "phase")
        .order_by("pk")
        if person
        else PhaseRun.objects.none()
    )
    mine = list(runs)
    if not mine:
        raise NothingLeftError(NOT_THEIRS)
    if not listing.study.takes_answers:
        raise NothingLeftError(assignments.FINISHED)
    left = [run for run in mine if run.completed_at is None]
    if not left:
        raise NothingLeftError(DONE_BEFORE)
    for run in left:
        if run.opens_at <= clock.now() and not phases.is_over(run):
            return run
    soonest = min(run.opens_at for run in left)
    if soonest > clock.now():
        raise PhaseNotOpenError(soonest)
    raise NothingLeftError(phases.CLOSED)


def _taken_up_again(run: PhaseRun) -> PhaseRun:
    assignment = run.assignment
    if _is_untouched(assignment):
        # As for somebody new, also where another one under this name has withdrawn from it.
        phases.restart(run, at=clock.now())
        if assignment.state == Assignment.State.WITHDRAWN:
            assignment.state = Assignment.State.LAPSED
            assignment.save(update_fields=["state"])
    if assignment.state == Assignment.State.LAPSED:
        assignments.take_up_again(assignment)
    return run


def _first_phase(listing: Listing) -> int:
    """Raises LaunchError where the study has no such phase as the listing is for."""
    numbers = sorted(listing.study.design.phases.values_list("number", flat=True))
    if listing.phase_number not in numbers:
        raise LaunchError(_("There is no such part of the study."))
    return int(numbers[0])


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
        assignments.settle_dispute(run.assignment)
    return visit
