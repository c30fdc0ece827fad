"""The planner's sliders in a real browser: by keyboard, by number, and without a script."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.kinds.best_worst.queries import forecasts
from annotation.kinds.queries import noise_words
from annotation.models import Study
from tests.browser.test_researcher import Desk, problems_of
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.rating import make_rating_study
from tests.support.researcher_pages import finish_booklet, url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _a_few_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasts, "_MAX_SIMULATED_STUDIES", 40)


def parts_of(page: Page, label: str) -> tuple[Any, Any, Any]:
    """Slider, number and what they mean."""
    field = page.locator(".slider-field").filter(has=page.get_by_label(f"{label}: slider"))
    number = page.get_by_role("spinbutton", name=f"{label}:", exact=True)
    return page.get_by_role("slider", name=f"{label}: slider"), number, field.locator("output")


def forecast(page: Page) -> None:
    page.get_by_role("button", name="Forecast").click()
    page.locator("#forecast-title").wait_for()


@pytest.mark.slow
def test_keys_move_the_slider_and_the_number_with_it(browser: Browser, live_server: Any) -> None:
    study = make_study()
    of = noise_words.of_tuples(3, ()).meaning

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "plan"))
        slider, number, said = parts_of(page, "Noise")
        expect(slider).to_have_attribute("aria-valuetext", f"0.3: {of(0.3)}")

        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(number).to_have_value("0.31")
        expect(said).to_have_text(of(0.31))
        expect(slider).to_have_attribute("aria-valuetext", f"0.31: {of(0.31)}")
        # A screen reader says the slider's own words: no second voice beside it.
        expect(said).to_have_attribute("aria-live", "off")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(number).to_have_value("0.29")
        page.keyboard.press("Home")
        expect(number).to_have_value("0")
        page.keyboard.press("End")
        expect(number).to_have_value("1.5")
        page.keyboard.press("PageDown")
        expect(number).to_have_value("1.35")

        # A number between two steps is kept as it was typed, and said politely.
        number.fill("0.624")
        expect(slider).to_have_value("0.62")
        expect(said).to_have_text(of(0.62))
        expect(said).to_have_attribute("aria-live", "polite")
        expect(slider).to_have_attribute("aria-valuetext", f"0.624: {of(0.62)}")
        number.fill("7")
        expect(said).to_have_text("")
        expect(slider).to_have_attribute("aria-valuetext", "7")
        number.fill("0.62")
        assert problems_of(page) == []

        forecast(page)
        expect(page.locator("#forecast-title")).to_be_focused()
        expect(page.locator("#forecast-title")).to_be_in_viewport()
        expect(parts_of(page, "Noise")[1]).to_have_value("0.62")
        assert "noise=0.62" in page.url
        assert "at noise 0.62" in page.locator("figcaption").inner_text()
        assert desk.complaints == []


@pytest.mark.slow
def test_a_study_to_estimate_from_counts_until_somebody_says_otherwise(
    browser: Browser, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = make_user("grace")
    earlier = make_open_study(owner=owner, dialogues=2)
    for _person in range(2):
        finish_booklet(earlier)
    study = make_study(owner=owner)
    real = forecasts.noise_of

    def told(source: Study, read: Any, shape: Any) -> Any:
        found = real(source, read, shape)
        object.__setattr__(found, "value", 0.83)
        object.__setattr__(found, "draws", np.array([0.83]))
        object.__setattr__(found, "reason", None)
        return found

    monkeypatch.setattr(forecasts, "noise_of", told)

    with Desk(browser, live_server.url, owner) as desk:
        page = desk.page
        page.goto(url(study, "plan"))
        slider, number, said = parts_of(page, "Noise")
        source = page.get_by_label("Or estimate the noise from")
        source.select_option(str(earlier.pk))
        expect(said).to_contain_text("Press Forecast")
        forecast(page)
        # The slider stands at what was estimated.
        expect(number).to_have_value("0.83")
        expect(slider).to_have_value("0.83")
        expect(page.locator("[data-estimated]")).to_contain_text(f"Estimated from {earlier.title}")
        expect(said).to_have_text(noise_words.of_tuples(3, ()).meaning(0.83))

        slider.focus()
        page.keyboard.press("ArrowLeft")
        expect(source).to_have_value("")
        expect(page.locator("[data-estimated]")).to_be_hidden()
        forecast(page)
        expect(number).to_have_value("0.82")
        assert "at noise 0.82" in page.locator("figcaption").inner_text()
        assert desk.complaints == []


@pytest.mark.slow
def test_both_numbers_of_ratings_have_their_slider_on_a_phone(
    browser: Browser, live_server: Any
) -> None:
    study = make_rating_study(pairs=8, open_it=False)

    size = {"width": 360, "height": 780}
    with Desk(browser, live_server.url, study.owner, viewport=size) as desk:
        page = desk.page
        page.goto(url(study, "plan"))
        for label, less in (("Noise", "0.19"), ("Spread of the items", "0.28")):
            slider, number, said = parts_of(page, label)
            slider.focus()
            page.keyboard.press("ArrowLeft")
            expect(number).to_have_value(less)
            expect(said).to_contain_text("points of the scale")
            box = slider.bounding_box()
            assert box is not None
            assert box["height"] >= 24
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert problems_of(page) == []
        assert desk.complaints == []


@pytest.mark.slow
def test_without_a_script_the_number_alone_is_there(browser: Browser, live_server: Any) -> None:
    study = make_study()

    with Desk(browser, live_server.url, study.owner, java_script_enabled=False) as desk:
        page = desk.page
        page.goto(url(study, "plan"))
        assert page.get_by_role("slider").count() == 0
        number = page.get_by_role("spinbutton", name="Noise:")
        expect(number).to_have_value("0.3")
        assert noise_words.of_tuples(3, ()).meaning(0.3) in page.locator("output").inner_text()
        number.fill("0.9")
        forecast(page)
        assert "at noise 0.90" in page.locator("figcaption").inner_text()


@pytest.mark.slow
def test_a_study_that_tells_nothing_leaves_the_number_as_it_was(
    browser: Browser, live_server: Any
) -> None:
    owner = make_user("grace")
    earlier = make_open_study(owner=owner, dialogues=2)
    finish_booklet(earlier)
    study = make_study(owner=owner)

    with Desk(browser, live_server.url, owner) as desk:
        page = desk.page
        page.goto(f"{url(study, 'plan')}?known_from={earlier.pk}")
        _slider, number, said = parts_of(page, "Noise")
        # A link names it: nobody has asked yet.
        expect(said).to_contain_text("Press Forecast")
        page.get_by_role("button", name="Forecast").click()
        expect(page.get_by_role("alert")).to_contain_text(
            "The noise cannot be estimated from the answers of"
        )
        expect(number).to_have_value("0.3")
        expect(said).to_have_text(noise_words.of_tuples(3, ()).meaning(0.3))
        expect(page.get_by_role("alert")).to_be_focused()
        assert page.title().startswith("Error: ")
        refused = "the server responded with a status of 400"
        assert [each for each in desk.complaints if refused not in each] == []


@pytest.mark.slow
def test_other_tuples_are_compared_by_the_keyboard(browser: Browser, live_server: Any) -> None:
    study = make_study()

    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "plan"))
        page.get_by_label("Currency").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")

        table = page.locator("[data-alternatives]")
        expect(table.locator("tbody tr")).to_have_count(4)
        expect(table.locator("[data-shortest]").first).to_contain_text("least time")
        assert problems_of(page) == []
        expect(page.get_by_role("checkbox", name="Compare")).to_be_checked()
