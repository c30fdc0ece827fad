"""Publishing a listing and taking it back: each step says first what it will do and cost."""

from collections.abc import Callable, Sequence
from copy import copy
from decimal import Decimal

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods

from annotation.admin.listings import expected_wage, listing_of
from annotation.admin.pages import (
    Confirmation,
    Text,
    confirm,
    done,
    refusals,
    show,
    study_page,
    to,
    user_of,
)
from annotation.admin.publishing_steps import STEPS, steps_of
from annotation.errors import AnnotationError
from annotation.forms.listings import MorePlacesForm, SumForm
from annotation.models import Listing, Study
from annotation.platforms import platform_of
from annotation.platforms.base import Estimate
from annotation.queries import listings as queries
from annotation.sentences import sentence as _
from annotation.services import publishing, spending

State = Listing.State
NOTHING = Decimal("0.00")


@study_page
@require_http_methods(["GET", "POST"])
def publish(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """The last look: what people see, what it costs, the sum to be typed."""
    row = listing_of(study, listing_id)
    platform = platform_of(row.platform)
    is_paid = platform.capabilities.is_paid
    estimate = platform.estimate(row) if is_paid else None
    form = SumForm(request.POST if request.method == "POST" and is_paid else None)
    status = 200
    if request.method == "POST":
        status = 400
        if not is_paid or form.is_valid():
            typed = form.cleaned_data["typed"] if is_paid else NOTHING
            try:
                publishing.publish(listing=row, typed=typed, by=user_of(request))
            except AnnotationError as error:
                form.full_clean()
                form.add_error(None, error.message)
                status = error.status
            else:
                done(request, study, _("Published listing %(n)s.") % {"n": row.number})
                return to(study, "listing", row.pk)
    return show(
        request,
        study,
        "publish.html",
        title=_("Publish listing %(n)s") % {"n": row.number},
        section="platforms",
        status=status,
        listing=row,
        environment=queries.environment_of(row),
        form=form,
        estimate=estimate,
        is_paid=is_paid,
        hourly=expected_wage(row) if is_paid else None,
        obstacles=_obstacles(row, study, estimate),
        left=spending.left(study, row.currency) if is_paid else None,
    )


def _obstacles(row: Listing, study: Study, estimate: Estimate | None) -> Sequence[Text]:
    if row.state != State.DRAFT:
        return [_("This listing was published before.")]
    obstacles: list[Text] = list(platform_of(row.platform).obstacles(row))
    if not study.takes_new_people:
        obstacles.append(_("The study is not open: open it first, so that people can come in."))
    if estimate is None:
        return obstacles
    if study.dry_run:
        obstacles.append(
            _("This study is a dry run: allow publishing on the page of its platforms first.")
        )
    left = spending.left(study, row.currency)
    if estimate.worst > left:
        obstacles.append(
            _(
                "It may cost %(worst)s %(currency)s, and %(left)s are left of what the study may"
                " spend. Raise the cap on the page of its platforms, or offer fewer places."
            )
            % {"worst": estimate.worst, "currency": row.currency, "left": left}
        )
    return obstacles


@study_page
@require_http_methods(["GET", "POST"])
def top_up(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """Further places for a listing that is out."""
    row = listing_of(study, listing_id)
    form = MorePlacesForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                before = request.POST.get("n_before", "")
                publishing.top_up(
                    listing=row,
                    by=user_of(request),
                    n_before=int(before) if before.isdecimal() and len(before) < 9 else None,
                    **form.cleaned_data,
                )
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
            else:
                n = form.cleaned_data["n"]
                said = _("Asked for %(n)s further places in listing %(listing)s.")
                done(request, study, said % {"n": n, "listing": row.number})
                return to(study, "listing", row.pk)
    # Asked for by a link, then confirmed by a form.
    wanted = str(form["n"].value() or request.GET.get("n") or "")
    n = int(wanted) if wanted.isdecimal() and len(wanted) < 8 else 0
    return show(
        request,
        study,
        "top_up.html",
        title=_("Further places for listing %(n)s") % {"n": row.number},
        section="platforms",
        status=status,
        listing=row,
        form=form,
        estimate=_estimate_of(row, n) if n else None,
        n=n or "",
        n_before=row.n_places,
        left=spending.left(study, row.currency),
    )


def _estimate_of(row: Listing, n: int) -> Estimate:
    """What so many places cost by themselves."""
    more = copy(row)
    more.n_places = n
    return platform_of(row.platform).estimate(more)


def view_of(name: str) -> Callable[..., HttpResponseBase]:
    step = STEPS[name]

    @study_page
    @require_http_methods(["GET", "POST"])
    def change(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
        row = listing_of(study, listing_id)
        if request.method == "POST":
            with refusals(request):
                step.act(listing=row, by=user_of(request))
                done(request, study, str(step.said) % {"n": row.number})
            return to(study, "listing", row.pk)
        possible = dict(steps_of(row))
        return confirm(
            request,
            study,
            Confirmation(
                title=str(step.title) % {"n": row.number},
                consequences=step.consequences,
                button=step.label,
                is_dangerous=step.is_dangerous,
                obstacles=[]
                if name in possible
                else [
                    _("The listing is %(state)s: this step is not possible now.")
                    % {"state": row.get_state_display()}
                ],
            ),
            back="platforms",
            section="platforms",
        )

    return change
