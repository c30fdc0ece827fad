"""A stored leaderboard as plain rows, and one measure beside people: for pages and files."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.baselines.queries import baseline_subsets, human_scores, scored_items
from annotation.baselines.queries.comparable_measures import comparable
from annotation.baselines.queries.score_sources import ResultSource, Source, source_of_json
from annotation.basics.errors import StateError
from annotation.basics.sentences import Sentence
from annotation.basics.sentences import sentence as _
from annotation.kinds.rating.queries import baseline_pairs
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from annotation.models import Baseline, BaselineReport, Study, Training
from scoring import discrepancies
from scoring.arrays import BoolArray, FloatArray
from scoring.measures.discrepancies import largest

# Intervals in order of preference; Fisher's needs no resamples.
METHODS = ("bca", "percentile", "fisher")
# Where items share pools, Fisher's is over pools, and holds more often than the bootstrap's.
METHODS_OVER_POOLS = ("fisher", "bca", "percentile")


@dataclass(frozen=True)
class Row:
    """One measure in the leaderboard, or in one part of a subset."""

    # None if the measure was removed since.
    baseline: int | None
    name: str
    # Number of items that have both values.
    n: int
    # Items with people's score only, because the measure has no value, or because its model was
    # trained on them. Old reports count both in `n_without`.
    n_without: int
    n_trained_on: int
    # By "pearson", "spearman", "kendall", and if there are pools "within_pearson" and
    # "within_spearman": "value", "low", "high", "interval_reason", "method", "p_value", "reason";
    # numbers or None, the method of the interval one of `METHODS` or "t", each reason a message or
    # None.
    figures: dict[str, dict[str, Any]]
    revision: str
    device: str
    seconds: float | None


@dataclass(frozen=True)
class Part:
    """The leaderboard of one part of the items: all of them, or those of one domain …"""

    # Empty for all items.
    by: str
    label: str
    # Items with people's score, and the others.
    n: int
    n_unscored: int
    # Name of the figure that measures are ordered by, and that the noise ceiling is one of.
    headline: str
    rows: Sequence[Row]
    # Whether items share pools: then the intervals are about other pools, else other items.
    is_over_pools: bool = False


@dataclass(frozen=True)
class Point:
    """One item that has both values."""

    key: str
    people: float
    measure: float


@dataclass(frozen=True)
class Disagreement:
    """An item that people and a measure rank differently."""

    key: str
    first: str
    second: str
    people: float
    measure: float
    # Difference of the ranks, from -1 to 1; positive if people rank the item higher.
    difference: float


def latest_report(study: Study) -> BaselineReport | None:
    """The leaderboard that was computed last; None before the first."""
    return study.baseline_reports.order_by("-pk").first()


def columns_used(report: BaselineReport) -> set[str]:
    """Columns of the imported file by which the items were chosen or divided, or scored."""
    options = report.parameters["options"]
    conditions = [options.get("where", ""), options.get("expression", "")]
    return {*options.get("by", []), *_columns_in(conditions, options.get("people"))}


def columns_learnt(training: Training) -> set[str]:
    """Columns of the study's own file that chose the items to train on or gave their scores."""
    learnt = training.parameters["learnt"]
    if learnt["study"]:
        return set()
    return _columns_in([learnt["where"], learnt["tests"]], learnt["source"])


def _columns_in(conditions: Iterable[str], source: Mapping[str, Any] | None) -> set[str]:
    columns = {
        name
        for condition in conditions
        if condition.strip()
        for name in baseline_subsets.read_condition(condition).names
    }
    if source and source["from"] == "column":
        columns.add(source["name"])
    return columns


def stored(study: Study) -> list[BaselineReport]:
    """All leaderboards without their figures, the newest first."""
    return list(study.baseline_reports.defer("figures").order_by("-pk"))


def is_outdated(report: BaselineReport) -> bool:
    """Whether `why_outdated` says anything."""
    return bool(why_outdated(report))


def why_outdated(report: BaselineReport) -> list[Sentence]:
    """Changes since the report: items, people's scores, measures; empty if there are none.

    A few small queries, unless the items were imported anew.
    """
    study, then = report.study, report.parameters
    reasons = []
    digest = then["digest"]
    if then["stamp"] != baseline_pairs.stamp(study):
        digest = baseline_pairs.digest(study)
    if then["digest"] != digest:
        reasons.append(_("The items have changed. Compute the leaderboard again."))
    if then["result"] and then["result"] != result_of_today(study, then["options"]["people"]):
        reasons.append(_("People's scores have changed. Compute the leaderboard again."))
    there = comparable(study).filter(digest=digest).values_list("pk", flat=True)
    if {measure["baseline"] for measure in then["measures"]} != set(there):
        reasons.append(_("Measures were added or removed. Compute the leaderboard again."))
    return reasons


def result_of_today(study: Study, people: Mapping[str, Any]) -> int | None:
    """The result that has these scores, as stored in JSON, now; None if there is none."""
    source = source_of_json(people)
    assert isinstance(source, ResultSource)  # or there would be no result
    try:
        return scored_items.scored_items(study, phase=source.phase).result.pk
    except StateError:
        return None


