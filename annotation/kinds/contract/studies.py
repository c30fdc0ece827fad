"""What `studies/` asks of a kind: how a study is made, described and listed on its overview."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation.basics.sentences import Said, Sentence
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.core.queries import material
from annotation.kinds.forms.describing import DescribeForm
from annotation.kinds.presets import Preset
from annotation.models import Design, Study


class StudiesPart(ABC):
    """See the module."""

    # -- Making -----------------------------------------------------------------------------------

    # The presets from which such a study is made.
    presets: ClassVar[Sequence[Preset]]
    # Why such a study cannot have values that were collected elsewhere; empty: it can.
    why_no_imported_values: ClassVar[Said] = ""

    @abstractmethod
    def texts(self, name: str, language: str) -> dict[str, Any]:
        """The default texts of this name, in a language that has some."""

    def parameters(self, preset: Preset, earlier: Study | None) -> dict[str, Any]:
        """The numbers of the design of a new study, which may go on with an earlier one."""
        return dict(preset.parameters)

    def answer_columns(self, preset: Preset, texts: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of a new study that say what can be answered, such as its scale."""
        return {}

    # -- Rounds -----------------------------------------------------------------------------------

    # Whether items receive scores, which experts can look at again.
    can_be_reviewed: ClassVar[bool] = False
    # The preset that is proposed for a study that continues one of this kind.
    usual_next: ClassVar[str] = "expert-check"

    # -- Describing and opening -------------------------------------------------------------------

    describe_form: ClassVar[type[DescribeForm]]
    # What cannot be changed any more once the study is opened.
    frozen_design: ClassVar[Sentence] = _(
        "The design is frozen: %(items)s, %(booklets)s with %(places)s. Items, phases and"
        " orders cannot be changed any more."
    )
    frozen_texts: ClassVar[Said]

    @abstractmethod
    def question(self, study: Study) -> dict[str, Any]:
        """What is asked and what can be answered, as files say it."""

    def check_changes(self, study: Study, changes: Mapping[str, Any]) -> None:  # noqa: B027 - most have none
        """Raise AnnotationError if nobody could answer what a study would ask."""

    def refuse_opening(self, study: Study, design: Design) -> None:  # noqa: B027
        """Raise AnnotationError for what such a draft lacks to be opened."""

    # -- The overview -----------------------------------------------------------------------------

    # Whether a result is computed from the answers, and again when there are more.
    has_results: ClassVar[bool] = True
    download_summary: ClassVar[Said] = _("Scores, answers and design as one ZIP of TSV files.")
    # The same while nobody has answered.
    download_without_answers: ClassVar[Said] = _(
        "Without answers, the download contains only the items and the design."
    )

    def n_material(self, study: Study) -> int:
        """How many things were imported to be asked about."""
        return material.n_items(study)

    def material(self, n: int) -> str:
        """So many of what is asked about, with their noun."""
        return counts.items(n)

    @abstractmethod
    def in_design(self, design: Design) -> str:
        """What a design that was made asks about, with its noun."""
