"""What `results/` asks of a kind: how answers are scored, and what the pages of results show."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

from annotation.basics.plot import Plot
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.contract.adjudication import AdjudicationPart
from annotation.kinds.contract.comparison import ComparisonPart
from annotation.kinds.contract.label_studio import LabelStudioPart
from annotation.kinds.queries.item_scores import NO_SCORES, Scores
from annotation.models import Item, Result, Study


class ResultsPart(ABC):
    """See the module."""

    # The templates of the page of results, and of the part that shows a result.
    page_template: ClassVar[str] = "results/results.html"
    result_template: ClassVar[str]
    # Whether answers count as soon as their phase is completed; if not, the whole booklet must be.
    counts_phases: ClassVar[bool] = False
    # What scoring computes, and which answers it takes, shown as long as there is no result.
    scoring_explained: ClassVar[Said] = _(
        "Scoring computes a score for each item, how reliable the scores are and how far people"
        " agree. It takes seconds to minutes, and can be repeated at any time."
    )
    counting_explained: ClassVar[Said] = _(
        "Answers count once somebody has completed a booklet. Answers of people who withdrew or"
        " were excluded do not count."
    )

    # How an expert decides on items, or why nothing of such a study is adjudicated.
    adjudication: ClassVar[AdjudicationPart | None] = None
    not_adjudicated: ClassVar[Said] = ""
    # Scores with and without some people, or why there are none.
    comparison: ClassVar[ComparisonPart | None] = None
    not_compared: ClassVar[Said] = ""
    # Answers as Label Studio reads them, or why it does not.
    label_studio: ClassVar[LabelStudioPart | None] = None
    no_label_studio: ClassVar[Said] = ""

    @abstractmethod
    def score(self, run: jobs.Run, population: Population, *, n_splits: int) -> None:
        """Score one population of the job's study and store the result.

        `n_splits`: how often answers are split in halves at random, if they are.
        """

    def has_options(self, study: Study) -> bool:
        """Whether a researcher chooses `ScoringOptions`."""
        return False

    @abstractmethod
    def headline(self, statistics: Mapping[str, Any]) -> dict[str, Any]:
        """The few figures of a result that `manage.py score` prints."""

    @abstractmethod
    def shown(self, result: Result, population: Population) -> dict[str, Any]:
        """What the page of results shows of one result."""

    def next_steps(self, study: Study, user: User, *, n_answers: int) -> dict[str, Any]:
        """What the page of results shows of a study beside its result, even without one."""
        return {}

    # Said of a result whose other sources have changed.
    other_sources_changed: ClassVar[Said] = ""

    def other_sources(self, study: Study, population: Population) -> list[Any]:
        """What results use beside the study's own answers, in numbers that change with it.

        As JSON; stored with each result as `other_sources` and compared with what it is now.
        """
        return []

    @abstractmethod
    def item_table(
        self, request: HttpRequest, study: Study, population: Population
    ) -> HttpResponse:
        """The page that lists every item with what people said of it."""

    def item_answers(
        self, request: HttpRequest, study: Study, item: Item, population: Population
    ) -> HttpResponse | None:
        """The page of the answers about one item; None if the table of items has them."""
        return None

    def items_latex(self, study: Study, population: Population) -> Iterable[str] | None:
        """Every item with its figures as a table in LaTeX; None if there is no such table.

        Raises StateError if nothing has been answered.
        """
        return None

    # What the API tells of each item, in each of its phases where answers count by phase.
    score_names: ClassVar[tuple[str, ...]]

    def item_scores(self, study: Study, population: Population, result: Result | None) -> Scores:
        """The score of each item as the API tells it, of the latest result or of the answers."""
        return NO_SCORES

    @abstractmethod
    def plots(self, result: Result) -> Sequence[Plot]:
        """Every figure of a result, in the order of its page."""

    @abstractmethod
    def table_file(self, result: Result, name: str, ending: str) -> str | None:
        """One table of a result as `tsv` or `tex`; None if the result does not have it."""
