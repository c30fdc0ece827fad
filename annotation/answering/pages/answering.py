"""The screens: showing questions, saving answers, sending the booklet."""

import secrets
import time
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils.translation import gettext as _

from annotation.answering.forms import AnswerForm, SaveForm
from annotation.answering.pages.frame import (
    Visitor,
    annotator_page,
    page,
    problem,
    see_other,
)
from annotation.answering.pages.own import (
    asks_anew,
    elsewhere,
    refuse_closed,
    refuse_withdrawn,
    to_consent,
)
from annotation.answering.pages.saving import save_answer
from annotation.answering.queries import screen_contents, screens
from annotation.answering.queries.shown_checks import with_tellings
from annotation.answering.queries.shown_questions import shown_questions
from annotation.answering.services import checks, pending_questions
from annotation.answering.services.judgments import AnsweredElsewhereError
from annotation.answering.showing import OutdatedPageError, read_shown, sign_shown
from annotation.basics import clock
from annotation.basics.errors import InvalidAnswerError, UnknownKeyError
from annotation.kinds.contract.answering import AnsweringPart
from annotation.kinds.queries import known_answers
from annotation.kinds.queries.known_answers import KnownAnswer
from annotation.kinds.registry import kind_of
from annotation.kinds.shown import PresentedQuestion
from annotation.kinds.shown_questions import ShownQuestion
from annotation.models import PhaseRun, Question
from config.bodies import SCREEN_BODY_LIMIT


@dataclass(frozen=True)
class Place:
    """Where somebody is among the screens, and where their buttons lead."""

    visitor: Visitor
    number: int
    is_from_overview: bool

    @property
    def address(self) -> str:
        query = "?from=overview" if self.is_from_overview else ""
        return self.visitor.url("screen", self.number) + query

    @property
    def before(self) -> str:
        """Empty on the first screen."""
        if self.is_from_overview:
            return self._in_overview
        return self.visitor.url("screen", self.number - 1) if self.number > 1 else ""

    def after(self, run: PhaseRun) -> str:
        if self.is_from_overview:
            return self._in_overview
        if self.number < run.assignment.n_screens:
            return self.visitor.url("screen", self.number + 1)
        return self.visitor.url("overview")

    @property
    def _in_overview(self) -> str:
        # The browser puts the focus on the entry that has this id.
        return f"{self.visitor.url('overview')}#screen-{self.number}"


@annotator_page("GET", "POST", limit=SCREEN_BODY_LIMIT)
def screen(request: HttpRequest, visitor: Visitor, number: int) -> HttpResponse:
    """One screen; its form works without JavaScript. From the overview it leads back there."""
    place = Place(visitor, number, is_from_overview=request.GET.get("from") == "overview")
    if request.method == "POST":
        refuse_withdrawn(visitor)
    run = visitor.run
    if request.method != "POST" and (answer := elsewhere(visitor, run, screen=number)):
        return answer
    if run is None or not 1 <= number <= run.assignment.n_screens:
        raise UnknownKeyError(_("There is no such screen."))
    if request.method == "POST":
        refuse_closed(visitor, run)
        if moment := pending_questions.pending(run, visitor.study):
            return see_other(visitor.url("questionnaire", moment))
        if visitor.annotator.instructed_at is None:
            return see_other(visitor.url("instructions"))
    rows = screen_contents.of_screen(run, number)
    known = known_answers.of_questions((row.question for row in rows), visitor.study)
    shown = screens.with_answers(
        shown_questions(
            rows,
            study=visitor.study,
            seed=run.assignment.booklet.design.seed,
            pseudonym=visitor.annotator.pseudonym,
        ),
        run.assignment,
    )
    shown = with_tellings(shown, known, run.assignment)
    if request.method != "POST":
        return _screen_page(place, run, shown)
    if asks_anew(visitor, run) and not _was_shown(request.POST, run, shown):
        # The problems of a form are shown with its questions, which these people never saw.
        return to_consent(visitor, number)
    return _save_screen(request, place, run, questions=shown, known=known)


def _was_shown(sent: QueryDict, run: PhaseRun, questions: list[ShownQuestion]) -> bool:
    """Whether a form comes from a page that had these questions."""
    for question in questions:
        try:
            assignment_id, _shown = read_shown(
                sent.get(f"q{question.pk}-shown", ""), question=question.pk
            )
        except OutdatedPageError:
            continue
        if assignment_id == run.assignment_id:
            return True
    return False


def _save_screen(
    request: HttpRequest,
    place: Place,
    run: PhaseRun,
    *,
    questions: list[ShownQuestion],
    known: dict[int, KnownAnswer],
) -> HttpResponse:
    part = kind_of(place.visitor.study).answering
    sent, go = _with_choice_of_here(request.POST, part)
    forms = {shown.pk: AnswerForm(part, sent, prefix=f"q{shown.pk}") for shown in questions}
    after = [_save_one(place.visitor, shown, forms[shown.pk]) for shown in questions]
    must_be_seen = any(shown.must_be_seen for shown in after)
    if go == "back" and not must_be_seen:
        return see_other(place.before or place.address)
    if go == "stay" and not must_be_seen:
        return see_other(place.address)
    if any(shown.here for shown in after):
        return _screen_page(place, run, after, status=409)
    if any(shown.has_problem for shown in after):
        return _screen_page(place, run, after, status=400)
    was_told = [
        checks.tell(
            run=run,
            question=question,
            known=answer,
            seen=forms[question].cleaned_data.get("told", ""),
        )
        for question, answer in known.items()
    ]
    if any(was_told):
        # Shown by the page itself, so that it is there after a reload, too.
        return see_other(place.address)
    return see_other(place.after(run))


