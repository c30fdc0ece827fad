"""A researcher's page that refuses what was sent: where the focus is, and what is said there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotation.models import Study
from tests.browser.test_researcher import Desk, problems_of
from tests.support.baseline_studies import make_pairs
from tests.support.factories import make_open_study, make_study
from tests.support.rating import TWICE, make_rating_study
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


def send(page: Page, address: str, button: str, **fields: str) -> None:
    page.goto(address)
    for field, value in fields.items():
        page.locator(f"#{field}").fill(value)
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("alert").first.wait_for()


@contextmanager
def low_window(
    browser: Browser, base: str, study: Study, height: int, **options: Any
) -> Iterator[Page]:
    """The desk in a window that shows little of a page."""
    with Desk(browser, base, study.owner, **options) as desk:
        desk.page.set_viewport_size({"width": 1280, "height": height})
        yield desk.page


def expect_focus_on_an_error(page: Page, field: str) -> None:
    """The field has the focus, is in view with its error, and its error is its description."""
    assert page.title().startswith("Error: ")
    wrong = page.locator(f"#{field}")
    expect(wrong).to_be_focused()
    expect(wrong).to_be_in_viewport()
    error = page.locator(f"#{field}_error")
    expect(error).to_be_in_viewport()
    described = wrong.get_attribute("aria-describedby") or ""
    assert error.get_attribute("id") in described.split()
    # Whoever has no script finds the field by the note at the top.
    expect(page.locator(f'.errornote a[href="#{field}"]')).to_have_count(1)


def test_every_kind_of_page_gives_the_focus_to_its_first_wrong_field(
    browser: Browser, live_server: Any
) -> None:
    study = make_open_study()
    draft = make_study(owner=study.owner)
    new_question = f"{url(draft, 'questionnaire_add', 'before')}?kind=number"
    with low_window(browser, live_server.url, study, 600) as page:
        send(page, reverse("admin:annotation_study_add"), "Create the study")
        expect_focus_on_an_error(page, "id_title")
        send(page, url(draft, "describe"), "Save", id_title="")
        expect_focus_on_an_error(page, "id_title")
        send(page, url(draft, "design"), "Save the settings", id_tuple_size="1")
        expect_focus_on_an_error(page, "id_tuple_size")
        send(page, url(draft, "plan"), "Forecast", id_wage="much")
        expect_focus_on_an_error(page, "id_wage")
        send(page, new_question, "Save")
        expect_focus_on_an_error(page, "id_text")
        send(page, url(study, "collect"), "Create the link")
        expect_focus_on_an_error(page, "id_n_people")
        send(page, url(study, "share"), "Share", id_username="nobody")
        expect_focus_on_an_error(page, "id_username")
        send(page, url(study, "alerts"), "Add the webhook")
        expect_focus_on_an_error(page, "id_webhook-url")
        send(page, url(study, "platforms"), "Set the spending cap", id_cap="much")
        expect_focus_on_an_error(page, "id_cap")
        assert problems_of(page) == []


def test_scores_of_another_model_that_are_missing_lead_to_their_field(
    browser: Browser, live_server: Any
) -> None:
    study = make_pairs()
    with low_window(browser, live_server.url, study, 600) as page:
        send(page, url(study, "baselines"), "Save these scores")
        expect_focus_on_an_error(page, "id_table")


def test_a_link_of_the_note_leads_to_its_field_and_leaves_the_address_alone(
    browser: Browser, live_server: Any
) -> None:
    study = make_open_study()
    with low_window(browser, live_server.url, study, 600) as page:
        send(page, url(study, "collect"), "Create the link")
        page.keyboard.press("Control+Home")
        page.locator('.errornote a[href="#id_n_people"]').click()

        expect_focus_on_an_error(page, "id_n_people")
        expect(page.locator("label[for=id_n_people]")).to_be_in_viewport()
        assert "#" not in page.url


def test_without_scripts_a_link_of_the_note_shows_the_field_with_its_error(
    browser: Browser, live_server: Any
) -> None:
    study = make_open_study()
    options = {"java_script_enabled": False}
    with low_window(browser, live_server.url, study, 300, **options) as page:
        send(page, url(study, "collect"), "Create the link")
        page.locator('.errornote a[href="#id_n_people"]').click()

        for part in ("label[for=id_n_people]", "#id_n_people_error", "#id_n_people"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)


def test_a_field_at_the_lower_edge_is_seen_with_its_frame(
    browser: Browser, live_server: Any
) -> None:
    study = make_open_study()
    with low_window(browser, live_server.url, study, 300) as page:
        page.goto(url(study, "collect"))
        field = page.locator("#id_n_people")
        field.evaluate("field => scrollBy(0, field.getBoundingClientRect().bottom - innerHeight)")
        field.focus()

        box = field.bounding_box()
        assert box is not None
        # The frame of what has the focus is five pixels outside of it.
        assert box["y"] + box["height"] + 5 <= 300


def test_of_a_group_of_radio_buttons_the_chosen_one_has_the_focus(
    browser: Browser, live_server: Any
) -> None:
    study = make_pairs()
    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "baselines"))
        page.locator("details").evaluate_all("all => all.forEach((each) => { each.open = true })")
        # No measure is chosen that has this setting.
        chosen = page.locator("[name=option-order]").nth(1)
        chosen.evaluate("button => { button.checked = true }")
        page.get_by_role("button", name="Compute", exact=True).click()
        page.get_by_role("alert").first.wait_for()

        expect(page.locator("[name=option-order]").nth(1)).to_be_focused()


def test_an_error_of_no_field_has_the_focus_itself(
    browser: Browser, live_server: Any, tmp_path: Any
) -> None:
    study = make_study()
    file = tmp_path / "items.tsv"
    file.write_bytes(b"\x00\x01")
    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "items"))
        page.locator("#file").set_input_files(file)
        page.locator("form:has(#file) button[type=submit]").click()
        note = page.locator(".note-error")
        note.wait_for()

        expect(note).to_be_focused()
        assert page.title().startswith("Error: ")


def test_without_scripts_the_note_has_the_focus_and_leads_to_the_field(
    browser: Browser, live_server: Any
) -> None:
    study = make_open_study()
    options = {"java_script_enabled": False}
    with Desk(browser, live_server.url, study.owner, **options) as desk:
        page = desk.page
        send(page, url(study, "collect"), "Create the link")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.type("25")

        expect(page.locator("#id_n_people")).to_have_value("25")


def test_a_page_without_errors_leaves_the_focus_alone(browser: Browser, live_server: Any) -> None:
    study = make_open_study()
    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "collect"))

        assert desk.page.evaluate("document.activeElement === document.body")
        assert not desk.page.title().startswith("Error: ")


def test_the_content_to_skip_to_begins_below_the_menus_of_the_study(
    browser: Browser, live_server: Any
) -> None:
    study = make_open_study()
    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "collect"))
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")

        focused = page.locator(":focus")
        assert focused.evaluate("element => element.closest('main') !== null")
        assert focused.evaluate("element => element.closest('nav') === null")


def test_only_tables_that_scroll_are_stops_of_the_tab_key(
    browser: Browser, live_server: Any
) -> None:
    study = make_rating_study(pairs=2, phases=TWICE)
    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        page.goto(url(study, "collect"))
        table = page.locator(".table")
        page.set_viewport_size({"width": 1280, "height": 900})
        expect(table).not_to_have_attribute("tabindex", "0")
        page.set_viewport_size({"width": 360, "height": 640})
        expect(table).to_have_attribute("tabindex", "0")
        assert problems_of(page) == []
        page.set_viewport_size({"width": 1280, "height": 900})
        expect(table).not_to_have_attribute("tabindex", "0")
    with Desk(browser, live_server.url, study.owner, java_script_enabled=False) as desk:
        desk.page.goto(url(study, "collect"))
        expect(desk.page.locator(".table")).to_have_attribute("tabindex", "0")
