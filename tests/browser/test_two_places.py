"""One booklet in two tabs or on two devices: what is newer stands, what is older is not lost."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Draft, Judgment, Study
from tests.browser.booklets import (
    Booklet,
    chosen,
    comment,
    kept,
    pick,
    ready,
    reload,
    state,
    stored,
    until,
    wait_chosen,
    wait_kept,
    wait_nothing_kept,
)
from tests.browser.networks import (
    SAVES,
    WAITING,
    BadNetwork,
    come_back,
    never_arrives,
)
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ELSEWHERE = "This question was answered in another tab or on another device."


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


@pytest.fixture
def mine(live_server: Any, study: Study) -> Booklet:
    return Booklet.of(live_server, study)


@pytest.fixture
def phone(new_context: Any) -> Any:
    return new_context(viewport={"width": 360, "height": 740}, has_touch=True).new_page()


def note(page: Any, number: int = 0) -> Any:
    return page.locator("[data-elsewhere]").nth(number)


def answered_on_both(page: Any, phone: Any, mine: Booklet) -> None:
    """The page was open; then the phone answered; then the page did."""
    mine.open(page)
    mine.open(phone)
    pick(phone, 0, best=2, worst=0)
    expect(state(phone, 0)).to_have_text("Saved")
    pick(page, 0, best=0)
    expect(note(page)).to_be_visible()


# -- two tabs ----------------------------------------------------------------------------------


def test_a_choice_in_one_tab_is_seen_in_the_other_and_may_be_changed_there(
    page: Any, mine: Booklet
) -> None:
    other = mine.open(page.context.new_page())
    mine.open(page)
    pick(page, 0, best=0, worst=1)
    wait_chosen(other, 0, 0, 1)
    pick(other, 0, worst=2)
    wait_chosen(page, 0, 0, 2)
    pick(page, 0, best=1)
    wait_chosen(other, 0, 1, 2)
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (1, 2, "")
    assert not Draft.objects.exists()
    for tab in (page, other):
        expect(note(tab)).to_be_hidden()
        assert kept(tab) == []


def test_two_tabs_without_a_network_end_with_the_last_choice(page: Any, mine: Booklet) -> None:
    other = mine.open(page.context.new_page())
    mine.open(page)
    page.context.set_offline(True)
    pick(page, 0, best=0, worst=1)
    wait_chosen(other, 0, 0, 1)
    pick(other, 0, worst=2)
    wait_chosen(page, 0, 0, 2)
    wait_kept(page, 1)

    come_back(page)
    come_back(other)
    expect(state(other, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (0, 2, "")
    assert Judgment.objects.count() == 1
    wait_nothing_kept(page)
    for tab in (page, other):
        expect(note(tab)).to_be_hidden()


def test_what_is_being_typed_is_not_overwritten_by_another_tab(page: Any, mine: Booklet) -> None:
    other = mine.open(page.context.new_page())
    mine.open(page)
    area = comment(page)
    area.press_sequentially("because")
    pick(other, 0, best=0, worst=1)
    expect(state(other, 0)).to_have_text("Saved")

    # What was typed is sent after a pause, and told of what was chosen meanwhile.
    expect(note(page)).to_be_visible()
    assert chosen(page, 0) == (0, 1)
    assert area.input_value() == "because"
    area.press_sequentially(" of it")
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (0, 1, "because of it")


def test_of_two_tabs_that_knew_nothing_of_each_other_neither_choice_is_lost(
    page: Any, mine: Booklet
) -> None:
    page.context.add_init_script("delete window.BroadcastChannel")
    other = mine.open(page.context.new_page())
    mine.open(page)
    network = BadNetwork(page.context, never_arrives)
    pick(other, 0, best=2, worst=0)
    expect(state(other, 0)).to_have_text(WAITING)
    other.goto("about:blank")
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_have_text(WAITING)
    assert len(kept(page)) == 2
    reload(page)

    assert chosen(page, 0) == (0, 1)
    expect(note(page)).to_contain_text("Candidate")
    network.mend()
    come_back(page)
    expect(state(page, 0)).to_have_text("Saved")
    page.get_by_role("button", name="Use this instead").click()
    until(page, lambda: stored(mine, 0) == (2, 0, ""))
    wait_nothing_kept(page)


# -- two devices -------------------------------------------------------------------------------


def test_an_older_page_shows_the_newer_answer_and_names_its_own(
    page: Any, phone: Any, mine: Booklet
) -> None:
    answered_on_both(page, phone, mine)

    assert chosen(page, 0) == (2, 0)
    option = page.locator(".option-text").first.inner_text().strip()
    expect(note(page)).to_contain_text(ELSEWHERE)
    expect(note(page).locator("[data-here=best] dd")).to_have_text(option)
    expect(note(page).locator("[data-here=worst]")).to_be_hidden()
    expect(page.get_by_role("status").filter(has_text=ELSEWHERE)).to_have_count(1)
    assert stored(mine, 0) == (2, 0, "")
    assert Judgment.objects.count() == 1

    # Until somebody has decided, it is there after a reload, too.
    reload(page)
    expect(note(page).locator("[data-here=best] dd")).to_have_text(option)
    assert chosen(page, 0) == (2, 0)


def test_somebody_at_work_is_told_when_they_have_chosen(
    page: Any, phone: Any, mine: Booklet
) -> None:
    page.clock.install()
    mine.open(page)
    mine.open(phone)
    pick(phone, 0, best=0, worst=1)
    expect(state(phone, 0)).to_have_text("Saved")
    # Both choices within a moment, and the first is answered in between.
    page.clock.pause_at(datetime.now(tz=UTC) + timedelta(minutes=5))
    with page.expect_response(SAVES):
        pick(page, 0, best=2)
    with page.expect_response(SAVES):
        pick(page, 0, worst=0)
    page.clock.resume()
    expect(note(page)).to_be_visible()

    texts = [text.strip() for text in page.locator(".option-text").all_inner_texts()]
    expect(note(page).locator("[data-here=best] dd")).to_have_text(texts[2])
    expect(note(page).locator("[data-here=worst] dd")).to_have_text(texts[0])
    assert chosen(page, 0) == (0, 1)
    # A further choice is saved, and what is offered stays.
    pick(page, 0, worst=2)
    expect(state(page, 0)).to_have_text("Saved")
    expect(note(page)).to_be_visible()
    assert stored(mine, 0) == (0, 2, "")


def test_the_other_answer_is_used_with_the_keyboard(page: Any, phone: Any, mine: Booklet) -> None:
    answered_on_both(page, phone, mine)
    page.keyboard.press("Enter")
    expect(note(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Use this instead")).to_be_focused()
    page.keyboard.press("Enter")
    expect(note(page)).to_be_hidden()
    page.keyboard.press("e")
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (0, 2, "")
    assert kept(page) == []
    assert page.url.endswith("/s/1/")


def test_going_on_stops_once_at_what_was_answered_elsewhere(
    page: Any, phone: Any, mine: Booklet
) -> None:
    mine.open(page)
    mine.open(phone)
    for number in (0, 1):
        pick(phone, number, best=2, worst=0)
        expect(state(phone, number)).to_have_text("Saved")
    for key in ("1", "w", "1", "w", "Enter"):
        page.keyboard.press(key)
    for number in (0, 1):
        expect(note(page, number)).to_be_visible()
    until(page, lambda: press_next_to_note(page))
    page.wait_for_url("**/s/2/")
    ready(page)

    assert (stored(mine, 0), stored(mine, 1)) == ((2, 0, ""), (2, 0, ""))
    assert kept(page) == []


def press_next_to_note(page: Any) -> bool:
    page.keyboard.press("Enter")
    return page.url.endswith("/s/2/")


def test_what_was_kept_since_yesterday_gives_way_and_is_offered(
    page: Any, phone: Any, mine: Booklet
) -> None:
    mine.open(page)
    network = BadNetwork(page, never_arrives)
    comment(page).fill("yesterday")
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_have_text(WAITING)
    page.goto("about:blank")
    mine.open(phone)
    pick(phone, 0, best=2, worst=0)
    expect(state(phone, 0)).to_have_text("Saved")

    network.mend()
    mine.open(page)
    expect(note(page)).to_contain_text("yesterday")
    wait_chosen(page, 0, 2, 0)
    assert stored(mine, 0) == (2, 0, "")
    page.get_by_role("button", name="Use this instead").click()
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (0, 1, "yesterday")
    assert kept(page) == []


def test_what_was_kept_of_another_screen_is_named_with_the_way_there(
    page: Any, phone: Any, mine: Booklet
) -> None:
    mine.open(page)
    network = BadNetwork(page, never_arrives)
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_have_text(WAITING)
    mine.open(phone)
    pick(phone, 0, best=2, worst=0)
    expect(state(phone, 0)).to_have_text("Saved")
    network.mend()
    mine.open(page, "s/2/")

    page.get_by_role("link", name="Look at both answers").click()
    page.wait_for_url("**/s/1/")

    expect(note(page)).to_be_visible()
    assert stored(mine, 0) == (2, 0, "")


def test_without_javascript_the_form_comes_back_with_both(
    new_context: Any, phone: Any, mine: Booklet
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(mine.url())
    mine.open(phone)
    pick(phone, 0, best=2, worst=0)
    expect(state(phone, 0)).to_have_text("Saved")
    section = page.locator("[data-question]").first
    section.locator("input[data-role=best]").nth(0).check()
    section.locator("input[data-role=worst]").nth(1).check()
    page.locator(".bar button.primary").click()
    expect(note(page)).to_be_visible()
    expect(section.locator("input[data-role=best]").nth(2)).to_be_checked()
    page.get_by_role("button", name="Use this instead").click()
    expect(section.locator("input[data-role=best]").nth(0)).to_be_checked()

    assert stored(mine, 0) == (0, 1, "")
