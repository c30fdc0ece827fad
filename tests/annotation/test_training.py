"""Training a model on a study, and what is asked of the process for it."""

import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from annotation.errors import AnnotationError, StateError
from annotation.models import Job, Study
from annotation.queries.human_scores import Source
from annotation.services import baseline_process, jobs, training
from annotation.services.training import Training
from scoring.baselines import Specification
from tests.annotation.baseline_studies import TEXTS, compute, make_pairs
from tests.reviewing import scored_ratings
from tests.scoring.neural.conftest import models, packages  # noqa: F401 - fixtures
from tests.scoring.neural.making import WORDS

pytestmark = pytest.mark.django_db

MEAN = Source("column", name="mean")
SPLIT = ["train", "train", "train", "train", "test", "test"]


def train(study: Study, **changes: Any) -> Job:
    wanted = Training(**{"kind": "bi_encoder", "model": "bi-encoder", "people": MEAN, **changes})
    return jobs.run_here(study=study, kind=Job.Kind.TRAIN, parameters=wanted.as_json())


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Path:
    """A program in the place of the process, which keeps what it is asked for."""
    settings.MODELS = tmp_path / "models"
    kept = tmp_path / "asked.json"
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "request = json.load(open(sys.argv[2], encoding='utf-8'))\n"
        "def read(name):\n"
        "    return [json.loads(line) for line in open(name, encoding='utf-8')]\n"
        "request['train'] = read(request['train'])\n"
        "request['tests'] = {k: read(v) for k, v in request['tests'].items()}\n"
        f"json.dump([sys.argv[1], request], open({str(kept)!r}, 'w'))\n"
        "print(json.dumps({'done': {'device': 'cpu', 'seconds': 1.0, 'figures': {'a': 1}}}))\n"
    )
    monkeypatch.setattr(baseline_process, "COMMAND", (sys.executable, str(program)))
    return kept


def test_some_items_are_trained_on_and_the_others_tested(asked: Path, tmp_path: Path) -> None:
    study = make_pairs(split=SPLIT)

    job = train(study, where='split == "train"', settings={"epochs": 2})

    assert job.state == Job.State.DONE, job.error
    command, request = json.loads(asked.read_text())
    assert command == "train"
    # From the scale of the study, 0 to 4, to what a model is trained on.
    assert [row["score"] for row in request["train"]] == [mean / 4 for _, _, mean in TEXTS[:4]]
    assert [row["score"] for row in request["tests"]["test"]] == [3.8, 1.2]
    assert request["train"][0]["first"] == TEXTS[0][0]
    assert request["folder"] == str(tmp_path / "models" / "trained" / f"{study.slug}-{job.pk}")
    assert request["settings"] == {"epochs": 2}
    assert job.parameters["figures"] == {"a": 1, "n_also_tested": 0}
    assert (job.parameters["device"], job.parameters["seconds"]) == ("cpu", 1.0)


