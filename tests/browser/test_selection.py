"""Sentences are selected and rated by mouse, by keys, or with a plain form; on any window."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.kinds.selection.answer import ROLES
from annotation.models import Assignment, Draft, Judgment, Study
from tests.browser.arriving import arrive, until
from tests.browser.booklets import ready, reload
from tests.browser.inspecting import WINDOWS, Inspector, Window
from tests.support import selecting

pytestmark = pytest.mark.django_db(transaction=True)


class Selector:
    """Somebody past the instructions, in a browser."""

    def __init__(self, live_server: Any, study: Study) -> None:
        self.base = live_server.url
        self.joined = selecting.join(study)
        self.assignment = self.joined.assignment

    def url(self, rest: str = "s/1/") -> str:
        return f"{self.base}/a/{self.joined.key}/{rest}"

    def open(self, page: Any, rest: str = "s/1/") -> Any:
        page.goto(self.url(rest))
        return ready(page)

    @property
    def turns(self) -> list[int]:
        return selecting.choices(self.assignment.booklet.questions.get(screen=1))


@pytest.fixture
def selector(live_server: Any) -> Selector:
    return Selector(live_server, selecting.make_selection_study())


def pick(page: Any, role: str, place: int) -> None:
    page.locator(f"input[data-role={role}]").nth(place).click()


def rate(page: Any, role: str, value: str) -> None:
    page.locator(f"[data-role-rating={role}] [data-point='{value}']").click()


def chosen(page: Any) -> list[int]:
    """The places of the sentences that have the roles; -1 where none has."""
    return page.evaluate(
        "roles => roles.map(role => [...document.querySelectorAll(`[data-role=${role}]`)]"
        ".findIndex(radio => radio.checked))",
        list(ROLES),
    )


def values(page: Any) -> list[str]:
    return page.locator("[data-value]").all_inner_texts()


def sentence_of(page: Any, role: str) -> Any:
    return page.locator(f"[data-role-rating={role}] [data-role-sentence]")


def wait_saved(page: Any) -> None:
    expect(page.locator("[data-state]")).to_have_text("Saved")


def stored() -> list[tuple[str, int, int]]:
    picks = Judgment.objects.current().get().picks.order_by("pk")
    return [(pick.role, pick.turn_id, int(pick.rating)) for pick in picks]


def inspect(page: Any, *windows: Window) -> None:
    inspector = Inspector(*windows)
    inspector.look(page, "look")
    inspector.look_at_focus(page, "focus")
    assert inspector.found == []


@pytest.mark.slow
def test_three_sentences_and_three_values_by_mouse(page: Any, selector: Selector) -> None:
    selector.open(page)

    for place, (role, value) in enumerate(zip(ROLES, "630", strict=True)):
        pick(page, role, 4 - place)
        expect(sentence_of(page, role)).to_have_text(
            page.locator(".sentence .text").nth(4 - place).inner_text()
        )
        rate(page, role, value)
    wait_saved(page)

    turns = selector.turns
    assert stored() == [
        ("similar", turns[4], 6),
        ("middle", turns[3], 3),
        ("dissimilar", turns[2], 0),
    ]
    reload(page)
    assert chosen(page) == [4, 3, 2]
    assert values(page) == ["6", "3", "0"]


@pytest.mark.slow
def test_a_sentence_has_one_role_and_its_rating_comes_along(page: Any, selector: Selector) -> None:
    selector.open(page)
    pick(page, "similar", 1)
    rate(page, "similar", "5")

    pick(page, "middle", 1)

    assert chosen(page) == [-1, 1, -1]
    assert values(page) == ["–", "5", "–"]
    expect(page.locator("[data-bar-state]")).to_have_text("Please choose “Most similar” again.")
    expect(sentence_of(page, "similar")).to_have_text("No sentence chosen yet.")


@pytest.mark.slow
def test_a_value_that_was_given_first_is_of_the_sentence_chosen_then(
    page: Any, selector: Selector
) -> None:
    selector.open(page)
    rate(page, "similar", "5")
    rate(page, "middle", "2")

    pick(page, "similar", 1)
    assert values(page) == ["5", "2", "–"]

    # A sentence that has a value already keeps its own.
    pick(page, "middle", 1)
    assert chosen(page) == [-1, 1, -1]
    assert values(page) == ["–", "5", "–"]


@pytest.mark.slow
def test_another_sentence_for_a_role_is_not_rated_yet(page: Any, selector: Selector) -> None:
    selector.open(page)
    pick(page, "similar", 1)
    rate(page, "similar", "5")

    pick(page, "similar", 2)
    assert values(page) == ["–", "–", "–"]
    page.locator("[data-undo]").click()

    assert chosen(page) == [1, -1, -1]
    assert values(page) == ["5", "–", "–"]


@pytest.mark.slow
def test_what_is_missing_is_said_where_it_is(page: Any, selector: Selector) -> None:
    selector.open(page)
    page.get_by_role("button", name="Next").click()
    expect(page.locator("[data-problem]")).to_contain_text("Choose three sentences")
    expect(page.locator("input[data-role=similar]").first).to_be_focused()

    for place, role in enumerate(ROLES):
        pick(page, role, place)
    rate(page, "similar", "6")
    page.get_by_role("button", name="Next").click()

    expect(page.locator("[data-problem]")).to_have_text(
        "Rate each of the three sentences on the scale."
    )
    expect(page.locator("[data-role-rating=middle] [data-range]")).to_be_focused()
    assert page.url.endswith("/s/1/")
    assert not Judgment.objects.exists()
    until(Draft.objects.exists)


def tab_to(page: Any, control: Any) -> None:
    for _ in range(60):
        if control.evaluate("control => control === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the Tab key does not come to it")


def by_keys(page: Any) -> None:
    """Select and rate with the keyboard alone: sentences 2, 4 and 5."""
    for key in ["ArrowDown", "j", "1", "ArrowDown", "j", "2", "k", "ArrowDown", "j", "3"]:
        page.keyboard.press(key)
    for role, digit in zip(ROLES, "520", strict=True):
        tab_to(page, page.locator(f"[data-role-rating={role}] [data-range]"))
        page.keyboard.press(digit)


@pytest.mark.slow
def test_a_whole_booklet_with_the_keyboard_alone(page: Any, selector: Selector) -> None:
    selector.open(page)

    by_keys(page)
    assert chosen(page) == [1, 3, 4]
    assert values(page) == ["5", "2", "0"]
    expect(page.locator("[data-bar-state]")).to_have_text("All answered. Press Enter to continue.")
    page.keyboard.press("Enter")
    arrive(page, "**/s/2/")
    by_keys(page)
    page.keyboard.press("Enter")
    arrive(page, "**/overview/")
    tab_to(page, page.get_by_role("button", name="Send my answers"))
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "overview" not in url)

    assert selector.joined.annotator.assignments.get().state == Assignment.State.SUBMITTED
    assert Judgment.objects.current().count() == 2


@pytest.mark.slow
def test_keys_take_back_and_nothing_is_chosen_without_a_cursor(
    page: Any, selector: Selector
) -> None:
    selector.open(page)

    page.keyboard.press("1")
    assert chosen(page) == [-1, -1, -1]
    expect(page.locator(".sentence.is-cursor")).to_have_count(1)
    page.keyboard.press("1")
    assert chosen(page) == [0, -1, -1]
    page.keyboard.press("2")
    assert chosen(page) == [-1, 0, -1]
    page.keyboard.press("2")
    assert chosen(page) == [-1, -1, -1]
    page.keyboard.press("u")
    page.keyboard.press("u")

    assert chosen(page) == [0, -1, -1]


def test_arrows_on_a_button_move_and_the_space_bar_chooses(page: Any, selector: Selector) -> None:
    selector.open(page)
    page.locator("input[data-role=middle]").first.focus()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert chosen(page) == [-1, -1, -1]
    page.keyboard.press(" ")

    assert chosen(page) == [-1, 2, -1]


@pytest.mark.slow
def test_the_cursor_is_in_view_and_the_summary_stays_beside_it(
    new_context: Any, live_server: Any
) -> None:
    study = selecting.make_selection_study(reports=(20, 20))
    page = new_context(viewport={"width": 1280, "height": 700}).new_page()
    Selector(live_server, study).open(page)

    for _ in range(38):
        page.keyboard.press("ArrowDown")

    expect(page.locator(".sentence.is-cursor")).to_be_in_viewport(ratio=1)
    expect(page.locator("[data-target]")).to_be_in_viewport(ratio=1)
    bar = page.locator(".bar").bounding_box()
    cursor = page.locator(".sentence.is-cursor").bounding_box()
    assert cursor["y"] + cursor["height"] <= bar["y"]


@pytest.mark.slow
def test_from_anywhere_a_link_leads_to_the_scales(new_context: Any, live_server: Any) -> None:
    study = selecting.make_selection_study(reports=(20, 20))
    page = new_context(viewport={"width": 1280, "height": 700}).new_page()
    Selector(live_server, study).open(page)
    scale = page.locator("[data-role-rating=similar] [data-range]")
    page.mouse.wheel(0, 900)
    expect(scale).not_to_be_in_viewport()

    page.get_by_role("link", name="Go to the three scales").click()

    expect(scale).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(scale).to_be_focused()


@pytest.mark.slow
def test_of_a_summary_longer_than_the_window_the_current_sentence_is_seen(
    new_context: Any, live_server: Any
) -> None:
    study = selecting.make_selection_study(sentences=24, reports=(20, 20))
    page = new_context(viewport={"width": 1280, "height": 600}).new_page()
    Selector(live_server, study).open(page, "s/23/")

    expect(page.locator("[data-target]")).to_be_in_viewport(ratio=1)
    inspect(page)
    page.locator(".sentence").last.scroll_into_view_if_needed()

    expect(page.locator("[data-target]")).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_on_a_phone_a_copy_of_the_sentence_stays_in_view(
    new_context: Any, live_server: Any
) -> None:
    study = selecting.make_selection_study(sentences=4, reports=(9, 9))
    page = new_context(viewport={"width": 360, "height": 740}, has_touch=True).new_page()
    Selector(live_server, study).open(page, "s/3/")
    current, first = (
        page.locator(".summary-sentence.is-current"),
        page.locator(".summary-sentence").first,
    )
    assert current.bounding_box()["y"] < first.bounding_box()["y"]

    page.locator(".sentence").last.scroll_into_view_if_needed()

    expect(page.locator(".reminder.is-on .reminder-text")).to_have_text(
        "Summary sentence 3 of incident 1."
    )


@pytest.mark.slow
def test_two_devices_that_disagree_are_told_and_nothing_is_written_over(
    new_context: Any, selector: Selector
) -> None:
    here, there = new_context().new_page(), new_context().new_page()
    for page in (here, there):
        selector.open(page)
    by_keys(here)
    wait_saved(here)

    pick(there, "similar", 5)

    note = there.locator("[data-elsewhere]")
    expect(note).to_be_visible()
    expect(note).to_contain_text(there.locator(".sentence .text").nth(5).inner_text())
    assert chosen(there) == [1, 3, 4]
    there.get_by_role("button", name="Use this instead").click()
    until(Draft.objects.exists)

    assert chosen(there) == [5, -1, -1]


@pytest.mark.slow
def test_without_a_script_buttons_and_lists_do_it(new_context: Any, selector: Selector) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(selector.url())
    expect(page.locator("[data-slider]").first).to_be_hidden()

    for place, (role, value) in enumerate(zip(ROLES, "530", strict=True)):
        page.locator(f"input[data-role={role}]").nth(place + 1).check()
        page.locator(f"[data-role-rating={role}] select").select_option(value)
    page.get_by_role("button", name="Next").click()

    assert page.url.endswith("/s/2/")
    assert [value for _role, _turn, value in stored()] == [5, 3, 0]


@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_sticks_out(page: Any, selector: Selector) -> None:
    selector.open(page)

    inspect(page, *WINDOWS)
    for place, (role, value) in enumerate(zip(ROLES, "630", strict=True)):
        pick(page, role, place)
        rate(page, role, value)
    wait_saved(page)
    inspect(page, *WINDOWS)
