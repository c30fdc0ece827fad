"""Who may take part by a launch: refusals, pilots, and later phases of those who did the first."""

from django.db.models import Exists, OuterRef, Q

from annotation.answering.services import assignments, join_limits, phases, visits
from annotation.answering.services.join_limits import Origin
from annotation.basics import clock
from annotation.basics.errors import NothingLeftError, PhaseNotOpenError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch
from annotation.crowds.services.launch_identity import realm_of
from annotation.models import Arrival, Assignment, Judgment, Listing, Person, PhaseRun, Visit
from annotation.models.kinds import Outcome

NOT_TAKEN = _("This study is not taking new participants at the moment. Thank you for coming.")
DONE_BEFORE = _("There is nothing more for you to do. Thank you.")
DONE_IN_PILOT = _(
    "You took part in a pilot of this study, so you know some of its texts already. Thank you for"
    " coming again."
)
NOT_THEIRS = _("This part is for those who completed the part before it.")


def arrival_of(listing: Listing, launch: Launch, origin: Origin) -> Arrival | None:
    """How somebody comes whom nobody vouches for; None: a signature does, or nobody counts them.

    Ids that no platform ever shows can be invented without end, so that the network counts as it
    does by the open link.
    """
    if launch.is_signed or not origin.network:
        return None
    if platform_of(listing.platform).capabilities.shows_submissions:
        return join_limits.arrival_from(listing.study, origin.network)
    return join_limits.admit(listing.study, network=origin.network, code=origin.invitation)


def knows_from_pilot(listing: Listing, launch: Launch) -> bool:
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


def refuse_done(listing: Listing, launch: Launch, person: Person, origin: Origin) -> None:
    """What was sent, or failed, under this name before; not what may be another's.

    That is: what nobody vouches for any more, and what came from elsewhere and no platform has
    shown yet. Otherwise anybody who knows the name would keep its owner out until the platform was
    asked.
    """
    before = Visit.objects.filter(person=person, listing__study=listing.study_id)
    before = before.exclude(state=Visit.State.CLOSED).filter(
        Q(doubt="") | Q(verified_at__isnull=False)
    )
    if platform_of(listing.platform).capabilities.shows_submissions:
        if launch.is_signed:
            before = before.filter(verified_at__isnull=False)
        elif arrival := arrival_of(listing, launch, origin):
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


def next_run(listing: Listing, person: Person | None) -> PhaseRun:
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
