"""What a researcher chooses of the scoring of a study; stored with each result."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _

ContextTest: TypeAlias = Literal["auto", "paired", "pooled"]

# In points of the scale.
MIN_MARGIN, MAX_MARGIN = 1e-6, 1e6


@dataclass(frozen=True)
class ScoringOptions:
    """How the effect of context is tested, and which effect would matter."""

    # `auto`: paired if most items were rated by the same people in both phases, else pooled.
    test: ContextTest = "auto"
    # In points of the scale; None: equivalence is not tested.
    margin: float | None = None

    def __post_init__(self) -> None:
        if self.test not in get_args(ContextTest):
            raise AnnotationError(
                _("Test: choose one of %(names)s.") % {"names": ", ".join(get_args(ContextTest))}
            )
        if self.margin is not None and not MIN_MARGIN <= self.margin <= MAX_MARGIN:
            raise AnnotationError(
                _("Smallest effect that matters: enter a number above 0, in points of the scale.")
            )

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ScoringOptions":
        """From the parameters of a job or a result; what is not there has its default."""
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in given.items() if name in known})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
