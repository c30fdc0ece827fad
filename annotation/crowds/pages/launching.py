"""Coming by a platform: the consent page of a listing, its preview, and the way in.

Showing it writes nothing. What the address said stands in the form as a signed ticket, so that
fields of the form are not believed.
"""

from contextlib import suppress
from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.answering import launch as tickets
from annotation.answering.forms import CodeForm, problem_with
from annotation.answering.pages import outcome
from annotation.answering.pages.frame import annotator_page, page, see_other, store_of
from annotation.answering.pages.wrong_codes import count_take_over, count_unproven_id
from annotation.answering.queries import screens
from annotation.answering.services.join_limits import CrowdedError, Origin
from annotation.basics import keys
from annotation.basics.errors import NothingLeftError, PhaseNotOpenError
from annotation.core.pages.addresses import address_bucket
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch
from annotation.core.platforms.errors import LaunchError, UncheckedLaunchError
from annotation.core.services import throttle
from annotation.crowds.services import endpoints, launch_identity, launches
from annotation.crowds.services.launch_identity import EnteredVisit
from annotation.crowds.services.launch_sittings import CodeNeededError, OpenElsewhereError
from annotation.models import Assignment, ConsentText, Listing, Visit
from annotation.models.kinds import CrowdPlatform
from annotation.studies.services.current_consents import current_consent

# An id so long can be named by its end without giving it away.
_LONG_ID = 12


@annotator_page("GET", "POST")
def launch(request: HttpRequest, listing: Listing) -> HttpResponse:
    """A person who comes by a platform: by GET they look, by POST they begin."""
    if request.method == "POST":
        return _begin(request, listing)
    # Of a repeated parameter the first counts.
    query = {name: values[0] for name, values in request.GET.lists() if values}
    if endpoints.moved(listing):
        # The platform that signs, shows and pays is not there any more.
        raise LaunchError(
            _("You cannot start this task at the moment. Please return it, or come back later.")
        )
    try:
        came = platform_of(listing.platform).read_launch(listing, query)
    except UncheckedLaunchError as error:
        return _try_again_page(request, listing, error)
    if came.is_preview:
        return _preview(listing, came)
    if came.needs_code:
        came = replace(came, nonce=keys.new_nonce())
    elif earlier := launches.known(listing, came):
        # Only a signature says that it is the same person: a page that is merely fetched, say by
        # something that looks at links, is not told the key.
        return _lead_on(earlier) if came.is_signed else _go_on_page(listing, came, earlier.visit)
    try:
        launches.refuse_shut(listing, came)
    except (NothingLeftError, PhaseNotOpenError) as error:
        return outcome.refused_page(listing, came, error, way_back=_way_back(listing, came))
    return _consent_page(listing, came, invitation=query.get("invitation", "")[:100])


def _try_again_page(
    request: HttpRequest, listing: Listing, error: UncheckedLaunchError
) -> HttpResponse:
    """A page that comes again by itself with the same address, also without JavaScript."""
    query = request.GET.copy()
    query["arrived"] = error.arrived
    context = {
        "sentence": error.message,
        "seconds": error.retry_after,
        "again": f"{request.path}?{query.urlencode()}",
    }
    answer = page("crowds/launch_waits.html", context, whose=listing, status=error.status)
    for name, value in error.headers.items():
        answer[name] = value
    return answer


def _preview(listing: Listing, came: Launch) -> HttpResponse:
    launches.refuse_shut(listing, came)
    context = {
        "consent": _consent(listing),
        "example": screens.worked_example(listing.study),
    }
    return page("crowds/preview.html", context, whose=listing)


def _begin(request: HttpRequest, listing: Listing) -> HttpResponse:
    ticket = tickets.read_crowd_ticket(listing, request.POST.get("ticket", ""))
    came, wanted = ticket.launch, request.POST.get("do", "")
    code = request.POST.get("code", "") if came.needs_code else ""
    if came.needs_code and wanted == "come back":
        return _come_back(request, listing, came)
    if wanted == "go on":
        # Ids of a panel may be short: nobody tries them all to see whose sitting is open.
        _count_address(request, "again", listing)
        if earlier := launches.known(listing, came):
            return _lead_on(earlier)
    consent = current_consent(listing.study)
    if wanted != "decline":
        if ticket.consent_version != consent.version:
            return _consent_page(
                listing,
                came,
                error=_("The text has changed since you opened it. Please read it again."),
                status=400,
            )
        if wanted not in {"agree", "go on", "take over"}:
            error = _("Please choose whether you agree.")
            return _consent_page(listing, came, error=error, status=400)
    _count(request, listing, came)
    if wanted == "take over" and not came.is_signed:
        count_take_over(request, listing, came.person_id)
    if wanted == "decline":
        return _decline(listing, came)
    origin = Origin(address_bucket(request), request.POST.get("invitation", "")[:100])
    try:
        entered = launches.enter(
            listing=listing,
            launch=came,
            consent=consent,
            code=code,
            origin=origin,
            takes_over=wanted == "take over",
        )
        return _lead_on(entered)
    except CrowdedError as error:
        return _crowded_page(listing, came, error, origin.invitation)
    except CodeNeededError as error:
        # What is said here tells that the id is known: nobody asks for one after the other.
        count_unproven_id(request, listing.study_id)
        return _consent_page(
            listing,
            came,
            code_error=_unknown_code() if code else error.message,
            typed=code,
            status=error.status,
        )
    except OpenElsewhereError as error:
        return _open_elsewhere_page(listing, came, error, code=code)
    except (NothingLeftError, PhaseNotOpenError) as error:
        return outcome.refused_page(listing, came, error, status=error.status)


