"""`python -m scoring.baselines` with measures that `python -m scoring.neural` computes."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from scoring.baselines.__main__ import main

TABLE = """\
one,two,score
red house,a red car,2
house,car,1
red,red,3
"""
VECTORS = """\
4 2
red 1 0
house 0 1
car 1 1
a 0 2
"""


def run(table: Path, *arguments: str) -> int:
    texts = ("--first", "one", "--second", "two", "--human", "score", "--resamples", "0")
    return main([str(table), *texts, *arguments])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "pairs.csv"
    file.write_text(TABLE, encoding="utf-8")
    return file


def last_column(file: Path) -> list[float]:
    return [float(line.split("\t")[-1]) for line in file.read_text().splitlines()[1:]]


def cosine(x: tuple[float, ...], y: tuple[float, ...]) -> float:
    return float(np.dot(x, y) / np.linalg.norm(x) / np.linalg.norm(y))


def test_word_vectors_of_a_file_by_its_path(table: Path, tmp_path: Path, capsysbinary) -> None:
    vectors, values = tmp_path / "tiny.vec", tmp_path / "values.tsv"
    vectors.write_text(VECTORS, encoding="utf-8")

    status = run(
        table,
        "--measures",
        "jaccard",
        "--model",
        f"word_vectors:{vectors}",
        "--values",
        str(values),
    )

    out, errors = capsysbinary.readouterr()
    assert (status, errors) == (0, b"")
    rows = list(csv.DictReader(io.StringIO(out.decode()), delimiter="\t"))
    assert [row["measure"] for row in rows] == ["jaccard", f"word_vectors:{vectors}"]
    # (1, 0) + (0, 1) against (0, 2) + (1, 0) + (1, 1), and so on
    assert last_column(values) == pytest.approx(
        [cosine((1, 1), (2, 3)), cosine((0, 1), (1, 1)), 1], abs=1e-6
    )


@pytest.mark.usefixtures("prepared")
def test_a_bi_encoder_of_the_folder_of_models(
    models: Path, table: Path, tmp_path: Path, capsysbinary
) -> None:
    values, store = tmp_path / "values.tsv", tmp_path / "kept"
    asked = ("--model", "bi_encoder:bi-encoder", "--models", str(models), "--store", str(store))

    status = run(table, *asked, "--values", str(values))

    assert (status, capsysbinary.readouterr().err) == (0, b"")
    found = last_column(values)
    assert found[2] == pytest.approx(1, abs=1e-6)
    assert found[0] < 1
    assert any(store.iterdir())


def test_a_model_that_is_not_there_is_one_line(table: Path, tmp_path: Path, capsysbinary) -> None:
    status = run(table, "--model", "word_vectors:none.vec", "--models", str(tmp_path))

    out, errors = capsysbinary.readouterr()
    assert (status, out) == (1, b"")
    assert errors.startswith(b"error: word_vectors: ")
    assert b"none.vec" in errors
    assert errors.count(b"\n") == 1
