"""What `releases/` asks of a kind: the files of an export, and what its documents say."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol

from annotation.basics.sentences import Said, Sentence
from annotation.basics.sentences import sentence as _
from annotation.core.exports.figures import AgreementRow
from annotation.core.exports.members import Archive
from annotation.core.exports.prose import Paragraph
from annotation.core.queries import further_columns
from annotation.core.shown_items import ABOVE
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.exports.table_of_result import ResultTable
from annotation.kinds.forms.export_options import ExportOptionsForm
from annotation.models import Release, Study

Facts = Mapping[str, Any]


class Methods(Protocol):
    """What the methods paragraph of a paper says, from the facts of `study.json`."""

    def asked(self, facts: Facts) -> Iterable[Paragraph]:
        """What people were shown and asked."""

    def annotations(self, facts: Facts) -> Iterable[Paragraph]:
        """How many answers each item, or each tuple, was to get."""

    def scoring(self, facts: Facts) -> Iterable[Paragraph]:
        """How an answer becomes a score, or a label."""

    def reliability(self, facts: Facts) -> Iterable[Paragraph]:
        """What was computed of the answers; the reason if something could not be."""

    def agreement_rows(self, facts: Facts) -> list[AgreementRow]:
        """Names, values and their intervals for a table; without an interval it is empty."""


class ReleasesPart(ABC):
    """What an export of such a study holds, and what a release says of it."""

    # What the data set is, in an English sentence.
    about: ClassVar[str]
    # What the page of downloads says that the ZIP holds.
    contents: ClassVar[Sentence]
    # The data set itself: the first of these files that an archive has.
    main_files: ClassVar[tuple[str, ...]]
    # The task and its finer name, as Hugging Face lists them.
    hugging_face_task: ClassVar[tuple[str, str]] = (
        "sentence-similarity",
        "semantic-similarity-scoring",
    )
    # Whether the files depend on `ExportOptions`, and the form by which a page asks for them.
    has_options: ClassVar[bool] = False
    options_form: ClassVar[type[ExportOptionsForm] | None] = None
    # Whether people's agreement is computed, so that a release without it says so.
    has_reliability: ClassVar[bool] = True
    # Whether the files tell something before anybody has answered.
    has_items_before_answers: ClassVar[bool] = True
    # Whether the import reads the exact files of an export as they are.
    is_read_by_import: ClassVar[bool] = False

    @property
    @abstractmethod
    def methods(self) -> Methods:
        """The methods paragraph."""

    @abstractmethod
    def write(self, archive: Archive, options: ExportOptions) -> dict[str, Any]:
        """Write the files that only such a study has; returns the study as one JSON object."""

    def result_tables(self, statistics: Mapping[str, Any]) -> list[ResultTable]:
        """The tables of a result that its page shows and a paper prints, in English."""
        return []

    def first_release(
        self, study: Study, *, n_items: int, n_judgments: int, n_people: int
    ) -> Said:
        """The first line of the first change log: how much there is."""
        return _(
            "First release. Items: %(items)s; answers that count: %(judgments)s; people:"
            " %(people)s."
        ) % {"items": n_items, "judgments": n_judgments, "people": n_people}

    def sources(self, study: Study) -> dict[str, Any]:
        """What files have beside answers and items, in numbers that change with it; as JSON."""
        return {}

    def changed_sources(self, now: Mapping[str, Any], before: Mapping[str, Any]) -> list[Said]:
        """What a change log says of sources that are others than in the release before."""
        return []

    def later_rounds(self, study: Study, last: Release) -> list[Said]:
        """What rounds that were begun since the last release change of the files."""
        return []

    def further_columns(self, study: Study) -> list[str]:
        """Columns of the imported file that nobody was shown and that the files have."""
        return further_columns.of_items(study, known=(ABOVE,))
