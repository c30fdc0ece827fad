"""`python -m scoring.neural choose`: requests, what they answer, and a process that is killed."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.neural.choosing_command import answer, read_dialogues
from scoring.neural.refusals import ModelError
from shell import InputError
from shell.messages import Message
from tests.scoring.neural.making import drop_weights, make_bert, make_causal, some_pairs
from tests.scoring.neural.processes import answered, killed_at, write_lines


def giccs(n: int) -> list[dict[str, Any]]:
    """Dialogues as GiCCS has them: three or five turns, five candidates with scores."""
    texts = [text for pair in some_pairs(5 * n) for text in (pair.first, pair.second)]
    return [
        {
            "id": f"dialogue-{i}",
            "turns": texts[10 * i : 10 * i + (2 if i % 2 else 4)],
            "target": texts[10 * i + 4],
            "options": [
                {"id": f"{i}-{k}", "text": texts[10 * i + 5 + k], "score": (k * 7 + i) % 5 / 4}
                for k in range(5)
            ],
        }
        for i in range(n)
    ]


@pytest.fixture
def request_of(models: Path, tmp_path: Path) -> dict[str, Any]:
    return {
        "model": "causal",
        "settings": {"language": "en", "shuffles": 2},
        "dialogues": write_lines(tmp_path / "dialogues.jsonl", giccs(4)),
        "values": str(tmp_path / "values.npy"),
        "store": str(tmp_path / "store"),
        "models": str(models),
    }


def silent(share: float, message: str) -> None:
    pass


def test_values_stand_in_the_order_of_all_options(
    request_of: dict[str, Any], tmp_path: Path
) -> None:
    done = answer(request_of, silent)
    values = np.load(request_of["values"])

    lines = (tmp_path / "dialogues.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "dialogues.jsonl").write_text("".join(reversed(lines)))
    again = answer(request_of, silent)

    assert values.shape == (20,)
    assert (values < 0).all()
    turned = np.load(request_of["values"]).reshape(4, 5)[::-1].ravel()
    np.testing.assert_array_equal(turned, values)
    assert (again["n_encoded"], again["n_kept"]) == (0, done["n_encoded"])
    assert (done["device"].split(",")[0], again["device"]) == ("cpu", "none")


def test_the_figures_name_how_it_was_asked(request_of: dict[str, Any]) -> None:
    settings = {
        "template": "{options} {target}:",
        "with_dialogue": False,
        "answer": "letter",
        "likelihood": "sum",
        "shuffles": 3,
        "seed": 8,
    }

    said: list[str] = []
    done = answer(request_of | {"settings": settings}, lambda share, message: said.append(message))

    assert said[-1] == "multiple choice, 4 dialogues"
    assert all(isinstance(message, Message) for message in said)
    figures = done["figures"]
    assert {name: figures[name] for name in settings if name != "shuffles"} == {
        name: value for name, value in settings.items() if name != "shuffles"
    }
    assert figures["shuffles"]["n"] == 3
    assert figures["chance"] == pytest.approx(0.2)
    assert list(figures["by_subset"]) == ["5 turns", "3 turns"]
    names = [figures["by_subset"][name]["name"] for name in ("5 turns", "3 turns")]
    assert names == ["5 turns", "3 turns"]
    assert all(isinstance(text, Message) for text in (*names, done["device"]))
    assert figures["n"] == 4
    assert done["revision"].startswith("sha256:")
    json.dumps(done, allow_nan=False)


def test_a_killed_process_goes_on_where_it_was(
    request_of: dict[str, Any], models: Path, tmp_path: Path
) -> None:
    # A line for each of 120 answers: who waits to be read is far from the end.
    whole = {
        **request_of,
        "dialogues": write_lines(tmp_path / "dialogues.jsonl", giccs(12)),
        "batch_size": 1,
    }
    expected = answer(whole | {"store": str(tmp_path / "another")}, silent)
    expected_values = np.load(request_of["values"])
    Path(request_of["values"]).unlink()

    killed_at('"progress": 0.1', "choose", whole, tmp_path)
    assert not Path(request_of["values"]).exists()
    with sqlite3.connect(tmp_path / "store" / "likelihoods.sqlite3") as kept:
        (n_kept,) = kept.execute("SELECT count(*) FROM likelihood").fetchone()
    done = answered("choose", whole, tmp_path)

    # Nothing that was kept is computed again.
    assert 0 < n_kept < expected["n_encoded"]
    assert done["n_kept"] == n_kept
    assert done["n_encoded"] == expected["n_encoded"] - n_kept
    np.testing.assert_allclose(np.load(request_of["values"]), expected_values, rtol=0, atol=1e-5)
    assert done["figures"] == expected["figures"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"settings": {"template": "{target}"}}, r"the template lacks \{dialogue\}"),
        ({"settings": []}, "the settings of the request are no JSON object"),
        ({"model": 3}, "the request: 'model' must be a text"),
        ({"model": "nowhere"}, "There is no model 'nowhere': put its files into the folder"),
        ({"dtype": "int8"}, "dtype is 'int8': choose float32, bfloat16, float16"),
        ({"batch_size": 0}, "batch_size is 0: choose a whole number from 1"),
        ({"valeus": "x"}, "the request has unknown parts: valeus"),
        ({"values": ""}, "the request names no 'values'"),
        ({"dialogues": "/nowhere.jsonl"}, "cannot read /nowhere.jsonl: No such file"),
    ],
)
def test_wrong_requests_cost_one_sentence(
    request_of: dict[str, Any], changed: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, InputError, ModelError), match=message):
        answer(request_of | changed, silent)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: no JSON"),
        ("[]", "line 2: no JSON object"),
        ({"options": None}, "line 2: 'options' must be a list of objects"),
        ({"options": [{"text": "x"}]}, "line 2: dialogue dialogue-1 has 1 options: 2 are needed"),
        ({"options": [{"text": "x"}, {"text": 2}]}, "line 2: 'text' must be a text"),
        ({"options": [{"text": "x", "score": "1"}] * 2}, "the 'score' of an option must be a num"),
        ({"turns": "hello"}, "line 2: 'turns' must be a list of texts"),
        ({"target": None}, "line 2: 'target' must be a text"),
        ({"target": " "}, "line 2: dialogue dialogue-1 has an empty last turn or option"),
    ],
)
def test_a_wrong_line_is_named(line: str | dict[str, Any], message: str, tmp_path: Path) -> None:
    first, second = giccs(2)
    wrong = line if isinstance(line, str) else json.dumps({**second, **line})
    (tmp_path / "dialogues.jsonl").write_text(f"{json.dumps(first)}\n{wrong}\n")

    with pytest.raises((ValueError, InputError), match=message):
        read_dialogues(tmp_path / "dialogues.jsonl")


def test_a_missing_score_leaves_the_dialogue_out_and_a_subset_is_kept(tmp_path: Path) -> None:
    first, second = giccs(2)
    first["options"][3]["score"] = None
    second["subset"] = "kitchen"

    read = read_dialogues(Path(write_lines(tmp_path / "dialogues.jsonl", [first, second])))

    assert np.isnan(read[0].scores).tolist() == [False, False, False, True, False]
    assert [each.subset for each in read] == ["5 turns", "kitchen"]


def _kept(request: dict[str, Any]) -> int:
    if not (file := Path(request["store"]) / "likelihoods.sqlite3").exists():
        return 0
    with sqlite3.connect(file) as kept:
        (n,) = kept.execute("SELECT count(*) FROM likelihood").fetchone()
    return int(n)


def test_an_encoder_is_no_language_model(request_of: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as refused:
        answer(request_of | {"model": "bi-encoder"}, silent)

    assert str(refused.value) == (
        "The model bi-encoder (BertModel) is no causal language model: multiple choice needs one"
        " that foretells each token from those before it, such as a GPT2LMHeadModel or a"
        " LlamaForCausalLM."
    )
    assert _kept(request_of) == 0
    assert not Path(request_of["values"]).exists()


@pytest.mark.parametrize("named", ["BertLMHeadModel", None])
def test_a_model_that_fills_gaps_is_one_if_it_reads_in_one_direction(
    named: str | None, request_of: dict[str, Any], tmp_path: Path
) -> None:
    import torch
    from transformers import BertConfig, BertLMHeadModel

    folder = tmp_path / "models" / "writer"
    make_bert(folder)
    config = BertConfig.from_pretrained(folder, is_decoder=True)
    torch.manual_seed(0)
    BertLMHeadModel(config).save_pretrained(folder)
    settings = json.loads((folder / "config.json").read_text()) | {"architectures": [named]}
    if named is None:
        del settings["architectures"]
    asked = request_of | {"model": "writer", "models": str(tmp_path / "models")}
    # It reads 64 tokens.
    asked["settings"] = {"template": "{options} {target}", "with_dialogue": False, "shuffles": 1}
    asked["dialogues"] = write_lines(tmp_path / "dialogues.jsonl", short())

    (folder / "config.json").write_text(json.dumps(settings))
    assert answer(asked, silent)["n_encoded"] > 0

    (folder / "config.json").write_text(json.dumps(settings | {"is_decoder": False}))
    with pytest.raises(ModelError, match=r"The model writer \(\w+\) is no causal language model"):
        answer(asked, silent)


def short() -> list[dict[str, Any]]:
    options = [{"text": text, "score": score} for text, score in (("a", 1.0), ("b", 0.0))]
    return [{"id": "d", "turns": ["a"], "target": "b", "options": options}]


def test_a_language_model_without_all_its_weights_is_refused(
    request_of: dict[str, Any], tmp_path: Path
) -> None:
    make_causal(tmp_path / "models" / "cut")
    drop_weights(tmp_path / "models" / "cut", "transformer.h.1.mlp.")

    with pytest.raises(ModelError) as refused:
        answer(request_of | {"model": "cut", "models": str(tmp_path / "models")}, silent)

    assert str(refused.value) == (
        "The model cut (GPT2LMHeadModel) lacks weights, such as transformer.h.1.mlp.c_fc.bias, and"
        " random ones would take their place: put all of its files there, or choose another model."
    )
    assert _kept(request_of) == 0
