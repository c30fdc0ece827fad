"""Multiple choice: a language model picks the candidate most like a dialogue's last turn."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotation.errors import StateError
from annotation.models import Item, Study
from annotation.queries.baseline_pairs import StudyPairs
from annotation.queries.human_scores import HumanScores
from annotation.sentences import sentence as _
from annotation.services.baseline_process import Computed, Progress, converse, read_computed
from scoring.arrays import FloatArray
from scoring.baselines import Specification

MEASURE = "multiple_choice"
_CHUNK = 5000


@dataclass(frozen=True)
class Dialogue:
    """A pool whose candidates are compared with one last turn."""

    key: str
    turns: tuple[str, ...]
    target: str
    # Candidates: places among the study's pairs.
    places: Sequence[int]


def people_of(people: HumanScores | None) -> dict[str, Any] | None:
    """By whose scores a choice is right, as the figures keep it: other ones, other figures."""
    return {**people.source.as_json(), "result": people.result} if people else None


def dialogues_of(study: Study, pairs: StudyPairs) -> list[Dialogue]:
    """The pools in which there is something to choose: two candidates or more for one target.

    Raises StateError where there is none.
    """
    rows = Item.objects.filter(study=study).without_checks().order_by("number")
    of_pool: dict[str, list[int]] = {}
    for place, pool in enumerate(rows.values_list("pool__key", flat=True).iterator(_CHUNK)):
        of_pool.setdefault(pool, []).append(place)
    found = []
    for key, places in of_pool.items():
        asked = {(pairs.pairs[n].first, pairs.pairs[n].first_context) for n in places}
        has_texts = all(pairs.pairs[n].second.strip() for n in places)
        if len(places) < 2 or len(asked) != 1 or not has_texts:
            continue
        [(target, turns)] = asked
        if target.strip():
            found.append(Dialogue(key, turns, target, places))
    if not found:
        raise StateError(
            _(
                "%(study)s has no pool whose candidates are compared with one text, so there is"
                " nothing to choose from."
            )
            % {"study": study.title}
        )
    return found


def compute(
    study: Study,
    specification: Specification,
    pairs: StudyPairs,
    people: HumanScores | None,
    *,
    folder: Path,
    progress: Progress,
) -> Computed:
    """Let the process choose; values of the candidates, and how often it was right.

    Raises StateError without a dialogue, and as `baseline_process.compute` does.
    """
    dialogues = dialogues_of(study, pairs)
    scores = people.scores if people else np.full(len(pairs), np.nan)
    dialogues_file, values_file = folder / "dialogues.jsonl", folder / "values.npy"
    _write(dialogues_file, dialogues, pairs, scores)
    values_file.unlink(missing_ok=True)
    settings = dict(specification.settings)
    done = converse(
        "choose",
        {
            "model": settings.pop("model"),
            "revision": settings.pop("revision"),
            "settings": settings,
            "dialogues": str(dialogues_file),
            "values": str(values_file),
        },
        folder=folder,
        progress=progress,
    )
    places = [place for dialogue in dialogues for place in dialogue.places]
    computed = read_computed(done, values_file, len(places))
    values = np.full(len(pairs), np.nan)
    values[places] = computed.values
    figures = {**computed.figures, "people": people_of(people)}
    return replace(computed, values=values, figures=figures)


def _write(
    path: Path, dialogues: Sequence[Dialogue], pairs: StudyPairs, scores: FloatArray
) -> None:
    with path.open("w", encoding="utf-8") as file:
        for dialogue in dialogues:
            options = [
                {
                    "id": pairs.keys[place],
                    "text": pairs.pairs[place].second,
                    "score": float(scores[place]) if np.isfinite(scores[place]) else None,
                }
                for place in dialogue.places
            ]
            said = {
                "id": dialogue.key,
                "turns": dialogue.turns,
                "target": dialogue.target,
                "options": options,
            }
            file.write(json.dumps(said, ensure_ascii=False) + "\n")
