"""The options of a leaderboard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from annotation.baselines.queries.score_sources import Source, source_of_json
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from scoring.decimals import MAX_DECIMALS
from scoring.measures.correlation_tests import DifferenceTest

MAX_RESAMPLES = 100_000
TESTS: tuple[DifferenceTest, ...] = get_args(DifferenceTest)


@dataclass(frozen=True)
class ReportOptions:
    """People's scores, the parts of the items, and the statistics of a leaderboard."""

    # None: the study's own scores if they count; else measures are computed without a leaderboard.
    people: Source | None = None
    # Columns that divide the items: domain, source, turns, pool, class, word_overlap, a column.
    by: tuple[str, ...] = ()
    # A condition that divides the items in two; its syntax is in `scoring.baselines.expression`.
    expression: str = ""
    # A condition that every counted item meets, such as `calibration == "0"`.
    where: str = ""
    n_resamples: int = 1000
    level: float = 0.95
    test: DifferenceTest = "jackknife"
    # Decimals to which measures are rounded before they are correlated; None: not rounded.
    decimals: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.n_resamples <= MAX_RESAMPLES:
            raise AnnotationError(
                _("Bootstrap resamples: choose a number from 0 to %(most)s.")
                % {"most": MAX_RESAMPLES}
            )
        # The comparison also refuses nan.
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
        """The options as parameters of a job or a report."""
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
        """Missing options have their defaults. Raises AnnotationError for invalid options."""
        known = {name: given[name] for name in cls.__dataclass_fields__ if name in given}
        if people := known.get("people"):
            known["people"] = source_of_json(people)
        if "by" in known:
            known["by"] = tuple(known["by"])
        return cls(**known)
