"""A rating study in `results/`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import translation

from annotation.basics.errors import StateError
from annotation.basics.plot import Plot
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.contract.results import ResultsPart
from annotation.kinds.exports import result_tables
from annotation.kinds.queries.item_scores import Scores
from annotation.kinds.rating.adjudication import RatingAdjudication
from annotation.kinds.rating.comparison import RatingComparison
from annotation.kinds.rating.exports import items_latex, tables
from annotation.kinds.rating.label_studio import RatingLabelStudio
from annotation.kinds.rating.pages import results as pages
from annotation.kinds.rating.queries import context_plots, item_scores, repeats
from annotation.kinds.rating.queries.answers import CONDITIONS
from annotation.kinds.rating.queries.exporting import RatedStudy
from annotation.kinds.rating.services import scoring
from annotation.kinds.scoring_options import ScoringOptions
from annotation.models import Result, Study


class RatingResults(ResultsPart):
    """Items have means of ratings in each phase, and context may change them."""

    result_template = "kinds/_rating_results.html"
    comparison = RatingComparison()
    label_studio = RatingLabelStudio()
    counts_phases = True
    adjudication = RatingAdjudication()
    counting_explained = _(
        "Ratings count once somebody has completed a phase. Ratings of people who withdrew or were"
        " excluded do not count."
    )

    def score(self, run: jobs.Run, population: Population, *, n_splits: int) -> None:
        scoring.score_ratings(run, population, ScoringOptions.of(run.job.parameters))

    def has_options(self, study: Study) -> bool:
        design = study.designs.order_by("-number").first()
        conditions = design.phases.values_list("condition", flat=True) if design else ()
        return set(CONDITIONS) <= set(conditions)

    def headline(self, statistics: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "phases": [
                {
                    "condition": phase["condition"],
                    "alpha_interval": phase["summary"]["alpha"]["interval"]["alpha"],
                    "icc_1_k": phase["summary"]["icc"]["1,k"]["icc"],
                }
                for phase in statistics["phases"]
            ]
        }

    def shown(self, result: Result, population: Population) -> dict[str, Any]:
        return pages.shown(result, population)

    def item_table(
        self, request: HttpRequest, study: Study, population: Population
    ) -> HttpResponse:
        return pages.item_table(request, study, population)

    def items_latex(self, study: Study, population: Population) -> Iterable[str]:
        if not counted_answers.basis(study, population).n_judgments:
            raise StateError(_("No scores yet"))
        return items_latex.latex(RatedStudy.of(study, study.design, population))

    other_sources_changed = _("The answers to the earlier round have since changed.")

    def other_sources(self, study: Study, population: Population) -> list[Any]:
        return repeats.sources_elsewhere(study, population)

    score_names = item_scores.FIGURES

    def item_scores(self, study: Study, population: Population, result: Result | None) -> Scores:
        return item_scores.scores_of(study, population)

    def plots(self, result: Result) -> Sequence[Plot]:
        return context_plots.every_plot(result)

    def table_file(self, result: Result, name: str, ending: str) -> str | None:
        with translation.override("en"):
            all_tables = tables.tables_of(result.statistics)
        return result_tables.file(all_tables, name, ending)
