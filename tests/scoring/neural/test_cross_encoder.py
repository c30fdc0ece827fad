"""What a cross-encoder says of a pair, beside the library's own call."""

from pathlib import Path

import numpy as np
import pytest

from scoring.baselines import Pair
from scoring.neural.models import find
from scoring.neural.refusals import ModelError
from scoring.neural.vector_store import VectorStore, keep
from scoring.neural.workplace import Workplace
from tests.scoring.neural.making import drop_weights, make_bert, scored, some_pairs


def plain(folder: Path, texts: list[tuple[str, str]], **options: object) -> np.ndarray:
    from sentence_transformers import CrossEncoder

    return CrossEncoder(str(folder)).predict(texts, **options)


def test_values_are_the_librarys_own(models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(20)
    texts = [(pair.first, pair.second) for pair in pairs]

    found = scored(
        "cross_encoder", {"model": "cross-encoder"}, pairs, models, tmp_path, batch_size=6
    )
    again = scored("cross_encoder", {"model": "cross-encoder"}, pairs, models, tmp_path)

    assert found.values == pytest.approx(plain(models / "cross-encoder", texts), abs=1e-6)
    assert np.ptp(found.values) > 0.01
    assert (found.n_encoded, again.n_encoded, again.n_kept) == (20, 0, 20)
    assert again.values.tolist() == found.values.tolist()


def test_the_activation_is_the_one_named(models: Path, tmp_path: Path) -> None:
    from torch.nn import Identity

    pairs = some_pairs(5)
    texts = [(pair.first, pair.second) for pair in pairs]
    settings = {"model": "cross-encoder", "activation": "identity"}

    raw = scored("cross_encoder", settings, pairs, models, tmp_path)
    squeezed = scored(
        "cross_encoder", {**settings, "activation": "sigmoid"}, pairs, models, tmp_path
    )

    expected = plain(models / "cross-encoder", texts, activation_fn=Identity())
    assert raw.values == pytest.approx(expected, abs=1e-6)
    assert squeezed.values == pytest.approx(1 / (1 + np.exp(-raw.values)), abs=1e-6)


def test_the_first_text_is_read_first_with_its_context(models: Path, tmp_path: Path) -> None:
    pair = Pair("a man eats", "the dog runs", ("it is noon",), ("a cat sleeps",))
    settings = {"model": "cross-encoder", "context": "front"}

    found = scored("cross_encoder", settings, [pair], models, tmp_path)

    put = [("it is noon\na man eats", "a cat sleeps\nthe dog runs")]
    assert found.values == pytest.approx(plain(models / "cross-encoder", put), abs=1e-6)
    turned = [(second, first) for first, second in put]
    assert found.values != pytest.approx(plain(models / "cross-encoder", turned), abs=1e-4)


def test_both_orders_are_the_mean_of_the_two(models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(9)
    texts = [(pair.first, pair.second) for pair in pairs]
    turned = [(second, first) for first, second in texts]
    forwards, backwards = (plain(models / "cross-encoder", put) for put in (texts, turned))

    first = scored("cross_encoder", {"model": "cross-encoder"}, pairs, models, tmp_path)
    second, both = (
        scored(
            "cross_encoder", {"model": "cross-encoder", "order": order}, pairs, models, tmp_path
        )
        for order in ("candidate", "both")
    )

    assert first.values == pytest.approx(forwards, abs=1e-6)
    assert second.values == pytest.approx(backwards, abs=1e-6)
    assert both.values == pytest.approx((forwards + backwards) / 2, abs=1e-6)
    assert both.figures["order_difference"] == pytest.approx(
        np.abs(forwards - backwards).mean(), abs=1e-6
    )
    # Whatever the order, what was computed before is used again.
    assert (both.n_encoded, both.n_kept) == (0, 18)


def test_the_mean_of_both_orders_is_symmetric(models: Path, tmp_path: Path) -> None:
    pairs = some_pairs(6)
    settings = {"model": "cross-encoder", "order": "both", "context": "front"}
    turned = [Pair(one.second, one.first, one.second_context, one.first_context) for one in pairs]

    one, other = (
        scored("cross_encoder", settings, put, models, tmp_path) for put in (pairs, turned)
    )

    assert one.values == pytest.approx(other.values, abs=1e-7)


def test_no_pairs_have_no_values_in_any_order(models: Path, tmp_path: Path) -> None:
    settings = {"model": "cross-encoder", "order": "both"}

    found = scored("cross_encoder", settings, [], models, tmp_path)

    assert (len(found.values), found.figures) == (0, {})


def test_a_model_of_several_classes_is_refused(packages: None, tmp_path: Path) -> None:
    make_bert(tmp_path / "models" / "classes", n_labels=3)

    with pytest.raises(ModelError, match="gives 3 numbers for a pair"):
        scored(
            "cross_encoder",
            {"model": "classes"},
            [Pair("a", "b")],
            tmp_path / "models",
            tmp_path / "store",
        )


@pytest.mark.parametrize("name", ["encoder", "no-head"])
def test_a_head_that_would_be_drawn_is_refused(name: str, packages: None, tmp_path: Path) -> None:
    make_bert(tmp_path / "models" / "encoder")
    make_bert(tmp_path / "models" / "no-head", n_labels=1)
    drop_weights(tmp_path / "models" / "no-head", "classifier.")

    with pytest.raises(ModelError) as refused:
        scored(
            "cross_encoder",
            {"model": name},
            [Pair("a", "b")],
            tmp_path / "models",
            tmp_path / "store",
        )

    kind = {"encoder": "BertModel", "no-head": "BertForSequenceClassification"}[name]
    assert str(refused.value) == (
        f"The model {name} ({kind}) is no trained cross-encoder, for it lacks weights, such as"
        " classifier.bias, and random ones would take their place: choose one that has them, or"
        " train one from it."
    )


def test_what_a_drawn_head_once_said_is_not_taken_from_the_store(
    models: Path, tmp_path: Path
) -> None:
    place = Workplace(models, tmp_path)
    model = find("bi-encoder", models=models, store=tmp_path)
    identity = {
        "model": model.name,
        "revision": model.revision,
        "measure": "cross_encoder",
        "activation": "model",
        "truncated": "right",
    }
    with VectorStore(tmp_path, identity) as store:
        keep(store, 1, lambda n: ("a", "b"), lambda: lambda units: np.ones((1, 1)), place)

    with pytest.raises(ModelError, match="no trained cross-encoder"):
        scored("cross_encoder", {"model": "bi-encoder"}, [Pair("a", "b")], models, tmp_path)
