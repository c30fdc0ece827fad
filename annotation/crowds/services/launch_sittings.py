"""Sittings that a launch meets: the person's own, open elsewhere, or of another person."""

from annotation.answering.services import phases, visits
from annotation.basics import keys
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch
from annotation.core.platforms.errors import LaunchError
from annotation.crowds.services.launch_identity import first_phase, key_of, of_submission
from annotation.models import Assignment, Listing, Person, Visit
from annotation.models.kinds import Outcome

# Nobody who left without working is hurt by having looked.
_RETRIABLE = frozenset({Outcome.NO_CONSENT, Outcome.NOTHING_LEFT, Outcome.TOO_EARLY})
OVER_ON_PLATFORM = frozenset(Visit.Remote.values) - {Visit.Remote.UNSEEN, Visit.Remote.ACTIVE}

_BEGUN_ELSEWHERE = _(
    "Somebody started this part under your id in another session. Please "
    "continue there. If it was not you, ask the people who run the study."
)
_UNPROVEN = _("Somebody is already working on this task. Please return it and accept another one.")


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
                "Somebody has already started under this id. To continue, type the "
                "code that you were shown. If you do not have it, ask the people who "
                "run the study."
            )
        )


def refuse_without_code(listing: Listing, launch: Launch, person: Person) -> None:
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
    is_later = listing.phase_number != first_phase(listing)
    has_no_key = theirs.filter(key_hash=None).exists()
    if (is_later and not has_no_key) or any(_is_somebodys(visit) for visit in theirs):
        raise CodeNeededError


def _is_somebodys(visit: Visit) -> bool:
    """Whether something would be lost, or shown, if another went on with it."""
    if visit.key_hash is None or may_begin_again(visit):
        return False
    if visit.run and visit.state in {Visit.State.WORKING, Visit.State.CLOSED}:
        return _is_begun(visit)
    return True


def is_led_back_to(visit: Visit) -> bool:
    """Whether a person who comes again is led to it as it is: open, or ended for good."""
    if visit.state == Visit.State.ENDED:
        return not may_begin_again(visit)
    return visit.state == Visit.State.WORKING


def may_begin_again(visit: Visit) -> bool:
    """Whether they left without an answer, also by withdrawing: then there is nothing to lose."""
    return (
        visit.state == Visit.State.ENDED
        and visit.outcome in _RETRIABLE
        and visit.remote_state not in OVER_ON_PLATFORM
        and (visit.run is None or is_untouched(visit.run.assignment))
    )


def is_untouched(assignment: Assignment) -> bool:
    """Whether nothing was ever answered in it, nor erased since."""
    return not (assignment.judgments.exists() or assignment.drafts.exists())


def settle_other_sitting(
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
        if other.remote_state not in OVER_ON_PLATFORM:
            if not takes_over:
                raise OpenElsewhereError(other)
            if other.verified_at and not launch.is_signed:
                raise LaunchError(_UNPROVEN)
            if _is_begun(other) and not launch.is_signed:
                if listing.phase_number != first_phase(listing):
                    # Of a later part there is no other booklet to begin.
                    raise LaunchError(_BEGUN_ELSEWHERE)
                continue
        visits.close(visit=other)


def _is_begun(visit: Visit) -> bool:
    """Whether it is somebody's, who has answered something; see `decisions.forget_key`."""
    return bool(visit.key_hash and visit.run and phases.is_begun(visit.run))


def hand_over(listing: Listing, launch: Launch, person: Person) -> None:
    """Close what another person did under the same id: it was returned, and is handed on."""
    if not launch.submission_id:
        return
    others = Visit.objects.filter(of_submission(listing, launch)).exclude(state=Visit.State.CLOSED)
    is_shown = platform_of(listing.platform).capabilities.shows_submissions
    for other in others.exclude(person=person):
        # A panel never shows whose sitting it is, so that nobody is put out of what they began.
        is_theirs = other.verified_at or (not is_shown and _is_somebodys(other))
        if is_theirs and not launch.is_signed:
            raise LaunchError(_UNPROVEN)
        visits.close(visit=other)
