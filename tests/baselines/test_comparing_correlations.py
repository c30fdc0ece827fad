"""Two correlations compared: on the page of baselines, by command, in downloads and releases."""

import csv
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.baselines.services import kept_comparisons, measure_uploads
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics.errors import AnnotationError
from annotation.kinds.rating.queries.baseline_pairs import read_pairs
from annotation.models import BaselineReport, Study
from annotation.releases.exports import archive
from annotation.releases.services import downloads
from scoring.baselines.questions import Question, StatedCorrelation
from scoring.measures.correlation_tests import (
    compare_dependent,
    compare_independent,
    compare_with_value,
)
from tests.baselines.test_training import scored
from tests.support.baseline_studies import LEXICAL_PAIR, MEAN, compute, make_pairs
from tests.support.factories import make_user
from tests.support.once import made_once
from tests.support.rated_studies import FREE, make_rated
from tests.support.release_studies import facts
from tests.support.researcher_pages import in_one_line, said, signed_in, text, url

pytestmark = pytest.mark.django_db

KEYS = "abcdefghij"
RATINGS = np.array(
    [
        [0, 1, 2, 2, 3, 3, 4, 5, 6, 6],
        [1, 0, 2, 3, 2, 4, 4, 6, 5, 6],
        [0, 2, 1, 3, 3, 2, 5, 4, 6, 5],
        [2, 0, 3, 1, 4, 3, 3, 6, 4, 6],
    ]
)
FIRST, SECOND = "SQuAD F1", "chrF2"
FEW = ReportOptions(n_resamples=10)


@made_once
def study() -> Study:
    """Pairs that four people have rated, scored, with a leaderboard of two measures."""
    pairs = [
        {
            "key": key,
            "target_text": f"{'the same words ' * n}in the end",
            "candidate_text": f"{'the same words ' * (n * 7 % 5)}{'others ' * (9 - n)}in the end",
        }
        for n, key in enumerate(KEYS)
    ]
    rated = make_rated(pairs, conditions=(FREE,))
    for person in RATINGS:
        rated.answer(dict(zip(KEYS, person.tolist(), strict=True)))
    scored(rated.study)
    compute(rated.study, *LEXICAL_PAIR, options=FEW)
    return rated.study


def report_of(study: Study) -> BaselineReport:
    return study.baseline_reports.latest("pk")


def correlations(study: Study) -> tuple[float, float, float]:
    """Of people with either measure, and of the measures, from the stored values alone."""
    people = RATINGS.mean(axis=0)
    a, b = (study.baselines.get(name=name).array for name in (FIRST, SECOND))
    assert read_pairs(study).keys == list(KEYS)
    return tuple(float(np.corrcoef(*two)[0, 1]) for two in ((people, a), (people, b), (a, b)))  # type: ignore[return-value]


def raters() -> np.ndarray[Any, Any]:
    """Each person with the mean of the others, by a plain loop."""
    found = []
    for place in range(len(RATINGS)):
        others = np.delete(RATINGS, place, axis=0).mean(axis=0)
        found.append(np.corrcoef(RATINGS[place], others)[0, 1])
    return np.array(found)


def compared(client: Client, study: Study, **asked: Any) -> Any:
    response = client.get(url(study, "baselines"), asked)
    assert response.status_code == 200
    return response.context["comparison"]


def rows_of(tsv: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(tsv), delimiter="\t"))


def table(study: Study, name: str, kind: str = "tsv") -> str:
    answer = signed_in(study.owner).get(url(study, "baseline_further", name, kind))
    assert answer.status_code == 200
    return answer.content.decode()


# -- On the page ----------------------------------------------------------------------------------


