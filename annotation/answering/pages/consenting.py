"""Consent asked anew: a changed text before the next question, and what to do without it."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.answering.pages.frame import Visitor, annotator_page, page, see_other
from annotation.answering.pages.own import is_sent, refuse_withdrawn
from annotation.answering.services import assignments, consents
from annotation.core.queries import consents as queries
from annotation.core.signals import load_receivers
from annotation.models import PhaseRun


@annotator_page("GET", "POST")
def consent(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """The changed text; anybody who agrees goes on where they were."""
    run = _asked(request, visitor)
    where = request.POST if request.method == "POST" else request.GET
    number = _screen(where.get("screen", ""), run)
    if run is None or not visitor.annotator.must_agree_anew:
        return _go_on(visitor, number)
    if request.method != "POST":
        return _consent_page(visitor, number)
    if request.POST.get("do") != "agree":
        error = _("Please choose whether you agree.")
        return _consent_page(visitor, number, error=error, status=400)
    shown = request.POST.get("consent", "")
    try:
        version = int(shown) if shown.isdecimal() and len(shown) < 10 else 0
        consents.agree(annotator=visitor.annotator, version=version)
    except consents.TextChangedError as error:
        return _consent_page(visitor, number, error=error.message, status=400)
    return _go_on(visitor, number)


@annotator_page("GET", "POST")
def stop(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """A person who does not agree keeps their answers in, or has them deleted."""
    run = _asked(request, visitor)
    if run is None or not visitor.annotator.must_agree_anew:
        return see_other(visitor.url("own"))
    if request.method != "POST":
        context = {"declined_new_consent": assignments.declined_new_consent(visitor.annotator)}
        return page("answering/stop.html", context, whose=visitor)
    load_receivers()
    consents.stop(annotator=visitor.annotator, visit=visitor.visit)
    return see_other(visitor.url("own"))


def _asked(request: HttpRequest, visitor: Visitor) -> PhaseRun | None:
    """What they would go on with; nothing if there is nothing to agree to."""
    if request.method == "POST":
        refuse_withdrawn(visitor)
    run = visitor.run
    if run is None or not visitor.study.takes_answers or is_sent(run.assignment):
        return None
    return run


def _screen(named: str, run: PhaseRun | None) -> int | None:
    number = int(named) if named.isdecimal() and len(named) < 6 else 0
    return number if run and 1 <= number <= run.assignment.n_screens else None


def _go_on(visitor: Visitor, number: int | None) -> HttpResponse:
    return see_other(visitor.url("screen", number) if number else visitor.url("own"))


def _consent_page(
    visitor: Visitor, number: int | None, *, error: str = "", status: int = 200
) -> HttpResponse:
    agreed, later = queries.since(visitor.annotator)
    context = {
        "text": later[-1],
        "before": agreed,
        "changes": [text.changes for text in later if text.changes],
        "screen": number,
        "error": error,
        "declined_new_consent": assignments.declined_new_consent(visitor.annotator),
    }
    return page("answering/consent_anew.html", context, whose=visitor, status=status)
