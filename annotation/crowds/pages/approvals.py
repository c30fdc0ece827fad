"""Approving everybody who passed the checks in one click."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import ngettext
from annotation.core.pages.frame import done, study_page, to, user_of
from annotation.crowds.queries import visits as queries
from annotation.crowds.services import approvals
from annotation.models import Study


@study_page
@require_POST
def approve_passed(request: HttpRequest, study: Study) -> HttpResponse:
    """Those whose number and sum the page has shown; nobody who came since."""
    shown = [n for n in request.POST.get("visits", "").split(",") if n.isdecimal() and len(n) < 19]
    visits = queries.of_study(study, shown="all").filter(
        pk__in=shown[: queries.MAX_APPROVED_AT_ONCE]
    )
    n_done = 0
    for visit in visits:
        try:
            approvals.approve_passed(visit=visit, by=user_of(request))
        except AnnotationError as error:
            # One by one: what is wrong with one visit stops none of the others.
            who = visit.run.assignment.annotator.pseudonym if visit.run else visit.submission_id
            messages.error(request, f"{who}: {error.message}")
        else:
            n_done += 1
    if n_done:
        sentence = ngettext(
            "The approval of %(n)s visit is on its way.",
            "The approval of %(n)s visits is on its way.",
            n_done,
        )
        done(request, study, sentence % {"n": n_done})
    return to(study, "visits")
