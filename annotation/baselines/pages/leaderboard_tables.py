"""Parts of a leaderboard's page beside its rows: ceiling, rankings within pools, labels."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext

from annotation.baselines.pages.measure_rows import options_of
from annotation.baselines.queries.measure_figures import RANKINGS, WITH_POOLS
from annotation.basics.numbers import grouped, percent
from annotation.basics.numbers import number as shown_number
from annotation.basics.sentences import in_words
from annotation.basics.sentences import sentence as _
from annotation.models import BaselineReport


@dataclass(frozen=True)
class StoredLeaderboard:
    """An entry in the list of a study's leaderboards."""

    number: int
    when: str
    description: str
    is_shown: bool


@dataclass(frozen=True)
class Ceiling:
    """The highest correlation that a measure could reach, or why it is not known."""

    value: float | None
    low: float | None
    high: float | None
    reason: str
    definition: str
    # Why there is a ceiling, but no interval.
    interval_reason: str


@dataclass(frozen=True)
class Ranking:
    """How well a measure ranks the items of each pool."""

    # None if the measure was removed since, or is in no leaderboard.
    baseline: int | None
    name: str
    # For each of `RANKINGS`: the number of pools (None if it has no column), mean and standard
    # error.
    figures: Sequence[tuple[int | None, float | None, float | None]]
    reason: str


def ceiling_of(figures: Mapping[str, Any]) -> Ceiling:
    """The noise ceiling of a part, whose figures are as the report stores them."""
    ceiling = figures["ceiling"]
    reason = in_words(ceiling["reason"]) if ceiling["value"] is None else ""
    return Ceiling(
        ceiling["value"],
        ceiling.get("low"),
        ceiling.get("high"),
        reason,
        in_words(ceiling.get("definition", "")),
        in_words(ceiling.get("interval_reason")),
    )


def rankings_of(figures: Mapping[str, Any], there: Container[int]) -> list[Ranking]:
    """How well each measure ranks the items of a pool, best first; empty without pools.

    `there`: the keys of the measures that were not removed since.
    """
    rankings = [
        Ranking(
            row["baseline"] if row["baseline"] in there else None,
            row["measure"],
            [
                (
                    row[name]["n"] if name in WITH_POOLS else None,
                    row[name]["value"],
                    row[name]["standard_error"],
                )
                for name in RANKINGS
            ],
            in_words(row["reason"]),
        )
        for row in figures.get("within_pools", [])
    ]
    return sorted(rankings, key=lambda ranking: -(ranking.figures[1][1] or 0.0))


@dataclass(frozen=True)
class StandIn:
    """Whether a measure may answer in place of people."""

    # None if the measure was removed since.
    baseline: int | None
    name: str
    n_tested: str
    advantage: str
    # For each bonus: the share of people against whom it wins, and whether it passes.
    tests: Sequence[tuple[str, bool]]
    # Why it passes no test, whatever it wins; empty if nothing hinders.
    obstacle: str


@dataclass(frozen=True)
class StandIns:
    """The table of such measures; `obstacle` says why none could be tested, empty if one was."""

    rows: Sequence[StandIn]
    obstacle: str
    definition: str


def stand_ins_of(figures: Mapping[str, Any], there: Container[int]) -> StandIns | None:
    """Each measure that says what a person could, the closest to people first; None without any.

    `there`: the keys of the measures that were not removed since.
    """
    stored = sorted(figures.get("stand_in", []), key=lambda row: -(row["mean_advantage"] or 0.0))
    if not stored:
        return None
    rows = [
        StandIn(
            row["baseline"] if row["baseline"] in there else None,
            row["measure"],
            grouped(row["n_tested"]),
            percent(row["mean_advantage"]),
            [(percent(test["winning_rate"]), test["may_stand_in"]) for test in row["tests"]],
            _obstacle(row),
        )
        for row in stored
    ]
    is_untested = all(row["reason"] for row in stored)
    return StandIns(
        rows, rows[0].obstacle if is_untested else "", in_words(stored[0]["definition"])
    )


def _obstacle(row: Mapping[str, Any]) -> str:
    if row["reason"]:
        return in_words(row["reason"])
    if not row["is_covering"]:
        return gettext("it answers only %(share)s of the items") % {
            "share": percent(row["coverage"])
        }
    if not row["is_above_chance"]:
        return gettext(
            "not shown to be closer to people than its own answers in a random order, or than one "
            "answer for all items (p ≥ .001)"
        )
    return ""


def cells_of_labels(pairs: Mapping[str, Any]) -> list[str]:
    """Pairs, labelled pairs, the share of each label, overlap, characters and words."""
    counts = [grouped(pairs[name]) for name in ("n", "n_labelled")]
    overlap = [grouped(pairs[name]) for name in ("n_overlapping", "n_without_overlap")]
    lengths = [shown_number(pairs[unit] and pairs[unit][2], 1) for unit in ("characters", "words")]
    return [*counts, *(percent(label["share"]) for label in pairs["labels"]), *overlap, *lengths]


def stored_leaderboard(report: BaselineReport, shown: BaselineReport) -> StoredLeaderboard:
    options = options_of(report)
    parts: list[str] = [options.people.title if options.people else ""]
    if options.where:
        parts.append(
            str(_("Only items that meet this condition: %(where)s.") % {"where": options.where})
        )
    return StoredLeaderboard(
        report.pk,
        date_format(localtime(report.computed_at), "DATETIME_FORMAT"),
        "; ".join(parts),
        report.pk == shown.pk,
    )
