"""An annotator's own page: where they are, the instructions, thanks, another booklet, leaving."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.errors import AssignmentClosedError
from annotation.forms.annotator import ComprehensionForm, WithdrawalForm, problem_with
from annotation.models import Assignment
from annotation.queries import screens, visitors
from annotation.services import assignments, instructions, people
from annotation.views.joining import personal_consent
from annotation.views.pages import Visitor, annotator_page, page, see_other


def latest(visitor: Visitor) -> Assignment | None:
    """The assignment they work on, or nothing before they agreed."""
    return visitors.latest_assignment(visitor.annotator)


def elsewhere(visitor: Visitor, assignment: Assignment | None) -> HttpResponse | None:
    """The answer for somebody who has no questions before them just now."""
    if assignment is None or not assignment.is_open or not visitor.study.takes_answers:
        return see_other(visitor.url("own"))
    if visitor.annotator.instructed_at is None:
        return see_other(visitor.url("instructions"))
    return None


def refuse_withdrawn(visitor: Visitor) -> None:
    if visitor.annotator.withdrawn_at:
        raise AssignmentClosedError(_("You have withdrawn from this study."))


def refuse_closed(visitor: Visitor, assignment: Assignment) -> None:
    """Say at once what each question would be told; the service asks again, under its lock."""
    if assignment.state == Assignment.State.SUBMITTED:
        raise AssignmentClosedError(_("You have already sent these answers. They are safe."))
    if not visitor.study.takes_answers:
        raise AssignmentClosedError(assignments.FINISHED)


@annotator_page("GET", "POST")
def own(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Wherever they are: the address to come back to."""
    if request.method == "POST":
        refuse_withdrawn(visitor)
    elif visitor.annotator.withdrawn_at:
        return page("annotator/withdrawn.html", whose=visitor)
    assignment = latest(visitor)
    if assignment is None:
        return personal_consent(request, visitor)
    if assignment.state == Assignment.State.SUBMITTED:
        return thanks_page(visitor, assignment)
    if not visitor.study.takes_answers:
        return page("annotator/closed.html", whose=visitor)
    if not visitor.annotator.instructed_at:
        return see_other(visitor.url("instructions"))
    number = screens.first_open_screen(assignment)
    return see_other(visitor.url("screen", number) if number else visitor.url("overview"))


def thanks_page(
    visitor: Visitor, assignment: Assignment, *, note: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "assignment": assignment,
        "note": note,
        "progress": screens.progress(assignment),
        "may_claim_another": assignments.may_claim_another(visitor.annotator),
    }
    return page("annotator/thanks.html", context, whose=visitor, status=status)


@annotator_page("GET", "POST")
def read_instructions(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    if request.method == "POST":
        refuse_withdrawn(visitor)
    assignment = latest(visitor)
    if assignment is None or visitor.annotator.withdrawn_at:
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
    if instructions.try_comprehension(annotator=visitor.annotator, chosen=chosen):
        return see_other(visitor.url("own"))
    feedback = visitor.study.comprehension.get("feedback") or _(
        "That is not quite right. Please look at the instructions once more."
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
    return page("annotator/instructions.html", context, whose=visitor, status=status)


@annotator_page("POST")
def more(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    assignments.claim_another(annotator=visitor.annotator)
    return see_other(visitor.url("own"))


@annotator_page("GET", "POST")
def withdraw(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    if visitor.annotator.withdrawn_at:
        return see_other(visitor.url("own"))
    if request.method != "POST":
        return page("annotator/withdraw.html", whose=visitor)
    form = WithdrawalForm(request.POST)
    if not form.is_valid():
        context = {"error": problem_with(form, "confirm")}
        return page("annotator/withdraw.html", context, whose=visitor, status=400)
    people.withdraw(annotator=visitor.annotator)
    return see_other(visitor.url("own"))
