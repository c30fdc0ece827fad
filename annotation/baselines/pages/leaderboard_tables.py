"""Parts of a leaderboard's page beside its rows: ceiling, rankings within pools, labels."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.baselines.queries.measure_figures import RANKINGS, WITH_POOLS
from annotation.basics.numbers import grouped, percent
from annotation.basics.numbers import number as shown_number
from annotation.basics.sentences import in_words


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


def cells_of_labels(pairs: Mapping[str, Any]) -> list[str]:
    """Pairs, labelled pairs, the share of each label, overlap, characters and words."""
    counts = [grouped(pairs[name]) for name in ("n", "n_labelled")]
    overlap = [grouped(pairs[name]) for name in ("n_overlapping", "n_without_overlap")]
    lengths = [shown_number(pairs[unit] and pairs[unit][2], 1) for unit in ("characters", "words")]
    return [*counts, *(percent(label["share"]) for label in pairs["labels"]), *overlap, *lengths]
