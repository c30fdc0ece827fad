"""`python -m scoring.neural train` and `label`: models of one's own."""

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scoring.baselines import Specification
from scoring.baselines.runs import RunFigures, evaluations_over_runs
from scoring.json_values import JsonObject
from scoring.neural import cross_encoder, packages
from scoring.neural.commands import Command
from scoring.neural.lines import json_lines, text_of, whole_number, write_json_lines
from scoring.neural.measures import check
from scoring.neural.models import find
from scoring.neural.refusals import check_choice
from scoring.neural.requests import path_of, read_pairs
from scoring.neural.searching import Search, Trial, search, split, trial_of
from scoring.neural.trainees import KINDS, LOSSES
from scoring.neural.training import MODEL, Pairs, Start, check_scores, part, train_run, train_runs
from scoring.neural.training_settings import DivergedError, TrainingSettings
from scoring.neural.workplace import BATCH_SIZE, Say, Workplace
from shell import InputError
from shell.messages import Message
from shell.messages import message as _

TRAIN = """\
Train a model on pairs of texts with scores from 0 to 1, and test it.

REQUEST.json holds one object:
  kind       "bi_encoder" (two towers) or "cross_encoder"
  model      the base model: a folder below the folder of models, or a name on
             the hub
  revision   (optional) the revision that it must have
  train      a file of JSON Lines, {"first": "...", "second": "...", "score":
             0.4}, or a list of such files, such as people's pairs and pairs from
             `label` (Augmented SBERT)
  tests      files of the same kind by name: {"free": "...", "dependent": "..."};
             their scores can have any scale
  settings   epochs, batch_size, learning_rate, warmup (share of the steps),
             weight_decay, seed, runs, max_length, loss ("bce" or "mse", for a
             cross-encoder), checkpoint_steps
  search     (optional) {"trials": 5, "space": {"epochs": [1, 2], "warmup":
             {"low": 0, "high": 0.2}, "learning_rate": {"low": 1e-5, "high": 1e-4,
             "log": true}}, "validation": 0.1, "metric": "pearson"}: settings that
             Optuna tries first, judged by a share of the training pairs
  folder     the folder of the runs and their models, seed-N/model; models below
             the folder of models can be used like any other
  store      a folder for digests
  models     the folder of models; "" if there is none

The figures in the last line are Pearson's and Spearman's coefficient in each
test: mean over runs, standard deviation (n - 1), and each run. A command that
was killed continues from its last checkpoint when it gets the same request, and
ends with the same figures."""

LABEL = """\
Give pairs of texts a cross-encoder's scores, from 0 to 1, so that a bi-encoder
can be trained on them (Augmented SBERT).

REQUEST.json holds one object:
  model      the cross-encoder: a folder below the folder of models, or a name on
             the hub
  revision   (optional) the revision that it must have
  pairs      a file of JSON Lines: {"first": "...", "second": "..."}
  labelled   the file to write: the same pairs, each with "score"
  store      a folder in which scores are kept
  models     the folder of models; "" if there is none
  batch_size (optional) how many pairs the model reads at once"""

END = """
Standard output and the exit status are as for `score`."""

_TRAIN_PARTS = {"kind", "model", "revision", "train", "tests", "settings", "search", "folder"}
_LABEL_PARTS = {"model", "revision", "pairs", "labelled", "batch_size"}
_BOTH = {"store", "models"}


def _timed(work: Callable[[Mapping[str, Any], Say], dict[str, Any]]) -> Any:
    def answer(request: Mapping[str, Any], say: Say) -> dict[str, Any]:
        began = time.monotonic()
        return {**work(request, say), "seconds": round(time.monotonic() - began, 3)}

    return answer


