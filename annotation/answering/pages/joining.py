"""Coming in: the open link, the personal link, and the way back by code."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.answering import launch
from annotation.answering.forms import AgreementForm, CodeForm, problem_with
from annotation.answering.pages.frame import (
    Visitor,
    annotator_page,
    no_study,
    page,
    see_other,
    store_of,
)
from annotation.answering.pages.wrong_codes import count_wrong_code
from annotation.answering.services import assignments, giving_way
from annotation.answering.services.join_limits import CrowdedError
from annotation.basics import keys
from annotation.core.pages.addresses import address_bucket
from annotation.models import Annotator, Study
from annotation.models.kinds import Source
from annotation.studies.services.current_consents import current_consent


@annotator_page("GET", "POST")
def join(request: HttpRequest, study: Study) -> HttpResponse:
    """The consent page of an open link; agreeing takes a place."""
    if not study.link_open:
        # Only for newcomers: anybody who joined before the link was closed comes back by code.
        raise no_study()
    if request.method != "POST":
        return _consent_page(study, invitation=request.GET.get("invitation", "")[:100])
    if token := request.POST.get("simulation"):
        return _join_simulated(study, token)
    try:
        ticket = launch.read_consent_ticket(study, request.POST.get("ticket", ""))
    except launch.TicketError:
        return _consent_page(
            study,
            error=_("This form was open for too long. Please confirm again that you agree."),
            status=400,
        )
    consent = current_consent(study)
    if ticket.consent_version != consent.version:
        return _consent_page(study, error=_changed(), status=400)
    form = AgreementForm(request.POST)
    if not form.is_valid():
        return _consent_page(study, error=problem_with(form, "agree"), status=400)
    code = request.POST.get("invitation", "")[:100]
    try:
        joined = assignments.join(
            study=study,
            nonce=ticket.nonce,
            consent=consent,
            network=address_bucket(request),
            code=code,
        )
    except CrowdedError as error:
        response = _consent_page(
            study, error=error.message, status=error.status, asks_invitation=True, invitation=code
        )
        for name, value in error.headers.items():
            response[name] = value
        return response
    return see_other(reverse("annotator:own", args=[joined.key]))


def _join_simulated(study: Study, token: str) -> HttpResponse:
    joined = assignments.join(
        study=study,
        nonce=launch.read_simulation_token(study, token),
        consent=current_consent(study),
        source=Source.SIMULATED,
    )
    return see_other(reverse("annotator:own", args=[joined.key]))


def _consent_page(
    study: Study,
    *,
    error: str = "",
    status: int = 200,
    asks_invitation: bool = False,
    invitation: str = "",
) -> HttpResponse:
    no_place = study.takes_new_people and not giving_way.has_room(study)
    consent = study.consent_texts.order_by("-version").first()
    context = {
        "closed": giving_way.NO_PLACE if no_place else closed_sentence(study),
        "no_place": no_place,
        "consent": consent,
        "ticket": launch.consent_ticket(study, consent) if consent else "",
        "error": error,
        "asks_invitation": asks_invitation,
        "invitation": invitation,
        "action": reverse("annotator:join", args=[study.join_token]),
        "return_action": reverse("annotator:return", args=[study.join_token]),
        "remembered": store_of(study),
    }
    return page("answering/consent.html", context, whose=study, status=status)


def _changed() -> str:
    return _("The text has changed since you opened it. Please read it again.")


def closed_sentence(study: Study) -> str:
    """Why nobody new can begin at the moment; empty if the study takes new people."""
    if study.takes_new_people:
        return ""
    if study.is_draft:
        return _("This study has not begun yet. Please come back later with the same link.")
    if study.state == Study.State.PAUSED:
        return _("This study is paused. Please come back later with the same link.")
    if study.state == Study.State.FINISHED:
        return _("This study is finished. Thank you for your interest.")
    return _("This study is no longer taking new participants. Thank you for your interest.")


@annotator_page("GET", "POST")
def come_back(request: HttpRequest, study: Study) -> HttpResponse:
    """Find the personal page by the code that every page of theirs shows."""
    if request.method != "POST":
        return _code_page(study)
    form = CodeForm(request.POST)
    if not form.is_valid():
        return _code_page(study, error=problem_with(form, "code"), status=400)
    typed = form.cleaned_data["code"]
    if not keys.may_be_code(typed):
        n_typed = len(keys.typed_code(typed))
        return _code_page(
            study,
            typed=typed,
            error=_("A code has 12 letters and digits; yours has %(n)s.") % {"n": n_typed}
            if n_typed != keys.CODE_LENGTH
            else _("A code never contains the letter U. Please check each character."),
            status=404,
        )
    # Right codes pass always, also where all tries are used up: a whole class may come back from
    # one address, and nobody can lock others out with wrong codes. That a right code is told from
    # a wrong one so without end is no way in: it is one of 2**60, so that at a thousand tries a
    # second the first code of a study of a thousand people is found after some 30 000 years.
    for key in keys.keys_of_code(study_id=study.pk, code=typed):
        if Annotator.objects.filter(study=study, key_hash=keys.key_hash(key)).exists():
            return see_other(reverse("annotator:own", args=[key]))
    count_wrong_code(request, study.pk)
    return _code_page(
        study,
        typed=typed,
        error=_("We do not know this code. Please check each character."),
        status=404,
    )


def _code_page(
    study: Study, *, typed: str = "", error: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "error": error,
        "typed": typed,
        "return_action": reverse("annotator:return", args=[study.join_token]),
        "join_url": reverse("annotator:join", args=[study.join_token]),
    }
    return page("answering/return.html", context, whose=study, status=status)


def personal_consent(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """The consent page of somebody whose link is personal; agreeing takes a place."""
    if request.method != "POST":
        return _personal_consent_page(visitor)
    consent = current_consent(visitor.study)
    if request.POST.get("consent") != str(consent.version):
        return _personal_consent_page(visitor, error=_changed(), status=400)
    form = AgreementForm(request.POST)
    if not form.is_valid():
        return _personal_consent_page(visitor, error=problem_with(form, "agree"), status=400)
    assignments.start(annotator=visitor.annotator, consent=consent)
    return see_other(visitor.url("own"))


def _personal_consent_page(
    visitor: Visitor, *, error: str = "", status: int = 200
) -> HttpResponse:
    study = visitor.study
    context = {
        "closed": closed_sentence(study),
        "consent": study.consent_texts.order_by("-version").first(),
        "error": error,
        "action": visitor.url("own"),
    }
    return page("answering/consent.html", context, whose=visitor, status=status)
