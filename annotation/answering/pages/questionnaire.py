"""The questions about people: one page for each moment; a draft is kept while it is filled in."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from annotation.answering.pages.frame import Visitor, annotator_page, page, see_other
from annotation.answering.pages.own import (
    asks_anew,
    is_sent,
    next_page,
    refuse_withdrawn,
)
from annotation.answering.pages.sending import send
from annotation.answering.pages.waiting import shut_page
from annotation.answering.queries import own_data, screens
from annotation.answering.services import pending_questions, phases, replies
from annotation.answering.services.pending_questions import Moment
from annotation.basics.errors import AssignmentClosedError
from annotation.core.pages.negotiation import asks_for_json
from annotation.models import PhaseRun, QuestionnaireReply
from annotation.questionnaires.forms.replying import ReplyForm
from annotation.questionnaires.queries import definitions
from config.bodies import SCREEN_BODY_LIMIT


@annotator_page("GET", "POST", limit=SCREEN_BODY_LIMIT)
def questionnaire(request: HttpRequest, visitor: Visitor, moment: str) -> HttpResponse:
    """The questions of a moment, for whom they come next; others go on where they are."""
    if request.method == "POST":
        refuse_withdrawn(visitor)
    run = visitor.run
    if run is None or not _is_next(visitor, run, moment):
        if asks_for_json(request):
            raise AssignmentClosedError(phases.SENT)
        return see_other(visitor.url("own"))
    definition = definitions.of(visitor.study).at(moment)
    if request.method != "POST":
        draft = _draft(visitor, run, moment)
        values, declined = (draft.values, draft.declined) if draft else ({}, [])
        return _page(visitor, ReplyForm(definition, values=values, declined=declined))
    form = ReplyForm(definition, request.POST)
    is_complete = form.is_valid()
    # No question has a name with a colon.
    if "as:draft" in request.POST or not is_complete:
        replies.save_draft(run=run, moment=moment, values=form.values, declined=form.declined)
        if asks_for_json(request):
            return JsonResponse({"state": "draft", "unfit": form.unfit})
        return _page(visitor, form, status=400)
    reply = replies.complete(
        run=run,
        visit=visitor.visit,
        questionnaire=definition,
        values=form.values,
        declined=form.declined,
    )
    if moment == Moment.AFTER:
        return send(request, visitor, run, meant=run.pk)
    # Past the page that says that the next part is open: they have begun it.
    return see_other(visitor.url("own")) if reply.screened_out else next_page(visitor, run)


def _draft(visitor: Visitor, run: PhaseRun, moment: str) -> QuestionnaireReply | None:
    """What was saved before, unless it may be of somebody else with the same platform id."""
    annotator = run.assignment.annotator
    if not own_data.knows_person(annotator, visitor.visit):
        return None
    return replies.draft(annotator, moment)


def _is_next(visitor: Visitor, run: PhaseRun, moment: str) -> bool:
    """Whether these are the questions that this person answers next."""
    if not visitor.study.takes_answers or is_sent(run.assignment):
        return False
    if asks_anew(visitor, run) or shut_page(visitor, run):
        return False
    return moment == _next(visitor, run)


def _next(visitor: Visitor, run: PhaseRun) -> str:
    """The moment whose questions this person answers next; empty: none."""
    if before := pending_questions.pending(run, visitor.study):
        return before
    if screens.first_open_question(run):
        return ""
    return pending_questions.pending_at_end(run, visitor.study)


def _page(visitor: Visitor, form: ReplyForm, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "questionnaire": form.questionnaire,
        "problems": form.problems,
        "is_last": form.questionnaire.moment == Moment.AFTER,
    }
    return page("answering/questionnaire.html", context, whose=visitor, status=status)
