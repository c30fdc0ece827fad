"""Leaderboards of a study that has several, and what they say of how many items count."""

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import translation

from annotation.baselines.pages.leaderboard import Board
from annotation.baselines.pages.leaderboard_facts import MIN_ITEMS_FOR_RANKS
from annotation.baselines.queries import leaderboards
from annotation.baselines.services import measure_uploads
from annotation.baselines.services.report_options import ReportOptions
from annotation.core.services import trained_models
from annotation.models import BaselineReport, Study
from shell.messages import Message
from tests.support.baseline_studies import MEAN, compute, make_pairs
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

WHERE = 'first != "I have 2 dogs."'


def two_reports() -> tuple[Study, BaselineReport, BaselineReport]:
    study = make_pairs()
    compute(study)
    compute(study, options=replace(MEAN, where=WHERE))
    newer, older = leaderboards.stored(study)
    return study, older, newer


def page_of(client: Client, study: Study, **asked: Any) -> Any:
    response = client.get(url(study, "baselines"), asked)
    assert response.status_code == 200
    return response


# -- Several of them ----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_page_shows_the_newest_and_leads_to_the_earlier_ones() -> None:
    study, older, newer = two_reports()
    client = signed_in(study.owner)

    newest = page_of(client, study)
    earlier = page_of(client, study, report=older.pk)

    assert newest.context["board"].report == newer
    assert [one.is_shown for one in newest.context["board"].stored] == [True, False]
    assert "2 stored leaderboards" in text(newest)
    assert f'href="?report={older.pk}#leaderboard-title"' in text(newest)
    assert "This is an earlier leaderboard." not in text(newest)
    assert earlier.context["board"].report == older
    assert earlier.context["board"].part.n == 6
    assert "This is an earlier leaderboard." in text(earlier)


@pytest.mark.slow
def test_a_list_names_each_by_its_condition() -> None:
    study, _older, _newer = two_reports()

    board = page_of(signed_in(study.owner), study).context["board"]

    assert [stored.description for stored in board.stored] == [
        f"column mean; Only items that meet this condition: {WHERE}.",
        "column mean",
    ]


@pytest.mark.slow
def test_links_and_files_of_an_earlier_one_are_its_own() -> None:
    study, older, newer = two_reports()
    client = signed_in(study.owner)

    board = page_of(client, study, report=older.pk).context["board"]

    for address in (board.query, *(address for _label, address, _now in board.columns)):
        assert f"report={older.pk}&" in address
    for name, arguments, of_older, of_newer in (
        ("baseline_table", ("tsv",), "all\tSQuAD F1\t6\t", "all\tSQuAD F1\t4\t"),
        ("baseline_table", ("tex",), "$n$ & 6 &", "$n$ & 4 &"),
        ("baseline_table", ("md",), "6 of 6 have a score", "4 of 4 have a score"),
        ("baseline_differences", (), "all\tSQuAD F1\tchrF2\t6\t", "all\tSQuAD F1\tchrF2\t4\t"),
        ("baseline_plot", ("correlations", "tsv"), "\t6\n", "\t4\n"),
    ):
        address = url(study, name, *arguments)
        assert of_older in text(client.get(f"{address}?{board.query}"))
        assert of_newer in text(client.get(address))
    assert f'name="report" value="{newer.pk}"' in text(page_of(client, study))


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 40])
def test_there_is_no_leaderboard_of_a_number_that_is_none(number: str) -> None:
    study, _older, _newer = two_reports()
    client = signed_in(study.owner)

    for name in ("baselines", "baseline_differences"):
        assert client.get(url(study, name), {"report": number}).status_code == 404


def test_a_leaderboard_of_another_study_is_not_found() -> None:
    study, _older, _newer = two_reports()
    other = make_pairs()
    compute(other)

    response = signed_in(study.owner).get(
        url(study, "baselines"), {"report": other.baseline_reports.get().pk}
    )

    assert response.status_code == 404


# -- How many items count -----------------------------------------------------------------------


