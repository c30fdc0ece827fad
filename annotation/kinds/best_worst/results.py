"""A best-worst study in `results/`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import translation

from annotation.basics.plot import Plot
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.best_worst.comparison import BestWorstComparison
from annotation.kinds.best_worst.exports import tables
from annotation.kinds.best_worst.label_studio import BestWorstLabelStudio
from annotation.kinds.best_worst.pages import results as pages
from annotation.kinds.best_worst.queries import groups, item_scores, picks_of_item
from annotation.kinds.best_worst.services import scoring
from annotation.kinds.contract.results import ResultsPart
from annotation.kinds.pages import item_answers, scored_items
from annotation.kinds.queries.item_scores import Scores
from annotation.models import Item, Result, Study


class BestWorstResults(ResultsPart):
    """Items have scores that a job stores, by the groups of the answers, too."""

    result_template = "kinds/_best_worst_results.html"
    comparison = BestWorstComparison()
    label_studio = BestWorstLabelStudio()
    not_adjudicated = _(
        "Items of a best-worst study cannot be adjudicated, because scores come from "
        "comparisons within a pool."
    )

    def score(self, run: jobs.Run, population: Population, *, n_splits: int) -> None:
        scoring.score_best_worst(run, population, n_splits=n_splits)

    def headline(self, statistics: Mapping[str, Any]) -> dict[str, Any]:
        overall = statistics["overall"]
        return {
            "split_half_spearman": overall["split_half"]["random"]["spearman"]["mean"],
            "alpha_joint_slot": overall["alpha"]["joint"]["slot"]["alpha"],
        }

    def shown(self, result: Result, population: Population) -> dict[str, Any]:
        return pages.shown(result)

    def item_table(
        self, request: HttpRequest, study: Study, population: Population
    ) -> HttpResponse:
        return scored_items.item_table(request, study, population)

    def item_answers(
        self, request: HttpRequest, study: Study, item: Item, population: Population
    ) -> HttpResponse | None:
        counts = picks_of_item.best_and_worst(study.design, item, population)
        return item_answers.item_answers(
            request, study, item, population, counts, best=_("best"), worst=_("worst")
        )

    score_names = item_scores.FIGURES

    def item_scores(self, study: Study, population: Population, result: Result | None) -> Scores:
        return item_scores.scores_of(result)

    def plots(self, result: Result) -> Sequence[Plot]:
        return groups.every_plot(result)

    def table_file(self, result: Result, name: str, ending: str) -> str | None:
        with translation.override("en"):
            return tables.file(result.statistics, name, ending)
