"""An annotator's own page: where they are, the instructions, thanks, another booklet, leaving."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.answering.forms import ComprehensionForm, problem_with
from annotation.answering.pages import outcome, waiting
from annotation.answering.pages.frame import Visitor, annotator_page, page, see_other
from annotation.answering.pages.joining import personal_consent
from annotation.answering.queries import screens
from annotation.answering.services import (
    assignments,
    instructions,
    pending_questions,
    phases,
    rosters,
    visits,
)
from annotation.basics.errors import AssignmentClosedError
from annotation.core.queries import consents
from annotation.kinds.queries import known_answers
from annotation.models import Assignment, Check, PhaseRun, Question


def elsewhere(
    visitor: Visitor, run: PhaseRun | None, *, screen: int | None = None
) -> HttpResponse | None:
    """The answer for somebody who has no questions before them just now."""
    if run is None or not visitor.study.takes_answers or is_sent(run.assignment):
        return see_other(visitor.url("own"))
    if asks_anew(visitor, run):
        return to_consent(visitor, screen)
    if shut := waiting.shut_page(visitor, run, status=403):
        return shut
    if moment := pending_questions.pending(run, visitor.study):
        return see_other(visitor.url("questionnaire", moment))
    if visitor.annotator.instructed_at is None:
        return see_other(visitor.url("instructions"))
    return None


def asks_anew(visitor: Visitor, run: PhaseRun) -> bool:
    """Whether they must agree to a changed text before another question.

    A person who has answered everything is not kept from sending it, unless they have said no.
    """
    if not visitor.annotator.must_agree_anew or phases.is_over(run):
        return False
    return assignments.open_questions(run).exists() or assignments.declined_new_consent(
        visitor.annotator
    )


def to_consent(visitor: Visitor, screen: int | None) -> HttpResponse:
    """To the changed text; they come back to the same screen."""
    return see_other(visitor.url("consent") + (f"?screen={screen}" if screen else ""))


def is_sent(assignment: Assignment) -> bool:
    """Sent for good, or withdrawn; who waits for a phase has not sent everything."""
    return assignment.state in {Assignment.State.SUBMITTED, Assignment.State.WITHDRAWN}


def refuse_withdrawn(visitor: Visitor) -> None:
    run = visitor.visit.run if visitor.visit else None
    is_emptied = run is not None and run.assignment.state == Assignment.State.WITHDRAWN
    if visitor.annotator.withdrawn_at or is_emptied:
        raise AssignmentClosedError(_("You have withdrawn from this study."))


def refuse_closed(visitor: Visitor, run: PhaseRun) -> None:
    """Say at once what each question would be told; the service asks again, under its lock."""
    if run.assignment.state == Assignment.State.SUBMITTED:
        raise AssignmentClosedError(phases.SENT)
    if not visitor.study.takes_answers:
        raise AssignmentClosedError(assignments.FINISHED)
    phases.refuse_unopened(run)


@annotator_page("GET", "POST", after=True)
def own(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Wherever they are: the address to come back to."""
    if visitor.visit and (last := outcome.last_page(request, visitor)):
        return last
    if request.method == "POST":
        refuse_withdrawn(visitor)
    elif visitor.annotator.withdrawn_at:
        return page("answering/withdrawn.html", whose=visitor)
    run = visitor.run
    if run is None:
        return personal_consent(request, visitor)
    if run.assignment.state == Assignment.State.SUBMITTED:
        return thanks_page(visitor, run)
    if not visitor.study.takes_answers:
        return page("answering/closed.html", whose=visitor)
    if asks_anew(visitor, run):
        if consents.was_refused(visitor.annotator):
            return page("answering/stopped.html", whose=visitor)
        return see_other(visitor.url("consent"))
    if shut := waiting.shut_page(visitor, run):
        return shut
    if run.assignment.state == Assignment.State.WAITING:
        return waiting.opened_page(visitor, run)
    return next_page(visitor, run)


def next_page(visitor: Visitor, run: PhaseRun) -> HttpResponse:
    """Where somebody goes on whose phase is open: questions about them come first."""
    try:
        moment = pending_questions.pending(run, visitor.study)
    except pending_questions.ScreenedOutError:
        if visitor.visit:
            return outcome.screened_out_page(visitor)
        return page("answering/screened_out.html", whose=visitor)
    if moment:
        return see_other(visitor.url("questionnaire", moment))
    if not visitor.annotator.instructed_at:
        return see_other(visitor.url("instructions"))
    return see_other(_next_url(visitor, run))


