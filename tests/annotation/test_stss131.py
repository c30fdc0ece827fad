"""STSS-131 from its file to the data set: rated by simulated people, it comes back."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Study
from annotation.queries.answers import counted_judgments
from annotation.simulation import choosing, through_services
from scoring import pearson
from tests.factories import make_user
from tests.tables import analyse

pytestmark = pytest.mark.django_db

SOURCE = Path(__file__).resolve().parents[3] / "shared" / "data" / "stss131.tsv"
CALIBRATION = ["99", "129"]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


def with_known_answers(path: Path) -> list[dict[str, str]]:
    """The published file, and what is known of the two pairs that calibrate."""
    rows = rows_of(SOURCE.read_text(encoding="utf-8"))
    for row in rows:
        row["expected"] = row["mean"] if row["calibration"] == "1" else ""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


def test_the_published_means_come_back(tmp_path: Path, capsys: Any) -> None:
    if not SOURCE.is_file():
        pytest.skip("the published pairs (shared/data) are not beside this checkout")
    rows = with_known_answers(tmp_path / "pairs.tsv")
    owner = make_user("researcher")
    create = ("--create", "--title", "STSS-131", "--preset", "stss-131", "--owner", owner.username)
    call_command("import_items", "stss", str(tmp_path / "pairs.tsv"), *create)
    call_command("make_design", "stss", "--seed", "5", "--calibration", *CALIBRATION)
    call_command("open_study", "stss")
    study = Study.objects.get(slug="stss")
    taste = choosing.draw_rating_taste(
        study, noise=0, seed=1, given={row["pair_id"]: float(row["mean"]) for row in rows}
    )
    pks = dict(study.items.values_list("key", "pk"))
    spread = {pks[row["pair_id"]]: float(row["sd"]) for row in rows}
    people = choosing.RatingTaste(taste.latent, spread, taste.scale, seed=131)

    done = through_services.answer(study=study, taste=people, n_annotators=32)
    analyse()
    output = tmp_path / "stss.zip"
    call_command("export", "stss", "--source", "simulated", "--output", str(output))

    assert (done.n_annotators, done.n_answers) == (32, 32 * 66)
    with zipfile.ZipFile(output) as archive:
        rated = {row["id"]: row for row in rows_of(archive.read("test_free.tsv").decode())}
        calibration = rows_of(archive.read("calibration.tsv").decode())
    counting = [row for row in rows if row["calibration"] == "0"]
    assert set(rated) == {row["pair_id"] for row in counting}
    assert {row["n"] for row in rated.values()} == {"32"}
    published = [float(row["mean"]) for row in counting]
    found = [float(rated[row["pair_id"]]["mean"]) for row in counting]
    assert float(pearson(published, found)) > 0.98
    assert {row["item"] for row in calibration} == set(CALIBRATION)
    assert len(calibration) == 2 * 32
    # As the file says them, from all ratings in it.
    first = rated["66"]
    ratings = json.loads(first["ratings"])
    assert float(first["mean"]) == pytest.approx(sum(ratings) / 32)
    assert counted_judgments(study, "people").count() == 0
