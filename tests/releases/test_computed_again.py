"""The commands that the README of a release names compute what the release says."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from scoring.__main__ import main
from tests.support import release_studies
from tests.support.release_studies import facts, files_of, write

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_scores_and_alpha_of_best_worst_answers_follow_exactly(tmp_path: Path, capsys) -> None:
    files = files_of(write(release_studies.best_worst(), facts()))
    (tmp_path / "annotations_nrc.csv").write_bytes(files["annotations_nrc.csv"])
    named = re.findall(r"^    python -m scoring (.+)$", files["README.md"].decode(), re.MULTILINE)
    stored = json.loads(files["study.json"])["statistics"]["overall"]

    printed = {}
    for line in named:
        command, name, *options = shlex.split(line)
        main([command, str(tmp_path / name), *options])
        printed[command] = capsys.readouterr().out

    assert set(printed) == {"counting", "alpha", "split-half"}
    scores = {
        row["item"]: float(row["score"])
        for row in csv.DictReader(io.StringIO(printed["counting"]), delimiter="\t")
    }
    items = csv.DictReader(io.StringIO(files["items.tsv"].decode()), delimiter="\t")
    expected = {row["candidate"]: float(row["score"]) for row in items if row["score"]}
    assert sorted(scores.values()) == pytest.approx(sorted(expected.values()), abs=1e-12)
    alpha = json.loads(printed["alpha"])
    assert alpha["alpha"] == pytest.approx(stored["alpha"]["joint"]["slot"]["alpha"], abs=1e-12)
    halves = json.loads(printed["split-half"])
    mean = stored["split_half"]["random"]["spearman"]["mean"]
    assert halves["spearman"]["mean"] == pytest.approx(mean, abs=0.2)