def _with_choice_of_here(sent: QueryDict, part: AnsweringPart) -> tuple[QueryDict, str]:
    """The form, and where to go; for the question of "Use this instead" with what it offers."""
    if not (question := sent.get("use")):
        return sent, sent.get("go", "next")
    sent = sent.copy()
    for name in (*part.answer.PARTS, "comment"):
        # Of several categories each comes under the same name.
        sent.setlist(f"q{question}-{name}", sent.getlist(f"q{question}-here-{name}"))
    return sent, "stay"


def _save_one(visitor: Visitor, shown: ShownQuestion, form: AnswerForm) -> ShownQuestion:
    """The question as it stands afterwards: with what was sent, and what is wrong with it."""
    form.is_valid()
    sent = form.answer()
    base = form.cleaned_data.get("base")
    if sent.is_empty and (shown.answer.is_empty or (base and shown.base not in base)):
        # Nothing was chosen here; an answer that was given elsewhere in the meantime stands.
        return replace(shown, missing=shown.answer.missing)
    # What comes back with a problem is still based on what the person had before them.
    after = replace(shown, answer=sent, base=" ".join(base or [shown.base]))
    try:
        saved = save_answer(
            annotator=visitor.annotator,
            visit=visitor.visit,
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
        return replace(shown, answer=error.standing.answer, base=error.standing.key, here=sent)
    answer = saved.standing.answer
    return replace(shown, answer=answer, base=saved.standing.key, missing=answer.missing)


def _screen_page(
    place: Place, run: PhaseRun, questions: list[ShownQuestion], *, status: int = 200
) -> HttpResponse:
    visitor, number = place.visitor, place.number
    now, page_id = clock.now(), secrets.token_urlsafe(9)
    progress = screens.progress(run)
    n_screens = run.assignment.n_screens
    context = {
        "questions": [
            replace(
                question,
                shown=sign_shown(
                    question=question.pk,
                    assignment=run.assignment_id,
                    shown=_note(question, run, now, page_id),
                ),
            )
            for question in questions
        ],
        # What was answered elsewhere says so itself, at the question.
        "problems": [question for question in questions if question.has_problem],
        # Only one of them can have the focus.
        "first_told": next((question.pk for question in questions if question.telling), None),
        **screens.files_of(visitor.study),
        "number": number,
        "n_screens": n_screens,
        # On every screen alike: that one is a check is not to be seen before it is answered.
        "posts": visitor.has_told_checks,
        **part_of(visitor, run),
        "progress": progress,
        "minutes_left": screens.minutes_left(run.assignment, progress),
        "example": screens.worked_example(visitor.study),
        "urls": {
            "action": place.address,
            # A page that is corrected has one way out; an open one may be left open.
            "back": ""
            if place.is_from_overview and all(question.was_answered for question in questions)
            else place.before,
            "next": place.after(run),
        },
        "is_from_overview": place.is_from_overview,
    }
    return page("answering/screen.html", context, whose=visitor, status=status)


def part_of(visitor: Visitor, run: PhaseRun) -> dict[str, int]:
    """Which phase this is, and of how many."""
    if not kind_of(visitor.study).answering.has_phases:
        return {"part": 1, "n_parts": 1}
    return {"part": run.phase.number, "n_parts": visitor.n_phases}


def _note(
    question: ShownQuestion, run: PhaseRun, now: datetime, page_id: str
) -> PresentedQuestion:
    """What the server says of this showing, to be told it again with the answer."""
    return PresentedQuestion(
        question.order,
        now,
        page_id,
        scale=question.asked_scale,
        run=screens.run_to_tell_apart(run),
        categories=question.asked_categories,
    )


@annotator_page("POST")
def save(request: HttpRequest, visitor: Visitor, question_id: int) -> HttpResponse:
    """One choice, saved in the background; acknowledged when it is on disk."""
    refuse_withdrawn(visitor)
    form = SaveForm(kind_of(visitor.study).answering, request.POST)
    if not form.is_valid():
        raise InvalidAnswerError(_("This answer is incomplete. Please reload the page."))
    try:
        saved = save_answer(
            annotator=visitor.annotator,
            visit=visitor.visit,
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
    progress = screens.progress_after(saved.row, visitor.study)
    return JsonResponse(
        {
            "state": "saved" if saved.is_complete else "draft",
            "complete": saved.is_complete,
            "answered": progress.n_answered,
            "questions": progress.n_questions,
            "key": saved.standing.key,
            "answer": saved.standing.answer.as_json,
        }
    )
