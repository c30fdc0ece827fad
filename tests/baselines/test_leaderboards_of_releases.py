"""Which leaderboards a release prints, and that its files say the same as those of the page."""

import csv
import io

import pytest

from annotation.baselines.exports.baselines import StoredMeasures
from annotation.baselines.queries import report_files
from annotation.baselines.queries.score_sources import ColumnSource, ResultSource, Source
from annotation.baselines.services.report_options import ReportOptions
from annotation.models import Study
from tests.baselines.test_baseline_export import files
from tests.support.baseline_studies import compute, make_pairs
from tests.support.researcher_pages import signed_in, url
from tests.support.reviewing import scored_ratings

pytestmark = pytest.mark.django_db

MEAN = ColumnSource(name="mean")


def printed(study: Study) -> list[tuple[int, int]]:
    return [(one[0].pk, one[1]) for one in StoredMeasures(study).leaderboards()]


def leaderboard(study: Study, people: Source | None = MEAN, **options: object) -> int:
    chosen = {"n_resamples": 0, "people": people, **options}
    job = compute(study, options=ReportOptions(**chosen))  # type: ignore[arg-type]
    assert job.state == "done", job.error
    return study.baseline_reports.latest("pk").pk


@pytest.mark.slow
def test_the_file_has_each_leaderboard_once_and_tells_them_apart() -> None:
    study = make_pairs(kind=["a", "a", "a", "b", "b", "b"])
    leaderboard(study, by=("kind",))
    leaderboard(study, where='kind  ==  "a"')
    leaderboard(study, decimals=1)

    table = csv.DictReader(io.StringIO(files(study)["leaderboard.tsv"]), delimiter="\t")

    rows = [(row["people"], row["where"], row["subset"], row["n"]) for row in table]
    # Of everything the newest, which has no parts; of the parts the one that has them.
    assert sorted(set(rows)) == [
        ("mean", "", "all", "6"),
        ("mean", "", "kind: a", "3"),
        ("mean", "", "kind: b", "3"),
        ("mean", 'kind == "a"', "all", "3"),
    ]
    n_measures = len(study.baselines.all())
    assert len(rows) == 4 * n_measures


def test_an_earlier_leaderboard_is_in_the_file_if_the_newest_must_not_be_published() -> None:
    study = make_pairs(kind=["a", "a", "a", "b", "b", "b"])
    first = leaderboard(study)
    leaderboard(study, by=("kind",))
    measures = StoredMeasures(study, frozenset({"kind"}))

    tables = {name: list(records) for name, _about, _columns, records in measures.tables()}

    assert {row["subset"] for row in tables["leaderboard.tsv"]} == {"all"}
    # As in the tables for a paper; differences are those of the newest leaderboard alone.
    assert [one.pk for one, _number in measures.leaderboards()] == [first]
    assert "differences.tsv" not in tables


@pytest.mark.parametrize(
    "newer",
    [
        {"decimals": 3},
        {"n_resamples": 10},
        {"people": ColumnSource(name="mean", deviation="sd", n=32)},
    ],
)
def test_a_newer_leaderboard_of_the_same_replaces_the_earlier(newer: dict[str, object]) -> None:
    study = make_pairs(sd=["0.5"] * 6)
    leaderboard(study)

    latest = leaderboard(study, **newer)  # type: ignore[arg-type]

    assert printed(study) == [(latest, 0)]


def test_one_of_other_scores_or_items_stays_beside_it() -> None:
    study = make_pairs(kind=["a", "a", "a", "b", "b", "b"], other=["1", "2", "3", "4", "5", "6"])
    other = leaderboard(study, ColumnSource(name="other"))
    part = leaderboard(study, where='kind == "a"')

    latest = leaderboard(study)

    assert printed(study) == [(latest, 0), (part, 0), (other, 0)]


@pytest.mark.slow
def test_the_result_named_in_two_ways_is_the_same_result() -> None:
    study = scored_ratings(
        {"p1": ["1", "2"], "p2": ["6", "5"], "p3": ["0", "1"], "p4": ["3", "4"]}
    )
    leaderboard(study, ResultSource())

    latest = leaderboard(study, None, decimals=3)

    assert printed(study) == [(latest, 0)]
    people = study.baseline_reports.first().parameters["options"]["people"]
    assert people == {"from": "result", "phase": 1}


@pytest.mark.slow
def test_page_command_and_export_have_the_same_columns() -> None:
    study = scored_ratings(
        {"p1": ["1", "2"], "p2": ["6", "5"], "p3": ["0", "1"], "p4": ["3", "4"]}
    )
    leaderboard(study, None)
    report = study.baseline_reports.get()

    page = signed_in(study.owner).get(url(study, "baseline_table", "tsv")).content.decode()

    def rows(text: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(text), delimiter="\t"))

    exported = rows(files(study)["leaderboard.tsv"])
    assert rows(page) == rows(report_files.tsv(report)) == exported
    assert {row["device"] for row in exported} == {"cpu"}
    assert {"revision", "seconds"} < exported[0].keys()


def test_every_difference_is_a_table() -> None:
    study = make_pairs()
    leaderboard(study, decimals=2, test="meng")
    report = study.baseline_reports.get()

    table = report_files.latex_of_differences(report)

    [row] = [line for line in table.splitlines() if line.startswith(("SQuAD F1 &", "chrF2 &"))]
    [pair] = report.figures["subsets"][0]["differences"]
    cells = [cell.strip().replace("$-$", "-") for cell in row.removesuffix(r"\\").split("&")]
    assert {*cells[:2]} == {pair["first"], pair["second"]}
    assert cells[2] == str(pair["n"])
    assert float(cells[5]) == pytest.approx(
        pair["differences"]["pearson"]["difference"], abs=0.000501
    )
    assert float(cells[8]) == pytest.approx(pair["test"]["p_two_sided"], abs=0.000501)
    assert r"\label{tab:differences}" in table
    assert "rounded to 2 decimals" in table
