"""Training: what it finds, and that a run that was killed ends as one that was not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.neural.checkpoints import FILE
from scoring.neural.training import Pairs, Start, rate, train_run, train_runs
from scoring.neural.training_settings import DivergedError, TrainingSettings
from scoring.neural.workplace import Say
from tests.scoring.neural.making import WORDS

KINDS = ["bi_encoder", "cross_encoder"]


class KilledError(Exception):
    """Raised in place of a kill: no line of the training's runs after it."""


def some_scored(n: int, *, seed: int) -> Pairs:
    """Pairs whose score is the share of words that they have in common."""
    rng = np.random.default_rng(seed)
    words = WORDS[20:32]
    sides = [[rng.choice(words, 3) for _ in range(2)] for _ in range(n)]
    return Pairs(
        [" ".join(one) for one, _ in sides],
        [" ".join(other) for _, other in sides],
        np.array([len(set(one) & set(other)) / 3 for one, other in sides]),
    )


@pytest.fixture
def run(models: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Train once; answer the figures."""

    def trained(
        kind: str, *, folder: str = "run", say: Say = lambda share, message: None, **given: Any
    ) -> dict[str, Any]:
        settings = {"epochs": 2, "batch_size": 8, "learning_rate": 1e-3, "checkpoint_steps": 3}
        start = Start(kind, models / kind.replace("_", "-"), "first")  # type: ignore[arg-type]
        figures = train_run(
            start,
            some_scored(36, seed=1),
            {"free": some_scored(30, seed=2), "dependent": some_scored(30, seed=3)},
            TrainingSettings.of_json(settings | given, kind=kind),  # type: ignore[arg-type]
            folder=tmp_path / folder,
            say=say,
        )
        return figures.as_dict()

    return trained


def dies_at(words: str) -> Say:
    def say(share: float, message: str) -> None:
        if words in message:
            raise KilledError

    return say


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "words",
    # Before a checkpoint, right after one, amid an epoch behind one, at the end of an epoch, and
    # after the last step. An epoch has five steps, the last of four pairs.
    ["step 2 of", "step 3 of", "step 4 of", "step 5 of", "step 8 of", "step 10 of"],
)
def test_a_killed_run_ends_with_the_same_figures(
    run: Callable[..., dict[str, Any]], kind: str, words: str, tmp_path: Path
) -> None:
    expected = run(kind, folder="whole")

    with pytest.raises(KilledError):
        run(kind, say=dies_at(words))
    said: list[str] = []
    found = run(kind, say=lambda share, message: said.append(message))

    # To the last digit: the same weights, moments, random numbers and order.
    assert found == expected
    last = int(words.split()[1])
    # Steps 3, 5, 6, 9 and 10 have checkpoints, written before they are told.
    kept = max([step for step in (0, 3, 5, 6, 9, 10) if step <= last])
    assert said[0] == f"step {kept} of 10"
    assert len(said) == 1 + 10 - kept
    assert not (tmp_path / "run" / FILE).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_learns_and_its_model_is_read_as_any_other(
    run: Callable[..., dict[str, Any]], kind: str, tmp_path: Path
) -> None:
    import sentence_transformers

    found = run(kind, epochs=12, folder="models/run")

    assert len(found["losses"]) == 12
    assert found["losses"][-1] < 0.7 * found["losses"][0]
    assert found["tests"]["free"]["n"] == 30
    test = some_scored(30, seed=2)
    folder = str(tmp_path / "models" / "run" / "model")
    if kind == "bi_encoder":
        model = sentence_transformers.SentenceTransformer(folder)
        one, other = (model.encode(list(side)) for side in (test.first, test.second))
        values = (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    else:
        model = sentence_transformers.CrossEncoder(folder)
        values = model.predict(list(zip(test.first, test.second, strict=True)))
        assert values.min() >= 0
        assert values.max() <= 1
    expected = np.corrcoef(values, test.scores)[0, 1]
    assert found["tests"]["free"]["pearson"] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides_and_nothing_else(run: Callable[..., dict[str, Any]], kind: str) -> None:
    import torch

    first = run(kind, folder="a")
    torch.manual_seed(99)
    again = run(kind, folder="b", checkpoint_steps=1)
    other = run(kind, folder="c", seed=2)

    assert again == first
    assert other["losses"] != first["losses"]


def test_the_losses_of_a_cross_encoder_are_two(run: Callable[..., dict[str, Any]]) -> None:
    one, other = run("cross_encoder", folder="a"), run("cross_encoder", folder="b", loss="mse")

    assert one["losses"] != other["losses"]
    # A squared error of shares is at most 1.
    assert max(other["losses"]) < min(one["losses"])


def test_a_run_that_is_done_is_not_done_again(run: Callable[..., dict[str, Any]]) -> None:
    first = run("bi_encoder")

    assert run("bi_encoder", say=dies_at("")) == first


@pytest.mark.parametrize("at", ["step 4 of", "never"])
def test_a_folder_of_another_training_is_refused(
    run: Callable[..., dict[str, Any]], at: str
) -> None:
    try:
        run("bi_encoder", say=dies_at(at))
    except KilledError:
        assert at != "never"

    with pytest.raises(ValueError, match="holds a training with another model, other data or"):
        run("bi_encoder", learning_rate=2e-3)


def test_a_checkpoint_that_is_cut_short_is_named(
    run: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    with pytest.raises(KilledError):
        run("bi_encoder", say=dies_at("step 4 of"))
    file = tmp_path / "run" / FILE
    file.write_bytes(file.read_bytes()[:200])

    with pytest.raises(ValueError, match=r"cannot be read .* remove it, and the run starts anew"):
        run("bi_encoder")


def test_half_a_checkpoint_beside_a_whole_one_does_no_harm(
    run: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    expected = run("bi_encoder", folder="whole")
    with pytest.raises(KilledError):
        run("bi_encoder", say=dies_at("step 4 of"))
    (tmp_path / "run" / f"{FILE}.new").write_bytes(b"half")
    (tmp_path / "run" / "model.new").mkdir()

    assert run("bi_encoder") == expected


def test_steps_that_are_too_large_are_told(run: Callable[..., dict[str, Any]]) -> None:
    import torch

    real = torch.nn.functional.mse_loss
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn.functional, "mse_loss", lambda a, b: real(a, b) * float("inf"))
        with pytest.raises(DivergedError, match="no number any more at step 1: choose a learning"):
            run("bi_encoder")


def test_several_runs_have_seeds_of_their_own(models: Path, tmp_path: Path) -> None:
    settings = TrainingSettings(epochs=1, runs=2, seed=5, loss="cosine", learning_rate=1e-3)
    start = Start("bi_encoder", models / "bi-encoder", "first")
    told: list[float] = []

    found = train_runs(
        start,
        some_scored(20, seed=1),
        {},
        settings,
        folder=tmp_path / "runs",
        say=lambda share, message: told.append(share),
    )

    assert [each.seed for each in found] == [5, 6]
    folders = sorted((tmp_path / "runs").iterdir())
    assert [path.name for path in folders] == ["seed-5", "seed-6"]
    assert told == sorted(told)
    assert told[-1] == 1
    result = json.loads((folders[1] / "result.json").read_text())
    assert result["figures"]["seed"] == 6


def test_max_length_cuts_texts_and_is_at_most_what_the_model_reads(
    run: Callable[..., dict[str, Any]],
) -> None:
    # Three tokens of a text and two around it: with four, the last word is lost.
    assert run("bi_encoder", folder="a", max_length=4)["losses"] != run("bi_encoder")["losses"]

    with pytest.raises(ValueError, match="max_length is 65, but the model reads 64 tokens"):
        run("bi_encoder", folder="b", max_length=65)


def test_a_model_that_tells_classes_apart_is_no_cross_encoder(
    models: Path, tmp_path: Path
) -> None:
    from tests.scoring.neural.making import make_bert

    make_bert(tmp_path / "classes", n_labels=3)

    with pytest.raises(ValueError, match="tells 3 classes apart, but a score is one number"):
        train_run(
            Start("cross_encoder", tmp_path / "classes", "x"),
            some_scored(8, seed=1),
            {},
            TrainingSettings(loss="bce"),
            folder=tmp_path / "run",
            say=lambda share, message: None,
        )


def test_a_cross_encoder_that_had_another_activation_ends_with_a_sigmoid(
    models: Path, tmp_path: Path
) -> None:
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity, Sigmoid

    start = CrossEncoder(str(models / "cross-encoder"), activation_fn=Identity())
    start.save_pretrained(str(tmp_path / "start"), create_model_card=False)
    assert isinstance(CrossEncoder(str(tmp_path / "start")).activation_fn, Identity)

    train_run(
        Start("cross_encoder", tmp_path / "start", "x"),
        some_scored(8, seed=1),
        {},
        TrainingSettings(loss="bce"),
        folder=tmp_path / "run",
        say=lambda share, message: None,
    )

    trained = CrossEncoder(str(tmp_path / "run" / "model"))
    assert isinstance(trained.activation_fn, Sigmoid)


def test_a_model_without_a_head_gets_one_from_the_seed(models: Path, tmp_path: Path) -> None:
    def trained(folder: str, seed: int) -> list[float]:
        return train_run(
            Start("cross_encoder", models / "bi-encoder", "x"),
            some_scored(16, seed=1),
            {},
            TrainingSettings(loss="bce", seed=seed, learning_rate=1e-3),
            folder=tmp_path / folder,
            say=lambda share, message: None,
        ).losses

    assert trained("a", 1) == trained("b", 1)
    assert trained("c", 2) != trained("a", 1)


def test_the_rate_rises_over_the_warm_up_and_falls_to_the_end() -> None:
    settings = TrainingSettings(learning_rate=0.8, warmup=0.4)

    assert [rate(step, 10, settings) for step in range(10)] == pytest.approx(
        [0, 0.2, 0.4, 0.6, 0.8, 4 / 6, 0.8 * 4 / 6, 0.4, 0.8 * 2 / 6, 0.8 / 6]
    )
    assert rate(0, 10, TrainingSettings(learning_rate=0.8, warmup=0)) == pytest.approx(0.8)


def test_the_warm_up_changes_what_is_learnt(run: Callable[..., dict[str, Any]]) -> None:
    assert run("bi_encoder", folder="a", warmup=0.5)["losses"] != run("bi_encoder")["losses"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epochs": 0}, "epochs is 0: choose a whole number from 1"),
        ({"batch_size": 2.5}, "batch_size is 2.5"),
        ({"runs": True}, "runs is True"),
        ({"learning_rate": 0}, "learning_rate is 0: choose a number above 0"),
        ({"warmup": 1}, "warmup is 1: choose a share of the steps"),
        ({"weight_decay": -1}, "weight_decay is -1"),
        ({"loss": "bce"}, "loss is 'bce', but a bi_encoder is trained by cosine"),
        ({"epoch": 2}, "'epoch' is no setting of training: there are epochs"),
    ],
)
def test_wrong_settings_are_refused(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingSettings.of_json(given, kind="bi_encoder")


@pytest.mark.parametrize("score", [1.5, -0.1, float("nan")])
def test_scores_to_train_on_are_from_0_to_1(models: Path, tmp_path: Path, score: float) -> None:
    pairs = Pairs(["a", "b"], ["a", "b"], np.array([0.5, score]))

    with pytest.raises(ValueError, match=r"pair 2 has the score .*: scores to train on are from"):
        train_runs(
            Start("bi_encoder", models / "bi-encoder", "x"),
            pairs,
            {},
            TrainingSettings(loss="cosine"),
            folder=tmp_path,
            say=lambda share, message: None,
        )