def _next_url(visitor: Visitor, run: PhaseRun) -> str:
    """Where somebody goes on who has questions before them."""
    first_open = screens.first_open_question(run)
    if visitor.has_told_checks:
        # What a tutorial explains comes before anything else is answered.
        tutorials = [
            question.screen
            for question, known in known_answers.untold(run)
            if known.style == Check.Style.TUTORIAL
        ]
        if tutorials and (first_open is None or min(tutorials) <= first_open.screen):
            return visitor.url("screen", min(tutorials))
    if first_open is None:
        return visitor.url("overview")
    if not screens.progress(run).n_answered:
        # A person who begins sees the page from its top.
        return visitor.url("screen", first_open.screen)
    return question_url(visitor, first_open)


def question_url(visitor: Visitor, question: Question) -> str:
    """A screen with the cursor on one of its questions."""
    return f"{visitor.url('screen', question.screen)}#q{question.pk}"


def thanks_page(
    visitor: Visitor, run: PhaseRun, *, note: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "assignment": run.assignment,
        "note": note,
        "n_answered": run.assignment.judgments.current().count(),
        "may_claim_another": assignments.may_claim_another(visitor.annotator),
    }
    return page("answering/thanks.html", context, whose=visitor, status=status)


@annotator_page("GET", "POST")
def read_instructions(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    if request.method == "POST":
        refuse_withdrawn(visitor)
    run = visitor.run
    if run is None or visitor.annotator.withdrawn_at:
        return see_other(visitor.url("own"))
    if request.method != "POST" and not is_sent(run.assignment) and asks_anew(visitor, run):
        return see_other(visitor.url("own"))
    if request.method != "POST" or visitor.annotator.instructed_at:
        return (
            see_other(visitor.url("own"))
            if request.method == "POST"
            else _instructions_page(visitor)
        )
    if not visitor.study.comprehension:
        instructions.begin(annotator=visitor.annotator)
        return see_other(visitor.url("own"))
    form = ComprehensionForm(request.POST)
    if not form.is_valid():
        return _instructions_page(visitor, error=problem_with(form, "answer"), status=400)
    chosen = form.cleaned_data["answer"]
    if visitor.visit:
        is_right = visits.try_comprehension(visit=visitor.visit, chosen=chosen)
        visitor.visit.refresh_from_db(fields=["state"])
        is_over = visitor.visit.state != visitor.visit.State.WORKING
    else:
        is_right = instructions.try_comprehension(annotator=visitor.annotator, chosen=chosen)
        is_over = False
    if is_right or is_over:
        return see_other(visitor.url("own"))
    feedback = visitor.study.comprehension.get("feedback") or _(
        "That is not quite right. Please look at the instructions again."
    )
    return _instructions_page(visitor, feedback=feedback, chosen=chosen, status=400)


def _instructions_page(
    visitor: Visitor,
    *,
    error: str = "",
    feedback: str = "",
    chosen: int | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "example": screens.worked_example(visitor.study),
        "comprehension": visitor.study.comprehension,
        "error": error,
        "feedback": feedback,
        "chosen": chosen,
    }
    return page("answering/instructions.html", context, whose=visitor, status=status)


@annotator_page("POST")
def more(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    if visitor.visit:
        # One sitting is one booklet: another one is another sitting, if the platform has one.
        raise AssignmentClosedError(assignments.SITTING_OVER)
    if visitor.run:
        # Whom an answer has screened out gets no other place.
        pending_questions.pending(visitor.run, visitor.study)
    assignments.claim_another(annotator=visitor.annotator)
    return see_other(visitor.url("own"))


@annotator_page("GET", "POST", after=True)
def new_link(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Another link and code for a person who fears that others know theirs; the old ones end."""
    if not visitor.shows_code or visitor.annotator.withdrawn_at:
        return see_other(visitor.url("own"))
    if request.method != "POST":
        return page("answering/new_link.html", whose=visitor)
    if visitor.visit:
        key = visits.change_key(visit=visitor.visit)
    else:
        key = rosters.change_own_key(annotator=visitor.annotator).key
    return see_other(reverse("annotator:own", args=[key]))
