"""A leaderboard's figures within dialogues: rankings in pools, and multiple choice."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.baselines.queries.human_scores import HumanScores
from annotation.baselines.services import baseline_choices
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from annotation.models import Baseline, Study
from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.choices import share_of
from scoring.decimals import rounded
from scoring.measures.pool_ranking import rank_within_pools


def figures(
    study: Study,
    pairs: StudyPairs,
    people: HumanScores,
    masks: Sequence[BoolArray],
    *,
    decimals: int | None = None,
) -> list[dict[str, Any]]:
    """For each part of the items: {"within_pools": [...], "choices": [...]}, a row for a measure.

    Likelihoods of multiple choice are among the measures: they compare within a dialogue. Both
    lists are empty where no two items share a pool, or all of them do.
    """
    sizes = Counter(pairs.pools)
    measures = list(study.baselines.filter(digest=pairs.digest).order_by("pk"))
    if len(sizes) < 2 or max(sizes.values()) < 2:
        return [{"within_pools": [], "choices": []} for _mask in masks]
    scores = people.scores
    lowest = float(np.nanmin(scores)) if np.isfinite(scores).any() else 0.0
    rounded_values = [(measure, rounded(measure.array, decimals)) for measure in measures]
    chosen = [measure for measure in measures if _has_choices(measure, people)]
    return [
        {
            "within_pools": [
                {**_named(measure), **_ranking(values, pairs, people, mask, lowest)}
                for measure, values in rounded_values
            ],
            "choices": [{**_named(measure), **_share(measure, pairs, mask)} for measure in chosen],
        }
        for mask in masks
    ]


def _named(baseline: Baseline) -> dict[str, Any]:
    return {"baseline": baseline.pk, "measure": baseline.name}


def _ranking(
    values: FloatArray, pairs: StudyPairs, people: HumanScores, mask: BoolArray, lowest: float
) -> Mapping[str, Any]:
    pools = [pool for pool, is_in in zip(pairs.pools, mask, strict=True) if is_in]
    return rank_within_pools(people.scores[mask], values[mask], pools, lowest=lowest).as_dict()


def _has_choices(baseline: Baseline, people: HumanScores) -> bool:
    """Whether a model's choices were counted beside these scores."""
    return (
        baseline.measure == baseline_choices.MEASURE
        and people.are_those_of(baseline.figures.get("people"))
        and "dialogues" in baseline.figures
    )


def _share(baseline: Baseline, pairs: StudyPairs, mask: BoolArray) -> Mapping[str, Any]:
    """How often the choice was right in the dialogues that are wholly of this part."""
    is_in = [bool(mask[list(items)].all()) for items in baseline_choices.dialogues(pairs).values()]
    of_dialogues = baseline.figures["dialogues"]
    right, chance = (
        np.array(of_dialogues[name], dtype=np.float64)[is_in] for name in ("right", "chance")
    )
    return share_of(right, chance).as_dict()
