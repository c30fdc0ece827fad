"""BERTScore's F1, beside the package called plainly."""

from pathlib import Path

import numpy as np
import pytest

from scoring.baselines import Pair
from scoring.neural.refusals import ModelError
from tests.scoring.neural.making import scored, some_pairs


def plain(folder: Path, pairs: list[Pair], layer: int) -> np.ndarray:
    from bert_score import score

    f1 = score(
        [pair.second for pair in pairs],
        [pair.first for pair in pairs],
        model_type=str(folder),
        num_layers=layer,
        device="cpu",
    )[2]
    return f1.numpy()


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_values_are_the_packages_own(layer: int, models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(15)
    settings = {"model": "bi-encoder", "layer": layer}

    found = scored("bertscore", settings, pairs, models, tmp_path, batch_size=4)

    assert found.values == pytest.approx(plain(models / "bi-encoder", pairs, layer), abs=1e-5)
    assert found.figures == {"without_tokens": 0}


def test_the_kind_of_model_names_the_layer(models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(4)

    def values(**settings: object) -> list[float]:
        given = {"model": "bi-encoder", **settings}
        return scored("bertscore", given, pairs, models, tmp_path).values.tolist()

    assert values(preset="vanilla") == values(layer=2)
    assert values(preset="trained") == pytest.approx(values(layer=3), abs=1e-6)
    assert values(preset="vanilla", layer=1) == values(layer=1)
    assert values(layer=1) != values(layer=2)


def test_every_layer_in_one_pass(models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(7)
    settings = {"model": "bi-encoder", "layer": 2}

    found = scored("bertscore", settings, pairs, models, tmp_path, every_layer=True, batch_size=3)
    again = scored("bertscore", settings, pairs, models, tmp_path, every_layer=True)

    assert found.layers is not None
    assert found.layers.shape == (7, 4)
    for layer in (1, 2, 3):
        expected = plain(models / "bi-encoder", pairs, layer)
        assert found.layers[:, layer] == pytest.approx(expected, abs=1e-5)
    assert found.values.tolist() == found.layers[:, 2].tolist()
    assert again.n_encoded == 0
    assert again.layers is not None
    assert again.layers.tolist() == found.layers.tolist()


def with_weights(folder: Path, pairs: list[Pair], layer: int) -> np.ndarray:
    from bert_score import BERTScorer

    documents = {text for pair in pairs for text in (pair.first, pair.second)}
    scorer = BERTScorer(
        model_type=str(folder),
        num_layers=layer,
        idf=True,
        idf_sents=list(documents),
        device="cpu",
        nthreads=0,
    )
    f1 = scorer.score([pair.second for pair in pairs], [pair.first for pair in pairs])[2]
    return f1.numpy()


@pytest.mark.parametrize("every_layer", [False, True])
def test_weights_are_inverse_document_frequencies_of_the_texts(
    every_layer: bool, models: Path, tmp_path: Path
) -> None:
    pairs = some_pairs(12)
    settings = {"model": "bi-encoder", "layer": 2, "idf": True}

    found = scored(
        "bertscore", settings, pairs, models, tmp_path, every_layer=every_layer, batch_size=5
    )

    assert found.values == pytest.approx(with_weights(models / "bi-encoder", pairs, 2), abs=1e-5)
    assert found.values != pytest.approx(plain(models / "bi-encoder", pairs, 2), abs=1e-3)


def test_what_was_kept_with_weights_of_other_texts_is_not_used(
    models: Path, tmp_path: Path
) -> None:
    pairs = some_pairs(8)
    settings = {"model": "bi-encoder", "layer": 2, "idf": True}
    for before in ({**settings, "idf": False}, settings):
        scored("bertscore", before, pairs, models, tmp_path)

    found = scored("bertscore", settings, pairs[:5], models, tmp_path)
    again = scored("bertscore", settings, pairs[:5], models, tmp_path)

    expected = with_weights(models / "bi-encoder", pairs[:5], 2)
    assert found.values == pytest.approx(expected, abs=1e-5)
    assert (again.n_encoded, again.values.tolist()) == (0, found.values.tolist())


def test_texts_without_tokens_have_no_value(models: Path, tmp_path: Path) -> None:
    # The third has characters, but the tokenizer leaves nothing of them.
    pairs = [Pair("a dog", "a cat"), Pair("  ", "a cat"), Pair("a dog", "\u200b\u00ad")]

    found = scored("bertscore", {"model": "bi-encoder"}, pairs, models, tmp_path)

    assert np.isnan(found.values).tolist() == [False, True, True]
    assert found.figures == {"without_tokens": 2}


def test_a_tokenizer_without_limit_gets_the_models(packages: None, tmp_path: Path) -> None:
    import json

    from tests.scoring.neural.making import make_bert

    folder = tmp_path / "models" / "endless"
    make_bert(folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    del settings["model_max_length"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    pairs = [Pair("a dog runs " * 50, "a cat sleeps " * 50)]

    found = scored("bertscore", {"model": "endless"}, pairs, tmp_path / "models", tmp_path)

    assert np.isfinite(found.values).all()


def test_a_layer_that_is_not_there_is_refused(models: Path, tmp_path: Path) -> None:
    settings = {"model": "bi-encoder", "layer": 4}
    sentence = "has the layers 1 to 3, and no layer 4"
    said: list[str] = []

    def say(share: float, message: str) -> None:
        said.append(message)

    with pytest.raises(ModelError, match=sentence):
        scored("bertscore", settings, [Pair("a", "b")], models, tmp_path, say=say)
    with pytest.raises(ModelError, match=sentence):
        scored(
            "bertscore", settings, [Pair("a", "b")], models, tmp_path, every_layer=True, say=say
        )

    assert not [message for message in said if "1 of 1" in message]
