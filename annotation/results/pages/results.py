"""Step 7: scores and statistics, as a job stored them; nothing is computed on a page view."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from annotation.basics import references
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said, in_words, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages import jobs as job_pages
from annotation.core.pages.frame import log, refusals, show, study_page, to, user_of
from annotation.core.queries import counted_answers, relabellings
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.held_for_review import held_for_review
from annotation.kinds.best_worst.queries import crossings
from annotation.kinds.best_worst.queries.figures import figures, further_figures, ranking_in_words
from annotation.kinds.best_worst.queries.plots import overall_plots
from annotation.kinds.label.pages import results as label_results
from annotation.kinds.queries import check_answers
from annotation.kinds.rating.pages import results as rating_results
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.selection.answer import ROLES
from annotation.kinds.selection.queries import figures as selection_figures
from annotation.kinds.selection.services import scoring as selection_scoring
from annotation.models import ItemScore, Job, Result, Study
from annotation.models.kinds import QuestionKind
from annotation.results.queries.groups import group_tables
from annotation.results.services import scoring
from annotation.reviews.pages import review_results

# What a column's heading sorts by, and the other way round with a minus.
SORTS = {
    "number": "item__number",
    "score": "score",
    "appearances": "appearances",
    "best": "best",
    "worst": "worst",
    "standard_error": "standard_error",
    "utility": "utility",
}


def population_of(request: HttpRequest) -> Population:
    wanted = request.GET.get("population", request.POST.get("population", "people"))
    return "simulated" if wanted == "simulated" else "people"


def latest(study: Study, population: Population) -> Result | None:
    return study.results.filter(population=population).order_by("-pk").first()


@study_page
@require_GET
def results(request: HttpRequest, study: Study) -> HttpResponse:
    if study.kind == QuestionKind.SELECTION:
        return _of_selections(request, study)
    population = population_of(request)
    result = latest(study, population)
    shown: dict[str, Any] = {}
    is_rating = study.kind == QuestionKind.RATING
    if result and is_rating:
        shown = {**rating_results.shown(result, population), "since": since(result, population)}
    elif result and study.kind == QuestionKind.LABEL:
        shown = {**label_results.shown(result, population), "since": since(result, population)}
    elif result:
        overall = result.statistics["overall"]
        found = [*figures(overall), *further_figures(result.statistics)]
        groups = group_tables(result)
        shown = {
            "overall": overall,
            "figures": found,
            "groups": groups,
            "crossing": crossings.shown(result.statistics),
            "has_distribution": bool(result.statistics.get("distribution")),
            "plots": overall_plots(result),
            "n_items": result.item_scores.count(),
            "n_never_shown": result.item_scores.filter(score=None).count(),
            "references": references.named_in(
                [figure.definition for figure in found]
                + [remark.text for group in groups for remark in group.remarks]
            ),
            "since": since(result, population),
        }
    return show(
        request,
        study,
        "results/results.html",
        title=_("Results"),
        section="results",
        is_rating=is_rating,
        is_label=study.kind == QuestionKind.LABEL,
        checks=check_answers.summary(study, population),
        **_scoring(study, population, result),
        **review_results.with_section(shown, study, population),
    )


def _scoring(study: Study, population: Population, result: Result | None) -> dict[str, Any]:
    """What the head of the page says: whose answers there are, and what the last job does."""
    job = next(
        (
            job
            for job in study.jobs.filter(kind=Job.Kind.SCORE).order_by("-pk")[:20]
            if job.parameters.get("population", "people") == population
        ),
        None,
    )
    return {
        "population": population,
        "result": result,
        "n_answers": _n_counted(study, population),
        "held": held_for_review(study.designs.order_by("-number").first(), population),
        "has_simulated": study.annotators.filter(source="simulated").exists(),
        "job": job_pages.described(study, job) if job and job.state != Job.State.DONE else None,
    }


def _of_selections(request: HttpRequest, study: Study) -> HttpResponse:
    """Where sentences are selected: how they were rated, and how it goes on."""
    population = population_of(request)
    result = latest(study, population)
    head = _scoring(study, population, result)
    shown: dict[str, Any] = {}
    if result:
        tables = [
            ("ratings_by_class", selection_figures.class_table(result.statistics)),
            ("rating_sets", selection_figures.set_table(result.statistics)),
        ]
        shown = {
            "tables": tables,
            "plots": selection_figures.every_plot(result),
            "references": references.named_in(
                [text for _name, table in tables for _label, text, _missing in table.remarks]
            ),
            "since": since(result, population) or _since_in_later_rounds(result, study),
        }
    return show(
        request,
        study,
        "results/selected.html",
        title=_("Results"),
        section="results",
        n_pairs=head["n_answers"] * len(ROLES),
        is_over=study.state in Study.OVER,
        later=study.later_rounds.seen_by(user_of(request)).order_by("pk"),
        training=_training_files(study, user_of(request)),
        **head,
        **shown,
    )


def _since_in_later_rounds(result: Result, study: Study) -> Said:
    if selection_scoring.has_new_effects(result, study):
        return _("The answers to a later round have changed since.")
    return ""


def _training_files(study: Study, user: User) -> dict[str, Any] | None:
    """How many pairs the training files have, where later rounds take some away."""
    if not _n_counted(study, "people") or not later_tests.rounds_after(study):
        return None
    try:
        found = later_tests.counts(study)
    except StateError as error:
        return {"problem": error.message}
    return {
        "files": [
            ("train.tsv", found.train),
            *((f"train_n{limit}.tsv", n) for limit, n in found.within.items()),
            ("held_out.tsv", found.held_out),
        ],
        "n_held_out": found.held_out,
        "is_empty": bool(found.held_out and not found.train),
        "rounds": Study.objects.seen_by(user).filter(pk__in=found.rounds).order_by("pk"),
    }


def _n_counted(study: Study, population: Population) -> int:
    return counted_answers.basis(study, population).n_judgments


def since(result: Result, population: Population) -> Said:
    """What has changed since the result was computed; empty if nothing has."""
    return _since(
        result, counted_answers.basis(result.design, population), relabellings.n_splitting
    )


def since_of(result: Result, counted: counted_answers.Basis) -> Said:
    """The same, of answers that were counted already."""
    return _since(result, counted, relabellings.n_splitting)


def since_each(results: Sequence[tuple[Result, Population]]) -> list[Said]:
    """The same of many results, in as many queries as of one of each design and population."""
    n_splitting = cache(relabellings.n_splitting)
    basis = cache(counted_answers.basis)
    return [_since(one, basis(one.design, of), n_splitting) for one, of in results]


def _since(
    result: Result, now: counted_answers.Basis, n_splitting: Callable[[Study], int]
) -> Said:
    if now.is_of(result):
        if n_splitting(result.study) != relabellings.n_splitting_then(result):
            return _("Domains, sources or intended classes were relabelled since.")
        return ""
    more = now.n_judgments - result.n_judgments
    if more > 0:
        said = ngettext("%(n)s answer came since.", "%(n)s answers came since.", more)
        return said % {"n": more}
    if more < 0:
        said = ngettext(
            "%(n)s answer was excluded or withdrawn since.",
            "%(n)s answers were excluded or withdrawn since.",
            -more,
        )
        return said % {"n": -more}
    return _("The answers that count have changed since.")


@study_page
@require_POST
def score(request: HttpRequest, study: Study) -> HttpResponse:
    population = population_of(request)
    with refusals(request):
        job = scoring.request(study=study, population=population, by=user_of(request))
        log(request, study, scoring.STARTED[population])
        return to(study, "job", job.pk)
    return to(study, "results")


def _of_items(result: Result | None) -> dict[str, Any]:
    """What has to be known of the columns of the table."""
    if result is None:
        return {}
    ranking = ranking_in_words(result.statistics)
    intervals = result.statistics.get("score_intervals")
    return {
        "ranking": ranking,
        "intervals_note": in_words(intervals["note"]) if intervals else "",
        "references": references.named_in([ranking["definition"]] if ranking else []),
    }


@study_page
@require_GET
def item_table(request: HttpRequest, study: Study) -> HttpResponse:
    """Every item with its score, by whichever column is asked for."""
    population = population_of(request)
    if study.kind == QuestionKind.RATING:
        return rating_results.item_table(request, study, population)
    if study.kind == QuestionKind.LABEL:
        return label_results.item_table(request, study, population)
    result = latest(study, population)
    wanted = request.GET.get("sort", "number")
    column = SORTS.get(wanted.removeprefix("-"), "item__number")
    descending = wanted.startswith("-") and wanted.removeprefix("-") in SORTS
    rows = (
        result.item_scores.select_related(
            "item__pool", "item__target_turn", "item__candidate_turn"
        ).order_by(f"-{column}" if descending else column, "item__number")
        if result
        else ItemScore.objects.none()
    )
    page = Paginator(rows, 50).get_page(request.GET.get("page"))
    return show(
        request,
        study,
        "results/result_items.html",
        title=_("Items and their scores"),
        section="results",
        population=population,
        result=result,
        **_of_items(result),
        query=urlencode({"population": population, "sort": wanted}),
        page=page,
        has_targets=any(row.item.target for row in page),
        columns=[
            (
                label,
                name,
                f"-{name}" if wanted == name else name,
                "ascending" if wanted == name else "descending" if wanted == f"-{name}" else "",
            )
            for name, label in (
                ("number", _("item")),
                ("score", _("score")),
                ("standard_error", _("standard error")),
                ("utility", _("utility")),
                ("appearances", _("appearances")),
                ("best", _("best")),
                ("worst", _("worst")),
            )
        ],
    )