def test_a_later_round_has_a_test_for_each_condition(asked: Path, clock: Any) -> None:
    tested = scored_ratings({"p1": ("6", "5"), "p2": ("0", "1"), "p3": ("3", "2")})
    texts = [(item.target, item.candidate, 1.0) for item in tested.items.order_by("number")]
    study = make_pairs([*TEXTS, texts[0]])

    job = train(study, tests=tested.slug)

    assert job.state == Job.State.DONE, job.error
    request = json.loads(asked.read_text())[1]
    assert [row["score"] for row in request["tests"]["free"]] == pytest.approx(
        [5.5 / 6, 0.5 / 6, 2.5 / 6]
    )
    # Nobody rated in context, so nothing is known of its effect.
    assert set(request["tests"]) == {"free"}
    # What is tested is not trained on.
    assert len(request["train"]) == 6
    assert job.parameters["figures"]["n_also_tested"] == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"where": 'split == "none"'}, "no item with a score to train on"),
        ({"where": "n_words(first) > 0"}, "no item with a score to test on"),
        ({"tests": "nothing"}, "There is no study nothing to test on"),
        ({"where": "mood == 1"}, "No item has a mood"),
    ],
)
def test_what_cannot_be_trained_on_is_said(changes: dict, said: str, asked: Path) -> None:
    job = train(make_pairs(split=SPLIT), **changes)

    assert job.state == Job.State.FAILED
    assert said in job.problems[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "Say which items are trained on"),
        ({"where": "1 +"}, "cannot be read"),
        ({"where": "n_words(first) > 1", "kind": "tower"}, "no kind of model"),
        ({"where": "n_words(first) > 1", "settings": {"epochs": 0}}, "epochs"),
        ({"where": "n_words(first) > 1", "settings": {"speed": 1}}, "no setting of training"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_queued(changes: dict, said: str) -> None:
    with pytest.raises(AnnotationError, match=said):
        Training(**{"kind": "bi_encoder", "model": "x", "people": MEAN, **changes})


def test_one_training_at_a_time() -> None:
    study = make_pairs(split=SPLIT)
    wanted = Training("bi_encoder", "x", MEAN, where='split == "train"')

    first = training.request(study=study, training=wanted)

    assert training.request(study=study, training=wanted) == first
    with pytest.raises(StateError, match="being trained already"):
        training.request(
            study=study, training=Training("cross_encoder", "x", MEAN, where='split == "train"')
        )


def test_the_command_prints_what_was_found(asked: Path) -> None:
    study = make_pairs(split=SPLIT)
    output = io.StringIO()

    call_command(
        "train",
        study.slug,
        *("--kind", "cross_encoder", "--model", "x", "--people", "column:mean"),
        *("--where", 'split == "train"', "--set", "epochs=3", "--set", "warmup=0.2"),
        *("--set", "loss=mse"),
        stdout=output,
    )

    assert json.loads(output.getvalue()) == {"a": 1, "n_also_tested": 0}
    request = json.loads(asked.read_text())[1]
    assert request["kind"] == "cross_encoder"
    assert request["settings"] == {"epochs": 3, "warmup": 0.2, "loss": "mse"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "epochs=many"], "epochs is a number, not 'many'"),
        (["--set", "speed=1"], "'speed=1' is no setting"),
        (["--people", "mean"], "'mean' is no source"),
        (["--where", ""], "Say which items are trained on"),
        (["--where", "n_words(first) > 100"], "no item with a score to train on"),
    ],
)
def test_the_command_says_what_is_wrong(arguments: list[str], said: str, asked: Path) -> None:
    usual = ["--model", "x", "--people", "column:mean", "--where", 'split == "train"']

    with pytest.raises(CommandError, match=said):
        call_command("train", make_pairs(split=SPLIT).slug, *usual, *arguments)


def test_a_trained_model_is_a_measure_like_any_other(
    models: Path,  # noqa: F811 - the fixture
    tmp_path: Path,
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    settings.MODELS = tmp_path / "models"
    shutil.copytree(models / "bi-encoder", tmp_path / "models" / "bi-encoder")
    texts = [
        (f"{WORDS[n]} {WORDS[n + 1]}", f"{WORDS[n]} {WORDS[-n - 1]}", (n % 5) * 1.0)
        for n in range(24)
    ]
    study = make_pairs(texts, split=["train"] * 16 + ["test"] * 8)

    job = train(
        study,
        where='split == "train"',
        settings={"epochs": 2, "batch_size": 8, "learning_rate": 1e-3},
    )

    assert job.state == Job.State.DONE, job.error
    figures = job.parameters["figures"]
    assert figures["n_train"] == 16
    name = Path(figures["models"][0]).relative_to(settings.MODELS)
    found = compute(study, Specification("bi_encoder", {"model": str(name)}))
    assert found.state == Job.State.DONE, found.error
    # The process tells Pearson's r of the test items, and so does the measure's own values.
    from scoring import pearson

    values = study.baselines.get(measure="bi_encoder").array[16:]
    mean = figures["tests"]["test"]["pearson"]["mean"]
    assert float(pearson([mean for *_, mean in texts[16:]], values)) == pytest.approx(
        mean, abs=1e-5
    )
