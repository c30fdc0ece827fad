"""What can be asked for, by which names, and what is loaded only to know that."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.baselines import Specification
from scoring.neural.measures import MEASURES, PRESETS, check, display_name

REPOSITORY = Path(__file__).resolve().parents[3]
HEAVY = ["torch", "transformers", "sentence_transformers", "bert_score", "pandas", "scipy"]


def loaded_by(program: str) -> str:
    program = f"import sys\n{program}\nprint([n for n in {HEAVY} if n in sys.modules])"
    return subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_asking_what_there_is_loads_nothing_heavy() -> None:
    modules = (
        "measures, models, requests, vector_store, bi_encoder, cross_encoder, bertscore,"
        " word_vectors, __main__"
    )

    assert loaded_by(f"from scoring.neural import {modules}") == "[]"


@pytest.mark.slow
def test_the_web_application_does_not_load_torch() -> None:
    program = (
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'\n"
        "import django\n"
        "django.setup()\n"
        "import config.checks, config.urls, annotation.site.tasks"
    )

    heavy = loaded_by(program)

    assert not {"torch", "transformers", "sentence_transformers"} & set(eval(heavy))


def test_defaults_are_filled_in() -> None:
    checked = check(Specification("bi_encoder", {"model": "org/name"}))

    assert checked.settings == {
        "model": "org/name",
        "revision": "",
        "context": "none",
        "turns": 0,
        "separator": "newline",
    }
    assert check(checked) == checked


def test_settings_of_a_context_that_is_not_read_do_not_matter() -> None:
    plain = Specification("bi_encoder", {"model": "m"})
    other = Specification("bi_encoder", {"model": "m", "turns": 3, "separator": "space"})

    assert check(plain).key == check(other).key


@pytest.mark.parametrize(
    ("measure", "given", "sentence"),
    [
        ("bi_encoder", {}, "Bi-encoder needs the setting 'model'"),
        ("bi_encoder", {"model": " "}, "the setting 'model' of Bi-encoder is empty"),
        ("bi_encoder", {"model": 3}, "'model' of Bi-encoder is a text, not 3"),
        ("bi_encoder", {"model": "m" * 101}, "'model' of Bi-encoder is too long"),
        ("bi_encoder", {"model": "m", "context": "back"}, "is one of 'none', 'front', 'target'"),
        ("bi_encoder", {"model": "m", "turns": -1}, "is a whole number from 0 to 1,000, not -1"),
        (
            "bi_encoder",
            {"model": "m", "turns": True},
            "is a whole number from 0 to 1,000, not True",
        ),
        ("bertscore", {"model": "m", "layer": 1.5}, "is a whole number from -1 to 1,000, not 1.5"),
        ("bertscore", {"model": "m", "context": "front"}, "BERTScore has no setting 'context'"),
        ("word_vectors", {"file": "f", "lower": "yes"}, "is true or false, not 'yes'"),
    ],
)
def test_wrong_settings_are_refused(measure: str, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check(Specification(measure, given))


@pytest.mark.parametrize(
    ("measure", "given", "name"),
    [
        ("bi_encoder", {"model": "org/m"}, "Bi-encoder org/m"),
        (
            "bi_encoder",
            {"model": "m", "context": "front", "turns": 2, "separator": "space"},
            "Bi-encoder m, 2 turns in front (separated by space)",
        ),
        ("bi_encoder", {"model": "m", "context": "front"}, "Bi-encoder m, context in front"),
        (
            "bi_encoder",
            {"model": "m", "context": "target", "turns": 1},
            "Bi-encoder m, 1 turn in front of the target",
        ),
        (
            "bi_encoder",
            {"model": "m", "revision": "sha256:" + "0123456789abcdef" * 4},
            "Bi-encoder m @sha256:0123456789ab",
        ),
        (
            "cross_encoder",
            {"model": "m", "activation": "identity"},
            "Cross-encoder m, identity",
        ),
        ("bertscore", {"model": "m"}, "BERTScore m, last layer"),
        ("bertscore", {"model": "m", "preset": "vanilla"}, "BERTScore m, vanilla, layer 2"),
        ("word_vectors", {"file": "f.bin", "lower": True}, "Word vectors f.bin, lower case"),
    ],
)
def test_a_name_tells_its_settings(measure: str, given: dict[str, Any], name: str) -> None:
    assert display_name(Specification(measure, given)) == name


def test_names_fit_where_they_are_stored() -> None:
    longest = Specification(
        "cross_encoder",
        {
            "model": "m" * 100,
            "revision": "r" * 100,
            "context": "front",
            "turns": 1000,
            "separator": "space",
            "activation": "identity",
        },
    )

    assert 180 < len(display_name(longest)) <= 200


def test_presets_can_be_asked_for() -> None:
    for preset in PRESETS.values():
        names = [display_name(specification) for specification in preset.specifications]
        assert len(set(names)) == len(names)


def test_every_option_explains_itself() -> None:
    for measure in MEASURES.values():
        assert measure.definition.endswith(".")
        for option in measure.options:
            assert option.definition.endswith(".")
            assert option.default is None or not option.choices or option.default in option.choices


def test_a_measure_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no measure 'likeness'; there are squad_f1"):
        check(Specification("likeness"))
    with pytest.raises(ValueError, match="has no settings, so 'model'"):
        check(Specification("squad_f1", {"model": "m"}))