def test_the_row_says_how_many_items_have_no_value_and_how_many_the_model_has_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_pairs(kind=["a", "a", "a", "b", "b", "b"])
    table = b"p1\t1\np2\t0\np4\t2\np6\t1.5\n"
    mine = measure_uploads.upload(study=study, name="Mine", file=io.BytesIO(table)).made[0]
    # p3 has no value because it was trained on, p5 has none.
    mine.figures = {"n_trained_on": 1}
    mine.save()
    known = np.array([number == 2 for number in range(6)])
    monkeypatch.setattr(trained_models, "is_trained_on", lambda model, pairs: known)

    compute(study, options=replace(MEAN, by=("kind",)))

    found = [
        next((row.n, row.n_without, row.n_trained_on) for row in part.rows if row.name == "Mine")
        for part in leaderboards.rows_shown(study.baseline_reports.get())
    ]
    assert found == [(4, 1, 1), (2, 0, 1), (2, 1, 0)]
    client = signed_in(study.owner)
    page = text(page_of(client, study))
    assert "1 without a value" in page
    assert "1 used for training" in page
    of_measure = text(client.get(url(study, "baseline", mine.pk)))
    assert of_measure.count("1 used for training") == 2
    readme = text(client.get(url(study, "baseline_table", "md")))
    assert "Items left out because Mine was trained on them: 1." in readme


def test_a_report_that_is_stored_since_long_says_only_that_values_are_missing() -> None:
    study = make_pairs()
    measure_uploads.upload(
        study=study, name="Mine", file=io.BytesIO(b"p1\t1\np2\t0\np4\t2\np6\t5\n")
    )
    compute(study)
    report = study.baseline_reports.get()
    for one in report.parameters["measures"]:
        del one["n_trained_on"]
    del report.parameters["n_left_out"]
    report.save()

    (part,) = leaderboards.rows_shown(report)
    page = text(page_of(signed_in(study.owner), study))

    row = next(row for row in part.rows if row.name == "Mine")
    assert (row.n, row.n_without, row.n_trained_on) == (4, 2, 0)
    assert "The condition excludes" not in page


def test_what_a_condition_leaves_out_is_not_missing() -> None:
    study, _older, _newer = two_reports()
    study.items.filter(key="p1").update(metadata={})
    compute(study, options=replace(MEAN, where=WHERE))

    page = text(page_of(signed_in(study.owner), study))

    assert "The condition excludes 2 items." in page
    assert "1 item has no score from people." in page
    assert "without a value" not in page


@pytest.mark.parametrize("n", [MIN_ITEMS_FOR_RANKS - 1, MIN_ITEMS_FOR_RANKS])
def test_few_items_are_warned_of(n: int) -> None:
    study = make_pairs([(f"One {k}.", f"Two {k % 7} {k}.", k / 10) for k in range(n)])
    options = ReportOptions(people=MEAN.people, n_resamples=0)
    compute(study, options=options)

    page = text(page_of(signed_in(study.owner), study))

    assert ("There are fewer than 30 items" in page) == (n < MIN_ITEMS_FOR_RANKS)


def test_a_measure_with_few_values_is_warned_of_though_there_are_many_items() -> None:
    study = make_pairs([(f"One {k}.", f"Two {k % 7} {k}.", k / 10) for k in range(40)])
    table = "".join(f"p{k}\t{k % 3}\n" for k in range(1, 12)).encode()
    measure_uploads.upload(study=study, name="Mine", file=io.BytesIO(table))
    compute(study, options=ReportOptions(people=MEAN.people, n_resamples=0))

    assert page_of(signed_in(study.owner), study).context["board"].few


def test_a_stored_leaderboard_says_its_reasons_in_the_language_of_its_reader() -> None:
    study = make_pairs()
    compute(study)
    report = leaderboards.latest_report(study)
    assert report is not None

    board = Board.of(report, QueryDict())

    reason = report.figures["subsets"][0]["ceiling"]["reason"]
    assert isinstance(reason, Message)
    with translation.override("de"):
        in_german = board.ceiling.reason
    assert board.ceiling.reason == reason
    assert in_german not in {"", reason}
