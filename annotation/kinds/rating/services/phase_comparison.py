"""What a rating study says across its phases: the effect of context, and who waited how long."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

import scoring
from annotation.basics.scale import Scale
from annotation.core.queries.counted_answers import Population
from annotation.kinds.rating.queries import phases as rating_phases
from annotation.kinds.rating.queries.answers import (
    ItemTable,
    PhaseRatings,
    RatingAnswers,
    only_units,
)
from annotation.kinds.rating.queries.items import ItemFigures, asked_in_either, context_effects
from annotation.kinds.scoring_options import ScoringOptions
from annotation.kinds.services.results import without
from annotation.models import Design
from scoring import ContextEffects
from scoring.arrays import BoolArray, FloatArray
from scoring.groups import settled
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.ratings.context_effects import TTest
from scoring.ratings.selection_summary import rating_moments
from shell.messages import Message
from shell.messages import message as _

LEVEL = 0.05
TESTS: tuple[TTest, ...] = ("pooled", "paired")
LIMITS = (1.0, 2.0)
# The phases whose scores are correlated with the first round.
PHASES = ("free", "dependent")
N_SUBSETS = 1000
# Two items always lie on a line: their correlation is 1 or -1, whatever they are.
MIN_CORRELATED_ITEMS = 3
# Widths of a bar of the waiting times, in hours: minutes to a fortnight.
_WIDTHS = (1 / 60, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 168.0, 336.0)
_MAX_BARS = 24
GAIN_WIDTH = 0.25
_OF_EACH_PAIR = (
    "gain",
    "t",
    "df",
    "p",
    "p_adjusted",
    "n_free",
    "n_dependent",
    "reasons",
)


def across_phases(
    design: Design, read: RatingAnswers, population: Population, options: ScoringOptions
) -> dict[str, Any]:
    """All that needs two phases; each part says why it is not there."""
    pair = read.conditions()
    filters = _filters(read, pair)
    comparison: dict[str, Any] = {
        "context": {"reason": _("the design lacks a phase without context or a phase in context")},
        "diagonal": filters["figures"],
        "selected": [],
        "waiting": _waiting(design, population),
    }
    if pair is None:
        return comparison
    free, dependent = pair
    effects = {
        test: context_effects(free, dependent, test=test, level=LEVEL, margin=options.margin)
        for test in TESTS
    }
    score_gain = effects["pooled"].gain
    comparison["context"] = {
        "reason": None,
        # Selects the items of plots, of test files and of other studies' tables.
        "main_test": ItemFigures(read).used_test(options.test),
        "is_chosen": options.test != "auto",
        "margin": options.margin,
        "free": free.number,
        "dependent": dependent.number,
        "n_people_of_both": len(
            np.intersect1d(free.main.annotator, dependent.main.annotator, assume_unique=False)
        ),
        "tests": {
            test: _aggregated(effect, score_gain, width=_bar_width(read.scale))
            for test, effect in effects.items()
        },
    }
    selections = {
        **filters["kept"],
        **{
            f"significant_{test}": np.nan_to_num(effect.p, nan=1.0) < LEVEL
            for test, effect in effects.items()
        },
    }
    comparison["selected"] = _selected(free, dependent, read.items, selections, seed=design.seed)
    return comparison


def _bar_width(scale: Scale) -> float:
    """A quarter of a point, as the Czech study draws gains, unless that makes too many bars."""
    extent = float(scale.high - scale.low)
    return GAIN_WIDTH if extent <= 2 * _MAX_BARS * GAIN_WIDTH else extent / _MAX_BARS


def _aggregated(
    effects: ContextEffects, score_gain: FloatArray, *, width: float
) -> dict[str, Any]:
    figures: dict[str, Any] = {
        k: v for k, v in effects.as_dict().items() if k not in _OF_EACH_PAIR
    }
    figures["gains"] = _gains(effects.gains(), width)
    is_significant = np.nan_to_num(effects.p, nan=1.0) < effects.level
    figures["significant_gains"] = _gains(scoring.Gains(score_gain[is_significant]), width)
    if effects.equivalence:
        figures["equivalence"] = without(
            effects.equivalence.as_dict(), "p", "p_adjusted", "outcomes"
        )
    untested: dict[Message, int] = {}
    for reason in filter(None, effects.reasons):
        untested[reason] = untested.get(reason, 0) + 1
    return {**figures, "untested": [{"reason": r, "n": n} for r, n in untested.items()]}


def _gains(gains: scoring.Gains, width: float) -> dict[str, Any]:
    edges, counts = gains.histogram(width)
    histogram = {"edges": json_numbers(edges), "counts": counts.tolist()}
    return {**gains.as_dict(), "histogram": histogram}


def expected_of_classes(scale: Scale) -> dict[str, float]:
    """What each intended class leads to expect: the ends of the scale, and its middle."""
    low, high = float(scale.low), float(scale.high)
    return {"similar": high, "middle": (low + high) / 2, "dissimilar": low}


def _filters(
    read: RatingAnswers, pair: tuple[PhaseRatings, PhaseRatings] | None
) -> dict[str, Any]:
    """The diagonal filters of the first round's ratings: figures, and which items they keep."""
    items, expected = read.items, expected_of_classes(read.scale)
    phases = pair or tuple(read.phases)
    is_asked = np.zeros(len(items.pks), dtype=np.bool_)
    for phase in phases:
        is_asked |= phase.is_asked
    has_class = np.array([name in expected for name in items.classes], dtype=np.bool_)
    is_filtered = is_asked & has_class & ~np.isnan(items.first)
    figures: dict[str, Any] = {
        "expected": expected,
        "n_left_out": int((is_asked & ~is_filtered).sum()),
        "limits": [],
        "reason": None,
    }
    if not is_filtered.any():
        figures["reason"] = _(
            "no item has an earlier rating and a class (similar, middle or dissimilar)"
        )
        return {"figures": figures, "kept": {}}
    selections: dict[str, BoolArray] = {}
    for limit in LIMITS:
        limited = scoring.diagonal_filter(
            items.first[is_filtered],
            [items.classes[n] for n in np.flatnonzero(is_filtered)],
            limit=limit,
            expected=expected,
        )
        figures["limits"].append(limited.as_dict())
        of_all = is_filtered.copy()
        of_all[is_filtered] = limited.is_kept
        selections[f"N{limit:g}"] = of_all[is_asked]
    return {"figures": figures, "kept": selections}


