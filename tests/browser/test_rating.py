"""The slider proposes nothing; a rating is given by mouse, finger or key, or from a list."""

from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.answering.services import phases
from annotation.models import Assignment, Draft, Judgment, Study
from tests.browser.arriving import arrive, until
from tests.browser.booklets import ready
from tests.browser.inspecting import WINDOWS, Inspector, Window
from tests.support import rating
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db(transaction=True)

FINE = {"low": "0", "high": "4", "step": "0.01", "labels": {"0": "unrelated", "4": "identical"}}


class Rater:
    """Somebody past the instructions, in a browser."""

    def __init__(self, live_server: Any, study: Study) -> None:
        self.base = live_server.url
        self.joined = rating.join(study)

    def url(self, rest: str = "s/1/") -> str:
        return f"{self.base}/a/{self.joined.key}/{rest}"

    def open(self, page: Any, rest: str = "s/1/") -> Any:
        page.goto(self.url(rest))
        return ready(page)


def inspect(page: Any, *windows: Window) -> None:
    inspector = Inspector(*windows)
    inspector.look(page, "look")
    inspector.look_at_focus(page, "focus")
    assert inspector.found == []


def slider(page: Any) -> Any:
    return page.locator("[data-range]")


def value(page: Any) -> Any:
    return page.locator("[data-value]")


def is_thumb_shown(page: Any) -> bool:
    return page.locator(".slider.is-touched").count() == 1


def wait_saved(page: Any) -> None:
    expect(page.locator("[data-state]")).to_have_text("Saved")


def ratings() -> list[Decimal]:
    return list(Judgment.objects.current().order_by("pk").values_list("rating", flat=True))


@pytest.fixture
def rater(live_server: Any) -> Rater:
    return Rater(live_server, rating.make_rating_study(pairs=2))


def test_nothing_is_proposed_and_nothing_can_be_sent_before_the_first_touch(
    page: Any, rater: Rater
) -> None:
    rater.open(page)

    assert not is_thumb_shown(page)
    expect(value(page)).to_have_text("–")
    assert slider(page).get_attribute("aria-valuetext") == "nothing chosen yet"
    page.get_by_role("button", name="Next").click()

    expect(page.locator("[data-problem]")).to_have_text("Choose a value on the scale.")
    expect(slider(page)).to_be_focused()
    assert page.url.endswith("/s/1/")
    assert not Judgment.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("place", [0.02, 0.5, 0.98])
def test_a_touch_anywhere_chooses_also_where_the_thumb_would_have_stood(
    page: Any, rater: Rater, place: float
) -> None:
    rater.open(page)
    box = slider(page).bounding_box()

    page.mouse.click(box["x"] + place * box["width"], box["y"] + box["height"] / 2)
    wait_saved(page)

    assert is_thumb_shown(page)
    assert ratings() == [{0.02: 0, 0.5: 3, 0.98: 6}[place]]


@pytest.mark.slow
def test_a_mark_below_the_slider_chooses_its_value(page: Any, rater: Rater) -> None:
    rater.open(page)

    page.locator("[data-point='4']").click()
    wait_saved(page)

    expect(value(page)).to_have_text("4")
    assert ratings() == [4]


def test_digits_choose_arrows_adjust_and_u_takes_back(page: Any, rater: Rater) -> None:
    rater.open(page)

    page.keyboard.press("5")
    expect(value(page)).to_have_text("5")
    page.keyboard.press("ArrowLeft")
    expect(value(page)).to_have_text("4")
    page.keyboard.press("9")  # not on the scale
    expect(value(page)).to_have_text("4")
    page.keyboard.press("u")
    expect(value(page)).to_have_text("5")
    wait_saved(page)
    page.keyboard.press("u")

    expect(value(page)).to_have_text("–")
    assert not is_thumb_shown(page)
    expect(page.locator("[data-state]")).to_have_text("")
    until(Draft.objects.exists)


@pytest.mark.parametrize(("key", "first"), [("ArrowRight", 0), ("ArrowLeft", 6), ("End", 6)])
def test_the_first_arrow_key_begins_at_an_end_of_the_scale(
    page: Any, rater: Rater, key: str, first: int
) -> None:
    rater.open(page)
    slider(page).focus()

    page.keyboard.press(key)
    wait_saved(page)

    assert ratings() == [first]


@pytest.mark.slow
def test_a_fine_scale_has_two_decimals_and_single_steps(page: Any, live_server: Any) -> None:
    Rater(live_server, rating.make_rating_study(pairs=1, scale=FINE)).open(page)

    page.keyboard.press("3")
    page.keyboard.press("ArrowRight")
    expect(value(page)).to_have_text("3.01")
    wait_saved(page)

    assert slider(page).get_attribute("aria-valuetext") == "3.01"
    assert ratings() == [Decimal("3.01")]


