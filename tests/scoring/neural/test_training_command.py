"""`python -m scoring.neural train` and `label`: requests, and processes that are killed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.neural.refusals import ModelError
from scoring.neural.searching import Search, search, split
from scoring.neural.training import Pairs
from scoring.neural.training_command import label, train
from shell import InputError
from shell.messages import Message
from tests.scoring.neural.making import WORDS, make_bert
from tests.scoring.neural.processes import answered, killed_at, write_lines


class KilledError(Exception):
    """Raised in place of a kill."""


def round_1(n: int, *, seed: int) -> list[dict[str, Any]]:
    """Pairs as students pick them, from alike to not alike, and their rating, noisy."""
    rng = np.random.default_rng(seed)
    words = WORDS[17:40]
    rows = []
    for i in range(n):
        one = rng.choice(words, 5, replace=False)
        n_changed = (i % 3) * 2
        changed = rng.permutation(5)[:n_changed]
        other = one.copy()
        other[changed] = rng.choice(words, n_changed)
        score = np.clip((5 - n_changed) / 5 + rng.normal(0, 0.1), 0, 1)
        rows.append({"first": " ".join(one), "second": " ".join(other), "score": float(score)})
    return rows


@pytest.fixture
def own_models(packages: None, tmp_path: Path) -> Path:
    """A folder of models that trained ones may be written to."""
    make_bert(tmp_path / "models" / "start")
    return tmp_path / "models"


@pytest.fixture
def request_of(own_models: Path, tmp_path: Path) -> dict[str, Any]:
    return _request(own_models, tmp_path)


def _request(own_models: Path, folder: Path) -> dict[str, Any]:
    return {
        "kind": "bi_encoder",
        "model": "start",
        "train": write_lines(folder / "train.jsonl", round_1(60, seed=1)),
        "tests": {
            name: write_lines(folder / f"{name}.jsonl", round_1(24, seed=seed))
            for seed, name in enumerate(("free", "dependent", "significant"), 2)
        },
        "settings": {"epochs": 2, "batch_size": 8, "learning_rate": 1e-3, "checkpoint_steps": 5},
        "folder": str(own_models / "trained"),
        "store": str(folder / "store"),
        "models": str(own_models),
    }


def silent(share: float, message: str) -> None:
    pass


def dies_at(words: str) -> Any:
    def say(share: float, message: str) -> None:
        if words in message:
            raise KilledError

    return say


def test_two_epochs_on_round_1_end_with_the_same_figures_when_killed_in_the_middle(
    request_of: dict[str, Any], own_models: Path, tmp_path: Path
) -> None:
    # Enough steps that a process which waits to be read is far from its end.
    long = {
        **request_of,
        "train": write_lines(tmp_path / "train.jsonl", round_1(200, seed=1)),
        "settings": {**request_of["settings"], "batch_size": 2, "checkpoint_steps": 15},
    }
    expected = train({**long, "folder": str(own_models / "whole")}, silent)

    killed_at("run 1: epoch 1, step 40 of 200", "train", long, tmp_path)
    assert (own_models / "trained" / "seed-1" / "checkpoint.safetensors").exists()
    assert not (own_models / "trained" / "seed-1" / "model").exists()
    done = answered("train", long, tmp_path)

    assert done["figures"]["runs"] == expected["figures"]["runs"]
    assert done["figures"]["tests"] == expected["figures"]["tests"]
    assert (done["revision"], done["device"]) == (expected["revision"], expected["device"])
    assert done["seconds"] > 0


def test_the_figures_are_mean_and_deviation_over_runs(request_of: dict[str, Any]) -> None:
    settings = request_of["settings"] | {"runs": 3, "epochs": 6}

    figures = train(request_of | {"settings": settings}, silent)["figures"]

    assert set(figures["tests"]) == {"free", "dependent", "significant"}
    for name, found in figures["tests"].items():
        for coefficient in ("pearson", "spearman"):
            by_run = [run["tests"][name][coefficient] for run in figures["runs"]]
            assert found[coefficient]["mean"] == pytest.approx(np.mean(by_run))
            assert found[coefficient]["sd"] == pytest.approx(np.std(by_run, ddof=1))
    assert figures["tests"]["free"]["pearson"]["mean"] > 0.3
    assert [run["seed"] for run in figures["runs"]] == [1, 2, 3]
    assert figures["definition"].startswith("Squared difference of the score and the cosine")
    assert figures["search"] is None
    json.dumps(figures, allow_nan=False)


@pytest.mark.slow
def test_a_bi_encoder_learns_from_what_a_cross_encoder_labelled(
    request_of: dict[str, Any], own_models: Path, tmp_path: Path
) -> None:
    """Augmented SBERT: gold pairs train a cross-encoder, and it labels the silver ones."""
    teacher = request_of | {"kind": "cross_encoder", "folder": str(own_models / "teacher")}
    unlabelled = [{"first": row["first"], "second": row["second"]} for row in round_1(90, seed=9)]
    silver = {
        "model": "teacher/seed-1/model",
        "pairs": write_lines(tmp_path / "unlabelled.jsonl", unlabelled),
        "labelled": str(tmp_path / "silver.jsonl"),
        "store": str(tmp_path / "store"),
        "models": str(own_models),
    }
    student = request_of | {"train": [request_of["train"], silver["labelled"]]}

    train(teacher, silent)
    first = label(silver, silent)
    again = label(silver, silent)
    trained = train(student, silent)["figures"]

    labelled = [json.loads(line) for line in Path(silver["labelled"]).read_text().splitlines()]
    assert [{k: row[k] for k in ("first", "second")} for row in labelled] == unlabelled
    assert all(0 < row["score"] < 1 for row in labelled)
    assert len({row["score"] for row in labelled}) > 10
    assert (first["n_encoded"], again["n_encoded"]) == (
        first["n_encoded"] + again["n_kept"] - 90,
        0,
    )
    assert trained["n_train"] == 150
    assert trained["tests"]["free"]["pearson"]["n"] == 1
    assert (Path(trained["models"][0]) / "modules.json").exists()


SEARCH = {
    "trials": 3,
    "space": {
        "epochs": [1, 2],
        "learning_rate": {"low": 1e-4, "high": 1e-2, "log": True},
        "batch_size": {"low": 6, "high": 10},
        "warmup": {"low": 0.0, "high": 0.2},
    },
    "validation": 0.25,
}


@pytest.fixture(scope="module")
def searched(
    packages: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request with a search, and the figures it ends with when nothing goes wrong."""
    folder = tmp_path_factory.mktemp("searched")
    make_bert(folder / "models" / "start")
    asked = _request(folder / "models", folder) | {"search": SEARCH}
    return asked, train(asked, silent)["figures"]


