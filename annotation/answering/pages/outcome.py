"""The last page of a sitting on a platform: what became of it, and the way back.

Nothing is sent for the person: a link, a form that their browser posts, or a code to be typed.
"""

from collections.abc import Mapping
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.answering.pages.frame import Visitor, page
from annotation.answering.queries import answer_copies
from annotation.answering.services import assignments, pending_questions, phases, visits
from annotation.basics import clock
from annotation.basics.errors import AssignmentClosedError, PhaseNotOpenError
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Completion, Launch
from annotation.models import Assignment, Listing, Person, PhaseRun, Visit
from annotation.models.kinds import Outcome


def last_page(request: HttpRequest, visitor: Visitor) -> HttpResponse | None:
    """The page of a visit that has ended, or can go on no more; nothing while it can."""
    visit = visitor.visit
    assert visit is not None
    if visit.state == Visit.State.CLOSED:
        if visit.run and visit.run.assignment.state == Assignment.State.WITHDRAWN:
            return page("answering/withdrawn.html", whose=visitor)
        raise AssignmentClosedError(assignments.SITTING_OVER)
    if visit.state == Visit.State.ENDED:
        if request.method == "POST":
            raise AssignmentClosedError(
                phases.SENT if visit.outcome in visits.DONE else assignments.SITTING_OVER
            )
        return _page(visit, Outcome(visit.outcome), whose=visitor)
    if visit.run is None or not visitor.study.takes_answers:
        return _page(
            visit, Outcome.NOTHING_LEFT, whose=visitor, sentence=str(assignments.FINISHED)
        )
    return None


def shut_page(visitor: Visitor, run: PhaseRun, *, status: int) -> HttpResponse | None:
    """The page of a visit whose phase is not open; nothing if it is."""
    visit = visitor.visit
    assert visit is not None
    if clock.now() < run.opens_at:
        return _page(visit, Outcome.TOO_EARLY, whose=visitor, opens_at=run.opens_at, status=status)
    if phases.is_over(run):
        return _page(
            visit,
            Outcome.NOTHING_LEFT,
            whose=visitor,
            sentence=str(phases.CLOSED),
            status=status,
        )
    return None


def screened_out_page(visitor: Visitor) -> HttpResponse:
    """The page of a visit that goes on with nothing, because of an answer in another one."""
    assert visitor.visit is not None
    return _page(visitor.visit, Outcome.SCREENED_OUT, whose=visitor)


def refused_page(
    listing: Listing,
    launch: Launch,
    error: Exception,
    *,
    way_back: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """What somebody sees who cannot begin: why, and the way back. Nothing is written.

    `way_back`: what the form for a code carries, for those who began before.
    """
    visit = _visit_without_row(listing, launch)
    if isinstance(error, PhaseNotOpenError):
        return _page(
            visit, Outcome.TOO_EARLY, whose=listing, opens_at=error.opens_at, status=status
        )
    return _page(
        visit,
        Outcome.NOTHING_LEFT,
        whose=listing,
        sentence=str(error),
        way_back=way_back,
        status=status,
    )


def declined_page(listing: Listing, launch: Launch) -> HttpResponse:
    """What somebody sees who did not agree, where their key is not told."""
    return _page(_visit_without_row(listing, launch), Outcome.NO_CONSENT, whose=listing)


def _visit_without_row(listing: Listing, launch: Launch) -> Visit:
    return Visit(
        listing=listing,
        platform=listing.platform,
        environment=listing.submission_realm,
        submission_id=launch.submission_id,
        person=Person(platform=listing.platform, platform_id=launch.person_id),
    )


def _page(
    visit: Visit,
    outcome: Outcome,
    *,
    whose: Visitor | Listing,
    sentence: str = "",
    opens_at: datetime | None = None,
    way_back: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    assert visit.listing is not None
    platform = platform_of(visit.listing.platform)
    run = visit.run if visit.pk else None
    is_withdrawn = run is not None and run.assignment.state == Assignment.State.WITHDRAWN
    # A person who was not let in by a row has no receipt to show.
    receipt = visits.receipt(visit) if visit.pk else ""
    completion = platform.completion(visit, outcome, receipt)
    # They agreed to an earlier text, and not to the one they were asked about later.
    has_stopped = outcome == Outcome.NO_CONSENT and run is not None and not is_withdrawn
    heading = _("You have stopped") if has_stopped else _headings()[outcome]
    if is_withdrawn:
        heading = _("You have withdrawn")
    context = {
        **(way_back or {}),
        "has_next_part": run is not None and phases.following(run) is not None,
        "next_run": phases.awaited(run) if run is not None and outcome in visits.DONE else None,
        "outcome": str(outcome),
        # Else it was the question about the instructions.
        "is_about_person": outcome == Outcome.SCREENED_OUT
        and run is not None
        and pending_questions.was_screened_out(run.assignment.annotator),
        "heading": str(heading),
        "has_stopped": has_stopped,
        "sentence": sentence,
        "opens_at": opens_at,
        "is_withdrawn": is_withdrawn,
        "completion": completion,
        "fields": _fields(completion, run if outcome in visits.DONE else None),
    }
    return page("answering/outcome.html", context, whose=whose, status=status)


def _fields(completion: Completion, run: PhaseRun | None) -> list[tuple[str, str]]:
    """What the last form carries: the platform's own fields, and a copy of the answers."""
    if not completion.fields:
        return []
    names = {name for name, _value in completion.fields}
    copy = (
        [("answers", answer_copies.compact(run))]
        if run is not None and "answers" not in names
        else []
    )
    return [*completion.fields, *copy]


def _headings() -> dict[Outcome, str]:
    return {
        Outcome.COMPLETED: _("We have received your answers"),
        Outcome.FAILED_CHECKS: _("We have received your answers"),
        Outcome.SCREENED_OUT: _("This study ends here for you"),
        Outcome.NO_CONSENT: _("You are not taking part"),
        Outcome.NOTHING_LEFT: _("There are no questions for you at the moment"),
        Outcome.TOO_EARLY: _("This part is not open yet"),
    }
