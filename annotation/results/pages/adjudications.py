"""An expert decides on items that people disagree about, one after another."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, page_of, refusals, show, study_page, to, url, user_of
from annotation.kinds.queries import adjudications as queries
from annotation.kinds.queries.disputes import Dispute
from annotation.kinds.rating.pages.results import adjudicate_address
from annotation.kinds.rating.queries.plots import condition_name
from annotation.models import Adjudication, Item, Phase, Study
from annotation.results.forms import AdjudicationForm
from annotation.results.queries import disputes
from annotation.results.services import adjudications as services

# The lists of the page: items without a decision, all items, or all decisions.
OPEN, ALL, DECISIONS = "open", "all", "decisions"


@dataclass(frozen=True)
class Decision:
    """One adjudication in the list of decisions."""

    adjudication: Adjudication
    value: str
    address: str


@study_page
@require_GET
def adjudications(request: HttpRequest, study: Study) -> HttpResponse:
    """The items of one phase, the most disputed first, or the list of decisions."""
    refused = services.refusal(study)
    if refused:
        return show(
            request,
            study,
            "results/adjudications.html",
            title=_("Adjudications"),
            section="results",
            refused=refused,
        )
    phases = disputes.phases_of(study)
    phase = next((p for p in phases if str(p.number) == request.GET.get("phase")), phases[0])
    shown = request.GET.get("show", OPEN)
    context: dict[str, Any] = {
        "phases": [(p.number, _phase_name(p), p.pk == phase.pk) for p in phases],
        "phase": phase,
        "shown": shown if shown in {ALL, DECISIONS} else OPEN,
    }
    if shown == DECISIONS:
        page = page_of(request, _made(study))
        context |= {
            "page": page,
            "rows": [_decision(request, study, adjudication) for adjudication in page],
        }
    else:
        items = ordered(study, phase)
        wanted = (
            items if shown == ALL else [dispute for dispute in items if not dispute.adjudication]
        )
        page = page_of(request, wanted)
        context |= {
            "page": page,
            "rows": _item_rows(request, study, phase, page.object_list),
            "n_items": len(items),
            "n_decided": sum(dispute.adjudication is not None for dispute in items),
            "first": adjudicate_address(
                study, wanted[0].item, phase.number, request.get_full_path()
            )
            if wanted
            else "",
        }
    return show(
        request,
        study,
        "results/adjudications.html",
        title=_("Adjudications"),
        section="results",
        rules=disputes.rules_of(study),
        query=urlencode({"phase": phase.number, "show": context["shown"]}),
        **context,
    )


@study_page
@require_http_methods(["GET", "POST"])
def adjudicate(request: HttpRequest, study: Study, item_id: int, phase: int) -> HttpResponse:
    """What people said of one item, and the form for what is decided."""
    item = get_object_or_404(Item, study=study, pk=item_id)
    with refusals(request):
        if refused := services.refusal(study):
            raise StateError(refused)
        return _adjudicate(request, study, item, phase)
    return to(study, "adjudications")


def _adjudicate(request: HttpRequest, study: Study, item: Item, number: int) -> HttpResponse:
    phase = get_object_or_404(Phase, design=study.design, number=number)
    pair = disputes.shown_pair(phase, item)
    if pair is None:
        raise Http404
    back = _back(request, study)
    items = ordered(study, phase)
    place = next(n for n, dispute in enumerate(items) if dispute.item == item.pk)
    following = next((dispute for dispute in items[place + 1 :] if not dispute.adjudication), None)
    standing = items[place].adjudication
    form = AdjudicationForm(study, standing)
    problem = ""
    if request.method == "POST":
        form = AdjudicationForm(study, standing, request.POST)
        if form.is_valid():
            try:
                _decide(request, study, item, phase, form)
            except AnnotationError as error:
                problem = error.message
                # The page shows what stands now, so that the next answer replaces it knowingly.
                typed = request.POST.copy()
                typed["seen"] = str(standing.pk if standing else 0)
                form = AdjudicationForm(study, standing, typed)
            else:
                if request.POST.get("go") == "next" and following:
                    return redirect(adjudicate_address(study, following.item, phase.number, back))
                return redirect(back)
    return show(
        request,
        study,
        "results/adjudicate.html",
        title=item.key,
        section="results",
        status=400 if problem or form.errors else 200,
        item=item,
        phase=phase,
        phase_name=_phase_name(phase) if phase.number > 1 or _has_several(study) else "",
        pair=pair,
        dispute=items[place],
        answers=disputes.rules_of(study).answers(phase.design, phase, item),
        standing=_decision(request, study, standing) if standing else None,
        rules=disputes.rules_of(study),
        explanations=[*study.categories.get("explanations", {}).items()],
        place=place + 1,
        n_items=len(items),
        following=adjudicate_address(study, following.item, phase.number, back)
        if following
        else "",
        form=form,
        problem=problem,
        back=back,
    )


def _decide(
    request: HttpRequest, study: Study, item: Item, phase: Phase, form: AdjudicationForm
) -> None:
    made = services.adjudicate(
        study=study,
        item=item,
        phase=phase,
        reason=form.cleaned_data["reason"],
        by=user_of(request),
        seen=form.cleaned_data["seen"],
        **form.answer,
    )
    done(request, study, said_of_decision(study, made))


def said_of_decision(study: Study, made: Adjudication) -> Said:
    return (
        _("Adjudicated %(item)s in phase %(n)s: %(value)s")
        if _has_several(study)
        else _("Adjudicated %(item)s: %(value)s")
    ) % {
        "item": made.item.key,
        "n": made.phase.number,
        "value": queries.in_words(made, study),
    }


@study_page
@require_POST
def lift(request: HttpRequest, study: Study, adjudication_id: int) -> HttpResponse:
    """Take an adjudication back."""
    made = get_object_or_404(
        Adjudication.objects.select_related("item", "phase"), study=study, pk=adjudication_id
    )
    if made.lifted_at is None:
        services.lift(adjudication=made)
        done(request, study, said_of_lifting(study, made))
    return redirect(_back(request, study))


def said_of_lifting(study: Study, made: Adjudication) -> Said:
    return (
        _("Took back the decision on %(item)s in phase %(n)s.")
        if _has_several(study)
        else _("Took back the decision on %(item)s.")
    ) % {"item": made.item.key, "n": made.phase.number}


def _made(study: Study) -> Any:
    return study.adjudications.select_related("item", "phase", "by").order_by("-pk")


def _decision(request: HttpRequest, study: Study, made: Adjudication) -> Decision:
    return Decision(
        made,
        queries.in_words(made, study),
        adjudicate_address(study, made.item_id, made.phase.number, request.get_full_path()),
    )


def ordered(study: Study, phase: Phase) -> list[Dispute]:
    """Its items, the most disputed first."""
    rows = disputes.rules_of(study).disputes(study.design, phase)
    return sorted(rows, key=lambda dispute: dispute.how_disputed)


@dataclass(frozen=True)
class ItemRow:
    dispute: Dispute
    item: Item
    value: str
    address: str


def _item_rows(request: HttpRequest, study: Study, phase: Phase, rows: Any) -> list[ItemRow]:
    rows = list(rows)
    items = Item.objects.select_related("target_turn", "candidate_turn").in_bulk(
        [dispute.item for dispute in rows]
    )
    return [
        ItemRow(
            dispute,
            items[dispute.item],
            queries.in_words(dispute.adjudication, study) if dispute.adjudication else "",
            adjudicate_address(study, dispute.item, phase.number, request.get_full_path()),
        )
        for dispute in rows
    ]


def _back(request: HttpRequest, study: Study) -> str:
    """The page of this study that somebody came from."""
    wanted = request.POST.get("from", request.GET.get("from", ""))
    is_ours = (
        wanted.startswith(url(study, "change"))
        and "/../" not in wanted
        and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    )
    return wanted if is_ours else url(study, "adjudications")


def _has_several(study: Study) -> bool:
    return study.design.phases.count() > 1


def _phase_name(phase: Phase) -> str:
    return str(condition_name({"number": phase.number, "condition": phase.condition}))