@pytest.mark.parametrize(
    "words", ["trial 2 of 3: epoch 1, step 4 of", "trial 3 of 3", "run 1: ep"]
)
def test_a_killed_search_goes_on_with_the_same_trials(
    request_of: dict[str, Any], own_models: Path, searched: Any, words: str
) -> None:
    import optuna

    asked, (_, expected) = request_of | {"search": SEARCH}, searched

    with pytest.raises(KilledError):
        train(asked, dies_at(words))
    said: list[str] = []
    found = train(asked, lambda share, message: said.append(message))["figures"]

    assert found["search"] == expected["search"]
    assert found["runs"] == expected["runs"]
    trials = found["search"]["trials"]
    assert len(trials) == 3
    assert len({json.dumps(trial["settings"], sort_keys=True) for trial in trials}) == 3
    # Trials that are done are not done again.
    assert not any("trial 1 of 3" in message for message in said)
    study = optuna.load_study(
        study_name="search", storage=f"sqlite:///{own_models}/trained/search/search.sqlite3"
    )
    assert study.get_trials(states=(optuna.trial.TrialState.RUNNING,)) == []


def test_the_best_settings_train_on_all_pairs_and_tests_have_no_part_in_the_search(
    request_of: dict[str, Any], searched: Any, tmp_path: Path
) -> None:
    asked, found = searched

    other_tests = {"free": write_lines(tmp_path / "other.jsonl", round_1(20, seed=77))}
    other = train(request_of | {"search": SEARCH, "tests": other_tests}, silent)["figures"]

    best = max(found["search"]["trials"], key=lambda trial: trial["value"])
    assert {name: found["settings"][name] for name in best["settings"]} == best["settings"]
    assert other["search"] == found["search"]
    assert found["n_train"] == 60
    with pytest.raises(ValueError, match="holds a training with another model, other data"):
        train(asked | {"search": {**SEARCH, "validation": 0.5}}, silent)


def test_a_trial_learns_from_the_pairs_that_do_not_judge_it(request_of: dict[str, Any]) -> None:
    wanted = {"trials": 1, "space": {"epochs": [1]}, "validation": 0.25}
    said: list[str] = []

    train(request_of | {"search": wanted}, lambda share, message: said.append(message))

    # Of sixty pairs it sees 45, eight at a time; what is trained then sees all.
    assert "trial 1 of 1: epoch 1, step 6 of 6" in said
    assert "run 1: epoch 1, step 8 of 8" in said
    assert all(isinstance(message, Message) for message in said)


