"""Hyper-parameters by Optuna [Akiba2019], judged by pairs kept apart from those trained on.

The study lies in an SQLite file, so a search that is killed goes on: trials that are done are not
done again, and the one that was running is drawn again with the same values, from the seed and the
number of trials before it, and goes on from its checkpoint. Tests have no part in it.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scoring.json_values import JsonObject, json_number
from scoring.neural import packages
from scoring.neural.checkpoints import check_digest
from scoring.neural.refusals import RequestError, check_choice, check_whole_number
from scoring.neural.training import Pairs
from scoring.neural.workplace import Say
from shell.messages import Message
from shell.messages import message as _

SEARCHED = ("batch_size", "epochs", "learning_rate", "warmup", "weight_decay")
FILE = "search.sqlite3"
# Few trials are usual here: the sampler goes by what it has seen after these, instead of ten.
N_AT_RANDOM = 4


@dataclass(frozen=True)
class Search:
    """What is searched, and how.

    Parameters
    ----------
    trials : int
        Trainings that are tried.
    space : dict
        Of each setting a list of values, or {"low", "high"} with "log" where its logarithm is
        drawn evenly; whole numbers if both ends are.
    validation : float
        Share of the pairs, in (0, .5], that judge a trial and are not trained on.
    metric : {"pearson", "spearman"}
        What is to be as high as possible.
    """

    trials: int
    space: Mapping[str, Any]
    validation: float = 0.1
    metric: str = "pearson"

    def __post_init__(self) -> None:
        check_whole_number("trials", self.trials, 1)
        if type(self.validation) is not float or not 0 < self.validation <= 0.5:
            raise RequestError(
                _(
                    "%(setting)s is %(given)s: choose a share above 0, up to .5",
                    setting="validation",
                    given=repr(self.validation),
                )
            )
        check_choice("metric", self.metric, ("pearson", "spearman"))
        if not isinstance(self.space, Mapping) or not self.space:
            raise RequestError(
                _("space names no setting: search one of %(those)s", those=SEARCHED)
            )
        for name, values in self.space.items():
            if name not in SEARCHED:
                raise RequestError(
                    _(
                        "%(given)s cannot be searched: choose among %(those)s",
                        given=repr(name),
                        those=SEARCHED,
                    )
                )
            _check_range(name, values)

    @classmethod
    def of_json(cls, search: Mapping[str, Any]) -> "Search":
        """Read it from plain JSON; RequestError for a name that is none."""
        known = ("trials", "space", "validation", "metric")
        if unknown := [name for name in search if name not in known]:
            raise RequestError(
                _(
                    "%(given)s is no part of a search: there are %(those)s",
                    given=repr(unknown[0]),
                    those=known,
                )
            )
        if missing := [name for name in known[:2] if name not in search]:
            raise RequestError(_("the search lacks %(given)s", given=repr(missing[0])))
        return cls(**search)


@dataclass(frozen=True)
class Trial:
    """One training: its settings, and how it was judged (nan where that is undefined)."""

    settings: dict[str, Any]
    value: float

    def as_dict(self) -> JsonObject:
        """In plain JSON types."""
        return {"settings": dict(self.settings), "value": json_number(self.value)}


def _check_range(name: str, values: Any) -> None:
    if isinstance(values, list) and values and all(type(v) in (int, float) for v in values):
        return
    if isinstance(values, Mapping) and {"low", "high"} <= set(values) <= {"low", "high", "log"}:
        low, high = values["low"], values["high"]
        is_log = values.get("log", False)
        are_numbers = type(low) in (int, float) and type(high) in (int, float)
        if are_numbers and low <= high and type(is_log) is bool and (low > 0 or not is_log):
            return
    raise RequestError(
        _(
            'what is searched of %(setting)s is a list of numbers, or {"low": …, "high": …} with'
            ' low at most high, and "log": true only above 0',
            setting=name,
        )
    )


def split(pairs: Pairs, share: float, *, seed: int) -> tuple[Pairs, Pairs]:
    """Draw the pairs that judge a trial; return those to train on, and them.

    Raises
    ------
    RequestError
        If one of both would have fewer than three.
    """
    n = len(pairs)
    n_apart = round(share * n)
    if n_apart < 3 or n - n_apart < 3:
        raise RequestError(
            _(
                "a share of %(share)s of %(n)s pairs leaves fewer than three to train on, or to"
                " judge by: give more pairs, or another share",
                share=share,
                n=n,
            )
        )
    order = np.random.default_rng([seed, 2]).permutation(n)
    return pairs.part(np.sort(order[n_apart:])), pairs.part(np.sort(order[:n_apart]))


def search(
    wanted: Search,
    *,
    seed: int,
    folder: Path,
    digest: str,
    value: Callable[[dict[str, Any], int], float],
    say: Say,
) -> tuple[dict[str, Any], list[Trial]]:
    """Try settings, and return the best and all of them.

    Parameters
    ----------
    wanted : Search
        What to search.
    seed : int
        From which settings are drawn.
    folder : Path
        Where the study is kept.
    digest : str
        Of all else that the values depend on.
    value : callable
        Trains with the given settings, as the trial of the given number, and returns its value;
        nan where it is undefined.
    say : callable
        Told about the share that is done.

    References
    ----------
    [Akiba2019], [Bergstra2011] in docs/references.md

    Raises
    ------
    RequestError
        If the folder holds another search, or no trial has a value.
    """
    optuna = packages.load("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    state = optuna.trial.TrialState
    folder.mkdir(parents=True, exist_ok=True)
    study = optuna.create_study(
        storage=f"sqlite:///{folder / FILE}",
        study_name="search",
        direction="maximize",
        load_if_exists=True,
    )
    # The number of trials may grow from one time to the next.
    task = json.dumps([digest, dict(wanted.space), wanted.validation, wanted.metric, seed])
    if "of" not in study.user_attrs:
        study.set_user_attr("of", task)
    check_digest(study.user_attrs["of"], task, folder)

    # Killed while it ran: it is drawn again.
    for trial in study.get_trials(states=(state.RUNNING,)):
        study.tell(trial.number, state=state.FAIL)
    while (number := len(done := _done(study))) < wanted.trials:
        study.sampler = optuna.samplers.TPESampler(
            seed=int(np.random.SeedSequence([seed, number]).generate_state(1)[0]),
            n_startup_trials=N_AT_RANDOM,
        )
        trial = study.ask()
        settings = {name: _draw(trial, name, values) for name, values in wanted.space.items()}
        say(number / wanted.trials, trial_of(number, wanted))
        score = value(settings, number)
        if math.isfinite(score):
            study.tell(trial, score)
        else:
            # Optuna has no value that is undefined, only trials that failed.
            trial.set_user_attr("undefined", True)
            study.tell(trial, state=state.FAIL)
    say(1.0, trial_of(wanted.trials - 1, wanted))

    trials = done[: wanted.trials]
    defined = [trial for trial in trials if not math.isnan(trial.value)]
    if not defined:
        raise RequestError(
            _(
                "no trial could be judged: the scores of the pairs kept apart, or what the models"
                " find for them, are all equal"
            )
        )
    return max(defined, key=lambda trial: trial.value).settings, trials


def trial_of(number: int, wanted: Search) -> Message:
    """Which trial this is; `number` counts from 0."""
    return _("trial %(trial)s of %(trials)s", trial=number + 1, trials=wanted.trials)


def _done(study: Any) -> list[Trial]:
    """Trials that came to an end, with a value or without, in their order."""
    return [
        Trial(dict(trial.params), math.nan if trial.value is None else trial.value)
        for trial in study.get_trials()
        if trial.value is not None or trial.user_attrs.get("undefined")
    ]


def _draw(trial: Any, name: str, values: Any) -> Any:
    if isinstance(values, list):
        return trial.suggest_categorical(name, values)
    low, high, is_log = values["low"], values["high"], values.get("log", False)
    if isinstance(low, int) and isinstance(high, int):
        return trial.suggest_int(name, low, high, log=is_log)
    return trial.suggest_float(name, low, high, log=is_log)
