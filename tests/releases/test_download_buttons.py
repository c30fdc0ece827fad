"""What the buttons of the download page say, and which of them is the usual one."""

import re
from collections.abc import Callable

import pytest

from annotation.models import Study
from tests.support.factories import make_open_study
from tests.support.rating import make_rating_study
from tests.support.researcher_pages import finish_booklet, signed_in, simulate, text, url
from tests.support.selecting import make_selection_study

pytestmark = pytest.mark.django_db

_PRIMARY = re.compile(r'<(?:a|button)[^>]*class="action primary"[^>]*>')


def _made(make: Callable[[], Study], population: str) -> Study:
    study = make()
    if "simulated" in population:
        simulate(study)
    if "people" in population:
        finish_booklet(study)
    return study


@pytest.mark.parametrize(
    ("population", "of_primary"),
    [
        ("nobody", "people"),
        ("people", "people"),
        ("simulated", "simulated"),
        ("people and simulated", "people"),
    ],
)
@pytest.mark.parametrize("least", [1, 1000])
def test_the_usual_file_is_the_primary_button(
    settings, population: str, of_primary: str, least: int
) -> None:
    settings.EXPORT_IN_BACKGROUND_FROM = least
    study = _made(make_open_study, population)

    html = text(signed_in(study.owner).get(url(study, "download")))

    [primary] = _PRIMARY.finditer(html)
    assert (primary.start() > html.find("simulated-title") > 0) == (of_primary == "simulated")


@pytest.mark.parametrize("make", [make_open_study, make_rating_study])
def test_files_without_answers_have_names_that_say_so(make: Callable[[], Study]) -> None:
    study = make()
    client = signed_in(study.owner)

    names = client.get(url(study, "download")).context["people"]["names"]
    with_answers = _made(make_open_study, "people")
    of_answers = signed_in(with_answers.owner).get(url(with_answers, "download"))

    assert not {*map(str, names.values())} & {
        *map(str, of_answers.context["people"]["names"].values())
    }


def test_files_that_are_empty_before_answers_are_not_said_to_hold_items() -> None:
    study = make_selection_study()

    names = signed_in(study.owner).get(url(study, "download")).context["people"]["names"]

    assert "items" not in " ".join(map(str, names.values()))
