"""Pairs drawn by a real sentence encoder, in a process of its own."""

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from tests.scoring.neural.conftest import (  # noqa: F401 - fixtures
    models,
    packages,
    prepared,
    real_model,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("prepared")]

# The first of each shares no word with what it means, and the second shares most of its words.
TEXTS = """\
target\tcandidate
A man is playing a guitar.\tSomebody makes music.
The cat sleeps on the sofa.\tThe dog sleeps on the sofa.
Prices rose sharply last year.\tA kitten is dozing on a couch.
He boils two eggs for breakfast.\tInflation was high in the past twelve months.
"""


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def _sample(tmp_path: Path, model: str) -> dict[str, object]:
    (tmp_path / "texts.tsv").write_text(TEXTS, encoding="utf-8")
    said = StringIO()
    call_command(
        *("sample_pairs", str(tmp_path / "texts.tsv"), "--pairs", "16", "--max-uses", "4"),
        *("--measure", "embedding", "--model", model, "--seed", "1", "--json"),
        *("--output", str(tmp_path / "pairs.tsv")),
        stdout=said,
        stderr=StringIO(),
    )
    found: dict[str, object] = json.loads(said.getvalue())
    return found


def test_similarities_are_those_of_a_plain_script(
    real_model: Path,  # noqa: F811 - the fixture
    settings: LazySettings,
    tmp_path: Path,
) -> None:
    from sentence_transformers import SentenceTransformer

    settings.MODELS = real_model.parent

    figures = _sample(tmp_path, real_model.name)
    again = _sample(tmp_path, real_model.name)

    assert (figures["n_drawn"], figures["n_encoded"]) == (16, 8)
    assert (again["n_encoded"], again["n_kept"]) == (0, 8)
    assert figures["revision"] == again["revision"]
    with (tmp_path / "pairs.tsv").open(newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    plain = SentenceTransformer(str(real_model), device="cpu", local_files_only=True)
    first, second = (
        plain.encode([row[side] for row in rows], normalize_embeddings=True)
        for side in ("target", "candidate")
    )
    found = np.array([float(row["similarity"]) for row in rows])
    np.testing.assert_allclose(found, np.clip((first * second).sum(axis=1), 0, 1), atol=1e-4)
    alike = {(row["target"][:7], row["candidate"][:8]): float(row["similarity"]) for row in rows}
    assert alike["Prices ", "Inflatio"] > 0.4 > alike["Prices ", "The dog "]


def test_a_model_that_is_not_there_is_named_with_its_remedy(
    models: Path,  # noqa: F811 - the fixture
    settings: LazySettings,
    tmp_path: Path,
) -> None:
    settings.MODELS = models

    with pytest.raises(CommandError, match="no-such-model"):
        _sample(tmp_path, "no-such-model")

    assert not (tmp_path / "pairs.tsv").exists()
