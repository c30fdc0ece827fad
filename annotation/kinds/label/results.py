"""A label study in `results/`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from annotation.basics.plot import Plot
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.contract.results import ResultsPart
from annotation.kinds.label.adjudication import LabelAdjudication
from annotation.kinds.label.comparison import LabelComparison
from annotation.kinds.label.label_studio import LabelLabelStudio
from annotation.kinds.label.pages import results as pages
from annotation.kinds.label.queries import item_scores, plots
from annotation.kinds.label.services import scoring
from annotation.kinds.queries.item_scores import Scores
from annotation.models import Result, Study


class LabelResults(ResultsPart):
    """Items have categories in each phase."""

    result_template = "kinds/_label_results.html"
    comparison = LabelComparison()
    label_studio = LabelLabelStudio()
    counts_phases = True
    adjudication = LabelAdjudication()
    scoring_explained = _(
        "Scoring counts what people chose for each item, and computes how far they agree. It takes"
        " seconds to minutes, and can be repeated at any time."
    )
    counting_explained = _(
        "Answers count once somebody has completed a phase. Answers of people who withdrew or were"
        " excluded do not count."
    )

    def score(self, run: jobs.Run, population: Population, *, n_splits: int) -> None:
        scoring.score_labels(run, population)

    def headline(self, statistics: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "phases": [
                {
                    "condition": phase["condition"],
                    "alpha_nominal": phase["summary"]["alpha"]["nominal"]["alpha"],
                    "n_without_label": phase["summary"]["labels"]["n_without_label"],
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

    score_names = item_scores.FIGURES

    def item_scores(self, study: Study, population: Population, result: Result | None) -> Scores:
        return item_scores.scores_of(study, population)

    def plots(self, result: Result) -> Sequence[Plot]:
        return plots.every_plot(result)

    def table_file(self, result: Result, name: str, ending: str) -> str | None:
        # The download has all statistics of labels.
        return None
