"""Measures that might answer in place of people, as a leaderboard stores and shows them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from annotation.baselines.pages.leaderboard_tables import stand_ins_of
from annotation.baselines.queries import leaderboards
from annotation.baselines.queries.score_sources import ResultSource
from annotation.baselines.services.report_options import ReportOptions
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.models import Check, Study
from scoring import alternative_annotator_test
from tests.support.baseline_studies import compute, upload
from tests.support.once import made_once
from tests.support.researcher_pages import signed_in, url
from tests.support.reviewing import scored_dialogues, scored_ratings

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

N_ITEMS = 36
OF_RESULT = ReportOptions(people=ResultSource(phase=1), n_resamples=0)


def said(person: int, item: int) -> int:
    """A rating from 0 to 6; now and then a person is a point off."""
    return min(6, item % 7 + ((item + person) % 5 == 0))


@made_once
def study() -> Study:
    return scored_ratings(
        {f"p{n + 1}": [str(said(person, n + 1)) for person in range(4)] for n in range(N_ITEMS)}
    )


def with_measure(study: Study, name: str, value: Callable[[int], float]) -> None:
    keys = study.items.without_checks().order_by("number").values_list("key", flat=True)
    table = "".join(f"{key}\t{value(int(key[1:]))}\n" for key in keys)
    upload(study, table, name)


def stored(study: Study) -> dict[str, dict]:
    compute(study, options=OF_RESULT)
    report = leaderboards.latest_report(study)
    assert report is not None
    return {row["measure"]: row for row in report.figures["stand_in"]}


def test_a_measure_is_tested_against_the_answers_of_the_phase(study: Study) -> None:
    with_measure(study, "model", lambda n: n % 7)

    rows = stored(study)

    assert set(rows) == {"model"}
    answers = read_ratings(study, "people").phases[0].main
    values = [int(key[1:]) % 7 for key in read_ratings(study, "people").items.keys]
    for test in rows["model"]["tests"]:
        expected = alternative_annotator_test(answers, values, epsilon=test["epsilon"])
        assert test["winning_rate"] == expected.winning_rate
        assert test["may_stand_in"] is expected.may_stand_in
    assert rows["model"]["is_above_chance"]
    assert rows["model"]["n_tested"] == 4


def test_what_is_not_on_the_scale_is_no_answer_of_a_person(study: Study) -> None:
    with_measure(study, "percent", lambda n: 100 * (n % 7) / 6)

    assert stored(study) == {}


def test_a_model_answers_on_the_points_of_the_scale_as_people_do(study: Study) -> None:
    with_measure(study, "between", lambda n: abs(n % 7 - 0.3))
    with_measure(study, "points", lambda n: n % 7)

    rows = stored(study)

    assert rows["between"]["mean_advantage"] == rows["points"]["mean_advantage"]
    assert rows["between"]["tests"] == rows["points"]["tests"]


def test_the_values_of_a_measure_stay_with_their_items_if_there_are_checks(study: Study) -> None:
    first = study.items.order_by("number").first()
    Check.objects.create(study=study, item=first, style=Check.Style.SILENT)
    with_measure(study, "model", lambda n: n % 7)

    row = stored(study)["model"]

    read = read_ratings(study, "people")
    values = [np.nan if key == first.key else int(key[1:]) % 7 for key in read.items.keys]
    expected = alternative_annotator_test(read.phases[0].main, values)
    assert row["mean_advantage"] == expected.mean_advantage


def test_of_a_part_of_the_items_nothing_is_said(study: Study) -> None:
    with_measure(study, "model", lambda n: n % 7)
    text = study.items.without_checks().first().candidate
    compute(study, options=replace(OF_RESULT, where=f'second != "{text}"'))

    report = leaderboards.latest_report(study)

    assert report is not None
    assert report.figures["stand_in"] == []


def test_a_model_at_random_does_not_pass(study: Study) -> None:
    values = np.random.default_rng(1).integers(7, size=N_ITEMS)
    with_measure(study, "random", lambda n: values[n - 1])

    row = stored(study)["random"]

    assert not row["is_above_chance"]
    assert not any(test["may_stand_in"] for test in row["tests"])
    shown = stand_ins_of({"stand_in": [row]}, {row["baseline"]})
    assert shown is not None
    assert shown.rows[0].obstacle
    assert shown.obstacle == ""


def test_the_page_has_a_row_for_each(study: Study) -> None:
    with_measure(study, "model", lambda n: n % 7)
    compute(study, options=OF_RESULT)

    page = signed_in(study.owner).get(url(study, "baselines"))

    (row,) = page.context["board"].stand_ins.rows
    assert row.name == "model"
    assert len(row.tests) == 3
    assert b"stand-ins-title" in page.content


def test_of_best_worst_answers_any_measure_is_tested_if_there_are_enough_people() -> None:
    study = scored_dialogues()
    compute(study, options=ReportOptions(people=ResultSource(), n_resamples=0))

    report = leaderboards.latest_report(study)

    assert report is not None
    assert {row["measure"] for row in report.figures["stand_in"]} == {"SQuAD F1", "chrF2"}
    shown = stand_ins_of(report.figures, set())
    assert shown is not None
    assert not any(passes for row in shown.rows for _rate, passes in row.tests)
    # It is said once, not in each row.
    assert shown.obstacle == shown.rows[0].obstacle != ""
