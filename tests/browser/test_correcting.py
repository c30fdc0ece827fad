"""From the overview to one page and back again; the invitation of a link leads to what is open."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Study
from tests.browser.booklets import Booklet, pick, ready, stored, until
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

N_SCREENS = 3


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": N_SCREENS})


@pytest.fixture
def booklet(live_server: Any, study: Study) -> Booklet:
    return Booklet.of(live_server, study)


def answer(booklet: Booklet, *screens: int) -> None:
    for screen in screens:
        sent = {**booklet.person.filled(screen), "go": "next"}
        assert booklet.person.post(f"s/{screen}/", sent).status_code == 303


def entry(page: Any, number: int) -> Any:
    return page.locator(f"#screen-{number}")


def go_on(page: Any) -> None:
    page.locator(".bar .primary").click()


def expect_back_at(page: Any, booklet: Booklet, number: int) -> None:
    page.wait_for_url(f"{booklet.url('overview/')}#screen-{number}")
    expect(entry(page, number)).to_be_focused()
    expect(entry(page, number)).to_be_in_viewport()


def test_a_page_that_is_corrected_leads_back_to_its_entry(page: Any, booklet: Booklet) -> None:
    answer(booklet, *range(1, N_SCREENS + 1))
    page.goto(booklet.url("overview/"))
    entry(page, 2).click()
    ready(page)
    pick(page, 0, best=2, worst=0)
    # There is nothing else to do here, so there is one way out.
    assert page.locator("[name=go][value=back]").count() == 0
    go_on(page)

    expect_back_at(page, booklet, 2)
    assert stored(booklet, 0, screen=2) == (2, 0, "")


@pytest.mark.slow
def test_so_it_does_with_the_keyboard_alone(page: Any, booklet: Booklet) -> None:
    answer(booklet, *range(1, N_SCREENS + 1))
    page.goto(booklet.url("overview/"))
    entry(page, 1).focus()
    page.keyboard.press("Enter")
    ready(page)
    page.keyboard.press("3")
    page.keyboard.press("q")
    page.keyboard.press("Enter")

    expect_back_at(page, booklet, 1)
    page.keyboard.press("Tab")
    expect(entry(page, 2)).to_be_focused()


def test_an_open_page_may_be_left_open(page: Any, booklet: Booklet) -> None:
    answer(booklet, 1, 3)
    page.goto(booklet.url("overview/"))
    entry(page, 2).click()
    ready(page)
    pick(page, 0, best=1)
    page.locator("[name=go][value=back]").click()

    expect_back_at(page, booklet, 2)


def test_without_a_script_it_leads_back_also_after_a_mistake(
    new_context: Any, booklet: Booklet
) -> None:
    answer(booklet, *range(1, N_SCREENS + 1))
    page = new_context(java_script_enabled=False).new_page()
    page.goto(booklet.url("overview/"))
    entry(page, 2).click()
    section = page.locator("[data-question]").first
    for role in ("best", "worst"):
        section.locator(f"[data-role={role}]").nth(1).check(force=True)
    go_on(page)
    assert page.locator("#problems").is_visible()
    section.locator("[data-role=worst]").nth(0).check(force=True)
    go_on(page)

    expect_back_at(page, booklet, 2)


def test_whoever_was_not_in_the_overview_goes_on_as_before(page: Any, booklet: Booklet) -> None:
    answer(booklet, 1)
    booklet.open(page)
    go_on(page)

    page.wait_for_url(booklet.url("s/2/"))


# -- coming back by the link ----------------------------------------------------------------------


def test_the_link_leads_to_the_first_open_question(page: Any, booklet: Booklet) -> None:
    first, second = booklet.person.questions(1)[:2]
    booklet.open(page)
    pick(page, 0, best=0, worst=1)
    until(page, lambda: stored(booklet, 0))
    page.goto(booklet.url(""))
    ready(page)

    question = page.locator(f"#q{second.pk}")
    expect(question).to_be_focused()
    # Nothing of the question before it covers its beginning.
    expect(page.locator(f"#q{first.pk} .reminder.is-on")).to_have_count(0)
    assert question.locator("h2").evaluate(
        "h2 => { const box = h2.getBoundingClientRect();"
        " return document.elementFromPoint(box.left + 5, box.top + box.height / 2) === h2; }"
    )
    # A key answers it, and not the one before it.
    page.keyboard.press("2")
    assert question.locator("[data-role=best]").nth(1).is_checked()
    assert page.locator(f"#q{first.pk} [data-role=best]").nth(0).is_checked()


def test_so_it_does_without_a_script_on_a_phone(new_context: Any, booklet: Booklet) -> None:
    answer(booklet, 1)
    page = new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 740}, has_touch=True
    ).new_page()
    page.goto(booklet.url(""))

    question = page.locator(f"#q{booklet.person.questions(2)[0].pk}")
    expect(question).to_be_focused()
    assert abs(question.bounding_box()["y"]) < 40


def test_so_does_the_button_of_the_overview(page: Any, booklet: Booklet) -> None:
    answer(booklet, 1, 3)
    page.goto(booklet.url("overview/"))
    page.locator("#sending a.primary").click()

    expect(page.locator(f"#q{booklet.person.questions(2)[0].pk}")).to_be_focused()


def test_whoever_begins_sees_the_page_from_its_top(page: Any, booklet: Booklet) -> None:
    page.goto(booklet.url(""))
    ready(page)

    assert page.evaluate("scrollY") == 0
    assert page.url == booklet.url("s/1/")
