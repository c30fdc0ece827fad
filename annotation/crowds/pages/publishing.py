"""Publishing a listing and taking it back: each step says first what it will do and cost."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    refusals,
    show,
    study_page,
    to,
    user_of,
)
from annotation.core.pages.navigation import Text
from annotation.core.platforms import platform_of
from annotation.core.platforms.costs import Estimate
from annotation.crowds.forms.listings import MorePlacesForm, MoreUnpaidPlacesForm, SumForm
from annotation.crowds.pages.listings import expected_wage, listing_of
from annotation.crowds.pages.publishing_steps import STEPS, steps_of
from annotation.crowds.queries import listings as queries
from annotation.crowds.services import endpoints, publishing, spending
from annotation.crowds.stored_personal_data import to_be_added
from annotation.models import Listing, Study
from annotation.studies.presets import placeholders
from annotation.studies.services import studies

State = Listing.State
NOTHING = Decimal("0.00")


@study_page
@require_http_methods(["GET", "POST"])
def publish(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """The last look: what people see, what it costs, the sum to be typed."""
    row = listing_of(study, listing_id)
    platform = platform_of(row.platform)
    is_paid = platform.capabilities.is_paid
    unpriced = publishing.ask_price(row) if request.method == "GET" else ""
    estimate = platform.estimate(row) if is_paid else None
    # A panel pays by itself: there is no sum, and its form has no field.
    sent = request.POST if request.method == "POST" else None
    form = SumForm(sent if is_paid else None, currency=row.currency)
    problem: Text = ""
    status = 200
    if request.method == "POST":
        status = 400
        if not is_paid or form.is_valid():
            typed = form.cleaned_data["typed"] if is_paid else NOTHING
            try:
                publishing.publish(listing=row, typed=typed, by=user_of(request))
            except AnnotationError as error:
                problem = error.message
                status = error.status
            else:
                done(request, study, _("Listing %(n)s is being published.") % {"n": row.number})
                return to(study, "listing", row.pk)
    return show(
        request,
        study,
        "crowds/publish.html",
        title=_("Publish listing %(n)s") % {"n": row.number},
        section="platforms",
        status=status,
        listing=row,
        environment=queries.environment_of(row),
        form=form,
        problem=problem,
        estimate=estimate,
        unpriced=unpriced,
        is_paid=is_paid,
        hourly=expected_wage(row) if is_paid else None,
        obstacles=_obstacles(row, study, estimate),
        warning="" if is_paid or row.state != State.DRAFT else publishing.too_many_places(row),
        unfilled=placeholders(studies.current_consent(study).text),
        consent_lacks=to_be_added(study, row.platform),
        left=spending.left(study, row.currency) if is_paid else None,
    )


def _obstacles(row: Listing, study: Study, estimate: Estimate | None) -> Sequence[Text]:
    if row.state != State.DRAFT:
        return [_("This listing has already been published.")]
    obstacles: list[Text] = [*endpoints.moved(row), *platform_of(row.platform).obstacles(row)]
    if not study.takes_new_people:
        obstacles.append(_("The study is not open. Open it first so that people can join."))
    if estimate is None:
        return obstacles
    if reason := publishing.too_many_places(row):
        obstacles.append(reason)
    if study.dry_run:
        obstacles.append(
            _(
                "This study is in a dry run. Press “Allow publishing and paying” on the Platforms "
                "page first."
            )
        )
    left = spending.left(study, row.currency)
    if others := spending.other_currencies(study, row.currency):
        obstacles.append(
            _(
                "This listing pays in %(currency)s, but the study's cap is in "
                "%(others)s. Set a cap in %(currency)s on the Platforms page. The listing may "
                "cost up to %(worst)s %(currency)s."
            )
            % {"worst": estimate.worst, "currency": row.currency, "others": ", ".join(others)}
        )
    elif estimate.worst > left:
        obstacles.append(
            _(
                "This may cost up to %(worst)s %(currency)s, but only %(left)s %(currency)s is "
                "still available within the study's spending cap. Raise the cap on the Platforms "
                "page, or offer fewer places."
            )
            % {"worst": estimate.worst, "currency": row.currency, "left": left}
        )
    return obstacles


@study_page
@require_http_methods(["GET", "POST"])
def top_up(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """Further places for a listing that is out: how many, then at what price."""
    row = listing_of(study, listing_id)
    is_paid = platform_of(row.platform).capabilities.is_paid
    form_class = MorePlacesForm if is_paid else MoreUnpaidPlacesForm
    sent = request.POST if request.method == "POST" else None
    form = form_class(sent, currency=row.currency)
    problem: Text = ""
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            n = form.cleaned_data["n"]
            try:
                publishing.top_up(
                    listing=row,
                    by=user_of(request),
                    n=n,
                    typed=form.cleaned_data.get("typed", NOTHING),
                    n_before=_number(request.POST.get("n_before", "")),
                )
            except AnnotationError as error:
                problem, status = error.message, error.status
            else:
                sentence = _("Requested %(n)s more places in listing %(listing)s.")
                done(request, study, sentence % {"n": n, "listing": row.number})
                return to(study, "listing", row.pk)
    wanted = str((sent or request.GET).get("n", ""))
    places = MoreUnpaidPlacesForm({"n": wanted} if wanted else None)
    is_known = places.is_bound and places.is_valid()
    if places.is_bound and not is_known:
        status = 400
    n = places.cleaned_data["n"] if is_known else 0
    more = platform_of(row.platform).more_of(row, n)
    too_many = publishing.too_many_places(more) if n else ""
    unpriced = publishing.ask_price(more) if n and request.method == "GET" else ""
    return show(
        request,
        study,
        "crowds/top_up.html",
        title=_("Add places to listing %(n)s") % {"n": row.number},
        section="platforms",
        status=status,
        listing=row,
        form=form,
        places=places,
        problem=problem,
        is_paid=is_paid,
        # What so many places cost by themselves.
        estimate=platform_of(row.platform).estimate(more) if n else None,
        unpriced=unpriced,
        n=n,
        n_before=row.n_places,
        left=spending.left(study, row.currency) if is_paid else None,
        too_many=too_many,
        obstacles=[]
        if row.state == State.PUBLISHED
        else [_("Only a published listing can get more places; publish or resume it.")],
    )


def _number(written: str) -> int | None:
    return int(written) if written.isdecimal() and len(written) < 9 else None


def view_of(name: str) -> Callable[..., HttpResponseBase]:
    step = STEPS[name]

    @study_page
    @require_http_methods(["GET", "POST"])
    def change(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
        row = listing_of(study, listing_id)
        if request.method == "POST":
            with refusals(request):
                step.act(listing=row, by=user_of(request))
                done(request, study, str(step.done_message) % {"n": row.number})
            return to(study, "listing", row.pk)
        possible = dict(steps_of(row))
        return confirm(
            request,
            study,
            Confirmation(
                title=str(step.title) % {"n": row.number},
                consequences=step.consequences_for(row),
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
