"""The screens: showing questions, saving answers, sending the booklet."""

import secrets
import time
from dataclasses import replace

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils.translation import gettext as _

from annotation import clock
from annotation.errors import AssignmentClosedError, InvalidAnswerError, UnknownKeyError
from annotation.forms.annotator import AnswerForm, SaveForm
from annotation.models import Assignment, Question
from annotation.queries import screens
from annotation.queries.screens import Answer, ShownQuestion
from annotation.services import assignments
from annotation.services.judgments import AnsweredElsewhereError, Shown, Standing
from annotation.showing import OutdatedPageError, sign_shown
from annotation.views.own import (
    elsewhere,
    latest,
    refuse_closed,
    refuse_withdrawn,
    thanks_page,
)
from annotation.views.pages import (
    SCREEN_BODY_LIMIT,
    Visitor,
    annotator_page,
    asks_for_json,
    page,
    problem,
    see_other,
)
from annotation.views.saving import save_answer


@annotator_page("GET", "POST", limit=SCREEN_BODY_LIMIT)
def screen(request: HttpRequest, visitor: Visitor, number: int) -> HttpResponse:
    """One screen; its form works without JavaScript."""
    if request.method == "POST":
        refuse_withdrawn(visitor)
    assignment = latest(visitor)
    if request.method != "POST" and (answer := elsewhere(visitor, assignment)):
        return answer
    if assignment is None or not 1 <= number <= assignment.booklet.n_screens:
        raise UnknownKeyError(_("There is no such screen."))
    if request.method == "POST":
        refuse_closed(visitor, assignment)
    questions = screens.screen_questions(assignment.booklet, number)
    shown = screens.with_answers(
        screens.shown_questions(
            questions,
            seed=assignment.booklet.design.seed,
            pseudonym=visitor.annotator.pseudonym,
        ),
        assignment,
    )
    if request.method != "POST":
        return _screen_page(visitor, assignment, number, shown)
    return _save_screen(request, visitor, assignment, number, shown)


def _save_screen(
    request: HttpRequest,
    visitor: Visitor,
    assignment: Assignment,
    number: int,
    questions: list[ShownQuestion],
) -> HttpResponse:
    sent, go = _with_choice_of_here(request.POST)
    after = [
        _save_one(visitor, shown, AnswerForm(sent, prefix=f"q{shown.pk}")) for shown in questions
    ]
    must_be_seen = any(shown.must_be_seen for shown in after)
    if go == "back" and not must_be_seen:
        return see_other(visitor.url("screen", max(number - 1, 1)))
    if go == "stay" and not must_be_seen:
        return see_other(visitor.url("screen", number))
    if any(shown.here for shown in after):
        return _screen_page(visitor, assignment, number, after, status=409)
    if any(shown.has_problem for shown in after):
        return _screen_page(visitor, assignment, number, after, status=400)
    if number < assignment.booklet.n_screens:
        return see_other(visitor.url("screen", number + 1))
    return see_other(visitor.url("overview"))


def _with_choice_of_here(sent: QueryDict) -> tuple[QueryDict, str]:
    """The form, and where to go; for the question of "Use this instead" with what it offers."""
    if not (question := sent.get("use")):
        return sent, sent.get("go", "next")
    sent = sent.copy()
    for name in ("best", "worst", "comment"):
        sent[f"q{question}-{name}"] = sent.get(f"q{question}-here-{name}", "")
    return sent, "stay"


def _save_one(visitor: Visitor, shown: ShownQuestion, form: AnswerForm) -> ShownQuestion:
    """The question as it stands afterwards: with what was sent, and what is wrong with it."""
    form.is_valid()
    sent = form.answer
    base = form.cleaned_data.get("base")
    if sent.is_empty and (shown.answer.is_empty or (base and shown.base not in base)):
        # Nothing was chosen here; an answer that was given elsewhere in the meantime stands.
        return replace(shown, missing=_missing(shown.answer))
    # What comes back with a problem is still based on what the person had before them.
    after = replace(shown, answer=sent, base=" ".join(base or [shown.base]))
    try:
        saved = save_answer(
            annotator=visitor.annotator,
            question=shown.pk,
            form=form,
            idempotency_key=None,
            # Later than anything that a script on the same page has sent.
            sequence=time.time_ns() // 1_000_000,
        )
    except OutdatedPageError:
        return replace(after, error=_("This page was out of date. Please check your choices."))
    except InvalidAnswerError as error:
        return replace(after, error=error.message)
    except AnsweredElsewhereError as error:
        return replace(shown, answer=_as_shown(error.standing), base=error.standing.key, here=sent)
    answer = _as_shown(saved.standing)
    return replace(shown, answer=answer, base=saved.standing.key, missing=_missing(answer))


