"""The planner: what results, time and costs to expect of a study before it begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotation.basics.errors import AnnotationError, TooManyError
from annotation.basics.sentences import sentence as _
from annotation.core.pages import refusing
from annotation.core.pages.frame import show, study_page, url, user_of
from annotation.core.pages.navigation import Text
from annotation.core.pages.plot_files import plot_file
from annotation.core.services.turns import Turn
from annotation.designs.queries.answered_studies import studies_with_answers
from annotation.designs.queries.prices import PricedForecast, priced
from annotation.kinds.forms.planning import PlanForm
from annotation.kinds.queries.forecast_rows import Alternative
from annotation.kinds.registry import kind_of
from annotation.models import Study

# It takes seconds of a processor: a few at once would keep everybody else waiting.
_ONE_FORECAST = Turn(
    _("Another forecast is being computed. Please try again in a few seconds."), retry_after=5
)


@study_page
@require_GET
def plan(request: HttpRequest, study: Study) -> HttpResponse:
    """The form, and below it the forecast from its numbers."""
    of_kind = kind_of(study).designs
    if of_kind.plan_form is None:
        return show(
            request,
            study,
            "designs/plan.html",
            title=_("Planner"),
            section="design",
            form=None,
            no_forecast=of_kind.no_forecast,
        )
    outcome = _outcome(
        request, study, of_kind.plan_form, request.GET if "wage" in request.GET else None
    )
    form = outcome.form
    status = 429 if outcome.busy else 400 if form.errors or outcome.problem else 200
    page = show(
        request,
        study,
        "designs/plan.html",
        title=_("Planner"),
        section="design",
        status=status,
        form=form,
        forecast=outcome.forecasted,
        alternatives=outcome.alternatives,
        estimated=outcome.estimated,
        problem=outcome.problem,
        is_busy=outcome.busy is not None,
        has_material=study.has_material,
        currency=form.cleaned_data.get("currency", "") if form.is_bound else "",
        query=request.GET.urlencode(),
    )
    return _asked_to_wait(page, outcome.busy)


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """The curve as a file."""
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        forecast = None
        if plan_form := kind_of(study).designs.plan_form:
            outcome = _outcome(
                request,
                study,
                plan_form,
                request.GET or plan_form.usual(study),
                with_alternatives=False,
            )
            if outcome.busy:
                page = refusing.refused(
                    request,
                    status=429,
                    title=gettext("Please come back later"),
                    reasons=[str(outcome.problem)],
                )
                return _asked_to_wait(page, outcome.busy)
            forecast = outcome.forecasted
    if forecast is None or name != forecast.plot.key:
        raise Http404
    made = plot_file(request, forecast.plot, kind, stem=f"{study.slug}-{name}")
    return made or redirect(f"{url(study, 'plan')}?{request.GET.urlencode()}")


@dataclass(frozen=True)
class _PlanOutcome:
    form: PlanForm
    # None if nothing was sent, or if no forecast can be made.
    forecasted: PricedForecast | None = None
    alternatives: Sequence[Alternative] = ()
    # A sentence about what was estimated from an earlier study.
    estimated: str = ""
    problem: Text = ""
    # Another forecast is being computed.
    busy: TooManyError | None = None


def _asked_to_wait(page: HttpResponse, busy: TooManyError | None) -> HttpResponse:
    for name, value in (busy.headers if busy else {}).items():
        page[name] = value
    return page


def _outcome(
    request: HttpRequest,
    study: Study,
    plan_form: type[PlanForm],
    data: Mapping[str, Any] | None,
    *,
    with_alternatives: bool = True,
) -> _PlanOutcome:
    earlier = studies_with_answers(user_of(request), besides=study)
    known_from = request.GET.get("known_from", "")
    form = plan_form(study, earlier, data, known_from=known_from)
    if not form.is_bound or not study.has_material or not form.is_valid():
        return _PlanOutcome(form)
    try:
        with _ONE_FORECAST.taken():
            estimated = form.estimate_from(form.source) if form.source else ""
            forecasted = priced(study, form.forecast(), **form.pay)
            alternatives = form.alternatives() if with_alternatives else []
            return _PlanOutcome(form, forecasted, alternatives, estimated)
    except TooManyError as error:
        return _PlanOutcome(form, problem=error.message, busy=error)
    except AnnotationError as error:
        return _PlanOutcome(form, problem=error.message)
