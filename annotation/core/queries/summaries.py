"""Where a stored summary has its values, and in which order they are read."""

import re
from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import sentence as _

# The groups a study's statistics are also given for, and what labels a tuple.
GROUPS: dict[str, tuple[str, ...]] = {
    "source": ("source",),
    "domain": ("domain",),
    "turns": ("turns",),
    "source x turns": ("source", "turns"),
}
GROUP_NAMES = {
    "source": _("source"),
    "domain": _("domain"),
    "turns": _("number of turns"),
    "source x turns": _("source and number of turns"),
}


Summary = Mapping[str, Any]

# Where a statistic of a summary has its value.
_VALUES = {"split_half": "mean", "alpha": "alpha", "strong_agreement": "share"}


def value_of(summary: Summary, figure: str) -> float | None:
    kind, *path = figure.split(".")
    value: Any = summary[kind]
    for part in path:
        value = value[part]
    value = value[_VALUES[kind]]
    return None if value is None else float(value)


def interval_of(summary: Summary, figure: str) -> Mapping[str, Any] | None:
    """The stored interval of a statistic; None of one that never has an interval."""
    kind, name, *path = figure.split(".")
    interval: Mapping[str, Any] | None = None
    if kind == "alpha":
        interval = summary[kind][name][path[0]].get("interval")
    elif kind == "split_half" and path == ["spearman"]:
        interval = summary[kind][name].get("interval")
    return interval


# PostgreSQL keeps the keys of JSON in an order of its own; figures and tables have theirs.
def by_rule(
    summary: Summary,
    rules: tuple[str, ...] = ("random", "fixed", "balanced", "annotator", "tuple"),
) -> list[tuple[str, Any]]:
    return [(rule, summary["split_half"][rule]) for rule in rules if rule in summary["split_half"]]


def in_order(cells: Mapping[str, Summary]) -> dict[str, Summary]:
    """By label; numbers in labels by their value."""
    return dict(
        sorted(
            cells.items(),
            key=lambda cell: [
                int(part) if place % 2 else part
                for place, part in enumerate(re.split(r"([0-9]+)", cell[0]))
            ],
        )
    )