def test_the_two_best_measures_are_compared_unasked(study: Study) -> None:
    page = signed_in(study.owner).get(url(study, "baselines"))

    shown = page.context["comparison"].shown
    assert {shown.first, shown.second} == {FIRST, SECOND}
    [pair] = report_of(study).figures["subsets"][0]["differences"]
    assert shown.test == "jackknife over pools or items"
    assert shown.statistic.startswith(f"t({pair['test']['df']}) = ")
    assert float(shown.p) == pytest.approx(pair["differences"]["pearson"]["p_value"], abs=5e-4)
    assert 'data-comparison="asked"' in text(page)
    assert 'id="reference-Miller1974"' in text(page)


def test_the_best_measure_is_not_said_to_be_no_worse_than_itself(study: Study) -> None:
    report = report_of(study)
    report.figures["subsets"][0]["tied_with_best"] = [FIRST, SECOND]
    report.save()

    page = signed_in(study.owner).get(url(study, "baselines"))

    board = page.context["board"]
    assert set(board.tied) == {FIRST, SECOND}
    assert board.best == board.rows[0].name
    html = in_one_line(text(page))
    assert html.count(">not shown to be worse<") == 1
    assert html.count(">best<") == 1


def test_meng_compares_by_name(study: Study) -> None:
    expected = compare_dependent(*correlations(study), 10)

    shown = compared(signed_in(study.owner), study, first=FIRST, second=SECOND, test="meng").shown

    assert shown.test == "Meng, Rosenthal & Rubin (1992)"
    assert shown.statistic.removeprefix("z = ").lstrip("−") == f"{abs(expected.statistic):.3f}"
    assert shown.p == f"{expected.p_two_sided:.3f}"


def test_another_test_of_two_measures_can_be_chosen(study: Study) -> None:
    r12, r13, r23 = correlations(study)

    shown = compared(
        signed_in(study.owner), study, first=FIRST, second=SECOND, test="williams"
    ).shown

    expected = compare_dependent(r12, r13, r23, 10, test="williams")
    assert shown.test == "Williams (1959)"
    assert shown.statistic == f"t(7) = {expected.statistic:.3f}".replace("-", "−")


def test_a_measure_is_compared_with_the_typical_human(study: Study) -> None:
    page = signed_in(study.owner).get(
        url(study, "baselines"), {"first": FIRST, "second": "=typical-human", "test": "meng"}
    )

    expected = scipy.stats.ttest_1samp(raters(), correlations(study)[0])
    shown = page.context["comparison"].shown
    assert shown.statistic == f"t(3) = {-expected.statistic:.3f}".replace("-", "−")
    assert shown.second == "typical human"
    # No resamples were drawn for it.
    assert page.context["board"].difference is None
    human = page.context["board"].typical_human
    of_raters = raters()
    assert (human["n"], human["mean"], human["best"], human["worst"]) == pytest.approx(
        (4, of_raters.mean(), of_raters.max(), of_raters.min())
    )
    assert 'data-row="typical-human"' in text(page)


@pytest.mark.parametrize("n", ["", "64"])
def test_a_measure_is_compared_with_a_stated_correlation(study: Study, n: str) -> None:
    r = correlations(study)[0]
    expected = compare_independent(r, 10, 0.3, 64) if n else compare_with_value(r, 10, 0.3)

    shown = compared(
        signed_in(study.owner),
        study,
        **{"first": FIRST, "second": "=stated", "test": "meng", "name": "LSA", "r": "0.3", "n": n},
    ).shown

    assert shown.second == "LSA"
    assert shown.statistic == f"z = {expected.statistic:.3f}".replace("-", "−")


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"r": ""}, "r"),
        ({"r": "1.5"}, "r"),
        ({"r": "0.5", "n": "1"}, "n"),
        ({"r": "0.5", "sd": "-1"}, "sd"),
        ({"r": "0.5", "second": FIRST}, "second"),
        ({"r": "0.5", "first": "nobody"}, "first"),
        ({"r": "0.5", "test": "hotelling"}, "test"),
    ],
)
def test_what_is_typed_wrongly_is_said_beside_it(
    study: Study, asked: dict[str, str], field: str
) -> None:
    found = compared(
        signed_in(study.owner),
        study,
        **{"first": SECOND, "second": "=stated", "test": "meng", **asked},
    )

    assert found.shown is None
    assert list(found.form.errors) == [field]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"first": FIRST, "second": FIRST}, "choose two different correlations"),
        ({"second": "=stated", "r": "0.5", "n": "3"}, "n2 is 3"),
        ({"second": "=stated", "r": "0.5", "n": "9", "sd": "0.1"}, "a standard deviation refers"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    study: Study, asked: dict[str, str], problem: str
) -> None:
    found = compared(signed_in(study.owner), study, **{"first": FIRST, "test": "meng", **asked})

    assert found.shown is None
    assert found.problem.startswith(problem)


