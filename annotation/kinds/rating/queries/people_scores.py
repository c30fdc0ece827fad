"""Ratings as measures are held against them: scores, noise ceiling, a typical rater."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.kinds.queries.people_scores import (
    RatingRule,
    ScoredItems,
    no_typical_human,
    stored_ceiling,
)
from annotation.kinds.queries.score_reasons import NO_CORRELATIONS
from annotation.kinds.queries.study_facts import chosen_options
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.models import Result, Study
from scoring.baselines.report import TypicalHuman
from scoring.measures.noise_ceiling import NoiseCeiling

LEVEL = 0.05


def scored_items(study: Study, result: Result, number: int | None, by: RatingRule) -> ScoredItems:
    """The means of one phase (the first, unless another is named), rescaled by the scale's ends.

    `by` majority it is the most frequent rating, and an item in which several are the most
    frequent has no score.
    """
    read = read_ratings(result.design, "people")
    place = next(
        (n for n, phase in enumerate(read.phases) if number in (None, phase.number)),
        None,
    )
    if place is None:
        raise StateError(
            _("%(study)s has no phase %(number)s. Choose another phase.")
            % {"study": study.title, "number": number}
        )
    figures = ItemFigures(read)
    low, high = float(read.scale.low), float(read.scale.high)
    ratings = figures.majorities[place] if by == "majority" else figures.scores[place].mean
    rescaled = (ratings - low) / (high - low)
    known = np.flatnonzero(np.isfinite(rescaled))
    scores = {read.items.pks[n]: float(rescaled[n]) for n in known.tolist()}
    n_asked = int(figures.is_asked.sum())
    return ScoredItems(
        result,
        read.phases[place].number,
        scores,
        n_asked - len(scores),
        is_labelled=by == "majority",
    )


def _phase(result: Result, number: int) -> Mapping[str, Any]:
    phases = result.statistics["phases"]
    phase: Mapping[str, Any] = next(phase for phase in phases if phase["number"] == number)
    return phase


def typical_human(result: Result, number: int) -> TypicalHuman:
    """How each rater of a phase correlates with the others."""
    raters = _phase(result, number)["summary"]["raters"]
    correlations = raters["pearson"]
    if correlations["mean"] is None:
        return no_typical_human(raters["reason"] or NO_CORRELATIONS)
    mean, best, worst = correlations["mean"], correlations["best"], correlations["worst"]
    sd = math.nan if correlations["sd"] is None else correlations["sd"]
    return TypicalHuman(mean, sd, best, worst, raters["n_raters"])


def ceiling(result: Result, number: int) -> NoiseCeiling:
    """By the reliability of the means of a phase: ICC(3,k) if everybody rated every item."""
    return stored_ceiling(_phase(result, number)["noise_ceiling"])


def changed_by_context(study: Study) -> set[str] | None:
    """Keys of the items whose ratings context changes, by the test of the latest result.

    None without both conditions.
    """
    read = read_ratings(study.design, "people")
    if read.conditions() is None:
        return None
    test = chosen_options(study.design, "people").test
    is_significant = ItemFigures(read).is_significant(test, LEVEL, corrected=False)
    return {key for key, is_one in zip(read.items.keys, is_significant, strict=True) if is_one}