@pytest.mark.slow
def test_decimals_are_written_as_the_language_of_the_page_does(
    new_context: Any, live_server: Any
) -> None:
    study = rating.make_rating_study(pairs=1, scale=FINE)
    Study.objects.filter(pk=study.pk).update(language="de")
    rater = Rater(live_server, study)

    page = rater.open(new_context().new_page())
    page.keyboard.press("3")
    page.keyboard.press("ArrowRight")

    expect(value(page)).to_have_text("3,01")
    assert slider(page).get_attribute("aria-valuetext") == "3,01"
    assert "3,02" in page.locator("select").locator("option", has_text="3,02").inner_text()
    expect(page.locator("[data-state]")).to_have_text("Gespeichert")
    assert ratings() == [Decimal("3.01")]


@pytest.mark.slow
def test_what_was_chosen_is_there_again_on_another_device(new_context: Any, rater: Rater) -> None:
    here, there = new_context().new_page(), new_context().new_page()
    rater.open(here).keyboard.press("2")
    wait_saved(here)

    rater.open(there)

    expect(value(there)).to_have_text("2")
    assert is_thumb_shown(there)


@pytest.mark.slow
def test_two_devices_that_disagree_are_told_and_nothing_is_written_over(
    new_context: Any, rater: Rater
) -> None:
    here, there = new_context().new_page(), new_context().new_page()
    for page in (here, there):
        rater.open(page)
    here.keyboard.press("2")
    wait_saved(here)
    there.keyboard.press("6")

    note = there.locator("[data-elsewhere]")
    expect(note).to_be_visible()
    expect(note).to_contain_text("6")
    expect(value(there)).to_have_text("2")
    assert ratings() == [2]
    there.get_by_role("button", name="Use this instead").click()
    wait_saved(there)

    assert ratings() == [6]


def tab_to(page: Any, control: Any) -> None:
    for _ in range(40):
        if control.evaluate("control => control === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the Tab key does not come to it")


def enter_phase(page: Any) -> None:
    """Rate two pairs with keys, look at the overview, send."""
    for digit, following in (("3", "**/s/2/"), ("5", "**/overview/")):
        page.keyboard.press(digit)
        page.keyboard.press("Enter")
        arrive(page, following)
    tab_to(page, page.get_by_role("button", name="Send my answers"))
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "overview" not in url)
    arrive(page)


@pytest.mark.slow
def test_a_booklet_of_two_phases_with_the_keyboard_alone(
    page: Any, live_server: Any, clock: Clock
) -> None:
    rater = Rater(live_server, rating.make_rating_study(pairs=2, phases=rating.TWICE))
    rater.open(page)
    enter_phase(page)

    expect(page.get_by_role("heading", level=1)).to_have_text("We have received your answers")
    expect(page.locator("[data-moment]").first).to_be_visible()
    inspect(page)
    clock.move(hours=72)
    page.goto(rater.url(""))
    expect(page.get_by_role("heading", level=1)).to_have_text("The next part is open")
    inspect(page)
    tab_to(page, page.get_by_role("link", name="Begin the next part"))
    page.keyboard.press("Enter")
    arrive(page, "**/s/1/")
    assert page.locator(".rated-sentence").count() == 2
    inspect(page)
    enter_phase(page)

    expect(page.get_by_role("heading", level=1)).to_have_text("We have received your answers")
    assert ratings() == [3, 5, 3, 5]
    assert rater.joined.annotator.assignments.get().state == Assignment.State.SUBMITTED


@pytest.mark.slow
def test_without_a_script_a_list_takes_the_place_of_the_slider(
    new_context: Any, live_server: Any, clock: Clock
) -> None:
    rater = Rater(live_server, rating.make_rating_study(pairs=2, phases=rating.TWICE))
    page = new_context(java_script_enabled=False).new_page()
    for hours in (0, 72):
        clock.move(hours=hours)
        page.goto(rater.url("s/1/"))
        page.get_by_role("button", name="Next").click()
        assert page.locator(".missing").inner_text() == "Choose a value on the scale."
        for chosen in ("1", "6"):
            page.get_by_label("Your rating").select_option(chosen)
            page.get_by_role("button", name="Next").or_(
                page.get_by_role("button", name="Finish")
            ).first.click()
        page.get_by_role("button", name="Send my answers").click()

    assert ratings() == [1, 6, 1, 6]
    assert phases.latest(rater.joined.assignment).completed_at is not None


@pytest.mark.slow
@pytest.mark.parametrize("context", ["free", "dependent"])
def test_axe_finds_nothing_and_nothing_sticks_out(
    page: Any, live_server: Any, context: str
) -> None:
    study = rating.make_rating_study(
        pairs=1, sentences=9, phases=rating.IN_CONTEXT if context == "dependent" else rating.ONCE
    )
    Rater(live_server, study).open(page)

    inspect(page, *WINDOWS)
    page.keyboard.press("4")
    wait_saved(page)
    inspect(page, *WINDOWS)
