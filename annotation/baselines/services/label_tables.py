"""A leaderboard's figures about labels: their frequencies, and each measure by label."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.baselines.queries.human_scores import HumanScores
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.labelled_pairs import (
    describe_labelled_pairs,
    label_values,
    values_by_label,
)
from scoring.baselines.lexical import lexical_values


def figures(
    pairs: StudyPairs,
    people: HumanScores,
    measures: Mapping[str, FloatArray],
    masks: Sequence[BoolArray],
) -> list[dict[str, Any]]:
    """For each part of the items: {"labelled_pairs": {...} or None, "by_label": [...]}.

    Only where people's scores are labels. What measures say is of the first part alone, all items.
    """
    if people.labels is None:
        return [{"labelled_pairs": None, "by_label": []} for _mask in masks]
    described = describe_labelled_pairs(
        pairs.pairs,
        people.labels,
        lexical_values("squad_f1", pairs.pairs),
        {str(number): mask for number, mask in enumerate(masks)},
    )
    tables: list[dict[str, Any]] = [
        {"labelled_pairs": table.as_dict(), "by_label": []} for table in described.values()
    ]
    values = label_values(people.labels)
    tables[0]["by_label"] = [
        {"measure": name, **row.as_dict()}
        for name, array in measures.items()
        for row in values_by_label(array[masks[0]], people.labels[masks[0]], values=values)
    ]
    return tables