def test_scores_of_a_column_have_no_typical_human() -> None:
    study = make_pairs()
    compute(study)

    page = signed_in(study.owner).get(url(study, "baselines"))

    assert page.context["board"].typical_human is None
    choices = dict(page.context["comparison"].form.fields["first"].choices)
    assert "=typical-human" not in choices
    assert 'data-row="typical-human"' not in text(page)
    answer = signed_in(study.owner).get(url(study, "baseline_further", "typical_human", "tsv"))
    assert answer.status_code == 302


def test_where_only_some_items_count_the_typical_human_says_why(study: Study) -> None:
    compute(study, *LEXICAL_PAIR, options=replace(FEW, where="n_words(first) > 4"))

    human = report_of(study).figures["typical_human"]

    assert human["mean"] is None
    assert human["reason"] == (
        "the agreement of raters is only known for all items, but this is a subset"
    )


# -- Kept -----------------------------------------------------------------------------------------


def keep(client: Client, study: Study, **asked: Any) -> Any:
    sent = {"report": report_of(study).pk, "part": "0", "test": "meng", **asked}
    return client.post(url(study, "baseline_comparisons"), sent, follow=True)


@pytest.mark.slow
def test_a_comparison_is_kept_shown_written_and_removed(study: Study) -> None:
    client = signed_in(study.owner)

    kept = keep(client, study, first=FIRST, second=SECOND, test="meng")
    keep(client, study, first=FIRST, second=SECOND, test="meng")
    keep(client, study, first=FIRST, second="=typical-human")
    keep(client, study, first="=typical-human", second="=stated", r="0.8", n="30", sd="0.05")

    assert said(kept) == ["Saved the comparison. Downloads and releases include it."]
    rows = rows_of(table(study, "comparisons"))
    assert [row["test"] for row in rows] == ["meng", "t", "t-two-samples"]
    r12, r13, r23 = correlations(study)
    expected = compare_dependent(r12, r13, r23, 10)
    assert float(rows[0]["statistic"]) == pytest.approx(expected.statistic)
    assert float(rows[0]["p_two_sided"]) == pytest.approx(expected.p_two_sided)
    assert float(rows[0]["low"]) < r12 - r13 < float(rows[0]["high"])
    of_groups = scipy.stats.ttest_ind_from_stats(
        raters().mean(), raters().std(ddof=1), 4, 0.8, 0.05, 30
    )
    assert float(rows[2]["statistic"]) == pytest.approx(of_groups.statistic)
    assert float(rows[2]["p_two_sided"]) == pytest.approx(of_groups.pvalue)
    tex = table(study, "comparisons", "tex")
    assert tex.count(r" \\") == 1 + 3
    assert "the test of Meng, Rosenthal and Rubin (1992)" in tex
    page = client.get(url(study, "baselines"))
    assert text(page).count('data-comparison="kept"') == 3

    client.post(url(study, "baseline_comparisons"), {"report": "", "remove": "1"})
    client.post(url(study, "baseline_comparisons"), {"report": report_of(study).pk, "remove": "1"})

    assert [row["test"] for row in rows_of(table(study, "comparisons"))] == [
        "meng",
        "t-two-samples",
    ]


