"""The planner: what a study may be expected to find, to take and to cost, before it begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.views.decorators.http import require_GET

from annotation import reported
from annotation.admin.pages import Text, show, study_page, url, user_of
from annotation.admin.plot_files import plot_file
from annotation.errors import AnnotationError
from annotation.forms.planning import PlanForm, usual
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from annotation.queries import forecasts
from annotation.queries.forecasts import Forecasted
from annotation.sentences import sentence as _
from annotation.services.designs import Parameters
from scoring import NoiseEstimate


@study_page
@require_GET
def plan(request: HttpRequest, study: Study) -> HttpResponse:
    """The form, and below it what comes of its numbers."""
    if study.kind != QuestionKind.BEST_WORST:
        return show(request, study, "plan.html", title=_("Planner"), section="design", form=None)
    found = _found(request, study, request.GET if "noise" in request.GET else None)
    form = found.form
    return show(
        request,
        study,
        "plan.html",
        title=_("Planner"),
        section="design",
        status=400 if form.errors else 200,
        form=form,
        found=found.forecasted,
        noise=found.noise,
        problem=found.problem,
        has_material=study.has_material,
        currency=form.cleaned_data.get("currency", "") if form.is_bound else "",
        query=request.GET.urlencode(),
    )


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """The curve as a file."""
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        found = None
        if study.kind == QuestionKind.BEST_WORST:
            data = request.GET or usual(Parameters.of(study.design))
            found = _found(request, study, data).forecasted
    if found is None or name != found.plot.key:
        raise Http404
    made = plot_file(request, found.plot, kind, stem=f"{study.slug}-{name}")
    return made or redirect(f"{url(study, 'plan')}?{request.GET.urlencode()}")


@dataclass(frozen=True)
class _Found:
    form: PlanForm
    # What comes of its numbers; None: nothing was asked, or nothing can come of it.
    forecasted: Forecasted | None = None
    # If it was estimated from an earlier study.
    noise: NoiseEstimate | None = None
    problem: Text = ""


def _found(request: HttpRequest, study: Study, data: Mapping[str, Any] | None) -> _Found:
    known_from = request.GET.get("known_from", "")
    form = PlanForm(
        study,
        forecasts.studies_with_answers(user_of(request), besides=study),
        data,
        known_from=known_from,
    )
    if not form.is_bound or not study.has_material or not form.is_valid():
        return _Found(form)
    noise = None
    if source := form.source:
        noise = forecasts.noise_of(source)
        if noise.reason:
            said = _("The answers of %(study)s do not tell the noise: %(why)s.")
            why = reported.sentence_of(noise.reason)
            return _Found(form, problem=said % {"study": str(source), "why": why})
    try:
        asked = form.asked(noise=noise.value if noise else None)
        return _Found(form, forecasts.forecast_of(study, asked), noise)
    except AnnotationError as error:
        return _Found(form, problem=error.message)
