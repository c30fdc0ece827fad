"""A selection study in `results/`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from annotation.basics.plot import Plot
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries import item_scores
from annotation.kinds.contract.results import ResultsPart
from annotation.kinds.exports import result_tables
from annotation.kinds.pages import scored_items
from annotation.kinds.rating.queries import later_effects
from annotation.kinds.selection.exports import tables
from annotation.kinds.selection.pages import results as pages
from annotation.kinds.selection.queries import figures
from annotation.kinds.selection.services import scoring
from annotation.models import Result, Study


class SelectionResults(ResultsPart):
    """Pairs have one rating each, and are the material of a later round."""

    page_template = "kinds/selection_results.html"
    result_template = "kinds/_selection_results.html"
    no_label_studio = _("Label Studio cannot read selections.")
    not_compared = _("Selected sentences have no scores to compare.")
    not_adjudicated = _(
        "Selected sentences cannot be adjudicated. Adjudicate in the next round, where people "
        "rate the pairs."
    )

    def score(self, run: jobs.Run, population: Population, *, n_splits: int) -> None:
        scoring.score_selections(run, population)

    def headline(self, statistics: Mapping[str, Any]) -> dict[str, Any]:
        names = ("name", "n", "mean", "variance")
        return {
            part: [{name: row[name] for name in names} for row in statistics[part]]
            for part in ("classes", "sets")
        }

    def shown(self, result: Result, population: Population) -> dict[str, Any]:
        return pages.shown(result)

    def next_steps(self, study: Study, user: User, *, n_answers: int) -> dict[str, Any]:
        return pages.next_steps(study, user, n_answers=n_answers)

    other_sources_changed = _(
        "The answers to a later round have changed, or another t-test was chosen there."
    )

    def other_sources(self, study: Study, population: Population) -> list[Any]:
        rounds = later_effects.rounds_in_two_phases(study, population)
        return later_effects.stamps(rounds, population)

    def item_table(
        self, request: HttpRequest, study: Study, population: Population
    ) -> HttpResponse:
        # Nothing is stored for single items, and the page says so.
        return scored_items.item_table(request, study, population)

    score_names = item_scores.FIGURES

    def plots(self, result: Result) -> Sequence[Plot]:
        return figures.every_plot(result)

    def table_file(self, result: Result, name: str, ending: str) -> str | None:
        with translation.override("en"):
            all_tables = tables.tables_of(result.statistics)
        return result_tables.file(all_tables, name, ending)