@pytest.mark.slow
@pytest.mark.parametrize("killed", [None, 2])
def test_a_trial_without_a_value_counts_but_is_not_the_best(
    packages: None, tmp_path: Path, killed: int | None
) -> None:
    wanted = Search(trials=6, space={"warmup": {"low": 0.0, "high": 0.5}})

    def searched(folder: str, dies: int | None) -> tuple[dict[str, Any], list[Any]]:
        def value(drawn: dict[str, Any], number: int) -> float:
            if number == dies:
                raise KilledError
            return float("nan") if number == 1 else -abs(drawn["warmup"] - 0.2)

        return search(
            wanted, seed=3, folder=tmp_path / folder, digest="x", value=value, say=silent
        )

    best, expected = searched("whole", None)
    if killed is not None:
        with pytest.raises(KilledError):
            searched("search", killed)
    found, trials = searched("search", None)

    assert (found, [trial.as_dict() for trial in trials]) == (
        best,
        [trial.as_dict() for trial in expected],
    )
    assert [trial.as_dict()["value"] is None for trial in trials] == [False, True] + [False] * 4
    assert (
        found
        == max(
            (trial for trial in trials if trial.value == trial.value),
            key=lambda trial: trial.value,
        ).settings
    )


def test_a_search_of_which_no_trial_has_a_value_says_so(packages: None, tmp_path: Path) -> None:
    wanted = Search(trials=2, space={"epochs": [1, 2]})

    with pytest.raises(ValueError, match="no trial could be judged"):
        search(
            wanted,
            seed=3,
            folder=tmp_path / "search",
            digest="x",
            value=lambda drawn, number: float("nan"),
            say=silent,
        )


def test_more_trials_go_on_from_those_that_are_done(
    request_of: dict[str, Any], searched: Any
) -> None:
    _, more = searched

    few = train(request_of | {"search": {**SEARCH, "trials": 2}}, silent)["figures"]

    assert more["search"]["trials"][:2] == few["search"]["trials"]


def test_the_pairs_that_judge_a_trial_are_none_of_those_it_learns_from() -> None:
    pairs = Pairs([str(i) for i in range(20)], [""] * 20, np.arange(20) / 20)

    learn, judge = split(pairs, 0.2, seed=1)

    assert (len(learn), len(judge)) == (16, 4)
    assert sorted([*learn.first, *judge.first], key=int) == pairs.first
    assert split(pairs, 0.2, seed=1)[1].first == judge.first
    assert split(pairs, 0.2, seed=2)[1].first != judge.first
    with pytest.raises(ValueError, match="leaves fewer than three to train on, or to judge by"):
        split(pairs, 0.1, seed=1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"space": {}}, "space names no setting: search one of batch_size"),
        ({"space": {"seed": [1, 2]}}, "'seed' cannot be searched: choose among"),
        ({"space": {"epochs": []}}, "what is searched of epochs is a list of numbers"),
        ({"space": {"warmup": {"low": 0, "high": 1, "log": True}}}, '"log": true only above 0'),
        ({"space": {"warmup": {"low": 1, "high": 0}}}, "low at most high"),
        ({"trials": 0}, "trials is 0"),
        ({"validation": 0.9}, "validation is 0.9: choose a share above 0, up to .5"),
        ({"metric": "kendall"}, "metric is 'kendall': choose pearson or spearman"),
        ({"sampler": "x"}, "'sampler' is no part of a search"),
    ],
)
def test_wrong_searches_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Search.of_json(SEARCH | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "tower"}, "kind is 'tower': choose bi_encoder or cross_encoder"),
        ({"train": []}, "'train' must be a file or a list of files"),
        ({"train": "/nowhere.jsonl"}, "cannot read /nowhere.jsonl: No such file"),
        ({"tests": ["x"]}, "the request: 'tests' must be an object"),
        ({"model": "nowhere"}, "There is no model 'nowhere'"),
        ({"folder": ""}, "the request names no 'folder'"),
        ({"settings": {"epochs": 0}}, "epochs is 0"),
        ({"runs": 3}, "the request has unknown parts: runs"),
    ],
)
def test_wrong_requests_cost_one_sentence(
    request_of: dict[str, Any], changed: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, InputError, ModelError), match=message):
        train(request_of | changed, silent)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"first": "a", "second": "b"}, "line 1: 'score' must be a number"),
        ({"first": "a", "second": "b", "score": True}, "line 1: 'score' must be a number"),
        ({"first": "a", "second": None, "score": 1}, "line 1: 'second' must be a text"),
        ({"first": "a", "second": "b", "score": 4}, "pair 1 has the score 4: scores to train on"),
    ],
)
def test_wrong_pairs_are_named(
    request_of: dict[str, Any], line: dict[str, Any], message: str, tmp_path: Path
) -> None:
    wrong = write_lines(tmp_path / "wrong.jsonl", [line])

    with pytest.raises((InputError, ValueError), match=message):
        train(request_of | {"train": wrong}, silent)
