"""BERTScore with the correlation of every layer, by overlap of the words, as in Figure 3 of [SAS].

All layers are computed at once. The values are those of the layer that was asked for; of every
layer the correlation with people's scores is kept, over all items and by what the texts share.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from annotation.baselines.queries.human_scores import HumanScores
from annotation.core.services import trained_models
from annotation.core.services.model_process import Computed, Progress, compute, read_array
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from scoring import why_undefined
from scoring.arrays import BoolArray, FloatArray
from scoring.baselines import Specification, subsets
from scoring.baselines.lexical import lexical_values
from scoring.json_values import json_number
from scoring.measures.comparison import coefficient_and_p
from scoring.measures.weighted_correlation import Coefficient

MEASURE = "bertscore"
# Name of the figures of each layer by what the texts share.
BY_OVERLAP = "layers_by_overlap"


def score(
    specification: Specification,
    pairs: StudyPairs,
    people: HumanScores | None,
    *,
    folder: Path,
    progress: Progress,
) -> Computed:
    """Like `model_process.compute`, with figures of each layer if there are scores from people."""
    layers_file = folder / "layers.npy"
    layers_file.unlink(missing_ok=True)
    result = compute(
        specification, pairs.pairs, folder=folder, progress=progress, layers=str(layers_file)
    )
    figures: dict[str, Any] = {**result.figures, "people": None}
    if people is not None:
        layers = read_array(layers_file, (len(pairs), None))
        figures["people"] = people.identity
        # Layer 0 holds the embeddings. Pairs that the model was trained on count in no layer.
        model = str(specification.settings.get("model", ""))
        is_new = ~trained_models.is_trained_on(model, pairs.pairs)
        figures["layers"] = _of_layers(people.scores, layers, is_new)
        figures[BY_OVERLAP] = {
            name: _of_layers(people.scores, layers, is_new & mask)
            for name, mask in _overlaps(pairs).items()
        }
    return replace(result, figures=figures)


def _overlaps(pairs: StudyPairs) -> dict[str, BoolArray]:
    """The items by what their texts share, as the leaderboard divides them."""
    return {
        **subsets.by_f1_zero(lexical_values("squad_f1", pairs.pairs)),
        **subsets.by_word_overlap(pairs.pairs),
    }


def _of_layers(people: FloatArray, layers: FloatArray, mask: BoolArray) -> list[dict[str, Any]]:
    return [
        {"layer": number, **_beside(people[mask], values[mask])}
        for number, values in enumerate(layers.T)
    ]


def _beside(people: FloatArray, values: FloatArray) -> dict[str, Any]:
    has_both = np.isfinite(people) & np.isfinite(values)
    x, y = people[has_both], values[has_both]
    reason = why_undefined(x, y)
    return {
        "n": len(x),
        "reason": reason,
        **{
            name: None if reason else json_number(coefficient_and_p(x, y, name)[0])
            for name in get_args(Coefficient)
        },
    }
