"""Scores and agreement with some people, without them and of them alone, side by side."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

import scoring
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.correlation import average_ranks
from scoring.json_values import JsonObject, json_number

Figures = dict[str, Any]
Batch = TypeVar("Batch")


def sides(
    agreement: Callable[[Batch], JsonObject], batches: Sequence[Batch], run: jobs.Run
) -> JsonObject:
    """Each figure of agreement with these people, without them and of them alone, by its name."""
    whole, part, alone = batches
    with_them = agreement(whole)
    run.progress(0.5, _("scoring without these people"))
    without_them = agreement(part)
    run.progress(0.8, _("scoring these people alone"))
    of_them = agreement(alone)
    return {
        name: {"with": with_them[name], "without": without_them[name], "alone": of_them[name]}
        for name in with_them
    }


def figure(
    value: float, interval: scoring.JackknifeInterval | None, reason: str | None
) -> JsonObject:
    """A figure of agreement with its interval, which says what it is over or why it is missing."""
    return {
        "value": json_number(value),
        "reason": reason,
        "interval": None if interval is None else interval.as_dict(),
    }


def compared(
    scores: Sequence[FloatArray], item_pks: Sequence[int], pool: IntArray | None
) -> Figures:
    """Every item that has a score with everybody; correlations over those that keep one.

    Rows: the item's key; score with, without; its rank within its pool with, without. "apart":
    the correlation between these people and the others, who have no answers in common.
    """
    whole, part, alone = scores
    ranks = [np.full(len(values), np.nan) for values in (whole, part)]
    if pool is not None:
        ranks = [_ranks(values, pool) for values in (whole, part)]
    items = np.flatnonzero(~np.isnan(whole)).tolist()
    comparison: Figures = {
        "rows": [
            [
                item_pks[n],
                *(json_number(float(v[n])) for v in (whole, part, ranks[0], ranks[1])),
            ]
            for n in items
        ],
        "n_lost": int((~np.isnan(whole) & np.isnan(part)).sum()),
        **_correlations(whole, part),
        "apart": _correlations(alone, part),
    }
    return comparison if pool is not None else {**comparison, "items": items}


def _correlations(scores: FloatArray, others: FloatArray) -> Figures:
    is_in_both = ~(np.isnan(scores) | np.isnan(others))
    x, y = scores[is_in_both], others[is_in_both]
    return {
        "n_both": len(x),
        "pearson": json_number(float(scoring.pearson(x, y))),
        "spearman": json_number(float(scoring.spearman(x, y))),
        "reason": scoring.why_undefined(x, y),
    }


def _ranks(values: FloatArray, pool: IntArray) -> FloatArray:
    """Place within the pool, the highest first; equal scores share the mean of their places."""
    ranks = np.full(len(values), np.nan)
    has = np.flatnonzero(~np.isnan(values))
    in_order = has[np.argsort(pool[has], kind="stable")]
    ends = np.flatnonzero(np.diff(pool[in_order])) + 1
    for rows in np.split(in_order, ends):
        if len(rows):
            ranks[rows] = average_ranks(-values[rows])
    return ranks


def numbers(names: Sequence[str]) -> IntArray:
    number = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def is_left(annotator: IntArray, pks: Sequence[int], without: Sequence[int]) -> BoolArray:
    """Which answers are by somebody else."""
    is_out = np.isin(np.array(pks, dtype=np.int64), np.array(without, dtype=np.int64))
    return ~is_out[annotator]


def together(given: Sequence[tuple[IntArray, BoolArray]]) -> tuple[IntArray, BoolArray]:
    return (
        np.concatenate([np.empty(0, dtype=np.int64), *(people for people, _left in given)]),
        np.concatenate([np.empty(0, dtype=np.bool_), *(left for _one, left in given)]),
    )


def sizes(annotator: IntArray, is_left: BoolArray) -> Figures:
    return {
        "n_with": len(annotator),
        "n_without": int(is_left.sum()),
        "n_people_with": len(np.unique(annotator)),
        "n_people_without": len(np.unique(annotator[is_left])),
    }
