"""BERTScore with the correlation of every layer, as in Figure 3 of [SAS].

All layers are computed at once. The values are those of the layer that was asked for; of every
layer the correlation with people's scores is kept.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from annotation.queries.baseline_pairs import StudyPairs
from annotation.queries.human_scores import HumanScores
from annotation.services.baseline_process import Computed, Progress, compute, read_array
from scoring import why_undefined
from scoring.arrays import FloatArray
from scoring.baselines import Specification
from scoring.comparison import coefficient_and_p
from scoring.json_values import json_number
from scoring.weighted_correlation import Coefficient

MEASURE = "bertscore"


def score(
    specification: Specification,
    pairs: StudyPairs,
    people: HumanScores | None,
    *,
    folder: Path,
    progress: Progress,
) -> Computed:
    """As `baseline_process.compute`, and its figures have "layers" where people scored."""
    layers_file = folder / "layers.npy"
    layers_file.unlink(missing_ok=True)
    found = compute(
        specification, pairs.pairs, folder=folder, progress=progress, layers=str(layers_file)
    )
    figures: dict[str, Any] = {**found.figures, "people": None}
    if people is not None:
        layers = read_array(layers_file, (len(pairs), None))
        figures["people"] = people.identity
        # Layer 0 are the embeddings.
        figures["layers"] = [
            {"layer": number, **_beside(people.scores, values)}
            for number, values in enumerate(layers.T)
        ]
    return replace(found, figures=figures)


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
