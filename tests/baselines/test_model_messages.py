"""What `scoring.neural` says of models: messages, so that every reader has them translated."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import translation

from annotation.baselines.queries import training_pairs
from annotation.baselines.services import baseline_choices, specifications
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Sentence, in_words
from annotation.core.services.model_process import without_our_folders
from annotation.models import Baseline, Study
from scoring.baselines import Specification
from scoring.neural import checkpoints, drawn_weights, models, prompts, vector_store, word_vectors
from scoring.neural.choice_settings import ChoiceSettings, Dialogue
from scoring.neural.choosing_command import no_causal_model, read_dialogues
from scoring.neural.measure_options import Measure
from scoring.neural.measures import MEASURES, PRESETS, check
from scoring.neural.packages import load
from scoring.neural.refusals import RefusalError
from scoring.neural.searching import Search, split
from scoring.neural.trainees import LOSSES
from scoring.neural.training import Pairs, check_scores
from scoring.neural.training_settings import TrainingSettings
from scoring.neural.workplace import Workplace
from shell.messages import Message
from tests.support.factories import make_study

# A name that is the same in every language.
PROPER_NAMES = {"BERTScore"}


def refusal_of(work: Callable[[], object]) -> Message:
    with pytest.raises(RefusalError) as caught:
        work()
    message = caught.value.message
    assert isinstance(message, Message)
    assert caught.value.args == (message,)
    return message


def _of_measure(measure: Measure) -> Iterator[str]:
    yield from (measure.name, measure.definition)
    for option in measure.options:
        yield from (option.name, option.definition, *filter(None, option.choices.values()))


def test_every_measure_and_all_that_can_be_set_of_it_are_messages() -> None:
    texts = [
        text
        for measure in [*MEASURES.values(), baseline_choices.QUESTION]
        for text in _of_measure(measure)
    ]
    for preset in PRESETS.values():
        texts += [preset.name, preset.definition]
    texts += [text for of_kind in LOSSES.values() for text in of_kind.values()]

    assert len(texts) > 60
    assert {text for text in texts if not isinstance(text, Message)} == PROPER_NAMES


SPECIFICATIONS: list[tuple[str, dict[str, Any]]] = [
    ("no_such", {}),
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
def test_what_is_wrong_with_a_measure_is_a_message(key: str, given: dict[str, Any]) -> None:
    assert refusal_of(lambda: check(Specification(key, given)))


def test_what_somebody_typed_keeps_its_quotes_and_names_of_settings_stay() -> None:
    message = refusal_of(
        lambda: check(Specification("bi_encoder", {"model": "m", "context": "1000"}))
    )

    assert message == (
        "the setting 'context' of Bi-encoder is one of 'none', 'front', 'target', not '1000'"
    )
    assert message.values["given"] == "'1000'"


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
def test_what_is_wrong_with_multiple_choice_is_a_message(given: dict[str, Any]) -> None:
    assert refusal_of(lambda: ChoiceSettings.of_json(given))


def test_what_is_wrong_with_dialogues_is_a_message(tmp_path: Path) -> None:
    file = tmp_path / "dialogues.jsonl"
    file.write_text('{"id": "d", "turns": [], "target": "t", "options": []}\n')

    refusals = {
        refusal_of(lambda: Dialogue("d", (), "t", ("a",), (1.0,))),
        refusal_of(lambda: Dialogue("d", (), "", ("a", "b"), (1.0, 2.0))),
        refusal_of(lambda: prompts.letters(30)),
        refusal_of(lambda: read_dialogues(file)),
    }

    assert f"{file}, line 1: dialogue d has 0 options: 2 are needed" in refusals


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
def test_what_is_wrong_with_a_training_is_a_message(given: dict[str, Any], kind: Any) -> None:
    assert refusal_of(lambda: TrainingSettings.of_json(given, kind=kind))


def test_what_is_wrong_with_the_pairs_of_a_training_is_a_message(tmp_path: Path) -> None:
    def pairs(*scores: float) -> Pairs:
        return Pairs(["a"] * len(scores), ["b"] * len(scores), np.array(scores))

    one_epoch = {"epochs": [1]}
    # As whoever types the name of a kind may have it.
    no_kind: Any = "none"
    works: list[Callable[[], object]] = [
        lambda: check_scores(pairs()),
        lambda: check_scores(pairs(0.5, 1.5)),
        lambda: split(pairs(0.5, 0.5), 0.1, seed=1),
        lambda: Search(trials=0, space=one_epoch),
        lambda: Search.of_json({"trials": 1, "space": one_epoch, "metric": "mean"}),
        lambda: Search.of_json({"trials": 1, "space": one_epoch, "more": 1}),
        lambda: Search.of_json({"trials": 1}),
        lambda: Search(trials=1, space={}),
        lambda: Search(trials=1, space={"seed": [1]}),
        lambda: Search(trials=1, space={"epochs": []}),
        lambda: Search(trials=1, space=one_epoch, validation=0.9),
        lambda: checkpoints.check_digest("a", "b", tmp_path),
        lambda: TrainingSettings.of_json({}, kind=no_kind),
    ]

    assert len({refusal_of(work) for work in works}) == len(works)


def _found(name: str, folder: Path | None, store: Path, revision: str = "") -> Message:
    return refusal_of(lambda: models.find(name, models=folder, store=store, revision=revision))


def test_what_is_wrong_with_a_model_is_a_message(tmp_path: Path) -> None:
    root, store = tmp_path / "models", tmp_path / "store"
    files = {
        "empty": ["README.md"],
        "pickled": ["config.json", "pytorch_model.bin"],
        "adapter": ["config.json", "adapter_config.json"],
        "weightless": ["config.json"],
        "whole": ["config.json", "model.safetensors"],
    }
    for name, names in files.items():
        (root / name).mkdir(parents=True)
        for file in names:
            (root / name / file).write_text("{}")
    for name, text in (
        ("broken", "{"),
        ("coded", '{"auto_map": {"a": "b"}}'),
    ):
        (root / name).mkdir()
        (root / name / "config.json").write_text(text)
    (root / "holding").mkdir()
    (root / "holding" / "inner").symlink_to(tmp_path)

    def load_badly() -> None:
        with models.loading(models.Model("m", root / "whole", "")):
            raise OSError("no header.")

    refusals = {
        *(_found(name, root, store) for name in [*files, "broken", "coded"] if name != "whole"),
        _found("whole", root, store, "sha256:0"),
        _found("absent", root, store),
        _found("absent", None, store),
        _found("", root, store),
        _found("a/../b", root, store),
        _found("/etc", root, store),
        _found("/etc", None, store),
        _found("holding", root, store),
        refusal_of(load_badly),
    }

    assert len(refusals) == 15


def test_what_is_wrong_with_the_weights_of_a_model_is_a_message(tmp_path: Path) -> None:
    model = models.Model("org/m", tmp_path, "")
    drawn = [drawn_weights.Drawn("classifier.weight", "BertModel")]

    assert isinstance(no_causal_model(model, "BertModel").message, Message)
    assert refusal_of(lambda: drawn_weights.refuse_any(drawn, model))
    assert refusal_of(lambda: drawn_weights.refuse_any_head(drawn, model))


@pytest.mark.slow
@pytest.mark.parametrize("hub", ["0", "1"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_model_that_is_not_fetched_is_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hub: str, *, is_there: bool
) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("LIKENESS_HUB", hub)
    folder = tmp_path if is_there else None

    first, second = (_found("org/none", folder, tmp_path, revision) for revision in ("", "v1"))

    assert first.template != second.template
    for message in (first, second):
        assert ("LIKENESS_HUB=1" in message.template) is (hub == "0")


def test_what_is_wrong_with_word_vectors_is_a_message(tmp_path: Path) -> None:
    progress: list[str] = []

    def read(content: bytes) -> Message:
        path = tmp_path / "vectors"
        path.write_bytes(content)
        return refusal_of(
            lambda: word_vectors.read(path, {"a"}, lambda _share, text: progress.append(text))
        )

    def score(folder: Path | None) -> Message:
        place = Workplace(folder, tmp_path)
        return refusal_of(
            lambda: word_vectors.score([], {"file": "none.bin", "lower": False}, place)
        )

    refusals = {
        read(b""),
        read(b"2 3\nb 1 2 3\nc 1\n"),
        read(b"2 3\na 1 x 3\n"),
        read(b"a 1 nan 3\n"),
        score(tmp_path),
        score(None),
    }

    assert len(refusals) == 6
    assert progress
    assert all(isinstance(text, Message) for text in progress)


def test_what_is_wrong_with_kept_vectors_is_a_message(tmp_path: Path) -> None:
    with vector_store.VectorStore(tmp_path, {"model": "m"}) as store:
        assert refusal_of(lambda: store.get([b"none"]))
        path = store.path
    path.write_text("no database" * 999)
    (tmp_path / "file").write_text("")

    assert refusal_of(lambda: vector_store.VectorStore(tmp_path, {"model": "m"}))
    assert refusal_of(lambda: vector_store.make(tmp_path / "file" / "folder"))


def test_missing_packages_come_with_their_remedy() -> None:
    assert "`make models`" in refusal_of(lambda: load("no_such_package")).template


def test_subsets_of_dialogues_are_messages() -> None:
    dialogues = [Dialogue("d", ("a",) * n, "t", ("a", "b"), (1.0, 2.0)) for n in (0, 1, 4)]

    subsets = [dialogue.subset for dialogue in dialogues]

    assert subsets == ["1 turn", "2 turns", "5 turns"]
    assert all(isinstance(subset, Message) for subset in subsets)


def test_too_few_pairs_are_a_message() -> None:
    assert isinstance(training_pairs.TOO_FEW, Message)


def test_folders_are_left_out_of_a_message(settings: Any) -> None:
    message = refusal_of(
        lambda: models.find("absent", models=settings.MODELS, store=settings.DATA)
    )

    assert isinstance(without_our_folders(message), Message)
    assert str(settings.MODELS) in message
    assert str(settings.MODELS) not in without_our_folders(message)


@pytest.mark.django_db
def test_a_device_that_a_row_names_is_translated_on_pages() -> None:
    device = Message("cpu, %(n)s threads", values={"n": 4})
    fields = {"n_items": 0, "values": b"", "digest": "", "code_version": ""}
    when = "2026-01-01T00:00:00Z"
    for name, stored in (("a", device), ("b", "cuda, H100"), ("c", '{"template": 3}')):
        Baseline.objects.create(
            study=make_study(), name=name, device=stored, computed_at=when, **fields
        )

    read = [one.device for one in Baseline.objects.order_by("name")]

    assert read == ["cpu, 4 threads", "cuda, H100", '{"template": 3}']
    assert [isinstance(one, Message) for one in read] == [True, False, False]
    with translation.override("de"):
        assert in_words(read[0]) == "cpu, 4 Threads"


def test_errors_keep_their_sentence_for_who_reads_it_later() -> None:
    study = Study(language="en")

    for specification in (Specification(baseline_choices.MEASURE), Specification("bi_encoder")):
        with pytest.raises(AnnotationError) as caught:
            specifications.checked(specification, study)
        assert all(isinstance(sentence, Sentence) for sentence in caught.value.said)
