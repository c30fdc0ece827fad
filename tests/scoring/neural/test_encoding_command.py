"""`python -m scoring.neural encode`: a vector for each text, in their order."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.neural import encoding_command
from scoring.neural.encoding_command import answer
from scoring.neural.refusals import ModelError
from scoring.neural.requests import score
from scoring.neural.workplace import Workplace
from shell import InputError
from tests.scoring.neural.making import some_pairs
from tests.scoring.neural.processes import answered, write_lines


@pytest.fixture
def request_of(models: Path, tmp_path: Path) -> dict[str, Any]:
    texts = [text for pair in some_pairs(6) for text in (pair.first, pair.second)]
    return {
        "model": "bi-encoder",
        "texts": write_lines(tmp_path / "texts.jsonl", [{"text": text} for text in texts]),
        "vectors": str(tmp_path / "vectors.npy"),
        "store": str(tmp_path / "store"),
        "models": str(models),
    }


def silent(share: float, message: str) -> None:
    pass


def test_their_cosines_are_those_of_the_bi_encoder_and_nothing_is_encoded_twice(
    request_of: dict[str, Any], models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoring.baselines import Specification

    # In blocks, the last of them shorter.
    monkeypatch.setattr(encoding_command, "_CHUNK", 5)

    done = answer(request_of, silent)

    vectors = np.load(request_of["vectors"])
    assert (vectors.dtype, len(vectors)) == (np.float32, 12)
    place = Workplace(models, Path(request_of["store"]))
    pairs = some_pairs(6)
    scored = score(pairs, Specification("bi_encoder", {"model": "bi-encoder"}), place)
    assert scored.n_encoded == 0
    assert done["n_encoded"] == scored.n_kept
    a, b = vectors[::2].astype(float), vectors[1::2].astype(float)
    plain = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    np.testing.assert_allclose(plain, scored.values, atol=1e-6)


def test_as_the_worker_starts_it(request_of: dict[str, Any], tmp_path: Path) -> None:
    done = answered("encode", request_of, tmp_path)

    assert np.load(request_of["vectors"]).shape == (12, 32)
    assert done["device"].startswith("cpu")
    assert done["revision"]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"model": "nix"}, ModelError, "nix"),
        ({"more": 1}, InputError, "unknown parts: more"),
        ({"batch_size": 0}, ValueError, "choose a whole number from 1"),
        ({"texts": ""}, InputError, "names no 'texts'"),
    ],
)
def test_a_wrong_request_is_refused(
    request_of: dict[str, Any], change: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        answer({**request_of, **change}, silent)


@pytest.mark.parametrize(
    ("line", "said"), [('{"text": 1}', "'text' must be a text"), ("", "no text to encode")]
)
def test_what_is_no_text_is_named(request_of: dict[str, Any], line: str, said: str) -> None:
    Path(request_of["texts"]).write_text(line)

    with pytest.raises(InputError, match=said):
        answer(request_of, silent)

    assert not Path(request_of["vectors"]).exists()
