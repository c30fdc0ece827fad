"""A stored leaderboard as plain rows, and one measure beside people: for pages and files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Baseline, BaselineReport, Study
from annotation.queries.human_scores import Source
from annotation.sentences import Sentence


@dataclass(frozen=True)
class Row:
    """One measure in the leaderboard, or in one part of a subset."""

    # None: it was removed since.
    baseline: int | None
    name: str
    # Number of items that have both values.
    n: int
    # By "pearson", "spearman", "kendall": {"value", "low", "high", "reason"}; numbers or None.
    figures: dict[str, dict[str, Any]]
    revision: str
    device: str
    seconds: float | None


@dataclass(frozen=True)
class Part:
    """The leaderboard of one part of the items: all of them, or those of one domain …"""

    # Empty: all items.
    by: str
    label: str
    n: int
    rows: Sequence[Row]


@dataclass(frozen=True)
class Point:
    """One item that has both values."""

    key: str
    people: float
    measure: float


@dataclass(frozen=True)
class Disagreement:
    """An item that people and a measure put at different places."""

    key: str
    first: str
    second: str
    people: float
    measure: float
    # Between the ranks of both, from -1 to 1; above 0: people put it higher.
    difference: float


def latest_report(study: Study) -> BaselineReport | None:
    """The leaderboard that was computed last; None before the first."""
    raise NotImplementedError


def is_outdated(report: BaselineReport) -> bool:
    """Whether `why_outdated` says anything."""
    return bool(why_outdated(report))


def why_outdated(report: BaselineReport) -> list[Sentence]:
    """What has changed since: items, people's scores, measures. Empty: nothing has."""
    raise NotImplementedError


def rows_shown(report: BaselineReport) -> list[Part]:
    """The leaderboard of all items first, then that of each part of each subset."""
    raise NotImplementedError


def baselines(study: Study) -> list[Baseline]:
    """All measures of a study with their values, those of other texts too (`is_of_today`)."""
    raise NotImplementedError


def points(study: Study, baseline: Baseline, source: Source) -> list[Point]:
    """The items that have both values, in their order.

    Raises StateError, with what to do, where there are no scores from people.
    """
    raise NotImplementedError


def largest_disagreements(
    study: Study, baseline: Baseline, source: Source, *, n: int = 20
) -> list[Disagreement]:
    """The items whose ranks differ most, the largest difference first; of equal ones by id.

    Raises StateError, with what to do, where there are no scores from people.
    """
    raise NotImplementedError
