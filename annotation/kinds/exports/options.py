"""What a researcher chooses of the files of an export."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from scoring.ratings.context_effects import ChosenTest

MAX_CONTEXT_SENTENCES = 1000


@dataclass(frozen=True)
class ExportOptions:
    """How much context the test files show, and which effects of context are significant."""

    # The largest number of sentences before the rated one, and after it.
    context_sentences: int = 2
    level: float = 0.05
    # Whether p-values are corrected by the method of Benjamini and Hochberg.
    corrected: bool = False
    # `auto`: the test of the latest result.
    test: ChosenTest = "auto"

    def __post_init__(self) -> None:
        if not 0 <= self.context_sentences <= MAX_CONTEXT_SENTENCES:
            raise AnnotationError(
                _("Turns of context: choose a number from 0 to %(most)s.")
                % {"most": MAX_CONTEXT_SENTENCES}
            )
        # This comparison refuses nan, too.
        if not 0 < self.level < 1:
            raise AnnotationError(
                _("Significance level: choose a number between 0 and 1; 0.05 is usual.")
            )
        if self.test not in get_args(ChosenTest):
            raise AnnotationError(
                _("Test: choose one of %(names)s.") % {"names": ", ".join(get_args(ChosenTest))}
            )

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ExportOptions":
        """From the parameters of a job; what is not there has its default."""
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in given.items() if name in known})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
