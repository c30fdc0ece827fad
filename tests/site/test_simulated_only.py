"""A study in which only a program has answered says so, and leads to its results."""

import re

import pytest
from django.test import Client

from annotation.models import Study
from tests.support.factories import make_open_study
from tests.support.researcher_pages import finish_booklet, signed_in, simulate, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = make_open_study()
    simulate(study)
    return study


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def test_the_steps_after_opening_name_the_simulated_booklets(client: Client, study: Study) -> None:
    page = client.get(url(study, "change"))

    numbers = [step.number for step in page.context["steps"] if step.n_simulated_booklets == 1]
    assert numbers == [6, 7, 8]
    assert _links(page, study) == 3
    # The results of people have nothing to show yet.
    assert page.context["steps"][6].actions == []


@pytest.mark.parametrize("name", ["results", "download"])
def test_results_and_download_name_the_simulated_booklets(
    client: Client, study: Study, name: str
) -> None:
    page = client.get(url(study, name))

    assert page.context["n_simulated_booklets"] == 1
    assert _links(page, study) == 1


@pytest.mark.parametrize("name", ["change", "results", "download"])
def test_nothing_of_it_is_said_once_people_have_answered(
    client: Client, study: Study, name: str
) -> None:
    finish_booklet(study)

    assert _links(client.get(url(study, name)), study) == 0


def test_the_answers_that_count_are_not_said_to_be_of_people(client: Client, study: Study) -> None:
    page = text(client.get(url(study, "results"), {"population": "simulated"}))

    counted = re.search('data-counted="simulated">(.*?)</span>', page, re.DOTALL)
    assert counted
    assert "people" not in counted[1]


def _links(page, study: Study) -> int:
    html = text(page)
    link = f'<a href="{url(study, "results")}?population=simulated">'
    notes = re.findall(r'data-simulated-booklets="1">.*?</p>', html, re.DOTALL)
    assert all(link in note for note in notes)
    return len(notes)
