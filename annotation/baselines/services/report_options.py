"""What whoever asks for a leaderboard may choose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from annotation.baselines.queries.score_sources import Source, source_of_json
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from scoring.decimals import MAX_DECIMALS
from scoring.measures.correlation_tests import DependentTest

MAX_RESAMPLES = 100_000
TESTS: tuple[DependentTest, ...] = get_args(DependentTest)


@dataclass(frozen=True)
class ReportOptions:
    """What measures are held against, in which parts of the items, and how sure that is."""

    # None: the study's own scores where there are some that count; else there is no leaderboard,
    # and measures are computed all the same.
    people: Source | None = None
    # Subsets beside all items: domain, source, turns, pool, class, word_overlap, a column.
    by: tuple[str, ...] = ()
    # Two more: the items of which it is true, and the others. As `scoring.baselines.expression`.
    expression: str = ""
    # Only items of which this is true count at all, such as `calibration == "0"`.
    where: str = ""
    n_resamples: int = 1000
    level: float = 0.95
    test: DependentTest = "meng"
    # Measures are rounded to so many decimals before they are correlated; None: not at all.
    decimals: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.n_resamples <= MAX_RESAMPLES:
            raise AnnotationError(
                _("Resamples of the bootstrap: choose a number from 0 to %(most)s.")
                % {"most": MAX_RESAMPLES}
            )
        # nan is refused, too.
        if not 0 < self.level < 1:
            raise AnnotationError(
                _("Level of the intervals: choose a number between 0 and 1; 0.95 is usual.")
            )
        if self.test not in TESTS:
            raise AnnotationError(
                _("Test: choose one of %(names)s.") % {"names": ", ".join(TESTS)}
            )
        if self.decimals is not None and not 0 <= self.decimals <= MAX_DECIMALS:
            raise AnnotationError(
                _("Decimals of the measures: choose a number from 0 to %(most)s, or none.")
                % {"most": MAX_DECIMALS}
            )

    def as_json(self) -> dict[str, Any]:
        """As the parameters of a job and of a report keep them."""
        return {
            "people": self.people.as_json() if self.people else None,
            "by": list(self.by),
            "expression": self.expression,
            "where": self.where,
            "n_resamples": self.n_resamples,
            "level": self.level,
            "test": self.test,
            "decimals": self.decimals,
        }

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> "ReportOptions":
        """What is not there has its default. Raises AnnotationError for what nobody may choose."""
        known = {name: given[name] for name in cls.__dataclass_fields__ if name in given}
        if people := known.get("people"):
            known["people"] = source_of_json(people)
        if "by" in known:
            known["by"] = tuple(known["by"])
        return cls(**known)