def test_only_those_of_the_study_keep_anything_and_not_by_get(study: Study) -> None:
    address = url(study, "baseline_comparisons")

    assert signed_in(study.owner).get(address)["Location"] == url(study, "baselines")
    stranger = keep(signed_in(make_user()), study, first=FIRST, second=SECOND)

    assert stranger.status_code == 404
    assert "comparisons_revision" not in report_of(study).parameters


def test_what_cannot_be_compared_is_not_kept(study: Study) -> None:
    client = signed_in(study.owner)

    keep(client, study, first=FIRST, second="=stated", r="2")
    refused = keep(client, study, first=FIRST, second=FIRST)

    assert said(refused) == ["choose two different correlations to compare"]
    assert report_of(study).parameters["comparisons"] == []


def test_what_has_no_test_is_not_kept_and_not_offered() -> None:
    study = make_pairs()
    compute(study)
    report = report_of(study)

    with pytest.raises(CommandError, match="nothing is known about the raters"):
        call_command(
            *("compare_measures", study.slug, "--first", FIRST),
            *("--second", "typical-human", "--keep"),
        )

    assert report_of(study).parameters["comparisons"] == []
    with pytest.raises(AnnotationError):
        kept_comparisons.keep(report=report, question=Question(FIRST, None))
    # On the page: of a measure without a correlation.
    study.baselines.get(name=SECOND).delete()
    same = "".join(f"p{n}\t1\n" for n in range(1, 7))
    measure_uploads.upload(study=study, name="Constant", file=io.BytesIO(same.encode()))
    compute(study, LEXICAL_PAIR[0], options=MEAN)
    page = signed_in(study.owner).get(
        url(study, "baselines"), {"first": FIRST, "second": "Constant", "test": "meng"}
    )
    shown = page.context["comparison"].shown
    row = text(page).split('data-comparison="asked"')[1].split("</tr>")[0]
    assert shown.reason
    assert "<button" not in row
    # The one that has a correlation of its own shows it.
    assert shown.first_r.startswith("0.")
    assert shown.second_r.startswith("–")


@pytest.mark.slow
def test_asked_again_a_kept_comparison_is_said_to_be_kept(study: Study) -> None:
    client = signed_in(study.owner)
    asked = {"first": FIRST, "second": SECOND, "test": "meng"}
    unkept = client.get(url(study, "baselines"), asked)
    keep(client, study, first=FIRST, second=SECOND)

    page = client.get(url(study, "baselines"), asked)

    assert 'data-comparison="already-kept"' in text(page)
    assert 'data-comparison="already-kept"' not in text(unkept)


@pytest.mark.slow
def test_sizes_say_what_they_count(study: Study) -> None:
    client = signed_in(study.owner)
    keep(client, study, first=FIRST, second="=typical-human")
    keep(client, study, first=FIRST, second="=stated", r="0.3")
    keep(client, study, first=FIRST, second="=stated", r="0.3", n="64")

    kept = client.get(url(study, "baselines")).context["comparison"].stored
    tex = table(study, "comparisons", "tex")

    assert [one.first_r.partition("(")[2] for one in kept] == ["10 items)"] * 3
    assert [one.second_r.partition("(")[2] for one in kept] == ["4 raters)", "exact)", "64 items)"]
    lines = [line for line in tex.splitlines() if line.startswith(FIRST)]
    assert [line.split(" & ")[5] for line in lines] == ["4 raters", "exact", "64 items"]
    assert len({line.split(" & ")[2] for line in lines}) == 3
    assert r"\label{tab:comparisons}" in tex
    assert r"\label{tab:typical-human}" in table(study, "typical_human", "tex")


