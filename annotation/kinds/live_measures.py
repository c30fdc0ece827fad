"""How reliable a study is so far: what the points of all kinds have in common.

Cheap enough to be computed again and again while answers come in. The results page has the same
with more repeats.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Basis
from scoring.arrays import FloatArray
from scoring.json_values import json_number

# Fewer splits than a result has: a curve needs less precision, and must not block a worker.
N_SPLITS = 30
# The page says what so many more answers would add.
MORE = 100
# The page lists at most so many pairs of neighbours.
MAX_LISTED_PAIRS = 20
N_BARS = 20


@dataclass(frozen=True)
class Measured:
    """One point: what it was computed from, and its figures by phase, in plain JSON types."""

    basis: Basis
    figures: dict[str, Any]
    details: dict[str, Any]


def measured(basis: Basis, phases: list[tuple[dict[str, Any], dict[str, Any]]]) -> Measured:
    return Measured(
        basis,
        {"phases": [figures for figures, _details in phases]},
        {"phases": [details for _figures, details in phases]},
    )


def growth(n: int, *, n_phases: int = 1) -> float:
    """More answers come to all phases alike."""
    return (n + MORE / n_phases) / n if n else 1.0


def stepped_up(r: float | None, growth: float) -> float | None:
    """Reliability of `growth` times as many answers [Spearman1910] [Brown1910]."""
    return None if r is None or r <= 0 else growth * r / (1 + (growth - 1) * r)


def interval_figure(value: float, low: float, high: float, reason: str | None) -> dict[str, Any]:
    return {
        "value": json_number(value),
        "low": json_number(low),
        "high": json_number(high),
        "reason": reason,
    }


def jackknife_figure(
    value: float, interval: scoring.JackknifeInterval | None, reason: str | None
) -> dict[str, Any]:
    """A figure with its interval, and what the interval is over or why there is none."""
    if interval is None or interval.reason:
        why = interval.reason if interval else None
        return {**interval_figure(value, np.nan, np.nan, reason), "over": None, "why": why}
    return {
        **interval_figure(value, interval.low, interval.high, reason),
        "over": interval.over,
        "why": interval.note,
    }


def lower_end(interval: Mapping[str, Any] | None) -> float | None:
    """Of a stored interval that is over people: of others a change may be that of the people."""
    if not interval or not interval["is_over_people"]:
        return None
    low: float | None = interval["low"]
    return low


def order_figures(order: scoring.PairOrder, score: FloatArray, pks: list[int]) -> tuple[Any, Any]:
    """What is said of the pairs, and the neighbours whose order is the least certain."""
    uncertain = ~order.is_certain
    figures = {
        "n_pairs": order.n_pairs,
        "certain_share": json_number(order.certain_share),
        "certain_share_then": json_number(order.certain_share_then),
    }
    pairs = [
        [
            pks[a],
            pks[b],
            json_number(float(score[a])),
            json_number(float(score[b])),
            json_number(float(probability)),
        ]
        for (a, b), probability in zip(
            order.neighbours[uncertain][:MAX_LISTED_PAIRS].tolist(),
            order.probability[uncertain][:MAX_LISTED_PAIRS],
            strict=True,
        )
    ]
    counts = {"n_uncertain": int(uncertain.sum()), "n_neighbours": len(uncertain)}
    return figures, {"pairs": pairs, **counts}


def score_bars(score: FloatArray, low: float, high: float) -> dict[str, Any]:
    """How many items score in each of equal intervals of the scale."""
    known = score[~np.isnan(score)]
    # Scores are sums of shares: a hair below an edge is on it, and in the bar above; the highest
    # score is in the last bar.
    bar = np.floor((known - low) / (high - low) * N_BARS + 1e-9).astype(np.int64)
    counts = np.bincount(np.minimum(bar, N_BARS - 1), minlength=N_BARS)
    edges = np.linspace(low, high, N_BARS + 1)
    return {"edges": [round(float(edge), 6) for edge in edges], "counts": counts.tolist()}
