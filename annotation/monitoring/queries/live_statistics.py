"""How reliable a study is so far: the figures of one point of its curves, cheap enough to be
computed again and again while answers come in. The results page has them with more repeats.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Basis, Population
from annotation.kinds.best_worst.queries import answers
from annotation.kinds.label.queries import answers as label_answers
from annotation.kinds.label.queries.answers import PhaseLabels
from annotation.kinds.rating.queries import answers as rating_answers
from annotation.kinds.rating.queries.answers import ItemTable, PhaseRatings
from annotation.models import Design
from annotation.models.kinds import QuestionKind
from scoring.arrays import FloatArray, IntArray
from scoring.bootstrap import FEWEST_POOLS
from scoring.json_values import json_number
from scoring.ratings.ratings import number_names

# Fewer than a result has: a curve is read by its course, and a worker has other work to do.
N_SPLITS, N_SPLITS_OF_INTERVAL, N_RESAMPLES = 30, 10, 200
# Of so many more answers it is said what they would add.
MORE = 100
# Pairs of neighbours that the page lists.
MOST_PAIRS = 20
# Neighbours whose order is more certain than this are in a sure order.
SURE = 0.95
N_BARS = 20


@dataclass(frozen=True)
class Measured:
    """One point: what it was computed from, and its figures by phase, in plain JSON types."""

    basis: Basis
    figures: dict[str, Any]
    details: dict[str, Any]


def measure(design: Design, population: Population) -> Measured | None:
    """Compute the figures of all counted answers; None where nothing is to be scored."""
    kind = design.study.kind
    if kind == QuestionKind.BEST_WORST:
        return _best_worst(design, population)
    if kind == QuestionKind.RATING:
        return _ratings(design, population)
    if kind == QuestionKind.LABEL:
        return _labels(design, population)
    return None


def _measured(basis: Basis, phases: list[tuple[dict[str, Any], dict[str, Any]]]) -> Measured:
    return Measured(
        basis,
        {"phases": [figures for figures, _details in phases]},
        {"phases": [details for _figures, details in phases]},
    )


def _growth(n: int, *, n_phases: int = 1) -> float:
    """More answers come to all phases alike."""
    return (n + MORE / n_phases) / n if n else 1.0


def _stepped_up(r: float | None, growth: float) -> float | None:
    """Reliability of `growth` times as many answers [Spearman1910] [Brown1910]."""
    return None if r is None or r <= 0 else growth * r / (1 + (growth - 1) * r)


def _figure(value: float, low: float, high: float, reason: str | None) -> dict[str, Any]:
    return {
        "value": json_number(value),
        "low": json_number(low),
        "high": json_number(high),
        "reason": reason,
    }


def _order(order: scoring.PairOrder, score: FloatArray, pks: list[int]) -> tuple[Any, Any]:
    """What is said of the pairs, and the neighbours whose order is the least sure."""
    unsure = order.certainty < SURE
    figures = {
        "n_pairs": order.n_pairs,
        "sure_share": json_number(order.sure_share),
        "sure_share_then": json_number(order.sure_share_then),
    }
    pairs = [
        [
            pks[a],
            pks[b],
            json_number(float(score[a])),
            json_number(float(score[b])),
            json_number(float(sure)),
        ]
        for (a, b), sure in zip(
            order.neighbours[:MOST_PAIRS].tolist(), order.certainty[:MOST_PAIRS], strict=True
        )
        if sure < SURE
    ]
    return figures, {"pairs": pairs, "n_unsure": int(unsure.sum()), "n_neighbours": len(unsure)}


def _best_worst(design: Design, population: Population) -> Measured:
    read = answers.answers_arrays(design, population)
    given = read.best_worst
    of_halves, of_interval, of_alpha, of_items, of_pairs = np.random.default_rng(
        design.seed
    ).spawn(5)
    _names, pool = number_names(read.table.item_pools)
    halves = scoring.split_half(given, rule="random", n_splits=N_SPLITS, rng=of_halves)
    interval = scoring.half_interval(
        given, pool=pool, n_splits=N_SPLITS_OF_INTERVAL, rng=of_interval
    )
    alpha = scoring.alpha(given, on="joint", coding="slot")
    of_clusters = scoring.alpha_interval(
        given,
        on="joint",
        coding="slot",
        resample="pools" if int(pool.max(initial=0)) + 1 >= FEWEST_POOLS else "tuples",
        pool=pool,
        n_resamples=N_RESAMPLES,
        rng=of_alpha,
    )
    score = scoring.count(given).scores()
    growth = _growth(given.n_judgments)
    order = scoring.pair_order(
        score,
        pool=pool,
        growth=growth,
        resampled=scoring.resampled_scores(given, n_resamples=N_RESAMPLES, rng=of_items),
        rng=of_pairs,
    )
    of_order, pairs = _order(order, score, read.table.item_pks)
    now = json_number(halves.spearman.mean)
    figures = {
        "number": 1,
        "n": given.n_judgments,
        "reliability": _figure(halves.spearman.mean, interval.low, interval.high, halves.reason),
        "then": _stepped_up(now, growth),
        "all": json_number(halves.spearman_brown.value),
        "alpha": _figure(alpha.value, of_clusters.low, of_clusters.high, alpha.reason),
        **of_order,
    }
    return _measured(read.basis, [(figures, {"bars": _bars(score, -1.0, 1.0), **pairs})])


def _ratings(design: Design, population: Population) -> Measured:
    read = rating_answers.read_ratings(design, population)
    low, high = float(read.scale.low), float(read.scale.high)
    return _measured(
        read.basis,
        [
            _rated(
                phase,
                read.items,
                low,
                high,
                n_phases=len(read.phases),
                seed=design.seed,
            )
            for phase in read.phases
        ],
    )


def _rated(
    phase: PhaseRatings, items: ItemTable, low: float, high: float, *, n_phases: int, seed: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    of_alpha, of_pairs = np.random.default_rng(seed).spawn(2)
    main = phase.of_asked(phase.main)
    pks = [items.pks[n] for n in np.flatnonzero(phase.is_asked)]
    pools = rating_answers.drawn_pools(phase, items)
    single = scoring.intraclass_correlation(main, kind="1,1")
    mean = scoring.intraclass_correlation(main, kind="1,k")
    alpha = scoring.rating_alpha(
        main,
        level="interval",
        n_resamples=N_RESAMPLES,
        rng=of_alpha,
        pool=number_names(pools)[1] if pools else None,
    )
    scores = scoring.unit_scores(main)
    growth = _growth(main.n_ratings, n_phases=n_phases)
    order = scoring.pair_order(
        scores.mean,
        # All are on one scale, whichever pool they are from.
        pool=np.zeros(len(pks), dtype=np.int64),
        growth=growth,
        error=_errors(scores),
        rng=of_pairs,
    )
    of_order, pairs = _order(order, scores.mean, pks)
    figures = {
        "number": phase.number,
        "condition": phase.phase.condition,
        "n": main.n_ratings,
        "reliability": _figure(mean.value, mean.low, mean.high, mean.reason),
        "then": _stepped_up(json_number(single.value), growth * mean.k),
        "all": json_number(mean.value),
        "alpha": _figure(alpha.value, alpha.low, alpha.high, alpha.reason),
        **of_order,
    }
    return figures, {"bars": _bars(scores.mean, low, high), **pairs}


def _errors(scores: scoring.UnitScores) -> FloatArray:
    """Standard error of each mean, from how much ratings of one item differ over all items.

    Two ratings of an item alone, which may happen to be equal, would say too little.
    """
    stacked = scores.n >= 2
    freedom = int((scores.n[stacked] - 1).sum())
    if not freedom:
        return np.full(len(scores.n), np.nan)
    within = float(((scores.n[stacked] - 1) * scores.sd[stacked] ** 2).sum()) / freedom
    variance = np.full(len(scores.n), np.nan)
    np.divide(within, scores.n, out=variance, where=scores.n > 0)
    errors: FloatArray = np.sqrt(variance)
    return errors


def _labels(design: Design, population: Population) -> Measured:
    read = label_answers.read_labels(design, population)
    names = list(read.categories.names)
    return _measured(
        read.basis,
        [_labelled(phase, read.items, names, seed=design.seed) for phase in read.phases],
    )


def _labelled(
    phase: PhaseLabels, items: ItemTable, names: list[str], *, seed: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    main = phase.of_asked(phase.main)
    pks = [items.pks[n] for n in np.flatnonzero(phase.is_asked)]
    pools = rating_answers.drawn_pools(phase, items)
    alpha = scoring.label_alpha(
        main,
        distance="nominal",
        n_resamples=N_RESAMPLES,
        rng=np.random.default_rng(seed),
        pool=number_names(pools)[1] if pools else None,
    )
    votes = scoring.count_labels(main).counts
    n = main.answers_per_unit()
    # How far the most chosen category is ahead of the next, as a share of the answers.
    in_order = np.sort(votes, axis=1)
    lead = np.full(len(n), np.nan)
    np.divide(in_order[:, -1] - in_order[:, -2], n, out=lead, where=n >= 2)
    least = [place for place in np.argsort(lead, kind="stable").tolist() if lead[place] < 0.5]
    figures = {
        "number": phase.number,
        "condition": phase.phase.condition,
        "n": main.n_answers,
        "reliability": None,
        "then": None,
        "all": None,
        "alpha": _figure(alpha.value, alpha.low, alpha.high, alpha.reason),
        "n_pairs": 0,
        "sure_share": None,
        "sure_share_then": None,
    }
    details = {
        "categories": [[name, int(of)] for name, of in zip(names, votes.sum(axis=0), strict=True)],
        "undecided": [[pks[place], _chosen(votes[place], names)] for place in least[:MOST_PAIRS]],
        "n_undecided": len(least),
    }
    return figures, details


def _chosen(votes: IntArray, names: list[str]) -> list[tuple[str, int]]:
    """The categories that anybody chose, the most chosen first."""
    return [
        (names[k], int(votes[k])) for k in np.argsort(-votes, kind="stable").tolist() if votes[k]
    ]


def _bars(score: FloatArray, low: float, high: float) -> dict[str, Any]:
    """How many items score in each of equal intervals of the scale."""
    known = score[~np.isnan(score)]
    # Scores are sums of shares: a hair below an edge is on it, and in the bar above; the highest
    # score is in the last bar.
    bar = np.floor((known - low) / (high - low) * N_BARS + 1e-9).astype(np.int64)
    counts = np.bincount(np.minimum(bar, N_BARS - 1), minlength=N_BARS)
    edges = np.linspace(low, high, N_BARS + 1)
    return {"edges": [round(float(edge), 6) for edge in edges], "counts": counts.tolist()}
