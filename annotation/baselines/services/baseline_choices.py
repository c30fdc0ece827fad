"""Multiple choice: which candidate does a language model find most like the last turn?

Values are log-likelihoods, by which the candidates of one dialogue can be compared; figures say
how often the likeliest is the one that people scored highest.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotation.baselines.queries.human_scores import HumanScores
from annotation.basics.errors import StateError
from annotation.basics.sentences import translated
from annotation.core.services.model_process import Computed, Progress, computed, converse
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from annotation.models import Baseline, Study
from annotation.models.items import ONE_POOL
from scoring.arrays import FloatArray
from scoring.baselines import Specification
from scoring.neural.choice_settings import ChoiceSettings
from scoring.neural.measure_options import MODEL, REVISION, Measure, Option
from scoring.neural.models import MAX_NAME_LENGTH
from scoring.neural.prompts import LANGUAGES
from scoring.neural.refusals import RequestError
from shell.messages import message as _

MEASURE = Baseline.MULTIPLE_CHOICE
# A description like those of `scoring.neural.measures`.
QUESTION = Measure(
    MEASURE,
    _("Multiple choice"),
    _(
        "A causal language model is asked which candidate is closest in meaning to the last "
        "turn [GiCCS]. The value is the log-likelihood of the candidate, averaged over shuffles "
        "of the candidates. Values are comparable only within one dialogue. Accuracy is how "
        "often the likeliest candidate is the best one."
    ),
    (
        MODEL,
        REVISION,
        Option(
            "language",
            _("Language"),
            _("Language of the built-in prompt. By default, the language of the study."),
            "choice",
            "",
            {
                "": _("The study's language."),
                "de": _("German."),
                "en": _("English."),
                "cs": _("Czech."),
            },
        ),
        Option(
            "style",
            _("Style"),
            _("How the prompt lists turns and candidates."),
            "choice",
            "plain",
            {
                "plain": _(
                    "Turns unchanged; candidates after a dash, or after A) if the answer is a "
                    "letter."
                ),
                "giccs": _(
                    "As in Figure 2 of GiCCS: turns numbered 1., 2.; candidates after A., B."
                ),
            },
        ),
        Option(
            "template",
            _("Template"),
            _(
                "Your own prompt with {dialogue}, {target} and {options}. Leave empty for the "
                "built-in one."
            ),
            "text",
            "",
        ),
        Option(
            "answer",
            _("Answer"),
            _("What the model answers with."),
            "choice",
            "text",
            {"text": _("The candidate's text."), "letter": _("The letter before it.")},
        ),
        Option(
            "likelihood",
            _("Likelihood"),
            _("How the likelihoods of several tokens are combined."),
            "choice",
            "per_token",
            {"per_token": _("The mean over the tokens."), "sum": _("The sum over the tokens.")},
        ),
        Option(
            "with_dialogue",
            _("With the dialogue"),
            _("Whether the model sees the turns before the last one."),
            "flag",
            default=True,
        ),
        Option(
            "shuffles",
            _("Shuffles"),
            _("Number of random orders of the candidates."),
            "count",
            5,
            lowest=1,
        ),
        Option("seed", _("Seed"), _("Determines the random orders."), "count", 1),
    ),
    compares_over_items=False,
)
# The settings of the model; all others are settings of the question.
_OF_MODEL = ("model", "revision")


def checked(specification: Specification, study: Study) -> Specification:
    """The specification with all its settings; the default language is that of the study.

    Raises RequestError for unknown settings.
    """
    given = dict(specification.settings)
    model = given.pop("model", "")
    revision = given.pop("revision", "")
    if not isinstance(model, str) or not 0 < len(model) <= MAX_NAME_LENGTH:
        raise RequestError(_("multiple choice needs the setting 'model'"))
    if not isinstance(revision, str) or len(revision) > MAX_NAME_LENGTH:
        raise RequestError(_("the setting 'revision' of multiple choice must be a text"))
    language = study.language.partition("-")[0]
    if not given.get("language"):
        given["language"] = language if language in LANGUAGES else ChoiceSettings.language
    settings = asdict(ChoiceSettings.of_json(given))
    return Specification(MEASURE, {"model": model, "revision": revision, **settings})


def named(specification: Specification) -> str:
    """The name of the measure in tables, with the settings that `checked` filled in."""
    settings = specification.settings
    parts = [f"Multiple choice {settings['model']}"]
    if settings["style"] == "giccs":
        parts.append("GiCCS prompt")
    if settings["answer"] == "letter":
        parts.append("letters")
    else:
        parts.append("per token" if settings["likelihood"] == "per_token" else "sum")
    parts.append("with dialogue" if settings["with_dialogue"] else "without dialogue")
    usual = ChoiceSettings()
    parts += [
        f"{name} {settings[name]}"
        for name in ("shuffles", "seed")
        if settings[name] != getattr(usual, name)
    ]
    if settings["template"]:
        parts.append("own template")
    return ", ".join(parts)


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
    pools = dialogues(pairs)
    scores = np.full(len(pairs), np.nan) if people is None else people.scores
    dialogues_file, values_file = folder / "dialogues.jsonl", folder / "values.npy"
    values_file.unlink(missing_ok=True)
    with dialogues_file.open("w", encoding="utf-8") as file:
        for name, members in pools.items():
            dialogue = _dialogue(name, members, pairs, scores)
            file.write(json.dumps(dialogue, ensure_ascii=False) + "\n")
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
    result = computed(done, values_file, len(order))
    values = np.full(len(pairs), np.nan)
    values[order] = result.values
    figures = {**result.figures, "people": people.identity if people else None}
    return replace(result, values=values, figures=figures)


def dialogues(pairs: StudyPairs) -> Mapping[str, Sequence[int]]:
    """The items of each dialogue, in their order.

    Raises StateError where the study has no dialogues with candidates.
    """
    pools: dict[str, list[int]] = {}
    for n, pool in enumerate(pairs.pools):
        pools.setdefault(pool, []).append(n)
    for name, members in pools.items():
        targets = {(pairs.pairs[n].first, pairs.pairs[n].first_context) for n in members}
        if name == ONE_POOL or len(targets) > 1 or len(members) < 2:
            raise StateError(
                translated(
                    _(
                        "Multiple choice needs dialogues with several candidates for the last "
                        "turn. %(pool)s is not one.",
                        pool=name,
                    )
                )
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
