"""Where people's scores come from: a study's own result, or a column of its items."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.utils.translation import gettext

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.kinds.queries.people_scores import RatingRule

# More ratings per item than any study has collected.
MAX_RATINGS_PER_ITEM = 1_000_000


@dataclass(frozen=True)
class ResultSource:
    """The latest result of the study."""

    # Number of the phase; None if scores belong to no single phase.
    phase: int | None = None
    # How several ratings become one score.
    by: RatingRule = "mean"

    def as_json(self) -> dict[str, Any]:
        """{"from": "result", "phase"}, and "by" unless it is the mean."""
        by = {} if self.by == "mean" else {"by": self.by}
        return {"from": "result", "phase": self.phase, **by}

    @property
    def key(self) -> str:
        """What the choice of a form sends."""
        key = f"result:{'' if self.phase is None else self.phase}"
        return key if self.by == "mean" else f"{key}:{self.by}"

    @property
    def title(self) -> str:
        """In the reader's language, for a choice or an axis."""
        if self.phase is None:
            return gettext("scores from this study")
        if self.by == "majority":
            return gettext("annotators' most frequent ratings, phase %(n)s") % {"n": self.phase}
        return gettext("annotators' mean ratings, phase %(n)s") % {"n": self.phase}


@dataclass(frozen=True)
class ColumnSource:
    """A column of the items, with the column of standard deviations and ratings behind a mean."""

    name: str
    deviation: str = ""
    n: int | None = None

    def as_json(self) -> dict[str, Any]:
        """{"from": "column", "name", "deviation", "n"}."""
        return {"from": "column", "name": self.name, "deviation": self.deviation, "n": self.n}

    @property
    def key(self) -> str:
        """What the choice of a form sends."""
        return f"{COLUMN}{self.name}"

    @property
    def title(self) -> str:
        """In the reader's language, for a choice or an axis."""
        return gettext("column %(name)s") % {"name": self.name}


Source: TypeAlias = ResultSource | ColumnSource
# Begins the key of a column.
COLUMN = "column:"


def source_of_json(given: Mapping[str, Any]) -> Source:
    """Raises AnnotationError for anything that `as_json` does not write."""
    match dict(given):
        case {"from": "result", "phase": None | int() as phase}:
            return ResultSource(phase, "majority" if given.get("by") == "majority" else "mean")
        case {
            "from": "column",
            "name": str(name),
            "deviation": str(deviation),
            "n": None | int() as n,
        } if name:
            if n is not None and not 1 <= n <= MAX_RATINGS_PER_ITEM:
                raise AnnotationError(
                    _("Number of ratings behind each mean: choose a number from 1 to %(most)s.")
                    % {"most": MAX_RATINGS_PER_ITEM}
                )
            return ColumnSource(name, deviation, n)
    raise AnnotationError(
        _("Choose where people's scores come from: the study's result, or a column.")
    )
