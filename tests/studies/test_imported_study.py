"""A finished study, imported, scored and exported: the figures of other people's programs."""

import csv
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from annotation.models import Study
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "best_worst_3tuples"


@pytest.fixture
def study() -> Study:
    if not DATA.is_dir():
        pytest.skip("the published cases (shared/data) are not beside this checkout")
    make_user("researcher")
    call_command(
        *("import_judgments", "imported", str(DATA / "annotations.csv")),
        *("--create", "--owner", "researcher", "--pool-column", "Dialogue"),
    )
    return Study.objects.get(slug="imported")


@pytest.mark.slow
def test_scores_agreement_and_reliability_are_the_expected_ones(
    study: Study, tmp_path: Path
) -> None:
    expected = json.loads((DATA / "expected.json").read_text())
    call_command("score", "imported", "--splits", "1000")
    call_command("export", "imported", "--output", str(tmp_path / "study.zip"))

    with zipfile.ZipFile(tmp_path / "study.zip") as archive:
        text = archive.read("items.tsv").decode()
        statistics = json.loads(archive.read("study.json"))["statistics"]["overall"]
    exported = {
        row["id"]: row for row in csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")
    }
    with (DATA / "expected_scores.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(exported) == 300
    for row in rows:
        ours = exported[row["item"]]
        assert (ours["appearances"], ours["best"], ours["worst"]) == (
            row["n"],
            row["best"],
            row["worst"],
        )
        assert float(ours["score"]) == pytest.approx(float(row["score"]), abs=1e-9)
        assert float(ours["rescaled"]) == pytest.approx(float(row["score01"]), abs=1e-9)
    for name, value in expected["alpha"].items():
        on, coding = name.split()
        assert statistics["alpha"][on][coding]["alpha"] == pytest.approx(value, abs=1e-9)
    for rule in ("random", "fixed"):
        for measure in ("spearman", "pearson"):
            figures = expected["split_half"][rule][measure]
            ours = statistics["split_half"][rule][measure]
            tolerance = 4 * figures["sd_of_one_split"] / np.sqrt(1000)
            assert ours["mean"] == pytest.approx(figures["mean"], abs=tolerance)


def test_an_imported_study_is_kept_apart_from_simulated_answers(study: Study) -> None:
    call_command("score", "imported", "--source", "simulated", "--splits", "1")

    assert study.results.get().n_judgments == 0
