"""The items of a rating study with their figures: as a page, and as a table in LaTeX."""

import re

import pytest
from django.test import Client

from annotation.models import Study
from annotation.models.kinds import Source
from tests.support.factories import make_user
from tests.support.once import made_once
from tests.support.rated_studies import FREE, make_rated
from tests.support.rating_results import rated_study, scored
from tests.support.researcher_pages import said, signed_in, text, unlabelled, url

pytestmark = pytest.mark.django_db


@made_once
def study() -> Study:
    return scored(rated_study())


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def keys_of(page: str) -> list[str]:
    return re.findall(r'<bdi class="unbroken">([^<]+)</bdi>', page)


def test_items_have_their_figures_in_each_phase_and_no_calibration_item(
    client: Client, study: Study
) -> None:
    page = unlabelled(client.get(url(study, "result_items")))

    assert keys_of(page) == list("abcde")
    row = page.split(">c</bdi>")[1].split("</tr>")[0]
    # 2 3 2 3 2, and 4 3 4 3 4.
    assert re.findall(r"<td>([^<]*)</td>", row)[:7] == [
        "2.40",
        "0.55",
        "5",
        "3.60",
        "0.55",
        "5",
        "1.200",
    ]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("number", "abcde"),
        ("-number", "edcba"),
        # 5.6, 4.8, 2.4, .4, .8
        ("mean1", "decba"),
        ("-mean1", "abced"),
        ("nonsense", "abcde"),
    ],
)
def test_items_are_sorted_by_any_column(
    client: Client, study: Study, sort: str, expected: str
) -> None:
    response = client.get(url(study, "result_items"), {"sort": sort})

    assert keys_of(text(response)) == list(expected)


@pytest.mark.parametrize("name", ["results", "result_items"])
def test_queries_do_not_grow_with_the_items_and_the_people(
    name: str, django_assert_max_num_queries
) -> None:
    rated = make_rated([f"i{n}" for n in range(40)])
    answers = {f"i{n}": n % 7 for n in range(40)}
    for _person in range(6):
        rated.answer(answers, answers)
    study = scored(rated)
    client = signed_in(study.owner)

    with django_assert_max_num_queries(25):
        client.get(url(study, name))


def test_simulated_ratings_have_a_page_of_their_own() -> None:
    rated = make_rated(["a", "b"], conditions=(FREE,))
    rated.answer({"a": 1, "b": 2})
    rated.answer({"a": 6, "b": 6}, source=Source.SIMULATED)
    study = scored(rated)
    scored(rated, "simulated")
    client = signed_in(study.owner)

    real = unlabelled(client.get(url(study, "result_items")))
    simulated = unlabelled(client.get(url(study, "result_items"), {"population": "simulated"}))

    assert "<td>1.00</td>" in real
    assert "<td>6.00</td>" not in real
    assert "<td>6.00</td>" in simulated
    assert "SIMULATED" in text(client.get(url(study, "results"), {"population": "simulated"}))


# -- The items as LaTeX -------------------------------------------------------------------------


def test_the_items_are_a_table_for_a_paper() -> None:
    rated = make_rated(
        [{"key": "a_1", "target_text": "50 % & more"}, "b"],
        conditions=(FREE,),
        calibration={"c": 3},
    )
    rated.answer({"a_1": 4, "b": 1}, calibration=[{"c": 3}])
    rated.answer({"a_1": 5, "b": 1}, calibration=[{"c": 2}])
    client = signed_in(rated.study.owner)

    answer = client.get(url(rated.study, "result_items_latex"))

    tex = answer.content.decode()
    rows = [line for line in tex.splitlines() if line.startswith(("a", "b", "c"))]
    assert rows == [
        r"a\_1 & 50 \% \& more & Candidate of a\_1. & 4.50 & 0.71 & 2 \\",
        r"b & Target of b. & Candidate of b. & 1.00 & 0.00 & 2 \\",
    ]
    assert url(rated.study, "result_items_latex") in text(
        client.get(url(rated.study, "result_items"))
    )


def test_items_that_nobody_rated_are_no_table() -> None:
    rated = make_rated()
    client = signed_in(rated.study.owner)

    unrated = client.get(url(rated.study, "result_items_latex"), follow=True)
    stranger = signed_in(make_user()).get(url(rated.study, "result_items_latex"))

    assert said(unrated) == ["No scores yet"]
    assert stranger.status_code == 404
    assert client.post(url(rated.study, "result_items_latex")).status_code == 405