def rows_shown(report: BaselineReport) -> list[Part]:
    """The leaderboard of all items first, then that of each part of each subset.

    Parts are in the order of `report.figures["subsets"]`, rows in that of the measures' making.
    """
    there = set(report.study.baselines.values_list("pk", flat=True))
    return [
        Part(
            by=named["by"],
            label=named["label"],
            n=subset["n_items"] - subset["n_unscored"],
            n_unscored=subset["n_unscored"],
            headline="within_pearson" if subset["headline"] == "within_pools" else "pearson",
            rows=[
                _row(number, measure, row, subset, there)
                for measure, row in zip(report.parameters["measures"], subset["rows"], strict=True)
            ],
            is_over_pools=subset["has_errors_over_pools"],
        )
        for number, (named, subset) in enumerate(
            zip(report.parameters["subsets"], report.figures["subsets"], strict=True)
        )
    ]


def _row(
    number: int,
    measure: Mapping[str, Any],
    row: Mapping[str, Any],
    part: Mapping[str, Any],
    there: Container[int],
) -> Row:
    pk = measure["baseline"]
    trained_on = measure.get("n_trained_on")
    n_trained_on = trained_on[number] if trained_on else 0
    return Row(
        baseline=pk if pk in there else None,
        name=measure["name"],
        n=row["n"],
        n_without=part["n_items"] - part["n_unscored"] - row["n"] - n_trained_on,
        n_trained_on=n_trained_on,
        figures={
            name: _figure(figure, METHODS_OVER_POOLS if part["has_errors_over_pools"] else METHODS)
            for name, figure in row["correlations"].items()
        }
        | {f"within_{name}": _figure_within(figure) for name, figure in row["within"].items()},
        revision=measure["revision"],
        device=measure["device"],
        seconds=measure["seconds"],
    )


def _figure(correlation: Mapping[str, Any], methods: Sequence[str]) -> dict[str, Any]:
    """A correlation with the best interval there is of it."""
    intervals = correlation["intervals"]
    method = next((name for name in methods if intervals.get(name, {}).get("low") is not None), "")
    reasons = [intervals[name]["reason"] for name in methods if name in intervals]
    interval = intervals.get(method, {"low": None, "high": None})
    return {
        "value": correlation["value"],
        "low": interval["low"],
        "high": interval["high"],
        "interval_reason": None if method else next(filter(None, reasons), None),
        "method": method,
        "p_value": correlation["p_value"],
        "reason": correlation["reason"],
    }


def _figure_within(correlation: Mapping[str, Any]) -> dict[str, Any]:
    """A correlation within pools, as `_figure` has those of all items."""
    has_interval = correlation["low"] is not None
    return {
        **{
            name: correlation[name]
            for name in ("value", "low", "high", "reason", "interval_reason")
        },
        "method": "t" if has_interval else "",
        "p_value": None,
    }


def baselines(study: Study) -> list[Baseline]:
    """All measures of a study, with their values, in the order of their making."""
    return list(study.baselines.order_by("pk"))


def points(
    study: Study, baseline: Baseline, source: Source, *, report: BaselineReport | None = None
) -> list[Point]:
    """The items that have both values, in their order; with a report, those that count in it.

    Raises StateError, with what to do, where there are no scores from people, or where the values
    or the report are of other texts than there are today.
    """
    pairs, people, values = _both(study, baseline, source, report)
    has_both = np.flatnonzero(np.isfinite(people) & np.isfinite(values))
    return [Point(pairs.keys[n], float(people[n]), float(values[n])) for n in has_both.tolist()]


def largest_disagreements(
    study: Study,
    baseline: Baseline,
    source: Source,
    *,
    n: int = 20,
    report: BaselineReport | None = None,
) -> list[Disagreement]:
    """The items whose ranks differ most, the largest difference first; of equal ones by number.

    None where fewer than two items have both values, or either is the same for all of them.
    Raises as `points` does.
    """
    pairs, people, values = _both(study, baseline, source, report)
    try:
        difference = discrepancies(people, values).difference
    except ValueError:
        return []
    order = largest(difference, n)
    return [
        Disagreement(
            pairs.keys[n],
            pairs.pairs[n].first,
            pairs.pairs[n].second,
            float(people[n]),
            float(values[n]),
            float(difference[n]),
        )
        for n in order.tolist()
        if difference[n]
    ]


def _both(
    study: Study, baseline: Baseline, source: Source, report: BaselineReport | None
) -> tuple[StudyPairs, FloatArray, FloatArray]:
    pairs = baseline_pairs.read_pairs(study)
    if pairs.digest != baseline.digest:
        raise StateError(
            _("%(name)s was computed for an earlier set of items. Compute it again.")
            % {"name": baseline.name}
        )
    people = human_scores.read(study, source, is_kept=_kept(report, pairs))
    # The most frequent ratings are shown as they were given, 0, 1, 2; only means are rescaled.
    is_majority = isinstance(source, ResultSource) and source.by == "majority"
    if is_majority and people.labels is not None:
        return pairs, people.labels, baseline.array
    return pairs, people.scores, baseline.array


def _kept(report: BaselineReport | None, pairs: StudyPairs) -> BoolArray | None:
    """Which items count in a report, as it was computed; None: all of them."""
    if report is None or not report.parameters["options"].get("where", "").strip():
        return None
    mask = report.parameters.get("kept")
    if mask is None or report.parameters["digest"] != pairs.digest:
        raise StateError(
            _(
                "The condition was not evaluated for the current items. Compute the leaderboard "
                "again."
            )
        )
    return baseline_subsets.unpacked(mask, len(pairs))
