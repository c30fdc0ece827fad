"""What the archive of a study says of measures."""

import csv
import io
import zipfile

import numpy as np
import pytest

from annotation.baselines.services import measure_uploads
from annotation.baselines.services.report_options import ReportOptions
from annotation.models import Study
from annotation.releases.exports.archive import write_archive
from scoring.baselines import Specification
from tests.support.baseline_studies import compute
from tests.support.reviewing import score, scored_dialogues

pytestmark = pytest.mark.django_db

OPTIONS = ReportOptions(by=("turns",), n_resamples=10)
F1 = Specification("squad_f1")
EXACT = Specification("exact_match")


def files(study: Study, **options) -> dict[str, str]:
    file = io.BytesIO()
    write_archive(study, options.pop("population", "people"), file, **options)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def measured() -> Study:
    study = scored_dialogues(dialogues=4)
    job = compute(study, F1, EXACT, options=OPTIONS)
    assert job.state == "done", job.error
    return study


@pytest.mark.slow
def test_a_study_with_measures_has_their_values_and_the_leaderboard() -> None:
    study = measured()

    found = files(study)

    board = rows(found["leaderboard.tsv"])
    assert [(row["subset"], row["measure"]) for row in board[:2]] == [
        ("all", "SQuAD F1"),
        ("all", "Exact match"),
    ]
    figures = study.baseline_reports.get().figures["subsets"][0]["rows"][0]
    assert float(board[0]["pearson"]) == figures["correlations"]["pearson"]["value"]
    # Nothing is the same, so exact match is constant.
    assert board[1]["pearson"] == ""
    assert "equal" in board[1]["reason"]
    assert next((row["first"], row["second"]) for row in rows(found["differences.tsv"])) == (
        "SQuAD F1",
        "Exact match",
    )
    values = rows(found["baselines.tsv"])
    assert [row["id"] for row in values] == [item.key for item in study.items.order_by("number")]
    np.testing.assert_array_equal(
        [float(row["SQuAD F1"]) for row in values],
        study.baselines.get(measure="squad_f1").array,
    )
    readme = found["README.md"]
    for name in ("leaderboard.tsv", "differences.tsv", "baselines.tsv"):
        assert f"## {name}" in readme
        assert f"  {name}\n" in found["SHA256SUMS"]
        for column in rows(found[name])[0]:
            assert f"| `{column}` |" in readme


@pytest.mark.slow
def test_the_readme_says_what_the_leaderboard_was_computed_from() -> None:
    study = measured()
    report = study.baseline_reports.get()

    readme = files(study)["README.md"]

    for name in ("leaderboard.tsv", "differences.tsv"):
        section = readme.split(f"## {name}")[1].split("\n## ")[0]
        assert "- People's scores: scores, rescaled to [0, 1]; result" in section
        assert "- Items: all; 20 of 20 have a score from people." in section
        # Four dialogues are too few to be drawn whole.
        assert "with the standard error over pools." in section
        assert f"Computed {report.computed_at:%Y-%m-%d %H:%M}" in section


@pytest.mark.slow
def test_scores_of_another_day_leave_the_values_alone() -> None:
    study = measured()
    score(study)

    found = files(study)

    assert "baselines.tsv" in found
    assert "leaderboard.tsv" not in found
    assert "leaderboard.tsv" not in found["README.md"]


@pytest.mark.slow
def test_a_study_without_measures_and_simulated_answers_have_none_of_it() -> None:
    names = {"leaderboard.tsv", "differences.tsv", "baselines.tsv"}

    assert not names & files(scored_dialogues(dialogues=2)).keys()
    assert not names & files(measured(), population="simulated").keys()


@pytest.mark.slow
def test_only_texts_are_marked_for_spreadsheets() -> None:
    study = measured()
    measure_uploads.upload(study=study, name="=1+1", file=_table(study))
    assert compute(study, F1, EXACT, options=OPTIONS).state == "done"

    found = files(study, spreadsheet=True)

    [own] = [
        row
        for row in rows(found["leaderboard.tsv"])
        if (row["subset"], row["measure"]) == ("all", "'=1+1")
    ]
    assert "'=1+1" in found["baselines.tsv"].splitlines()[0]
    assert float(own["pearson_fisher_low"]) < float(own["pearson_fisher_high"])
    assert min(float(row["'=1+1"]) for row in rows(found["baselines.tsv"])) == -9.5


def _table(study: Study) -> io.BytesIO:
    lines = [f"{item.key}\t{n - 9.5}" for n, item in enumerate(study.items.order_by("number"))]
    return io.BytesIO("\n".join(lines).encode())
