"""A ranking study in `results/`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from annotation.basics import references
from annotation.basics.plot import Plot
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries import item_scores
from annotation.kinds.best_worst.queries.figures import headlines
from annotation.kinds.contract.results import ResultsPart
from annotation.kinds.exports import result_tables
from annotation.kinds.pages import item_answers, scored_items
from annotation.kinds.queries.item_scores import Scores
from annotation.kinds.ranking.exports import tables
from annotation.kinds.ranking.queries import figures, places_of_item, plots
from annotation.kinds.ranking.services import scoring
from annotation.models import Item, Result, Study

_WORDS = scored_items.ScoreWords(
    definition=_("Score: the mean rank, from −1 (always last) to 1 (always first)."),
    best=_("first"),
    worst=_("last"),
)


class RankingResults(ResultsPart):
    """Items have mean ranks and utilities that a job stores."""

    result_template = "kinds/ranking/results.html"
    not_adjudicated = _(
        "Items of a ranking study cannot be adjudicated, because scores come from orders within "
        "a pool."
    )
    not_compared = _("Rankings cannot be compared with and without some people.")
    no_label_studio = _("Label Studio cannot read rankings.")

    def score(self, run: jobs.Run, population: Population, *, n_splits: int) -> None:
        scoring.score_orders(run, population, n_splits=n_splits)

    def headline(self, statistics: Mapping[str, Any]) -> dict[str, Any]:
        overall = statistics["overall"]
        return {
            "split_half_spearman": overall["split_half"]["spearman"]["mean"],
            "kendall_w": overall["concordance"]["w"],
            "mean_spearman": overall["concordance"]["mean_spearman"],
        }

    def shown(self, result: Result, population: Population) -> dict[str, Any]:
        all_figures = figures.figures(result.statistics)
        cards = headlines(result.statistics, all_figures)
        return {
            "overall": result.statistics["overall"],
            "figures": all_figures,
            "headlines": cards,
            "plots": plots.every_plot(result),
            "n_items": result.item_scores.count(),
            "n_never_shown": result.item_scores.filter(score=None).count(),
            "references": references.named_in(
                [text for figure in [*all_figures, *cards] for text in figure.texts]
            ),
        }

    def item_table(
        self, request: HttpRequest, study: Study, population: Population
    ) -> HttpResponse:
        return scored_items.item_table(request, study, population, _WORDS)

    def item_answers(
        self, request: HttpRequest, study: Study, item: Item, population: Population
    ) -> HttpResponse | None:
        counts = places_of_item.first_and_last(study.design, item, population)
        return item_answers.item_answers(
            request, study, item, population, counts, best=_WORDS.best, worst=_WORDS.worst
        )

    score_names = item_scores.FIGURES

    def item_scores(self, study: Study, population: Population, result: Result | None) -> Scores:
        return item_scores.scores_of(result)

    def plots(self, result: Result) -> Sequence[Plot]:
        return plots.every_plot(result)

    def table_file(self, result: Result, name: str, ending: str) -> str | None:
        return result_tables.file(tables.tables_of(result.statistics), name, ending)