def _selected(
    free: PhaseRatings,
    dependent: PhaseRatings,
    items: ItemTable,
    selections: dict[str, BoolArray],
    *,
    seed: int,
) -> list[dict[str, Any]]:
    """Correlations of the first round and both phases over all items and each selection of them.

    Each selection stands beside random ones of as many items.
    """
    is_asked = asked_in_either(free, dependent)
    scores = {
        "first": items.first[is_asked],
        "free": _means(only_units(free.main, is_asked)),
        "dependent": _means(only_units(dependent.main, is_asked)),
    }
    # Each selection has its own child of the seed, so that another one changes none of them.
    children = iter(np.random.default_rng(seed).spawn(len(selections)))
    rows = [_correlations("all", scores, np.ones(int(is_asked.sum()), dtype=np.bool_))]
    for name, is_selected in selections.items():
        row = _correlations(name, scores, is_selected)
        rng = next(children)
        if row["n"] >= MIN_CORRELATED_ITEMS:
            row["control"] = _control(scores, "free", "dependent", is_selected, rng)
        for side in PHASES:
            of_first = row[f"first_x_{side}"]
            if of_first["n"] >= MIN_CORRELATED_ITEMS:
                of_first["control"] = _control(scores, "first", side, is_selected, rng)
        rows.append(row)
    return rows


def _means(ratings: scoring.Ratings) -> FloatArray:
    """The scores, of which equal ones have equal ranks."""
    return settled(scoring.unit_scores(ratings).mean, ratings.value)


