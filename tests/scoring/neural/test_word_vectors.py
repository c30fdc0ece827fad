"""Averages of word vectors: by hand, in every format, and what is wrong with a file."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from scoring.baselines import Pair
from scoring.neural.refusals import ModelError
from tests.scoring.neural.making import scored

ROWS = {"a": [9.0, 9.0], "dog": [1.0, 0.0], "cat": [3.0, 4.0], "Hund": [0.0, 2.0], "ä": [1.0, 1.0]}
PAIRS = [
    Pair("Dog, dog; cat!", "cat unknown"),
    Pair("dog", "Hund"),
    Pair("nothing known", "dog"),
    Pair("Ä dog", "ä"),
]


def as_text(head: str = "5 2\n") -> bytes:
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in ROWS.items()]
    return (head + "\n".join(lines) + "\n").encode()


def as_binary(end: bytes = b"") -> bytes:
    rows = [word.encode() + b" " + struct.pack("<2f", *row) + end for word, row in ROWS.items()]
    return b"5 2\n" + b"".join(rows)


@pytest.mark.parametrize(
    "content",
    [as_text(), as_text(head=""), as_binary(), as_binary(b"\n"), gzip.compress(as_binary())],
    ids=["text", "without head", "binary", "binary with line breaks", "compressed"],
)
def test_averages_by_hand_in_every_format(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(content)

    found = scored("word_vectors", {"file": "vectors", "lower": True}, PAIRS, tmp_path, tmp_path)

    # (2 dog + cat) / 3 = (5, 4) / 3 beside (3, 4); "hund" is not in the file; ä + dog = (2, 1).
    expected = [31 / (np.sqrt(41) * 5), np.nan, np.nan, 3 / np.sqrt(10)]
    np.testing.assert_allclose(found.values, expected, rtol=1e-6)
    assert found.figures == {"words": 7, "unknown_words": 4, "pairs_without_value": 2}
    assert found.revision.startswith("sha256:")


def test_case_counts_unless_texts_are_lower_cased(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(as_text())

    found = scored("word_vectors", {"file": "vectors"}, PAIRS, tmp_path, tmp_path)

    # "Dog" and "Ä" are not there now, "Hund" is: (dog + cat) / 2 = (2, 2) beside (3, 4).
    expected = [14 / (np.sqrt(8) * 5), 0.0, np.nan, 1 / np.sqrt(2)]
    np.testing.assert_allclose(found.values, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is no file of word vectors"),
        (b"5 2\ndog 1\n", "was cut short"),
        (as_text() + b"cut 1\ndog 3 4\n", "as word number 6 has not 2 numbers"),
        (as_binary()[:-30], "was cut short, or is no file of word vectors: .* of 5 words"),
        (as_text().replace(b"dog 1.0", b"dog x.0"), "word 'dog' has not 2 finite numbers"),
        (as_text().replace(b"dog 1.0", b"dog nan"), "word 'dog' has not 2 finite numbers"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(content: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(content)

    with pytest.raises(ModelError, match=sentence):
        scored("word_vectors", {"file": "vectors"}, PAIRS, tmp_path, tmp_path)


def test_a_missing_file_names_its_place(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=f"put it at {tmp_path}/models/vectors.bin"):
        scored("word_vectors", {"file": "vectors.bin"}, PAIRS, tmp_path / "models", tmp_path)


def test_no_file_elsewhere_is_read(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(as_text())

    with pytest.raises(ModelError, match=r"no '\.\.' in it"):
        scored("word_vectors", {"file": "../vectors"}, PAIRS, tmp_path / "models", tmp_path)
