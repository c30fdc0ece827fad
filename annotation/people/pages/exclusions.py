"""Leaving people out of the scores and taking them in again: with a reason, and with an undo."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    log,
    refusals,
    study_page,
    to,
    url,
    user_of,
)
from annotation.core.pages.navigation import Text
from annotation.models import Annotator, Exclusion, PhaseRun, Study
from annotation.people.queries.people_order import chosen
from annotation.people.services import exclusions, places

# So many pseudonyms are written out.
MAX_NAMED = 10


@dataclass(frozen=True)
class Box:
    """A choice on the page that asks for the reason."""

    name: str
    label: Text
    is_ticked: bool


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
def let_count(request: HttpRequest, study: Study) -> HttpResponse:
    """Score after all what was held for review."""
    who = chosen(study, request.POST)
    with refusals(request):
        for sentence in said_of_counting(places.let_count(annotators=who)):
            done(request, study, sentence)
    if request.POST.get("back") == "person" and len(who) == 1:
        return to(study, "person", who[0].pk)
    return to(study, "people")


@study_page
@require_POST
def give_place_back(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    """Free the place of somebody who was excluded and kept it."""
    who = get_object_or_404(study.annotators, pk=annotator_id)
    with refusals(request):
        given = places.give_back(annotators=[who])
        done(
            request,
            study,
            _("The place of %(who)s is now free for somebody else.") % {"who": _named(given)},
        )
    return to(study, "people")


def said_of_counting(released: places.Released) -> list[Said]:
    """What became of answers that were held for review: a sentence for each outcome."""
    sentences = (
        (_("The answers of %(who)s now count."), released.counted),
        (
            _(
                "The answers of %(who)s are surplus, because somebody else has the "
                "place now. They are kept but not scored."
            ),
            released.surplus,
        ),
        (
            _(
                "The answers of %(who)s are no longer held for review. They are still "
                "not scored, because they are excluded or the platform has not "
                "confirmed them."
            ),
            released.left_out,
        ),
    )
    return [sentence % {"who": _named(who)} for sentence, who in sentences if who]


@study_page
@require_POST
def undo(request: HttpRequest, study: Study) -> HttpResponse:
    """Take back what was just excluded."""
    pks = [int(pk) for pk in request.POST.getlist("exclusion") if pk.isdecimal() and len(pk) < 19]
    exclusions_chosen = Exclusion.objects.filter(annotator__study=study, pk__in=pks)
    lifted = exclusions.undo_exclusions(
        exclusions=list(exclusions_chosen.select_related("annotator")), by=user_of(request)
    )
    if lifted:
        done(request, study, _("Undone: %(who)s counts again.") % {"who": _who(lifted)})
    return to(study, "people")


def _of_chosen(
    request: HttpRequest,
    study: Study,
    page: Callable[[HttpRequest, Study, Sequence[Annotator]], HttpResponse],
) -> HttpResponse:
    """The people ticked in the table, or one of its groups."""
    people = chosen(study, request.POST)
    if not people:
        messages.error(request, str(_("Choose at least one person.")))
        return to(study, "people")
    return page(request, study, people)


def _exclude(request: HttpRequest, study: Study, who: Sequence[Annotator]) -> HttpResponse:
    problem, reason = "", ""
    gives_back = "gives_place_back" in {**request.GET.dict(), **request.POST.dict()}
    # A table sends whom, and no reason yet.
    if request.method == "POST" and _is_decided(request):
        gives_back = "gives_place_back" in request.POST
        reason = request.POST.get("reason", "")
        try:
            made = exclusions.exclude_all(
                annotators=who, reason=reason, by=user_of(request), gives_place_back=gives_back
            )
        except AnnotationError as error:
            problem = error.message
        else:
            if made:
                sentence = said_of_excluding(gives_place_back=gives_back)
                log(request, study, sentence % {"who": _who(made), "reason": reason.strip()})
            elif gives_back:
                sentence = said_of_excluding(gives_place_back=True)
                done(request, study, sentence % {"who": _named(who), "reason": reason.strip()})
            # The page of people says it, and has the button that takes it back.
            keys = ".".join(str(exclusion.pk) for exclusion in made)
            return redirect(f"{url(study, 'people')}?undo={keys}")
    return _asked(
        request,
        study,
        who,
        Confirmation(
            title=_("Leave %(who)s out of the scores?") % {"who": _named(who)},
            consequences=[
                _("Their answers stay stored and exported, but are no longer scored."),
                _("Nobody else gets their place unless you tick the box."),
                _(
                    "Your colleagues in this study can read the reason. So can the person, on the "
                    "page with the data stored about them."
                ),
                _("Earlier results do not change until you score again."),
                _("You can include them again at any time."),
            ],
            button=_("Exclude"),
            is_dangerous=True,
        ),
        reason=reason,
        problem=problem,
        box=Box("gives_place_back", _("Free the place for somebody else"), is_ticked=gives_back),
    )


def _include(request: HttpRequest, study: Study, who: Sequence[Annotator]) -> HttpResponse:
    problem, reason = "", ""
    # A table sends whom, and no reason yet.
    if request.method == "POST" and _is_decided(request):
        reason = request.POST.get("reason", "")
        try:
            lifted = exclusions.include_all(annotators=who, reason=reason, by=user_of(request))
        except AnnotationError as error:
            problem = error.message
        else:
            if lifted:
                sentence = _("Included %(who)s again: %(reason)s")
                done(request, study, sentence % {"who": _who(lifted), "reason": reason.strip()})
            return to(study, "people")
    back = [
        person
        for person in who
        if person.exclusions.in_force().filter(gives_place_back=True).exists()
    ]
    n_back, n_taken = places.to_have_again(back)
    held = PhaseRun.objects.filter(assignment__annotator__in=who, is_held=True)
    n_held = held.aggregate(n=Count("assignment__annotator", distinct=True))["n"]
    counts = (n_taken < n_back or len(back) < len(who)) and n_held < len(who)
    return _asked(
        request,
        study,
        who,
        Confirmation(
            title=_("Include %(who)s again?") % {"who": _named(who)},
            consequences=[
                *([_("Their answers count again the next time you score.")] if counts else []),
                *([_of_places(n_back, n_taken)] if back else []),
                *(
                    [_("Answers held for review stay held until you let them count.")]
                    if n_held
                    else []
                ),
                _(
                    "The exclusion stays on record with its reason and author, together "
                    "with your reason."
                ),
            ],
            button=_("Include again"),
        ),
        reason=reason,
        problem=problem,
    )


def _of_places(n_back: int, n_taken: int) -> Said:
    """What becomes of places that were given back."""
    if not n_taken:
        return _("Their places are still free and will be theirs again.")
    return ngettext(
        "%(taken)s of %(n)s place was taken in the meantime, so the answers "
        "there are surplus: kept, but not scored.",
        "%(taken)s of %(n)s places were taken in the meantime, so the answers "
        "there are surplus: kept, but not scored.",
        n_back,
    ) % {"taken": n_taken, "n": n_back}


def said_of_excluding(*, gives_place_back: bool) -> Said:
    """With the names and the reason still to come."""
    if gives_place_back:
        return _("Excluded %(who)s and freed the place: %(reason)s")
    return _("Excluded %(who)s: %(reason)s")


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
    box: "Box | None" = None,
) -> HttpResponse:
    response = confirm(
        request,
        study,
        confirmation,
        back="people",
        section="people",
        asks_reason=True,
        carried=[("who", person.pk) for person in who],
        reason=reason,
        problem=problem,
        box=box,
    )
    if problem:
        response.status_code = 400
    return response


def _who(exclusions: Sequence[Exclusion]) -> str:
    return _named([exclusion.annotator for exclusion in exclusions if exclusion.annotator])


def _named(who: Sequence[Annotator]) -> str:
    names = ", ".join(person.pseudonym for person in who[:MAX_NAMED])
    n_more = len(who) - MAX_NAMED
    if n_more <= 0:
        return names
    sentence = ngettext("%(names)s and %(n)s more", "%(names)s and %(n)s more", n_more)
    return str(sentence % {"names": names, "n": n_more})