def _control(
    scores: Mapping[str, FloatArray],
    variable: str,
    other: str,
    is_selected: BoolArray,
    rng: np.random.Generator,
) -> JsonObject:
    return scoring.random_subset_control(
        scores[variable], scores[other], is_selected, n_subsets=N_SUBSETS, rng=rng
    ).as_dict()


def _correlations(
    name: str, scores: Mapping[str, FloatArray], is_selected: BoolArray
) -> dict[str, Any]:
    first, free, dependent = (scores[side] for side in ("first", *PHASES))
    is_complete = is_selected & ~(np.isnan(free) | np.isnan(dependent))
    x, y, earlier = free[is_complete], dependent[is_complete], first[is_complete]
    reason = scoring.why_undefined(x, y)
    if len(x) < MIN_CORRELATED_ITEMS:
        reason = _("fewer than three items have a score in both phases")
    partial: dict[str, Any] = scoring.partial_correlation(x, y, earlier).as_dict()
    if np.isnan(earlier).all():
        partial["reason"] = _("no item has an earlier rating")
    return {
        "name": name,
        "n": len(x),
        "pearson": None if reason else json_number(float(scoring.pearson(x, y))),
        "spearman": None if reason else json_number(float(scoring.spearman(x, y))),
        "reason": reason,
        "partial": partial,
        "control": None,
        **{
            f"first_x_{side}": _with_first(first[is_selected], scores[side][is_selected])
            for side in PHASES
        },
        "moments": {
            side: rating_moments(values[is_selected]).as_dict() for side, values in scores.items()
        },
    }


def _with_first(first: FloatArray, scores: FloatArray) -> dict[str, Any]:
    """Correlation of the first round's ratings with a phase's scores."""
    is_complete = ~(np.isnan(first) | np.isnan(scores))
    x, y = first[is_complete], scores[is_complete]
    reason = scoring.why_undefined(x, y)
    if len(x) < MIN_CORRELATED_ITEMS:
        reason = _("fewer than three items have both a score and an earlier rating")
    if np.isnan(first).all():
        reason = _("no item has an earlier rating")
    return {
        "n": len(x),
        "pearson": None if reason else json_number(float(scoring.pearson(x, y))),
        "spearman": None if reason else json_number(float(scoring.spearman(x, y))),
        "reason": reason,
        "control": None,
    }


def _waiting(design: Design, population: Population) -> list[dict[str, Any]]:
    """Distribution of the hours between each phase and the one before it."""
    delays = {
        phase.number: None if phase.delay is None else phase.delay.total_seconds() / 3600
        for phase in design.phases.all()
    }
    pauses = rating_phases.counted_pauses(design, population)
    numbers = sorted(delays)
    return [
        {
            "from": before,
            "to": number,
            "delay_hours": delays[number],
            **distribution(np.array(pauses[number].hours if number in pauses else [])),
        }
        for before, number in pairwise(numbers)
    ]


def distribution(hours: FloatArray) -> JsonObject:
    """Quantiles and histogram of some waiting times, shape (n,)."""
    figures = scoring.WaitingTimes(hours).as_dict()
    figures.pop("hours")
    edges, counts = _histogram(hours)
    return {
        **figures,
        "definition": rating_phases.WAITING,
        "reason": None if len(hours) else _("nobody has completed both phases yet"),
        "histogram": {"edges": json_numbers(edges), "counts": [*counts]},
    }


def _histogram(hours: FloatArray) -> tuple[FloatArray, list[int]]:
    """Bars of a width that people know; one at an end belongs to the bar above it."""
    if not len(hours):
        return np.empty(0), []
    width = next(
        (w for w in _WIDTHS if _n_bars(hours, w) <= _MAX_BARS),
        float(np.ceil(np.ptp(hours) / _MAX_BARS)),
    )
    bars = np.floor(hours / width).astype(np.int64)
    counts = np.bincount(bars - bars.min())
    return (np.arange(len(counts) + 1) + bars.min()) * width, counts.tolist()


def _n_bars(hours: FloatArray, width: float) -> int:
    return int(np.floor(hours.max() / width) - np.floor(hours.min() / width)) + 1