def _crowded_page(listing: Listing, came: Launch, error: CrowdedError, typed: str) -> HttpResponse:
    answer = _consent_page(
        listing,
        came,
        error=error.message,
        status=error.status,
        asks_invitation=True,
        invitation=typed,
    )
    for name, value in error.headers.items():
        answer[name] = value
    return answer


def _decline(listing: Listing, came: Launch) -> HttpResponse:
    if not came.needs_code:
        launches.decline(listing=listing, launch=came)
        return see_other(_own(launch_identity.key_of(listing, came)))
    # What was begun under this id stays as it is. The page is the same for every id.
    with suppress(CodeNeededError):
        launches.decline(listing=listing, launch=came)
    return outcome.declined_page(listing, came)


def _come_back(request: HttpRequest, listing: Listing, came: Launch) -> HttpResponse:
    """To what was begun, by its code; an id and a code that do not belong together say no more."""
    form = CodeForm(request.POST)
    if not form.is_valid():
        return _consent_page(listing, came, code_error=problem_with(form, "code"), status=400)
    typed = form.cleaned_data["code"]
    # As with codes of the open link: right ones pass always, so nobody locks others out.
    if earlier := launch_identity.of_code(listing, came, typed):
        return _lead_on(earlier)
    count_unproven_id(request, listing.study_id)
    return _consent_page(listing, came, code_error=_unknown_code(), typed=typed, status=404)


def _unknown_code() -> str:
    return _("We do not know this code. Please check each character.")


def _count(request: HttpRequest, listing: Listing, came: Launch) -> None:
    """Keep one address, and one task, from taking places faster than people can.

    Whom the platform vouches for is a person of its own, whatever others send.
    """
    if came.is_signed:
        return
    _count_address(request, "launch", listing)
    if ticket := launch_identity.ticket_of(listing, came):
        throttle.count_try(
            bucket=f"ticket/{ticket.pk}/{address_bucket(request)}",
            limit=settings.JOINS_PER_TICKET_PLACE_PER_HOUR * ticket.n_places,
            minutes=60,
        )


def _count_address(request: HttpRequest, what: str, listing: Listing) -> None:
    throttle.count_try(
        bucket=f"{what}/{listing.pk}/{address_bucket(request)}",
        limit=settings.LAUNCHES_PER_ADDRESS_PER_HOUR,
        minutes=60,
    )


def _lead_on(entered: EnteredVisit) -> HttpResponse:
    return see_other(_own(entered.key))


def _own(key: str) -> str:
    return reverse("annotator:own", args=[key])


def _consent(listing: Listing) -> ConsentText | None:
    return listing.study.consent_texts.order_by("-version").first()


def _way_back(listing: Listing, came: Launch) -> dict[str, str]:
    """What the form for a code carries; nothing if an address says enough."""
    consent = _consent(listing)
    if not came.needs_code or consent is None:
        return {}
    return {
        "return_action": reverse("annotator:launch", args=[listing.token]),
        "return_ticket": tickets.crowd_ticket(listing, came, consent),
        "remembered": store_of(listing, came.person_id),
    }


def _consent_page(
    listing: Listing,
    came: Launch,
    *,
    error: str = "",
    code_error: str = "",
    typed: str = "",
    status: int = 200,
    asks_invitation: bool = False,
    invitation: str = "",
) -> HttpResponse:
    consent = _consent(listing)
    context = {
        "asks_invitation": asks_invitation,
        "invitation": invitation,
        **_way_back(listing, came),
        "asks_for_code": came.needs_code and listing.phase_number > 1,
        "code_error": code_error,
        "typed": typed,
        "consent": consent,
        "ticket": tickets.crowd_ticket(listing, came, consent) if consent else "",
        "error": error,
        "action": reverse("annotator:launch", args=[listing.token]),
    }
    return page("crowds/launch.html", context, whose=listing, status=status)


def _go_on_page(listing: Listing, came: Launch, visit: Visit) -> HttpResponse:
    consent = _consent(listing)
    state = visit.run.assignment.state if visit.run else ""
    context = {
        "is_withdrawn": state == Assignment.State.WITHDRAWN,
        "ticket": tickets.crowd_ticket(listing, came, consent) if consent else "",
        "action": reverse("annotator:launch", args=[listing.token]),
    }
    return page("crowds/launch_again.html", context, whose=listing)


def _open_elsewhere_page(
    listing: Listing, came: Launch, error: OpenElsewhereError, *, code: str
) -> HttpResponse:
    """Which one is open: so that its holder knows it, and nobody else could open it."""
    consent = _consent(listing)
    submission = error.visit.submission_id
    context = {
        "sentence": error.message,
        "began_at": error.visit.created_at,
        "end_of_id": submission[-4:] if len(submission) >= _LONG_ID else "",
        "platform": CrowdPlatform(listing.platform).label,
        "code": code,
        "ticket": tickets.crowd_ticket(listing, came, consent) if consent else "",
        "action": reverse("annotator:launch", args=[listing.token]),
    }
    return page("crowds/open_elsewhere.html", context, whose=listing, status=error.status)
