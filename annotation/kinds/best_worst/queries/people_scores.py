"""Best-worst scores as measures are held against them, with their noise ceiling."""

import math

from annotation.kinds.queries.people_scores import ScoredItems, stored_ceiling
from annotation.kinds.queries.score_reasons import NO_SPLIT_HALF
from annotation.models import Result
from scoring.measures.noise_ceiling import NoiseCeiling


def scored_items(result: Result) -> ScoredItems:
    """Best-worst scores, rescaled as (score + 1) / 2."""
    rows = list(result.item_scores.values_list("item_id", "score"))
    scores = {item: (score + 1) / 2 for item, score in rows if score is not None}
    return ScoredItems(result, None, scores, len(rows) - len(scores))


def ceiling(result: Result) -> NoiseCeiling:
    """Within pools if there are several, as stored; else by the split-half reliability."""
    if within := result.statistics["noise_ceiling"]:
        return stored_ceiling(within)
    halves = result.statistics["overall"]["split_half"]
    # Best-worst answers are split by several rules, orders by one. By this one each tuple counts
    # alike in both halves, so that complete agreement is 1.
    stepped_up = halves.get("balanced", halves)["spearman_brown"]
    value = stepped_up["value"]
    if value is None:
        reason = stepped_up["reason"] or NO_SPLIT_HALF
        return NoiseCeiling(math.nan, math.nan, "split-half", reason)
    return NoiseCeiling(math.sqrt(value), value, "split-half")
