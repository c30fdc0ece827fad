"""Multiple choice: which candidate does a language model find most like the last turn?

Values are log-likelihoods, by which the candidates of one dialogue can be compared; figures say
how often the likeliest is the one that people scored highest.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from annotation.errors import StateError
from annotation.imports.entries import ONE_POOL
from annotation.models import Baseline, Study
from annotation.queries.baseline_pairs import StudyPairs
from annotation.queries.human_scores import HumanScores
from annotation.sentences import sentence as _
from annotation.services.baseline_process import Computed, Progress, computed, converse
from scoring.arrays import FloatArray
from scoring.baselines import Specification
from scoring.neural.measures import check
from scoring.neural.prompts import LANGUAGES

MEASURE = "multiple_choice"
# Beside the settings of the question.
_OF_MODEL = ("model", "revision")


def checked(one: Specification, study: Study) -> Specification:
    """With all its settings; the language is the study's, unless it is named.

    Raises ValueError for a setting that there is not.
    """
    given = dict(one.settings)
    language = study.language.partition("-")[0]
    if language in LANGUAGES:
        given.setdefault("language", language)
    return check(Specification(MEASURE, given))


def choose(
    specification: Specification,
    pairs: StudyPairs,
    people: HumanScores | None,
    *,
    folder: Path,
    progress: Progress,
) -> Computed:
    """Let the process ask a language model; raises as `baseline_process.compute` does.

    Raises StateError where the study has no dialogues with candidates.
    """
    pools = _pools(pairs)
    scores = np.full(len(pairs), np.nan) if people is None else people.scores
    dialogues_file, values_file = folder / "dialogues.jsonl", folder / "values.npy"
    values_file.unlink(missing_ok=True)
    with dialogues_file.open("w", encoding="utf-8") as file:
        for name, members in pools.items():
            said = _dialogue(name, members, pairs, scores)
            file.write(json.dumps(said, ensure_ascii=False) + "\n")
    settings = dict(specification.settings)
    of_model = {name: settings.pop(name) for name in _OF_MODEL}
    done = converse(
        "choose",
        {
            **of_model,
            "settings": settings,
            "dialogues": str(dialogues_file),
            "values": str(values_file),
        },
        folder=folder,
        progress=progress,
    )
    order = [n for members in pools.values() for n in members]
    found = computed(done, values_file, len(order))
    values = np.full(len(pairs), np.nan)
    values[order] = found.values
    figures = {**found.figures, "people": _people(people)}
    return replace(found, values=values, figures=figures)


def is_of_today(baseline: Baseline, people: HumanScores | None) -> bool:
    """Whether its figures were computed beside people's scores as they are now."""
    return bool(baseline.figures.get("people") == _people(people))


def _people(people: HumanScores | None) -> dict[str, Any] | None:
    if people is None:
        return None
    digest = hashlib.sha256(Baseline.packed(people.scores)).hexdigest()
    return {"source": people.source.as_json(), "name": people.name, "digest": digest}


def _pools(pairs: StudyPairs) -> Mapping[str, Sequence[int]]:
    """The items of each dialogue, in their order."""
    pools: dict[str, list[int]] = {}
    for n, pool in enumerate(pairs.pools):
        pools.setdefault(pool, []).append(n)
    for name, members in pools.items():
        targets = {(pairs.pairs[n].first, pairs.pairs[n].first_context) for n in members}
        if name == ONE_POOL or len(targets) > 1 or len(members) < 2:
            raise StateError(
                _(
                    "Multiple choice needs dialogues with several candidates for their last turn,"
                    " and %(pool)s is none."
                )
                % {"pool": name}
            )
    return pools


def _dialogue(
    name: str, members: Sequence[int], pairs: StudyPairs, scores: FloatArray
) -> dict[str, Any]:
    first = pairs.pairs[members[0]]
    return {
        "id": name,
        "turns": first.first_context,
        "target": first.first,
        "options": [
            {
                "id": pairs.keys[n],
                "text": pairs.pairs[n].second,
                "score": None if np.isnan(scores[n]) else float(scores[n]),
            }
            for n in members
        ],
    }
