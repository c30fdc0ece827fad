"""What models of annotators say of the labels of a phase, beside the most frequent answers."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import scoring
from annotation.basics.cells import Cell
from annotation.kinds.label.queries.answers import LabelAnswers, PhaseLabels
from scoring import LabelCounts, LabelModel
from scoring.arrays import FloatArray
from scoring.json_values import json_number
from scoring.labels.annotator_models.model import differs

# In files: further ones tell rounding from machine to machine.
N_DECIMALS = 4

Models = Mapping[str, LabelModel]


def figures(models: Models, counts: LabelCounts) -> dict[str, dict[str, Any]]:
    """What a result stores of each model, by its name: nothing of single items and people."""
    return {name: _figures(model, counts) for name, model in models.items()}


def _figures(model: LabelModel, counts: LabelCounts) -> dict[str, Any]:
    has_label = model.label >= 0
    ability = model.ability[np.isfinite(model.ability)]
    return {
        "definition": model.definition,
        "reason": model.reason,
        "n_labels": int(has_label.sum()),
        "n_different": int(differs(model, counts).sum()),
        "n_of_tied": int((has_label & ~counts.has_label).sum()),
        "n_people": len(ability),
        "ability_median": json_number(float(np.median(ability)) if len(ability) else np.nan),
        "n_rounds": model.n_rounds,
    }


class SoftLabel(NamedTuple):
    """How probable the categories of an item are, by its answers and by each model."""

    item: str
    phase_number: int
    condition: str
    n: int
    shares: list[Cell]
    # By model: of each category; None where there is no model.
    posteriors: dict[str, list[Cell]]
    # By model: the most probable category; empty where two tie.
    labels: dict[str, str]


def soft_labels(read: LabelAnswers, models: Mapping[int, Models]) -> Iterator[SoftLabel]:
    """Every answered item of every phase; `models` are those of each phase, by its number."""
    for phase in read.phases:
        counts = scoring.count_labels(phase.main)
        for place in np.flatnonzero(counts.n).tolist():
            of_phase = models[phase.number]
            yield SoftLabel(
                item=read.items.keys[place],
                phase_number=phase.number,
                condition=phase.phase.condition,
                n=int(counts.n[place]),
                shares=_cells(counts.counts[place] / counts.n[place]),
                posteriors={name: _cells(m.posterior[place]) for name, m in of_phase.items()},
                labels={name: _label(read, m, place) for name, m in of_phase.items()},
            )


def of_phases(read: LabelAnswers) -> dict[int, Models]:
    """The models of each phase, by its number."""
    return {phase.number: of_phase(phase) for phase in read.phases}


def of_phase(phase: PhaseLabels) -> Models:
    return scoring.label_models(phase.main)


def _label(read: LabelAnswers, model: LabelModel, place: int) -> str:
    number = int(model.label[place])
    return read.categories.names[number] if number >= 0 else ""


def _cells(values: FloatArray) -> list[Cell]:
    return [round(v, N_DECIMALS) if np.isfinite(v) else None for v in values.tolist()]
