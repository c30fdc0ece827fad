"""Stored figures of measures outside the leaderboard: multiple choice, layers of BERTScore."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.baselines.queries.leaderboards import result_of_today
from annotation.models import Baseline, BaselineReport
from scoring.measures.leaderboard import EVERYTHING
from scoring.neural.measures import layer_name

# Names of the figures that `services.within_pools` stores for a part of the items.
RANKINGS = ("precision_at_1", "ndcg", "spearman")
# Tables show the number of pools before these means: a pool in which the measure is constant has
# no correlation.
WITH_POOLS = ("precision_at_1", "spearman")
# Names of the figures of BERTScore that `services.baseline_layers` stores.
LAYERS, BY_OVERLAP = "layers", "layers_by_overlap"


def label_text(label: float) -> str:
    """A label as files and pages write it: 2, or 0.5."""
    return f"{label:g}"


def is_of_earlier_scores(measure: Baseline) -> bool:
    """Whether its figures compare it with scores of people that have changed since."""
    people = measure.figures.get("people")
    if not people or people["source"]["from"] != "result":
        return False
    return bool(people["result"] != result_of_today(measure.study, people["source"]))


def with_current_figures(measures: Iterable[Baseline]) -> list[Baseline]:
    """Measures without the figures that compare them with earlier scores; not to be saved."""
    current = []
    for measure in measures:
        if is_of_earlier_scores(measure):
            measure.figures = measure.figures_without_people
        current.append(measure)
    return current


@dataclass(frozen=True)
class ChoiceRow:
    """How often a model chose right in some dialogues; `part`: number of the report's part."""

    baseline: Baseline
    subset: str
    part: int | None
    figures: Mapping[str, Any]


def choice_rows(measures: Sequence[Baseline], report: BaselineReport | None) -> list[ChoiceRow]:
    """All dialogues, those of each number of turns, then those of each part of the leaderboard."""
    rows = []
    for measure in measures:
        if measure.measure != Baseline.MULTIPLE_CHOICE or "accuracy" not in measure.figures:
            continue
        rows.append(ChoiceRow(measure, EVERYTHING, None, measure.figures))
        rows += [
            ChoiceRow(measure, dialogues_name(name, figures), None, figures)
            for name, figures in measure.figures["by_subset"].items()
        ]
        for number, subset in enumerate(report.figures["subsets"] if report else []):
            rows += [
                ChoiceRow(measure, subset["name"], number, row)
                for row in subset.get("choices", [])
                # The first part are all items; numbers of turns have their rows already.
                if number and row["baseline"] == measure.pk and not _is_of_turns(subset["name"])
            ]
    return rows


def dialogues_name(key: str, share: Mapping[str, Any]) -> str:
    """The name of a group of dialogues; newer figures hold it as a message."""
    # Figures of earlier versions have a key only.
    name: str = share.get("name", key)
    return name


def _is_of_turns(name: str) -> bool:
    return name.startswith("turns: ")


def layer_series(baseline: Baseline) -> dict[str, list[Mapping[str, Any]]]:
    """The figures of each layer of BERTScore by part of the items; empty without any."""
    if LAYERS not in baseline.figures:
        return {}
    return {EVERYTHING: baseline.figures[LAYERS], **baseline.figures.get(BY_OVERLAP, {})}


def name_without_layer(baseline: Baseline) -> str:
    """The name that all layers share: "BERTScore m, idf" for "BERTScore m, layer 2, idf"."""
    layer = layer_name(int(baseline.settings.get("layer", -1)))
    return baseline.name.replace(f", {layer}", "", 1)


def layered(measures: Iterable[Baseline]) -> dict[str, Baseline]:
    """BERTScore by model and other settings: each measure holds the figures of all layers.

    If several measures have the same layers, the one that was computed last.
    """
    in_order = sorted(measures, key=lambda baseline: (baseline.computed_at, baseline.pk))
    return {
        name_without_layer(baseline): baseline for baseline in in_order if layer_series(baseline)
    }
