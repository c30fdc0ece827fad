"""A researcher's walk through a rating study: phases, the pause between them, repeats."""

import pytest

from annotation.designs.services import designs
from tests.support.clock import Clock
from tests.support.rating import ONCE, TWICE, make_rating_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def walked(phases, **numbers):
    study = make_rating_study(pairs=3, phases=phases, open_it=False, **numbers)
    designs.make(design=study.design)
    return study


def test_the_pause_stands_between_the_phases_with_the_moments_of_the_design(clock: Clock) -> None:
    study = walked(TWICE)
    client = signed_in(study.owner)

    middle, last = (client.get(url(study, "try_screen", 1, screen)) for screen in (2, 3))
    response = client.get(url(study, "try_pause", 1, 1))
    pause = text(response)

    assert last.context["urls"]["next"] == url(study, "try_pause", 1, 1)
    assert middle.context["urls"]["next"] == url(study, "try_screen", 1, 3)
    assert "The next part opens after a pause" in pause
    hours = (response.context["opens_at"] - clock.time).total_seconds() / 3600
    assert hours == 72
    assert (response.context["closes_at"] - response.context["opens_at"]).days == 14
    assert url(study, "try_screen", 1, 4) in pause
    assert "again" not in pause


def test_after_the_last_phase_come_the_thanks() -> None:
    study = walked(TWICE)
    client = signed_in(study.owner)

    assert url(study, "try_thanks") in text(client.get(url(study, "try_screen", 1, 6)))
    assert client.get(url(study, "try_pause", 1, 2)).url == url(study, "try_thanks")
    assert client.get(url(study, "try_pause", 9, 1)).status_code == 404


def test_one_phase_has_no_pause_and_repeats_are_spoken_of() -> None:
    study = walked(ONCE, n_repeats=2, repeat_distance=1)
    client = signed_in(study.owner)

    last = text(client.get(url(study, "try_screen", 1, 3)))
    thanks = text(client.get(url(study, "try_thanks")))

    assert url(study, "try_thanks") in last
    assert "each person answers 2 questions again" in thanks
