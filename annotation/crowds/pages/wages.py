"""What people of a listing earn by the hour, and one bonus for all of them up to a floor."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, show, study_page, to, user_of
from annotation.core.pages.navigation import Text
from annotation.crowds.forms.decisions import FloorForm, WageForm
from annotation.crowds.pages.listings import listing_of
from annotation.crowds.queries import listings as listing_queries
from annotation.crowds.queries import wage_bonuses as queries
from annotation.crowds.queries.wage_bonuses import Proposal
from annotation.crowds.services import decisions, spending
from annotation.models import Listing, Study

_MESSAGE = _("The work took longer than we expected. This bonus raises your hourly pay.")


@study_page
@require_http_methods(["GET", "POST"])
def wage(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """A floor typed, it says what raises the median to it; the sum typed, it is paid."""
    row = listing_of(study, listing_id)
    sent = request.POST if request.method == "POST" else None
    given = sent or request.GET
    floor = FloorForm(given if sent or "floor" in request.GET else None, currency=row.currency)
    form = WageForm(sent, currency=row.currency, message=_in_language_of(study, _MESSAGE))
    status = 200 if not floor.is_bound or floor.is_valid() else 400
    proposal = None
    if floor.is_bound and floor.is_valid():
        proposal = queries.proposal(row, floor=floor.cleaned_data["floor"])
    obstacles = _obstacles(row, study, proposal) if proposal else []
    if sent is not None:
        status = 400
        if proposal and form.is_valid():
            if obstacles:
                status = 409
            elif form.cleaned_data["typed"] != proposal.total:
                problem = _(
                    "You typed %(typed)s, but this may cost %(sum)s. Type this sum to confirm."
                )
                form.add_error(
                    "typed",
                    str(problem % {"typed": form.cleaned_data["typed"], "sum": proposal.total}),
                )
            else:
                _pay(request, study, proposal, form.cleaned_data["message"])
                return to(study, "visits")
    return show(
        request,
        study,
        "crowds/wage.html",
        title=_("Wages of listing %(n)s") % {"n": row.number},
        section="platforms",
        status=status,
        listing=row,
        where=listing_queries.platform_name(row.platform, listing_queries.environment_of(row)),
        earned=queries.earned(row),
        floor=floor,
        form=form,
        proposal=proposal,
        obstacles=obstacles,
        left=spending.left(study, row.currency),
    )


def _obstacles(row: Listing, study: Study, proposal: Proposal) -> Sequence[Text]:
    if not proposal.each:
        return [_("The median has already reached this wage, so nobody is paid more.")]
    if not proposal.visits:
        return [
            _("Everybody who can be paid has already received this bonus. Nobody gets it twice.")
        ]
    obstacles: list[Text] = []
    if study.dry_run:
        obstacles.append(_("This study is in a dry run: nothing is paid."))
    left = spending.left(study, row.currency)
    if proposal.total > left:
        obstacles.append(
            _(
                "This may cost %(sum)s %(currency)s, but only %(left)s are left. "
                "Raise the cap first."
            )
            % {"sum": proposal.total, "currency": row.currency, "left": max(left, Decimal("0.00"))}
        )
    return obstacles


def _pay(request: HttpRequest, study: Study, proposal: Proposal, message: str) -> None:
    n_done = 0
    for visit in proposal.visits:
        try:
            decisions.bonus(
                visit=visit,
                amount=proposal.each,
                reason_code=queries.REASON,
                message=message,
                by=user_of(request),
            )
        except AnnotationError as error:
            # One by one: what is wrong with one visit stops none of the others.
            messages.error(request, f"{visit.submission_id}: {error.message}")
        else:
            n_done += 1
    if n_done:
        sentence = ngettext(
            "A bonus of %(each)s is on its way to %(n)s person.",
            "A bonus of %(each)s each is on its way to %(n)s people.",
            n_done,
        )
        done(request, study, sentence % {"each": proposal.each, "n": n_done})


def _in_language_of(study: Study, text: Any) -> str:
    """People on the platform read the language of the study, whatever the researcher's is."""
    with translation.override(study.language):
        return str(text)
