"""The planner: what a study may be expected to find, to take and to cost, before it begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotation.basics.errors import AnnotationError, TooManyError
from annotation.basics.numbers import decimal
from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import translated
from annotation.core.pages import refusing
from annotation.core.pages.frame import Text, show, study_page, url, user_of
from annotation.core.pages.plot_files import plot_file
from annotation.core.services.turns import Turn
from annotation.designs.forms.planning import (
    FORMS,
    AnyPlanForm,
    LabelsPlanForm,
    RatingsPlanForm,
    TuplesPlanForm,
    usual,
)
from annotation.designs.queries import any_forecast
from annotation.kinds.best_worst.queries import forecasts
from annotation.kinds.queries import forecast_rows
from annotation.kinds.queries.forecast_rows import Forecasted
from annotation.kinds.rating.queries import forecasts as pair_forecasts
from annotation.models import Study

# It takes seconds of a processor: a few at once would keep everybody else waiting.
_ONE_FORECAST = Turn(
    _("Another forecast is being computed. Please try again in a few seconds."), retry_after=5
)


@study_page
@require_GET
def plan(request: HttpRequest, study: Study) -> HttpResponse:
    """The form, and below it what comes of its numbers."""
    if study.kind not in FORMS:
        return show(
            request, study, "designs/plan.html", title=_("Planner"), section="design", form=None
        )
    found = _found(request, study, request.GET if "wage" in request.GET else None)
    form = found.form
    status = 429 if found.busy else 400 if form.errors else 200
    page = show(
        request,
        study,
        "designs/plan.html",
        title=_("Planner"),
        section="design",
        status=status,
        form=form,
        found=found.forecasted,
        estimated=found.estimated,
        problem=found.problem,
        is_busy=found.busy is not None,
        has_material=study.has_material,
        currency=form.cleaned_data.get("currency", "") if form.is_bound else "",
        query=request.GET.urlencode(),
    )
    return _asked_to_wait(page, found.busy)


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """The curve as a file."""
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        found = None
        if study.kind in FORMS:
            asked = _found(request, study, request.GET or usual(study))
            if asked.busy:
                page = refusing.refused(
                    request,
                    status=429,
                    title=gettext("Please come back later"),
                    reasons=[str(asked.problem)],
                )
                return _asked_to_wait(page, asked.busy)
            found = asked.forecasted
    if found is None or name != found.plot.key:
        raise Http404
    made = plot_file(request, found.plot, kind, stem=f"{study.slug}-{name}")
    return made or redirect(f"{url(study, 'plan')}?{request.GET.urlencode()}")


@dataclass(frozen=True)
class _Found:
    form: AnyPlanForm
    # What comes of its numbers; None: nothing was asked, or nothing can come of it.
    forecasted: Forecasted | None = None
    # What was estimated from an earlier study, in words.
    estimated: str = ""
    problem: Text = ""
    # Another forecast is being computed.
    busy: TooManyError | None = None


def _asked_to_wait(page: HttpResponse, busy: TooManyError | None) -> HttpResponse:
    for name, value in (busy.headers if busy else {}).items():
        page[name] = value
    return page


class _UntoldError(AnnotationError):
    """The answers of the study that was named tell nothing."""

    def __init__(self, study: Study, why: str) -> None:
        said = _("The answers of %(study)s do not tell the noise: %(why)s.")
        super().__init__(said % {"study": str(study), "why": translated(why)})


def _found(request: HttpRequest, study: Study, data: Mapping[str, Any] | None) -> _Found:
    earlier = forecast_rows.studies_with_answers(user_of(request), besides=study)
    known_from = request.GET.get("known_from", "")
    form = FORMS[study.kind](study, earlier, data, known_from=known_from)
    if not form.is_bound or not study.has_material or not form.is_valid():
        return _Found(form)
    try:
        with _ONE_FORECAST.taken():
            if isinstance(form, RatingsPlanForm):
                return _of_ratings(study, form)
            if isinstance(form, LabelsPlanForm):
                return _of_labels(study, form)
            return _of_tuples(study, form)
    except TooManyError as error:
        return _Found(form, problem=error.message, busy=error)
    except AnnotationError as error:
        return _Found(form, problem=error.message)


def _of_tuples(study: Study, form: TuplesPlanForm) -> _Found:
    noise = None
    if source := form.source:
        noise = forecasts.noise_of(source)
        if noise.reason:
            raise _UntoldError(source, noise.reason)
    asked = form.asked(noise=noise.value if noise else None)
    estimated = ""
    if noise and source:
        estimated = _range(source, noise.value, noise.low, noise.high)
        form.put(noise=noise.value)
    return _Found(form, any_forecast.forecast_of(study, asked), estimated)


def _of_ratings(study: Study, form: RatingsPlanForm) -> _Found:
    estimate, estimated = None, ""
    if source := form.source:
        estimate = pair_forecasts.noise_of_ratings(source)
        if estimate.value is None:
            raise _UntoldError(source, estimate.reason or "")
        spread = gettext("Items differ by %(spread)s around %(mean)s.") % {
            "spread": decimal(estimate.value.spread, 2),
            "mean": decimal(estimate.value.mean, 2),
        }
        of_noise = _range(source, estimate.value.noise, estimate.low, estimate.high)
        estimated = f"{of_noise} {spread}"
        form.put(noise=estimate.value.noise, spread=estimate.value.spread)
    asked = form.asked(estimate=estimate)
    return _Found(form, any_forecast.forecast_of(study, asked), estimated)


def _of_labels(study: Study, form: LabelsPlanForm) -> _Found:
    estimate, estimated = None, ""
    if source := form.source:
        estimate = pair_forecasts.error_of_labels(source)
        if estimate.reason:
            raise _UntoldError(source, estimate.reason)
        estimated = _range(source, estimate.value, estimate.low, estimate.high)
        form.put(error=estimate.value)
    asked = form.asked(estimate=estimate)
    return _Found(form, any_forecast.forecast_of(study, asked), estimated)


def _range(source: Study, value: float, low: float, high: float) -> str:
    said = gettext("Estimated from %(study)s: %(noise)s (95 %%: %(low)s to %(high)s).")
    return said % {
        "study": source.title,
        "noise": decimal(value, 2),
        "low": decimal(low, 2),
        "high": decimal(high, 2),
    }
