"""What a study offers on platforms: the list, a listing's settings, its price."""

from copy import copy
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotation.answering.services import join_limits
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import read
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    refusals,
    show,
    study_page,
    to,
    url,
    user_of,
)
from annotation.core.platforms import platform_of
from annotation.core.services import audit_log
from annotation.crowds.forms.demographics import DemographicsForm
from annotation.crowds.forms.listing_options import options_form
from annotation.crowds.forms.listings import (
    CapForm,
    ListingForm,
    NewListingForm,
    UnpaidListingForm,
    phase_numbers,
)
from annotation.crowds.pages import publishing_steps as publishing
from annotation.crowds.platforms import panel
from annotation.crowds.queries import ledger, wages
from annotation.crowds.queries import listings as queries
from annotation.crowds.services import endpoints, listings, spending
from annotation.crowds.stored_personal_data import to_be_added
from annotation.models import Intent, Listing, Study
from annotation.models.kinds import CrowdPlatform, Outcome


@study_page
@require_http_methods(["GET", "POST"])
def platforms(request: HttpRequest, study: Study) -> HttpResponse:
    """All listings of a study; sent, it makes another one in draft."""
    form = NewListingForm(study, request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                made = listings.create(study=study, by=user_of(request), **form.wanted())
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
            else:
                done(request, study, _("Created listing %(n)s.") % {"n": made.number})
                return to(study, "listing", made.pk)
    return _platforms(request, study, status=status, form=form)


def _platforms(
    request: HttpRequest,
    study: Study,
    *,
    status: int = 200,
    form: NewListingForm | None = None,
    cap_form: CapForm | None = None,
) -> HttpResponse:
    return show(
        request,
        study,
        "crowds/platforms.html",
        title=_("Platforms"),
        section="platforms",
        status=status,
        form=form or NewListingForm(study),
        rows=queries.rows(study),
        has_parts=len(phase_numbers(study)) > 1,
        accounts=ledger.accounts(study),
        limits=[
            (read(event.said), event.by, event.at)
            for event in audit_log.latest(study, spending.SAID_OF_LIMITS, n=5)
        ],
        demographics=DemographicsForm()
        if study.listings.filter(platform=CrowdPlatform.PROLIFIC).exists()
        else None,
        cap_form=cap_form or CapForm(currency=_usual_currency(study)),
    )


def _usual_currency(study: Study) -> str:
    """That of the latest listing on a paid platform."""
    for row in study.listings.order_by("-number"):
        if platform_of(row.platform).capabilities.is_paid:
            return row.currency
    return "EUR"


@study_page
@require_POST
def cap(request: HttpRequest, study: Study) -> HttpResponse:
    """How much the study may spend at most."""
    form = CapForm(request.POST)
    if not form.is_valid():
        return _platforms(request, study, status=400, cap_form=form)
    spending.set_cap(study=study, by=user_of(request), **form.cleaned_data)
    sentence = _("This study may spend at most %(cap)s %(currency)s.") % form.cleaned_data
    messages.success(request, str(sentence))
    return to(study, "platforms")


@study_page
@require_http_methods(["GET", "POST"])
def dry_run(request: HttpRequest, study: Study) -> HttpResponse:
    """Switch from trying to spending, or back."""
    wanted = not study.dry_run
    if request.method == "POST":
        # What the page said would happen, whatever somebody else switched meanwhile.
        wanted = request.POST.get("dry_run") == "on"
        spending.set_dry_run(study=study, dry_run=wanted, by=user_of(request))
        sentence = (
            _("This study is in a dry run: nothing more is published or paid.")
            if wanted
            else _("This study may publish and pay, up to its cap.")
        )
        messages.success(request, str(sentence))
        return to(study, "platforms")
    if wanted:
        consequences = [
            _(
                "Nothing more is published on paid platforms, approved or paid until you allow "
                "it again."
            ),
            _("Earlier requests stay as they are. People who have started can finish."),
        ]
    else:
        consequences = [
            _(
                "You can then publish listings. People see them, and you must pay for "
                "the work they do."
            ),
            _("This step alone publishes nothing. You see the sum before you publish or pay."),
            _("Likeness refuses everything that would exceed the study's spending cap."),
        ]
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Return to the dry run?") if wanted else _("Spend real money?"),
            consequences=consequences,
            button=_("Return to the dry run") if wanted else _("Allow publishing and paying"),
            is_dangerous=not wanted,
        ),
        back="platforms",
        section="platforms",
        carried=[("dry_run", "on" if wanted else "off")],
    )


def expected_wage(row: Listing) -> Decimal:
    """Per hour, if a visit takes as long as its researcher expects."""
    return (row.reward * 60 / row.minutes).quantize(Decimal("0.01"), ROUND_HALF_UP)


