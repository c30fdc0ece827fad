"""Cosines of embeddings, beside a plain script with the same model."""

import csv
from pathlib import Path

import numpy as np
import pytest

from scoring import pearson
from scoring.baselines import Pair
from scoring.neural.bi_encoder import Encoder, cosines
from scoring.neural.models import find
from scoring.neural.refusals import ModelError
from tests.scoring.neural.making import drop_weights, make_bert, scored, some_pairs
from tests.scoring.neural.plain import plain_cosines


def test_values_are_those_of_a_plain_script(real_model: Path, tmp_path: Path) -> None:
    pairs = [
        Pair("A man is eating.", "Somebody has a meal."),
        Pair("A man is eating.", "It will rain tomorrow, and the day after, and all the week."),
        Pair("Der Zug kommt heute zu spät.", "Der Bus ist verspätet."),
        Pair("", "An answer to nothing."),
        Pair("The sun stood high.", "The sun stood high."),
    ]

    found = scored(
        "bi_encoder", {"model": real_model.name}, pairs, real_model.parent, tmp_path, batch_size=3
    )

    assert found.values == pytest.approx(plain_cosines(real_model, pairs), abs=1e-6)
    assert found.values[0] > found.values[1]
    assert found.values[4] == pytest.approx(1.0, abs=1e-6)
    assert found.device.startswith(("cpu", "cuda"))
    assert found.revision.startswith("sha256:")


def test_correlation_with_people_is_that_of_a_plain_script(
    real_model: Path, shared_data: Path, tmp_path: Path
) -> None:
    with (shared_data / "stss131.tsv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["calibration"] == "0"]
    pairs = [Pair(row["sentence1"], row["sentence2"]) for row in rows]
    people = np.array([float(row["mean"]) for row in rows])

    found = scored("bi_encoder", {"model": real_model.name}, pairs, real_model.parent, tmp_path)

    expected = pearson(people, plain_cosines(real_model, pairs).astype(float))
    assert len(pairs) == 64
    assert expected > 0.7
    assert pearson(people, found.values) == pytest.approx(expected, abs=1e-6)


def test_each_different_text_is_encoded_once(models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(30)
    different = {text for pair in pairs for text in (pair.first, pair.second)}

    found = scored("bi_encoder", {"model": "bi-encoder"}, pairs, models, tmp_path, batch_size=7)

    assert (found.n_encoded, found.n_kept) == (len(different), 0)
    assert len(different) < 2 * len(pairs)
    assert found.values == pytest.approx(plain_cosines(models / "bi-encoder", pairs), abs=1e-5)


def test_kept_vectors_serve_other_studies_and_need_no_model(models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(20)
    settings = {"model": "bi-encoder"}
    first = scored("bi_encoder", settings, pairs[:15], models, tmp_path)

    second = scored("bi_encoder", settings, pairs[::-1], models, tmp_path)
    third = scored("bi_encoder", settings, pairs, models, tmp_path)

    new = {t for p in pairs for t in (p.first, p.second)} - {
        t for p in pairs[:15] for t in (p.first, p.second)
    }
    assert (second.n_encoded, second.n_kept) == (len(new), first.n_encoded)
    assert second.values[::-1][:15].tolist() == first.values.tolist()
    assert (third.n_encoded, third.device) == (0, "none")
    assert third.values.tolist() == second.values[::-1].tolist()


def test_texts_are_as_long_as_their_tokens(real_model: Path, tmp_path: Path) -> None:
    model = find(real_model.name, models=real_model.parent, store=tmp_path)
    encoder = Encoder(model, "right", 8)
    encoder.load()

    found = encoder.lengths([("a b c",), ("umbrellas",), ("word " * 5_000,), ("",)])

    # Two of them mark beginning and end; what the model does not read counts for nothing.
    assert (found[0], found[3]) == (5, 2)
    assert found[0] > found[1]
    assert found[2] == 256


def test_context_is_put_in_front_as_the_settings_say(models: Path, tmp_path: Path) -> None:
    alone = Pair("a man eats", "the dog runs")
    in_context = Pair(
        alone.first, alone.second, ("it is noon", "he is here"), ("it was late", "a cat sleeps")
    )
    settings = {"model": "bi-encoder", "context": "front", "turns": 1, "separator": "space"}

    found = scored("bi_encoder", settings, [in_context, alone], models, tmp_path)

    of_target = scored(
        "bi_encoder", {**settings, "context": "target"}, [in_context, alone], models, tmp_path
    )

    put = [Pair("he is here a man eats", "a cat sleeps the dog runs"), alone]
    assert found.values == pytest.approx(plain_cosines(models / "bi-encoder", put), abs=1e-6)
    put = [Pair("he is here a man eats", "the dog runs"), alone]
    assert of_target.values == pytest.approx(plain_cosines(models / "bi-encoder", put), abs=1e-6)
    assert found.values[0] != pytest.approx(found.values[1], abs=1e-3)


def test_a_context_that_is_too_long_is_cut_and_not_the_text(models: Path, tmp_path: Path) -> None:
    context = tuple("the old man reads a new book" for _ in range(30))
    settings = {"model": "bi-encoder", "context": "front"}
    pairs = [
        Pair("a dog sleeps", "a dog sleeps", context, context),
        Pair("a dog sleeps", "it is not the big red bus", context, context),
    ]

    found = scored("bi_encoder", settings, pairs, models, tmp_path)

    assert found.values[0] == pytest.approx(1.0)
    assert found.values[1] < 0.999


def test_a_zero_vector_has_no_cosine() -> None:
    first = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    second = np.array([[4.0, 3.0], [1.0, 0.0], [-2.0, 0.0]], dtype=np.float32)

    found = cosines(first, second)

    np.testing.assert_allclose(found, [0.96, np.nan, -1.0])


@pytest.mark.parametrize("measure", ["bi_encoder", "bertscore"])
def test_weights_that_would_be_drawn_are_refused(
    measure: str, packages: None, tmp_path: Path
) -> None:
    make_bert(tmp_path / "models" / "cut")
    drop_weights(tmp_path / "models" / "cut", "encoder.layer.1.output.dense.", "pooler.")

    with pytest.raises(ModelError) as refused:
        scored(measure, {"model": "cut"}, some_pairs(2), tmp_path / "models", tmp_path / "store")

    assert str(refused.value) == (
        "The model cut (BertModel) lacks weights, such as encoder.layer.1.output.dense.bias, and"
        " random ones would take their place: put all of its files there, or choose another model."
    )


@pytest.mark.parametrize("measure", ["bi_encoder", "bertscore"])
def test_a_pooler_that_nobody_reads_may_be_lacking(
    measure: str, models: Path, tmp_path: Path
) -> None:
    make_bert(tmp_path / "models" / "bi-encoder")
    drop_weights(tmp_path / "models" / "bi-encoder", "pooler.")
    pairs = some_pairs(5)

    found, whole = (
        scored(measure, {"model": "bi-encoder"}, pairs, folder, tmp_path / "store")
        for folder in (tmp_path / "models", models)
    )

    assert found.revision != whole.revision
    assert found.values.tolist() == whole.values.tolist()