def train(request: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Train as a request asks; return what the last line says.

    Raises
    ------
    RequestError, InputError
        If the request, or a file that it names, is wrong.
    models.ModelError, packages.PackagesError
        If the model or the packages are missing.
    """
    _check_parts(request, _TRAIN_PARTS | _BOTH)
    kind: Any = request.get("kind")
    check_choice("kind", kind, KINDS)
    settings = TrainingSettings.of_json(_object(request, "settings"), kind=kind)
    wanted = Search.of_json(_object(request, "search")) if request.get("search") else None
    files = request.get("train")
    files = [files] if isinstance(files, str) else files
    if not isinstance(files, list) or not files or not all(isinstance(f, str) for f in files):
        raise InputError("the request: 'train' must be a file or a list of files")
    pairs = read_scored([Path(file) for file in files])
    check_scores(pairs)
    tests = {
        name: read_scored([path_of(_object(request, "tests"), name)])
        for name in _object(request, "tests")
    }
    folder = path_of(request, "folder")
    model = find(
        text_of(request, "model"),
        models=path_of(request, "models") if request.get("models") else None,
        store=path_of(request, "store"),
        revision=text_of(request, "revision", ""),
    )
    start = Start(kind, model.folder, model.revision)
    device = packages.device()[1]

    trials: list[Trial] = []
    if wanted is not None:
        # A training of the whole takes about as long as a trial.
        share = wanted.trials / (wanted.trials + settings.runs)
        progress = part(say, 0, share)
        best, trials = _search(wanted, start, pairs, settings, folder=folder, say=progress)
        settings = replace(settings, **best)
        say = part(say, share, 1 - share)
    runs = train_runs(start, pairs, tests, settings, folder=folder, say=say)
    return {
        "device": device,
        "revision": model.revision,
        "n_encoded": 0,
        "n_kept": 0,
        "figures": _figures(
            start, settings, runs, n_train=len(pairs), folder=folder, wanted=wanted, trials=trials
        ),
    }


def _search(
    wanted: Search,
    start: Start,
    pairs: Pairs,
    settings: TrainingSettings,
    *,
    folder: Path,
    say: Say,
) -> tuple[dict[str, Any], list[Trial]]:
    """The best settings, judged by pairs that are drawn from those to train on."""
    learn, judge = split(pairs, wanted.validation, seed=settings.seed)

    def value(drawn: dict[str, Any], number: int) -> float:
        tried = replace(settings, runs=1, **drawn)
        progress = part(
            say,
            number / wanted.trials,
            1 / wanted.trials,
            partial(_of_trial, trial_of(number, wanted)),
        )
        try:
            run = train_run(
                start,
                learn,
                {"validation": judge},
                tried,
                folder=folder / "search" / f"trial-{number + 1}",
                say=progress,
                keeps_model=False,
            )
        except DivergedError:
            return math.nan
        return float(getattr(run.tests["validation"], wanted.metric))

    others = {k: v for k, v in asdict(settings).items() if k not in wanted.space and k != "runs"}
    del others["checkpoint_steps"]
    task = json.dumps([start.kind, start.revision, pairs.digest, others], sort_keys=True)
    return search(
        wanted,
        seed=settings.seed,
        folder=folder / "search",
        digest=hashlib.sha256(task.encode()).hexdigest(),
        value=value,
        say=say,
    )


def _of_trial(trial: Message, message: Message) -> Message:
    return _("%(name)s: %(message)s", name=trial, message=message)


def _figures(
    start: Start,
    settings: TrainingSettings,
    runs: list[RunFigures],
    *,
    n_train: int,
    folder: Path,
    wanted: Search | None,
    trials: list[Trial],
) -> JsonObject:
    searched: JsonObject | None = None
    if wanted is not None:
        searched = {
            "metric": wanted.metric,
            "validation": wanted.validation,
            "trials": [trial.as_dict() for trial in trials],
        }
    over_runs = evaluations_over_runs(runs)
    return {
        "kind": start.kind,
        "definition": LOSSES[start.kind][settings.loss],
        "n_train": n_train,
        "settings": dict(asdict(settings)),
        "tests": {
            name: {each: figure.as_dict() for each, figure in figures.items()}
            for name, figures in over_runs.items()
        },
        "runs": [run.as_dict() for run in runs],
        "models": [str(folder / f"seed-{run.seed}" / MODEL) for run in runs],
        "search": searched,
    }


def label(request: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Give pairs the scores of a cross-encoder as a request asks; return what the last line says.

    Raises
    ------
    RequestError, InputError
        If the request, or a file that it names, is wrong.
    models.ModelError, packages.PackagesError
        If the model or the packages are missing.

    References
    ----------
    [Thakur2021] in docs/references.md
    """
    _check_parts(request, _LABEL_PARTS | _BOTH)
    batch_size = whole_number(request, "batch_size", BATCH_SIZE)
    labelled = path_of(request, "labelled")
    own_settings = {
        "model": text_of(request, "model"),
        "revision": text_of(request, "revision", ""),
        # Whatever the model's own settings say: scores to train on are from 0 to 1.
        "activation": "sigmoid",
    }
    settings = check(Specification("cross_encoder", own_settings)).settings
    pairs = read_pairs(path_of(request, "pairs"))
    models = path_of(request, "models") if request.get("models") else None
    place = Workplace(models, path_of(request, "store"), say, batch_size)
    scored = cross_encoder.score(pairs, settings, place)
    write_json_lines(
        labelled,
        (
            {"first": pair.first, "second": pair.second, "score": float(value)}
            for pair, value in zip(pairs, scored.values, strict=True)
        ),
    )
    return {
        "device": scored.device,
        "revision": scored.revision,
        "n_encoded": scored.n_encoded,
        "n_kept": scored.n_kept,
        "figures": {"n": len(pairs)},
    }


def read_scored(files: list[Path]) -> Pairs:
    """Read pairs with scores from JSON Lines; InputError names the line that is wrong."""
    first, second, scores = [], [], []
    for file in files:
        for first_text, second_text, score in json_lines(file, _scored):
            first.append(first_text)
            second.append(second_text)
            scores.append(score)
    return Pairs(first, second, np.array(scores, dtype=np.float64))


def _scored(row: Mapping[str, Any], where: str) -> tuple[str, str, float]:
    score = row.get("score")
    # A bool is an int.
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise InputError(f"{where}: 'score' must be a number")
    first_text, second_text = (
        text_of(row, "first", where=where),
        text_of(row, "second", where=where),
    )
    return first_text, second_text, float(score)


def _object(request: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = request.get(name, {})
    if not isinstance(value, dict):
        raise InputError(f"the request: {name!r} must be an object")
    return value


def _check_parts(request: Mapping[str, Any], parts: set[str]) -> None:
    if unknown := sorted(set(request) - parts):
        raise InputError(f"the request has unknown parts: {', '.join(unknown)}")


COMMANDS = [
    Command(
        "train", "train a bi-encoder or a cross-encoder, and test it", TRAIN + END, _timed(train)
    ),
    Command(
        "label",
        "score pairs with a cross-encoder, to train a bi-encoder",
        LABEL + END,
        _timed(label),
    ),
]
