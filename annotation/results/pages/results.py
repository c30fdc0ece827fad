"""Step 7: scores and statistics, as a job stored them; nothing is computed on a page view."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_POST

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.pages import jobs as job_pages
from annotation.core.pages.frame import log, refusals, show, study_page, to, user_of
from annotation.core.pages.populations import population_of
from annotation.core.queries import counted_answers, progress
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.held_for_review import held_for_review
from annotation.kinds.forms.scoring_options import ScoringOptionsForm
from annotation.kinds.queries import check_answers
from annotation.kinds.queries.study_facts import chosen_options
from annotation.kinds.registry import kind_of
from annotation.models import Job, Result, Study
from annotation.models.kinds import Source
from annotation.results.queries import outdated
from annotation.results.services import scoring
from annotation.reviews.pages import review_results


def latest(study: Study, population: Population) -> Result | None:
    return study.results.filter(population=population).order_by("-pk").first()


@study_page
@require_GET
def results(request: HttpRequest, study: Study) -> HttpResponse:
    population = population_of(request)
    result = latest(study, population)
    kind = kind_of(study)
    shown: dict[str, Any] = {}
    if result:
        shown = {
            **kind.results.shown(result, population),
            "since": outdated.since(result, population),
        }
    head = _scoring(request, study, population, result)
    return show(
        request,
        study,
        kind.results.page_template,
        title=_("Results"),
        section="results",
        kind=kind,
        checks=check_answers.summary(study, population),
        **head,
        **kind.results.next_steps(study, user_of(request), n_answers=head["n_answers"]),
        **review_results.with_section(shown, study, population),
    )


def _scoring(
    request: HttpRequest, study: Study, population: Population, result: Result | None
) -> dict[str, Any]:
    """The head of the page: how many answers there are, and the state of the last job."""
    job = next(
        (
            job
            for job in study.jobs.filter(kind=Job.Kind.SCORE).order_by("-pk")[:20]
            if job.parameters.get("population", "people") == population
        ),
        None,
    )
    n_answers = counted_answers.basis(study, population).n_judgments
    has_simulated = study.annotators.filter(source=Source.SIMULATED).exists()
    held = held_for_review(study.designs.order_by("-number").first(), population)
    has_only_simulated = has_simulated and population == "people" and not (n_answers or held)
    return {
        "population": population,
        "result": result,
        "n_answers": n_answers,
        # Scores that had answers of somebody who withdrew are deleted; older ones may be left.
        "is_forgotten": job is not None
        and job.state == Job.State.DONE
        and (result is None or result.job_id != job.pk),
        "held": held,
        "options_form": ScoringOptionsForm(
            initial=chosen_options(study.design, population).as_dict()
        )
        if kind_of(study).results.has_options(study)
        else None,
        "has_simulated": has_simulated,
        "n_simulated_booklets": progress.n_simulated_booklets(study) if has_only_simulated else 0,
        "job": job_pages.described(request, study, job)
        if job and job.state != Job.State.DONE
        else None,
    }


@study_page
@require_POST
def score(request: HttpRequest, study: Study) -> HttpResponse:
    population = population_of(request)
    with refusals(request):
        chosen = _chosen(request.POST)
        job = scoring.request(study=study, population=population, by=user_of(request), **chosen)
        log(request, study, scoring.STARTED[population])
        return to(study, "job", job.pk)
    return to(study, "results")


def _chosen(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the page has sent, if any; raises AnnotationError if one cannot be."""
    if "test" not in given:
        return {}
    form = ScoringOptionsForm(given)
    if not form.is_valid():
        name, errors = next(iter(form.errors.items()))
        raise AnnotationError(f"{form.fields[name].label}: {errors[0]}")
    return form.cleaned_data


@study_page
@require_GET
def item_table(request: HttpRequest, study: Study) -> HttpResponse:
    """Every item with what people said of it, by whichever column is asked for."""
    return kind_of(study).results.item_table(request, study, population_of(request))


@study_page
@require_GET
def item_answers(request: HttpRequest, study: Study, item_id: int) -> HttpResponse:
    """The answers about one item, where scores are made of comparisons."""
    item = get_object_or_404(
        study.items.select_related("target_turn", "candidate_turn"), pk=item_id
    )
    page = kind_of(study).results.item_answers(request, study, item, population_of(request))
    if page is None:
        raise Http404
    return page
