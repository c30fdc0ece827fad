"""The overview of the screens, and sending what was answered."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from annotation.answering.pages.answering import Place, part_of
from annotation.answering.pages.frame import Visitor, annotator_page, page, see_other
from annotation.answering.pages.own import (
    elsewhere,
    is_sent,
    question_url,
    refuse_withdrawn,
    thanks_page,
)
from annotation.answering.queries import screens
from annotation.answering.services import assignments, checks, pending_questions, visits
from annotation.basics.errors import AssignmentClosedError, InvalidAnswerError
from annotation.basics.sentences import sentence
from annotation.core.pages.negotiation import asks_for_json
from annotation.models import Assignment, PhaseRun


@annotator_page("GET")
def overview(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """All screens at a glance, before the booklet is sent."""
    run = visitor.run
    if answer := elsewhere(visitor, run):
        return answer
    assert run is not None  # `elsewhere` answers for those without
    return _overview_page(visitor, run)


def _overview_page(
    visitor: Visitor, run: PhaseRun, *, error: str = "", status: int = 200
) -> HttpResponse:
    states = screens.screen_states(run)
    progress = screens.progress(run)
    first_open = screens.first_open_question(run)
    context = {
        "run": run,
        **part_of(visitor, run),
        "screens": [
            (state, Place(visitor, state.number, is_from_overview=True).address)
            for state in states
        ],
        "first_open": first_open and question_url(visitor, first_open),
        "last_questions": "" if first_open else _last_questions(visitor, run),
        "progress": progress,
        "minutes_left": screens.minutes_left(run.assignment, progress),
        "error": error,
    }
    return page("answering/overview.html", context, whose=visitor, status=status)


@annotator_page("POST")
def submit(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    refuse_withdrawn(visitor)
    run = visitor.run
    if run is None:
        raise AssignmentClosedError(_("Nothing has been started with this link yet."))
    # Which phase the page was about: sending it twice must not send the next one.
    named = request.POST.get("run", "")
    meant = int(named) if named.isdecimal() and len(named) < 19 else None
    return send(request, visitor, run, meant=meant)


def send(
    request: HttpRequest, visitor: Visitor, run: PhaseRun, *, meant: int | None = None
) -> HttpResponse:
    """Send the phase, unless something is left to do in it; `meant`: the run of the page."""
    try:
        if visitor.has_told_checks and (left := checks.tell_what_is_left(run)):
            return see_other(visitor.url("screen", left))
        if answer := _questionnaire_at_end(request, visitor, run):
            return answer
        if visitor.visit:
            visits.submit(visit=visitor.visit)
        else:
            assignments.submit(assignment=run.assignment, run=meant)
    except InvalidAnswerError as error:
        if asks_for_json(request):
            raise
        return _overview_page(visitor, run, error=error.message, status=400)
    except AssignmentClosedError as error:
        run.assignment.refresh_from_db(fields=["state"])
        if run.assignment.state != Assignment.State.SUBMITTED or asks_for_json(request):
            raise
        if visitor.visit:
            return see_other(visitor.url("own"))
        # A double tap: what they see last must not look like a failure.
        return thanks_page(visitor, run, note=error.message, status=error.status)
    if asks_for_json(request):
        return JsonResponse({"state": "submitted"})
    return see_other(visitor.url("own"))


def _questionnaire_at_end(
    request: HttpRequest, visitor: Visitor, run: PhaseRun
) -> HttpResponse | None:
    """The way to the questions after the last one; nothing if they are answered."""
    if is_sent(run.assignment) or screens.first_open_question(run):
        return None
    address = _last_questions(visitor, run)
    if address and asks_for_json(request):
        raise InvalidAnswerError(sentence("Please answer the last questions first."))
    return see_other(address) if address else None


def _last_questions(visitor: Visitor, run: PhaseRun) -> str:
    moment = pending_questions.pending_at_end(run, visitor.study)
    return visitor.url("questionnaire", moment) if moment else ""