def listing_of(study: Study, number: int) -> Listing:
    listing: Listing = get_object_or_404(study.listings.select_related("study"), pk=number)
    return listing


@study_page
@require_http_methods(["GET", "POST"])
def listing(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """One listing: what it offers, what it costs, where people come in."""
    row = listing_of(study, listing_id)
    platform = platform_of(row.platform)
    sent = request.POST if request.method == "POST" else None
    is_draft = row.state == Listing.State.DRAFT
    common = ListingForm if platform.capabilities.is_paid else UnpaidListingForm
    form = common(row, sent)
    options = options_form(_as_wanted(row, form), sent, user=user_of(request))
    status = 200
    if sent is not None:
        status = 400
        if form.is_valid() and options.is_valid():
            values = dict(form.cleaned_data)
            if is_draft:
                values["options"] = options.options()
            try:
                row = listings.edit(listing=row, values=values)
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
            else:
                done(request, study, _("Saved listing %(n)s.") % {"n": row.number})
                return to(study, "listing", row.pk)
    return show(
        request,
        study,
        "crowds/listing.html",
        title=_("Listing %(n)s") % {"n": row.number},
        section="platforms",
        status=status,
        listing=row,
        platform=platform,
        environment=(environment := queries.environment_of(row)),
        where=queries.platform_name(row.platform, environment),
        form=form,
        options=options,
        groups=options.groups(form),
        chosen_filters=platform.chosen_filters(row),
        consent_lacks=to_be_added(study, row.platform),
        **_about(request, row),
    )


def _as_wanted(row: Listing, form: ListingForm) -> Listing:
    """As it would be with what was typed; what a platform asks for depends on reward and time."""
    wanted = copy(row)
    if form.is_bound and form.is_valid():
        for name, value in form.cleaned_data.items():
            setattr(wanted, name, value)
    return wanted


def _about(request: HttpRequest, row: Listing) -> dict[str, Any]:
    platform = platform_of(row.platform)
    is_draft = row.state == Listing.State.DRAFT
    way_in = reverse("annotator:launch", args=[row.token])
    address = (
        f"{settings.PUBLIC_URL}{way_in}"
        if settings.PUBLIC_URL
        else request.build_absolute_uri(way_in)
    )
    earned = wages.wages(row) if platform.capabilities.is_paid else None
    is_panel = row.platform == CrowdPlatform.PANEL
    if is_panel:
        address += f"?{panel.parameters_of(row)}"
    return {
        "obstacles": platform.obstacles(row) if is_draft else [],
        "moved": endpoints.moved(row),
        "unread": None if is_draft else queries.poll_failure(row),
        "refused": queries.refused_publication(row),
        "late": row.intents.filter(visit=None, state=Intent.State.CONFIRMED).exclude(error=""),
        "estimate": platform.estimate(row) if platform.capabilities.is_paid else None,
        "address": address,
        "shared_network": {
            "address": f"{address}&invitation={row.study.invitation_code}",
            "joins": join_limits.limit_of(row.study),
            "joins_in_a_day": join_limits.limit_in_a_day(row.study),
        }
        if is_panel and row.phase_number == 1
        else None,
        "hourly": expected_wage(row) if platform.capabilities.is_paid else None,
        "tickets": row.tickets.order_by("pk")[:200],
        "n_tickets": row.tickets.count(),
        "earned": earned.here if earned else None,
        "underpayment": wages.underpayment(row, earned) if earned else None,
        "is_draft": is_draft,
        "has_parts": len(phase_numbers(row.study)) > 1,
        "codes": [
            (outcome.label, row.codes.get(outcome.value, "–"))
            for outcome in Outcome
            if outcome in platform.outcomes_with_code
        ],
        "steps": [
            {"label": step.label, "address": url(row.study, f"listing_{name}", row.pk)}
            for name, step in publishing.steps_of(row)
        ],
    }


@study_page
@require_http_methods(["GET", "POST"])
def remove(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    row = listing_of(study, listing_id)
    if request.method == "POST":
        number = row.number
        with refusals(request):
            listings.remove(listing=row)
            done(request, study, _("Removed listing %(n)s.") % {"n": number})
            return to(study, "platforms")
        return to(study, "listing", listing_id)
    obstacles = []
    if row.state != Listing.State.DRAFT:
        obstacles = [_("This listing was published and stays on record. Close it instead.")]
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Remove listing %(n)s?") % {"n": row.number},
            consequences=[_("Its settings are deleted. Nobody has seen it.")],
            button=_("Remove it"),
            is_dangerous=True,
            obstacles=obstacles,
        ),
        back="platforms",
        section="platforms",
    )
