"""What `scoring.baselines` and `scoring.neural` say reaches every reader in their language."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import translation

from annotation import reported
from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.queries import baseline_subsets
from annotation.reported_measures import KNOWN_OF_MEASURES
from annotation.sentences import Sentence
from annotation.services import baseline_choices, specifications
from scoring.baselines import Specification
from scoring.neural import checkpoints, drawn_weights, models, prompts, word_vectors
from scoring.neural.choice import ChoiceSettings, Dialogue
from scoring.neural.choosing_command import no_causal_model
from scoring.neural.measures import PRESETS, Measure, all_measures, check
from scoring.neural.packages import load
from scoring.neural.searching import Search, split
from scoring.neural.training import Pairs, TrainingSettings, check_scores
from scoring.neural.workplace import Workplace

# Names that are the same in every language.
PROPER_NAMES = {
    "BERTScore",
    "BLEU-4",
    "Jaccard",
    "METEOR (exact, Porter stem)",
    "ROUGE-L",
    "SQuAD F1",
    "chrF2",
}


def _assert_known(texts: set[str]) -> None:
    unknown = sorted(
        text for text in texts if not isinstance(reported.sentence_of(text), Sentence)
    )
    assert unknown == []
    # The English is theirs, but for the signs of numbers.
    plain = {text: reported.in_words(text).replace("−", "-") for text in texts}
    assert plain == {text: re.sub(r"(\d),(\d{3})\b", r"\1\2", text) for text in texts}


def _of_measure(measure: Measure) -> Iterator[str]:
    yield from (measure.name, measure.definition)
    for option in measure.options:
        yield from (option.name, option.definition, *option.choices.values())


def test_every_measure_and_all_that_can_be_set_of_it_are_known() -> None:
    said = {
        text
        for measure in [*all_measures().values(), baseline_choices.QUESTION]
        for text in _of_measure(measure)
    }
    for preset in PRESETS.values():
        said |= {preset.name, preset.definition}

    _assert_known(said - PROPER_NAMES - {""})


def _said(work: Callable[[], object]) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        work()
    return str(caught.value)


SPECIFICATIONS: list[tuple[str, dict[str, Any]]] = [
    ("no_such", {}),
    ("squad_f1", {"stemmer": "none"}),
    ("meteor", {"stem": "none"}),
    ("meteor", {"stemmer": "latin"}),
    ("bi_encoder", {}),
    ("bi_encoder", {"model": ""}),
    ("bi_encoder", {"model": 3}),
    ("bi_encoder", {"model": "m" * 200}),
    ("bi_encoder", {"model": "m", "layer": 3}),
    ("bi_encoder", {"model": "m", "turns": -1}),
    ("bi_encoder", {"model": "m", "context": "behind"}),
    ("word_vectors", {"file": "f", "lower": 3}),
]


@pytest.mark.parametrize(("key", "given"), SPECIFICATIONS)
def test_what_is_wrong_with_a_measure_is_known(key: str, given: dict[str, Any]) -> None:
    _assert_known({_said(lambda: check(Specification(key, given)))})


CHOICES: list[dict[str, Any]] = [
    {"answer": "both"},
    {"style": "own"},
    {"likelihood": "mean"},
    {"with_dialogue": 3},
    {"shuffles": 0},
    {"seed": -1},
    {"template": 3},
    {"template": "{options}"},
    {"template": "{target} {options} {dialogue} {more}"},
    {"template": "{target} {options} {dialogue}", "with_dialogue": False},
    {"language": "fr"},
    {"languages": "fr"},
]


@pytest.mark.parametrize("given", CHOICES)
def test_what_is_wrong_with_multiple_choice_is_known(given: dict[str, Any]) -> None:
    _assert_known({_said(lambda: ChoiceSettings.of_json(given))})


def test_what_is_wrong_with_dialogues_is_known() -> None:
    _assert_known(
        {
            _said(lambda: Dialogue("d", (), "t", ("a",), (1.0,))),
            _said(lambda: Dialogue("d", (), "", ("a", "b"), (1.0, 2.0))),
            _said(lambda: prompts.letters(30)),
        }
    )


TRAININGS: list[dict[str, Any]] = [
    {"epoch": 3},
    {"epochs": 0},
    {"learning_rate": 0},
    {"warmup": 1},
    {"weight_decay": -1},
    {"loss": "none"},
]


@pytest.mark.parametrize("given", TRAININGS)
@pytest.mark.parametrize("kind", ["bi_encoder", "cross_encoder"])
def test_what_is_wrong_with_a_training_is_known(given: dict[str, Any], kind: Any) -> None:
    _assert_known({_said(lambda: TrainingSettings.of_json(given, kind=kind))})


def test_what_is_wrong_with_the_pairs_of_a_training_is_known(tmp_path: Path) -> None:
    def pairs(*scores: float) -> Pairs:
        return Pairs(["a"] * len(scores), ["b"] * len(scores), np.array(scores))

    _assert_known(
        {
            _said(lambda: check_scores(pairs())),
            _said(lambda: check_scores(pairs(0.5, 1.5))),
            _said(lambda: split(pairs(0.5, 0.5), 0.1, seed=1)),
            _said(lambda: Search(trials=0, space={"epochs": [1]})),
            _said(
                lambda: Search.of_json({"trials": 1, "space": {"epochs": [1]}, "metric": "mean"})
            ),
            _said(lambda: Search(trials=1, space={"epochs": [1]}, validation=0.9)),
            _said(lambda: checkpoints.check_digest("a", "b", tmp_path)),
            _said(lambda: TrainingSettings.of_json({}, kind="none")),  # type: ignore[arg-type]
        }
    )


def _found(name: str, folder: Path | None, store: Path, revision: str = "") -> str:
    return _said(lambda: models.find(name, models=folder, store=store, revision=revision))


def test_what_is_wrong_with_a_model_is_known(tmp_path: Path) -> None:
    root, store = tmp_path / "models", tmp_path / "store"
    files = {
        "empty": ["README.md"],
        "pickled": ["config.json", "pytorch_model.bin"],
        "adapter": ["config.json", "adapter_config.json"],
        "weightless": ["config.json"],
        "whole": ["config.json", "model.safetensors"],
    }
    for name, of in files.items():
        (root / name).mkdir(parents=True)
        for file in of:
            (root / name / file).write_text("{}")
    for name, text in (
        ("broken", "{"),
        ("coded", '{"auto_map": {"a": "b"}}'),
    ):
        (root / name).mkdir()
        (root / name / "config.json").write_text(text)

    def load_badly() -> None:
        with models.loading(models.Model("m", root / "whole", "")):
            raise OSError("no header.")

    said = {
        *(_found(name, root, store) for name in [*files, "broken", "coded"] if name != "whole"),
        _found("whole", root, store, "sha256:0"),
        _found("absent", root, store),
        _found("absent", None, store),
        _found("", root, store),
        _found("a/../b", root, store),
        _found("/etc", root, store),
        _found("/etc", None, store),
        _said(load_badly),
    }
    assert len(said) == 14

    _assert_known(said)


def test_what_is_wrong_with_the_weights_of_a_model_is_known(tmp_path: Path) -> None:
    model = models.Model("org/m", tmp_path, "")
    drawn = [drawn_weights.Drawn("classifier.weight", "BertModel")]

    _assert_known(
        {
            str(no_causal_model(model, "BertModel")),
            _said(lambda: drawn_weights.refuse_any(drawn, model)),
            _said(lambda: drawn_weights.refuse_any_head(drawn, model)),
        }
    )


def test_a_model_that_nobody_may_fetch_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("LIKENESS_HUB", "0")
    said = {_found("org/none", tmp_path, tmp_path, revision) for revision in ("", "v1")}
    assert len(said) == 2

    _assert_known(said)
    for one in said:
        found = reported.sentence_of(one)
        assert isinstance(found, Sentence)
        assert "LIKENESS_HUB=1" in found.singular


def test_what_is_wrong_with_word_vectors_is_known(tmp_path: Path) -> None:
    def read(content: bytes) -> str:
        path = tmp_path / "vectors"
        path.write_bytes(content)
        return _said(lambda: word_vectors.read(path, {"a"}, lambda share, message: None))

    def score(folder: Path | None) -> str:
        place = Workplace(folder, tmp_path, lambda share, message: None, 1)
        return _said(lambda: word_vectors.score([], {"file": "none.bin", "lower": False}, place))

    _assert_known(
        {
            read(b""),
            read(b"2 3\nb 1 2 3\nc 1\n"),
            read(b"2 3\na 1 x 3\n"),
            read(b"a 1 nan 3\n"),
            score(tmp_path),
            score(None),
        }
    )


def test_missing_packages_are_known_with_their_remedy() -> None:
    said = _said(lambda: load("no_such_package"))

    _assert_known({said})
    assert "`make models`" in reported.in_words(said)


def test_what_is_said_meanwhile_is_known() -> None:
    _assert_known(
        {
            "starting",
            "loading the model",
            "reading vectors.bin",
            "50,000 words of vectors.bin read",
            "1,200 of 5,000 texts",
            "12 of 5,000 pairs",
            "run 2: epoch 1, step 3 of 9",
            "run 2: step 0 of 9",
            "trial 2 of 9",
            "multiple choice, 9 dialogues",
        }
    )


def test_thousands_are_no_fractions_for_who_writes_a_decimal_comma() -> None:
    found = reported.sentence_of("1,200 of 5,000 texts")

    assert isinstance(found, Sentence)
    with translation.override("de"):
        assert {"1,200", "5,000"}.isdisjoint(str(found).split())


def test_subsets_of_dialogues_and_devices_are_known() -> None:
    dialogues = [Dialogue("d", ("a",) * n, "t", ("a", "b"), (1.0, 2.0)) for n in (0, 1, 4)]

    _assert_known({*(one.subset for one in dialogues), "cpu, 4 threads"})


def test_errors_keep_their_sentence_for_who_reads_it_later() -> None:
    study = Study(language="en")
    refused = (
        lambda: baseline_subsets.refuse_unreadable("first =="),
        lambda: specifications.checked(Specification("squad_f1", {"a": "b"}), study),
        lambda: specifications.checked(Specification(baseline_choices.MEASURE), study),
    )

    for work in refused:
        with pytest.raises(AnnotationError) as caught:
            work()
        assert all(isinstance(said, Sentence) for said in caught.value.said)


def test_no_sentence_is_known_twice() -> None:
    every = [known.singular for known in reported.KNOWN]

    assert {one.singular for one in KNOWN_OF_MEASURES} <= {*every}
    assert [one for one in KNOWN_OF_MEASURES if every.count(one.singular) > 1] == []
