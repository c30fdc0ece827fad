"""Data computed by other people's programs, which lie beside the repository."""

import csv
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring import BestWorst, tuples_by_set
from scoring.__main__ import main
from tests.scoring.commands import SMALL, Run

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@dataclass(frozen=True)
class PublishedStudy:
    """The folder best_worst_3tuples: 60 dialogues x 5 items, ten 3-tuples each, 5 answers."""

    answers: BestWorst
    item_ids: list[str]
    source_of_tuple: list[str]
    cell_of_tuple: list[str]
    latent: np.ndarray
    scores: list[dict[str, str]]
    expected: dict[str, Any]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the data to check against are not there: {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture(scope="session")
def published(shared_data: Path) -> PublishedStudy:
    folder = shared_data / "best_worst_3tuples"
    items = _rows(folder / "items.csv")
    number = {item["item"]: i for i, item in enumerate(items)}
    rows = _rows(folder / "annotations.csv")

    def numbers(column: str) -> list[int]:
        return [number[row[column]] for row in rows]

    answers = tuples_by_set(
        np.array([numbers(f"Item{slot}") for slot in (1, 2, 3)]).T,
        np.array(numbers("BestItem")),
        np.array(numbers("WorstItem")),
        n_items=len(items),
        annotator=np.array([int(row["Annotator"][1:]) for row in rows]),
    )
    # The items of a tuple belong to one dialogue, so its first item tells its source.
    first_items = [items[i] for i in answers.tuples[:, 0]]
    scores = {row["item"]: row for row in _rows(folder / "expected_scores.csv")}
    return PublishedStudy(
        answers=answers,
        item_ids=[item["item"] for item in items],
        source_of_tuple=[item["source"] for item in first_items],
        cell_of_tuple=[f"{item['source']}/{item['turns']}" for item in first_items],
        latent=np.array([float(item["latent"]) for item in items]),
        scores=[scores[item["item"]] for item in items],
        expected=json.loads((folder / "expected.json").read_text()),
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def command(capsysbinary, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on a table; return its exit status, output and errors."""

    def run(*arguments: str, table: str | bytes | None = SMALL) -> tuple[int, str, str]:
        content = table.encode() if isinstance(table, str) else table
        if content is not None:
            arguments = (arguments[0], "-", *arguments[1:])
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        status = main(list(arguments))
        out, errors = capsysbinary.readouterr()
        return status, out.decode(), errors.decode()

    return run
