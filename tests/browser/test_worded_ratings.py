"""A scale of few points that all have words: buttons to choose from in the place of a slider."""

from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from tests.browser.arriving import arrive, until
from tests.browser.inspecting import WINDOWS
from tests.browser.test_label import wait_saved
from tests.browser.test_rating import Rater, inspect, ratings
from tests.support.rating import make_rating_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

WORDS = {
    "low": "0",
    "high": "2",
    "step": "1",
    "labels": {"0": "different", "1": "partly the same", "2": "the same"},
}


@pytest.fixture
def rater(live_server: Any) -> Rater:
    return Rater(live_server, make_rating_study(pairs=2, scale=WORDS))


def buttons(page: Any) -> Any:
    return page.locator("[data-role=rating]")


def test_digits_choose_the_points_and_u_takes_back(page: Any, rater: Rater) -> None:
    rater.open(page)
    assert page.locator("[data-slider]").count() == 0

    page.keyboard.press("2")
    page.keyboard.press("0")
    page.keyboard.press("3")  # not on the scale
    assert page.locator(".choice-name").all_inner_texts() == [
        "0 different",
        "1 partly the same",
        "2 the same",
    ]
    wait_saved(page)
    until(lambda: ratings() == [Decimal(0)])
    page.keyboard.press("u")

    until(lambda: ratings() == [Decimal(2)])


def test_a_booklet_with_the_keyboard_alone(page: Any, rater: Rater) -> None:
    rater.open(page)
    buttons(page).first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    arrive(page, "**/s/2/")
    page.keyboard.press("Enter")
    expect(page.locator("[data-problem]")).to_have_text("Choose one of the answers.")
    inspect(page)
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    arrive(page, "**/overview/")

    assert ratings() == [1, 0]


def test_what_was_chosen_elsewhere_is_shown_and_named(new_context: Any, rater: Rater) -> None:
    here, there = new_context().new_page(), new_context().new_page()
    for page in (here, there):
        rater.open(page)
    here.keyboard.press("2")
    wait_saved(here)
    there.keyboard.press("0")

    note = there.locator("[data-elsewhere]")
    expect(note).to_be_visible()
    expect(note).to_contain_text("0")
    there.get_by_role("button", name="Use this instead").click()
    wait_saved(there)

    assert ratings() == [0]
    rater.open(here)
    assert buttons(here).first.is_checked()


@pytest.mark.parametrize("width", [1280, 360])
def test_without_a_script_there_are_buttons_too(
    new_context: Any, live_server: Any, width: int
) -> None:
    rater = Rater(live_server, make_rating_study(pairs=1, scale=WORDS))
    context = new_context(java_script_enabled=False, viewport={"width": width, "height": 740})
    page = context.new_page()
    page.goto(rater.url("s/1/"))
    page.get_by_role("button", name="Finish").click()
    expect(page.locator(".missing")).to_have_text("Choose one of the answers.")
    page.get_by_role("radio", name="1 partly the same").check()
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("button", name="Send my answers").click()

    assert ratings() == [1]
    assert Judgment.objects.get().kind == "rating"


def test_axe_finds_nothing_and_nothing_sticks_out(page: Any, rater: Rater) -> None:
    rater.open(page)
    inspect(page, *WINDOWS)
    page.keyboard.press("1")
    wait_saved(page)
    inspect(page, *WINDOWS)


def test_with_a_point_without_words_there_is_a_slider(page: Any, live_server: Any) -> None:
    scale = {**WORDS, "labels": {"0": "different", "2": "the same"}}
    Rater(live_server, make_rating_study(pairs=1, scale=scale)).open(page)

    assert page.locator("[data-slider]").count() == 1