@pytest.mark.slow
def test_the_command_says_that_kept_comparisons_are_rounded_otherwise(study: Study) -> None:
    call_command("baseline", study.slug, "--round", "3", stdout=io.StringIO())
    kept_comparisons.keep(report=report_of(study), question=Question(FIRST, SECOND))

    heard = [io.StringIO(), io.StringIO()]
    for error, more in zip(heard, (("--round", "3"), ()), strict=True):
        call_command("baseline", study.slug, *more, stdout=io.StringIO(), stderr=error)

    assert "kept comparisons" not in heard[0].getvalue()
    assert "kept comparisons (1)" in heard[1].getvalue()


def test_without_a_leaderboard_nothing_is_kept() -> None:
    study = make_pairs()

    answer = signed_in(study.owner).post(url(study, "baseline_comparisons"), {"first": "x"})

    assert answer.status_code == 404


def test_the_next_leaderboard_takes_over_what_is_in_it_too(study: Study) -> None:
    report = report_of(study)
    kept_comparisons.keep(report=report, question=Question(FIRST, SECOND))
    kept_comparisons.keep(report=report, question=Question(SECOND, None))
    study.baselines.get(name=FIRST).delete()

    compute(study, LEXICAL_PAIR[1], options=FEW)

    assert report_of(study).pk != report.pk
    [kept] = report_of(study).parameters["comparisons"]
    assert (kept["first"], kept["second"]) == (SECOND, None)


def test_no_more_are_kept_than_a_table_has_rows(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_comparisons, "MAX_KEPT", 1)
    client = signed_in(study.owner)
    keep(client, study, first=FIRST, second=SECOND)

    refused = keep(client, study, first=SECOND, second=FIRST)

    assert said(refused) == ["1 comparisons are already saved. Remove some first."]


def test_a_prepared_download_is_outdated_by_what_is_kept_later(study: Study) -> None:
    before = downloads._corrections(study.pk, "people")
    kept_comparisons.keep(report=report_of(study), question=Question(FIRST, SECOND))
    after = downloads._corrections(study.pk, "people")
    kept_comparisons.remove(report=report_of(study), number=0)

    assert before != after
    assert downloads._corrections(study.pk, "people") not in (before, after)


@pytest.mark.slow
def test_a_release_has_what_was_kept_and_the_typical_human(study: Study) -> None:
    stated = StatedCorrelation("LSA & co", 0.4, 64)
    kept_comparisons.keep(report=report_of(study), question=Question(FIRST, stated))
    file = io.BytesIO()

    archive.write_archive(study, "people", file, release=facts())

    with zipfile.ZipFile(file) as members:
        rows = rows_of(members.read("comparisons.tsv").decode())
        [human] = rows_of(members.read("typical_human.tsv").decode())
        tables = members.read("tables.tex").decode()
        readme = members.read("README.md").decode()
    assert (rows[0]["second"], rows[0]["second_n"], rows[0]["test"]) == (
        "LSA & co",
        "64",
        "fisher",
    )
    assert float(human["mean"]) == pytest.approx(raters().mean())
    assert (human["raters"], float(human["worst"])) == ("4", pytest.approx(raters().min()))
    assert r"LSA \& co" in tables
    assert "Typical human: Pearson's correlation of each annotator" in tables
    assert "comparisons.tsv" in readme
    assert "typical_human.tsv" in readme


# -- By command -----------------------------------------------------------------------------------


def command(study: Study, *arguments: str, capsys: Any) -> list[dict[str, str]]:
    call_command("compare_measures", study.slug, *arguments)
    return rows_of(capsys.readouterr().out)


