"""Leaving people out of the scores and taking them in again: with a reason, and with an undo."""

from collections.abc import Callable, Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.admin.pages import (
    Confirmation,
    Text,
    confirm,
    done,
    log,
    study_page,
    to,
    url,
    user_of,
)
from annotation.errors import AnnotationError
from annotation.models import Annotator, Exclusion, Study
from annotation.queries.people_order import chosen
from annotation.sentences import sentence as _
from annotation.services import people as services

# So many pseudonyms are written out.
MOST_NAMED = 10


@study_page
@require_http_methods(["GET", "POST"])
def exclude(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    return _exclude(request, study, [get_object_or_404(study.annotators, pk=annotator_id)])


@study_page
@require_POST
def exclude_several(request: HttpRequest, study: Study) -> HttpResponse:
    return _of_chosen(request, study, _exclude)


@study_page
@require_http_methods(["GET", "POST"])
def include(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    return _include(request, study, [get_object_or_404(study.annotators, pk=annotator_id)])


@study_page
@require_POST
def include_several(request: HttpRequest, study: Study) -> HttpResponse:
    return _of_chosen(request, study, _include)


@study_page
@require_POST
def undo(request: HttpRequest, study: Study) -> HttpResponse:
    """Take back what was just excluded."""
    pks = [int(pk) for pk in request.POST.getlist("exclusion") if pk.isdecimal() and len(pk) < 19]
    found = Exclusion.objects.filter(annotator__study=study, pk__in=pks)
    lifted = services.undo_exclusions(
        exclusions=list(found.select_related("annotator")), by=user_of(request)
    )
    if lifted:
        done(request, study, _("Taken back: %(who)s counts again.") % {"who": _who(lifted)})
    return to(study, "people")


def _of_chosen(
    request: HttpRequest,
    study: Study,
    page: Callable[[HttpRequest, Study, Sequence[Annotator]], HttpResponse],
) -> HttpResponse:
    """The people ticked in the table, or one of its groups."""
    found = chosen(study, request.POST)
    if not found:
        messages.error(request, str(_("Choose at least one person.")))
        return to(study, "people")
    return page(request, study, found)


def _exclude(request: HttpRequest, study: Study, who: Sequence[Annotator]) -> HttpResponse:
    problem, reason = "", ""
    # A table sends whom, and no reason yet.
    if request.method == "POST" and _is_decided(request):
        reason = request.POST.get("reason", "")
        try:
            made = services.exclude_all(annotators=who, reason=reason, by=user_of(request))
        except AnnotationError as error:
            problem = error.message
        else:
            if made:
                said = _("Excluded %(who)s: %(reason)s")
                log(request, study, said % {"who": _who(made), "reason": reason.strip()})
            # The page of people says it, and has the button that takes it back.
            keys = ".".join(str(one.pk) for one in made)
            return redirect(f"{url(study, 'people')}?undo={keys}")
    one = len(who) == 1
    return _asked(
        request,
        study,
        who,
        Confirmation(
            title=_("Leave %(who)s out of the scores?") % {"who": _named(who)},
            consequences=[
                _("Their answers stay stored and exported, and are not scored any more."),
                _("Their place stays theirs: it is not given to somebody else.")
                if one
                else _("Their places stay theirs: they are not given to others."),
                _("The reason is kept with the exclusion; colleagues of this study see it."),
                _("So does the person, on the page that says what is stored about them."),
                _("Results that were computed before stay as they are until you score again."),
                _("You can include them again at any time."),
            ],
            button=_("Exclude"),
            is_dangerous=True,
        ),
        reason=reason,
        problem=problem,
    )


def _include(request: HttpRequest, study: Study, who: Sequence[Annotator]) -> HttpResponse:
    problem, reason = "", ""
    # A table sends whom, and no reason yet.
    if request.method == "POST" and _is_decided(request):
        reason = request.POST.get("reason", "")
        try:
            lifted = services.include_all(annotators=who, reason=reason, by=user_of(request))
        except AnnotationError as error:
            problem = error.message
        else:
            if lifted:
                said = _("Included %(who)s again: %(reason)s")
                done(request, study, said % {"who": _who(lifted), "reason": reason.strip()})
            return to(study, "people")
    return _asked(
        request,
        study,
        who,
        Confirmation(
            title=_("Include %(who)s again?") % {"who": _named(who)},
            consequences=[
                _("Their answers count again when you score next."),
                _("That they were excluded, why and by whom stays on record, with your reason."),
            ],
            button=_("Include again"),
        ),
        reason=reason,
        problem=problem,
    )


def _is_decided(request: HttpRequest) -> bool:
    return "reason" in request.POST or not ({"who", "group"} & set(request.POST))


def _asked(
    request: HttpRequest,
    study: Study,
    who: Sequence[Annotator],
    confirmation: Confirmation,
    *,
    reason: str,
    problem: Text,
) -> HttpResponse:
    response = confirm(
        request,
        study,
        confirmation,
        back="people",
        section="people",
        asks_reason=True,
        carried=[("who", one.pk) for one in who],
        reason=reason,
        problem=problem,
    )
    if problem:
        response.status_code = 400
    return response


def _who(exclusions: Sequence[Exclusion]) -> str:
    return _named([one.annotator for one in exclusions if one.annotator])


def _named(who: Sequence[Annotator]) -> str:
    names = ", ".join(one.pseudonym for one in who[:MOST_NAMED])
    n_more = len(who) - MOST_NAMED
    if n_more <= 0:
        return names
    return ngettext("%(names)s and %(n)s more", "%(names)s and %(n)s more", n_more) % {
        "names": names,
        "n": n_more,
    }