def _missing(answer: Answer) -> tuple[str, ...]:
    return tuple(role for role in ("best", "worst") if getattr(answer, role) is None)


def _as_shown(standing: Standing) -> Answer:
    answer = standing.answer
    return Answer(answer.best, answer.worst, answer.comment)


def _screen_page(
    visitor: Visitor,
    assignment: Assignment,
    number: int,
    questions: list[ShownQuestion],
    *,
    status: int = 200,
) -> HttpResponse:
    now, page_id = clock.now(), secrets.token_urlsafe(9)
    progress = screens.progress(assignment)
    is_last = number == assignment.booklet.n_screens
    context = {
        "questions": [
            replace(
                question,
                shown=sign_shown(
                    question=question.pk,
                    assignment=assignment.pk,
                    shown=Shown(question.order, now, page_id),
                ),
            )
            for question in questions
        ],
        # What was answered elsewhere says so itself, at the question.
        "problems": [question for question in questions if question.has_problem],
        "number": number,
        "n_screens": assignment.booklet.n_screens,
        "progress": progress,
        "minutes_left": screens.minutes_left(assignment, progress),
        "example": screens.worked_example(visitor.study),
        "urls": {
            "action": visitor.url("screen", number),
            "back": visitor.url("screen", number - 1) if number > 1 else "",
            "next": visitor.url("overview") if is_last else visitor.url("screen", number + 1),
            "overview": visitor.url("overview"),
        },
    }
    return page("annotator/screen.html", context, whose=visitor, status=status)


@annotator_page("POST")
def save(request: HttpRequest, visitor: Visitor, question_id: int) -> HttpResponse:
    """One choice, saved in the background; acknowledged when it is on disk."""
    refuse_withdrawn(visitor)
    form = SaveForm(request.POST)
    if not form.is_valid():
        raise InvalidAnswerError(_("This answer is incomplete. Please reload the page."))
    try:
        saved = save_answer(
            annotator=visitor.annotator,
            question=question_id,
            form=form,
            idempotency_key=form.cleaned_data["idempotency_key"],
            sequence=form.cleaned_data["sequence"],
        )
    except AnsweredElsewhereError as error:
        # Perhaps sent from another screen, which is not where the person can look at it.
        screen = Question.objects.values_list("screen", flat=True).get(pk=question_id)
        return problem(
            request,
            error.message,
            status=error.status,
            whose=visitor,
            details={**error.details, "screen": visitor.url("screen", screen)},
        )
    # Counted after the lock is gone.
    progress = screens.progress(saved.row.assignment)
    return JsonResponse(
        {
            "state": "saved" if saved.is_complete else "draft",
            "complete": saved.is_complete,
            "answered": progress.n_answered,
            "questions": progress.n_questions,
            "key": saved.standing.key,
            "answer": saved.standing.as_json,
        }
    )


@annotator_page("GET")
def overview(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """All screens at a glance, before the booklet is sent."""
    assignment = latest(visitor)
    if answer := elsewhere(visitor, assignment):
        return answer
    assert assignment is not None  # `elsewhere` answers for those without
    return _overview_page(visitor, assignment)


def _overview_page(
    visitor: Visitor, assignment: Assignment, *, error: str = "", status: int = 200
) -> HttpResponse:
    states = screens.screen_states(assignment)
    progress = screens.progress(assignment)
    context = {
        "screens": [(state, visitor.url("screen", state.number)) for state in states],
        "first_open": next((s.number for s in states if not s.is_complete), None),
        "progress": progress,
        "minutes_left": screens.minutes_left(assignment, progress),
        "error": error,
    }
    return page("annotator/overview.html", context, whose=visitor, status=status)


@annotator_page("POST")
def submit(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    refuse_withdrawn(visitor)
    assignment = latest(visitor)
    if assignment is None:
        raise AssignmentClosedError(_("Nothing has been started with this link yet."))
    try:
        assignments.submit(assignment=assignment)
    except InvalidAnswerError as error:
        if asks_for_json(request):
            raise
        return _overview_page(visitor, assignment, error=error.message, status=400)
    except AssignmentClosedError as error:
        assignment.refresh_from_db(fields=["state"])
        if assignment.state != Assignment.State.SUBMITTED or asks_for_json(request):
            raise
        # A double tap: what they see last must not look like a failure.
        return thanks_page(visitor, assignment, note=error.message, status=error.status)
    if asks_for_json(request):
        return JsonResponse({"state": "submitted"})
    return see_other(visitor.url("own"))