def test_the_command_compares_and_keeps(study: Study, capsys: Any) -> None:
    [asked] = command(study, "--first", FIRST, "--second", SECOND, capsys=capsys)
    assert report_of(study).parameters["comparisons"] == []
    [kept] = command(
        study, "--first", FIRST, "--value", ".636", "--n", "64", "--keep", capsys=capsys
    )
    [human] = command(
        study, "--first", "typical-human", "--value", ".825", "--keep", capsys=capsys
    )
    everything = command(study, capsys=capsys)

    assert asked["test"] == "jackknife"
    assert kept["test"] == "fisher"
    expected = scipy.stats.ttest_1samp(raters(), 0.825)
    assert float(human["statistic"]) == pytest.approx(expected.statistic)
    assert everything == [kept, human]
    call_command("compare_measures", study.slug, "--json")
    stored = json.loads(capsys.readouterr().out)["comparisons"]
    assert [one["test"] for one in stored] == ["fisher", "t"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--first", FIRST), "either --second or --value"),
        (("--first", FIRST, "--second", SECOND, "--value", ".5"), "either --second or --value"),
        (("--first", FIRST, "--second", SECOND, "--n", "9"), "--n and --sd can only"),
        (("--first", "BLEU", "--second", SECOND), "the leaderboard has no measure"),
        (("--first", FIRST, "--second", SECOND, "--part", "x"), "there is no subset"),
    ],
)
def test_the_command_refuses(study: Study, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("compare_measures", study.slug, *arguments)


def test_without_a_leaderboard_the_command_says_what_makes_it() -> None:
    with pytest.raises(CommandError, match="has no leaderboard yet"):
        call_command("compare_measures", make_pairs().slug)


# -- Rounded measures -----------------------------------------------------------------------------


@pytest.mark.slow
def test_rounded_measures_are_correlated_and_every_output_says_so(
    study: Study, tmp_path: Path
) -> None:
    people = RATINGS.mean(axis=0)
    compute(study, *LEXICAL_PAIR, options=replace(FEW, decimals=1))
    kept_comparisons.keep(report=report_of(study), question=Question(FIRST, SECOND))
    client = signed_in(study.owner)

    page = client.get(url(study, "baselines"))

    for row in page.context["board"].rows:
        values = np.round(study.baselines.get(name=row.name).array, 1)
        expected = np.corrcoef(people, values)[0, 1]
        assert row.row.figures["pearson"]["value"] == pytest.approx(expected, abs=1e-12)
    assert "measures were rounded to 1 decimal before correlations were computed." in text(page)
    tables = [text(client.get(url(study, "baseline_table", kind))) for kind in ("tex", "md")]
    for written in (*tables, table(study, "comparisons", "tex")):
        assert "measures were rounded to 1 decimal before correlations were computed" in written
    tsv = [
        text(client.get(url(study, "baseline_table", "tsv"))),
        text(client.get(url(study, "baseline_differences"))),
        table(study, "comparisons"),
    ]
    for written in tsv:
        assert {row["decimals"] for row in rows_of(written)} == {"1"}
    call_command(
        "baseline", study.slug, "--round", "3", "--resamples", "0", "--tsv", str(tmp_path / "t")
    )
    assert {row["decimals"] for row in rows_of((tmp_path / "t").read_text())} == {"3"}


@pytest.mark.slow
def test_decimals_that_cannot_be_are_refused() -> None:
    study = make_pairs()

    response = signed_in(study.owner).post(
        url(study, "baselines"),
        {"people": "column:mean", "n_resamples": "0", "level": "0.95", "test": "meng"}
        | {"decimals": "99"},
    )

    assert response.status_code == 400
    assert list(response.context["form"].errors) == ["decimals"]
    with pytest.raises(CommandError, match="choose a number from 0 to 15"):
        call_command("baseline", study.slug, "--people", "column:mean", "--round", "99")


def test_what_was_chosen_is_kept_with_the_leaderboard() -> None:
    study = make_pairs()
    compute(study, options=replace(MEAN, decimals=3))

    stored = report_of(study).parameters["options"]

    assert ReportOptions.of_json(stored).decimals == 3
    # As an earlier version stored it.
    del stored["decimals"]
    assert ReportOptions.of_json(stored).decimals is None
