"""Texts are put in order by key, button, list and mouse, and without JavaScript."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment, Study
from tests.browser.arriving import arrive
from tests.browser.booklets import (
    Booklet,
    ready,
    reload,
    until,
    wait_kept,
    wait_nothing_kept,
)
from tests.browser.inspecting import WINDOWS, Inspector
from tests.browser.networks import BadNetwork, come_back, never_arrives
from tests.support.ranking import in_order, make_ranking_study

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> Study:
    return make_ranking_study()


@pytest.fixture
def booklet(live_server: Any, study: Study) -> Booklet:
    return Booklet.of(live_server, study)


def items(page: Any) -> list[int]:
    """The items as they stand on the page, from above."""
    return page.evaluate(
        "[...document.querySelectorAll('.option')].map(one => Number(one.dataset.item))"
    )


def placed(page: Any) -> list[int]:
    return page.evaluate(
        "[...document.querySelectorAll('.option.is-placed')].map(one => Number(one.dataset.item))"
    )


def text_of(page: Any, item: int) -> str:
    return page.locator(f'.option[data-item="{item}"] .text').last.inner_text()


def keys_of(page: Any, wanted: list[int]) -> list[str]:
    return [
        page.locator(f'.option[data-item="{item}"]').get_attribute("data-key") for item in wanted
    ]


def wait_saved(page: Any) -> None:
    expect(page.locator("[data-state]")).to_have_text("Saved")


def stored() -> list[int]:
    return in_order(Judgment.objects.current().latest("pk"))


@pytest.mark.slow
def test_by_the_keyboard_alone(booklet: Booklet, page: Any) -> None:
    booklet.open(page)
    order = items(page)[::-1]
    for key in keys_of(page, order):
        page.keyboard.press(key)
    wait_saved(page)

    assert items(page) == order
    assert stored() == order
    # A key takes a place back; the others move up.
    page.keyboard.press(keys_of(page, order[:1])[0])
    assert placed(page) == order[1:]
    page.keyboard.press("u")
    until(page, lambda: placed(page) == order)
    wait_saved(page)
    page.keyboard.press("Enter")
    arrive(page, booklet.url("s/2/"))
    assert stored() == order


@pytest.mark.slow
def test_by_buttons_lists_and_the_mouse(booklet: Booklet, page: Any) -> None:
    booklet.open(page)
    order = items(page)
    for item in order:
        page.locator(f'.option[data-item="{item}"] .option-text').click()
    assert placed(page) == order

    page.locator(".option").nth(0).get_by_role("button", name="Down").click()
    order[:2] = order[1::-1]
    assert items(page) == order
    expect(page.locator(f'.option[data-item="{order[1]}"] [data-move="1"]')).to_be_focused()

    page.locator(".option").nth(3).locator("select").select_option(index=1)
    order = [order[3], *order[:3]]
    assert items(page) == order

    page.locator(".option").nth(3).drag_to(
        page.locator(".option").nth(0), target_position={"x": 60, "y": 4}
    )
    order = [order[3], *order[:3]]
    assert items(page) == order
    wait_saved(page)
    assert stored() == order


@pytest.mark.slow
def test_an_order_is_there_again_and_a_part_of_one_too(booklet: Booklet, page: Any) -> None:
    booklet.open(page)
    first, second = items(page)[2:]
    for key in keys_of(page, [second, first]):
        page.keyboard.press(key)
    expect(page.locator("[data-state]")).to_contain_text("Saved so far")

    reload(page)

    assert placed(page) == [second, first]
    page.keyboard.press("Enter")
    expect(page.locator("[data-problem]")).to_be_visible()
    expect(page.locator("select:focus")).to_have_count(1)
    assert not Judgment.objects.exists()


@pytest.mark.slow
def test_without_javascript(booklet: Booklet, new_context: Any) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(booklet.url())
    shown = [int(one.get_attribute("data-item")) for one in page.locator(".option").all()]
    lists = page.locator("select[data-place]")
    for place, one in enumerate(lists.all()):
        one.select_option(index=max(1, place))

    page.locator("button.primary[value=next]").click()

    # The first two have the same place: nothing that was chosen is lost.
    expect(page.locator("[data-problem]")).to_be_visible()
    values = [one.input_value().split(":") for one in lists.all()]
    assert sorted(place for _item, place in values) == ["1", "1", "2", "3"]
    for place, item in enumerate(reversed(shown), start=1):
        page.locator(f'select[data-item="{item}"]').select_option(index=place)
    page.locator("button.primary[value=next]").click()
    page.wait_for_url(booklet.url("s/2/"))
    assert stored() == shown[::-1]


@pytest.mark.slow
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_nothing_is_cut_off_and_everything_has_a_name(
    booklet: Booklet, page: Any, window: Any
) -> None:
    booklet.open(page)
    page.keyboard.press("1")
    inspector = Inspector(window)

    inspector.look(page, "look")
    inspector.look_at_focus(page, "focus")

    assert inspector.found == []


@pytest.mark.slow
def test_two_places_show_both_orders(booklet: Booklet, page: Any, new_context: Any) -> None:
    booklet.open(page)
    other = new_context().new_page()
    other.goto(booklet.url())
    ready(other)
    order = items(page)
    for key in keys_of(page, order):
        page.keyboard.press(key)
    wait_saved(page)

    for key in keys_of(other, order[::-1]):
        other.keyboard.press(key)

    expect(other.locator("[data-elsewhere]")).to_be_visible()
    expect(other.locator('[data-here="order"] dd')).to_have_text(
        " › ".join(text_of(other, item) for item in order[::-1])
    )
    other.locator("[data-use]").click()
    until(other, lambda: placed(other) == order[::-1])
    wait_saved(other)
    assert stored() == order[::-1]


@pytest.mark.slow
def test_an_order_of_another_tab_that_was_not_sent_is_offered(booklet: Booklet, page: Any) -> None:
    page.context.add_init_script("delete window.BroadcastChannel")
    other = booklet.open(page.context.new_page())
    booklet.open(page)
    network = BadNetwork(page.context, never_arrives)
    order = items(page)
    for key in keys_of(other, order[::-1]):
        other.keyboard.press(key)
    wait_kept(other, 1)
    other.goto("about:blank")
    for key in keys_of(page, order):
        page.keyboard.press(key)
    wait_kept(page, 2)
    reload(page)

    assert placed(page) == order
    expect(page.locator("[data-elsewhere]")).to_be_visible()
    network.mend()
    come_back(page)
    # "Saved" stands there until the other order is refused, which may be at once.
    until(page, lambda: Judgment.objects.exists() and stored() == order)
    page.locator("[data-use]").click()
    until(page, lambda: stored() == order[::-1])
    wait_nothing_kept(page)
