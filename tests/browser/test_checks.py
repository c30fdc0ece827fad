"""Somebody is told of their answer to a check: with keys, without scripts, in a small window."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment, Judgment, Study, Telling
from tests.browser.arriving import until
from tests.browser.booklets import Booklet, pick, ready
from tests.browser.inspecting import WINDOWS, Inspector, Window
from tests.support.checking import (
    compared_texts,
    make_checked_comparisons,
    make_checked_ratings,
    rated_pairs,
)

pytestmark = pytest.mark.django_db(transaction=True)

READ_AGAIN = "This question has a known answer, and yours is different."


def inspect(page: Any, *windows: Window) -> None:
    inspector = Inspector(*windows)
    inspector.look(page, "look")
    inspector.look_at_focus(page, "focus")
    assert inspector.found == []


def told(page: Any) -> Any:
    return page.locator(".told")


def on_screen(page: Any, number: int) -> Any:
    page.wait_for_url(f"**/s/{number}/")
    return ready(page)


def screen_of(study: Study, key: str) -> int:
    return int(study.design.booklets.get().questions.get(item__key=key).screen)


@pytest.mark.slow
def test_a_tutorial_and_a_loud_check_with_keys_alone(page: Any, live_server: Any) -> None:
    study = make_checked_ratings(rated_pairs(["tutorial", "loud"], pairs=2))
    loud = screen_of(study, "c2")
    booklet = Booklet.of(live_server, study)
    booklet.open(page)

    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(told(page)).to_contain_text("That is not quite right.")
    expect(told(page)).to_be_focused()
    expect(told(page)).to_contain_text("Both say the same.")
    ready(page)
    page.keyboard.press("Enter")
    for number in range(2, loud + 1):
        on_screen(page, number)
        expect(told(page)).to_have_count(0)
        page.keyboard.press("0")
        page.keyboard.press("Enter")
    expect(told(page)).to_contain_text(READ_AGAIN)
    expect(told(page)).to_be_focused()
    ready(page)
    # They read once more, and find what was meant.
    page.keyboard.press("6")
    page.keyboard.press("Enter")
    on_screen(page, loud + 1)
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_url("**/overview/")
    page.get_by_role("button", name="Send my answers").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("We have received your answers")
    assert Telling.objects.count() == 2
    assert booklet.person.annotator.assignments.get().state == Assignment.State.SUBMITTED


@pytest.mark.slow
def test_without_a_script_the_same_is_said(new_context: Any, live_server: Any) -> None:
    study = make_checked_ratings(rated_pairs(["tutorial", "loud"], pairs=2))
    loud = screen_of(study, "c2")
    booklet = Booklet.of(live_server, study)
    page = new_context(java_script_enabled=False).new_page()
    page.goto(booklet.url())

    def send(rating: str) -> None:
        page.get_by_label("Your rating").select_option(rating)
        page.get_by_role("button", name="Next").or_(
            page.get_by_role("button", name="Finish")
        ).first.click()

    send("6")
    expect(told(page)).to_contain_text("That is right.")
    page.get_by_role("button", name="Next").click()
    for _screen in range(2, loud + 1):
        send("0")
    expect(told(page)).to_contain_text(READ_AGAIN)
    expect(page.get_by_label("Your rating")).to_have_value("0")
    # Sure of their answer, they keep it.
    page.get_by_role("button", name="Next").click()

    page.wait_for_url(f"**/s/{loud + 1}/")
    assert Telling.objects.count() == 2


@pytest.mark.slow
def test_a_pool_of_texts_is_explained_too(page: Any, live_server: Any) -> None:
    study = make_checked_comparisons(compared_texts(["tutorial"]))
    Booklet.of(live_server, study).open(page)

    # In whatever order they stand: the wrong way round.
    texts = [text.strip() for text in page.locator(".option-text").all_inner_texts()]
    pick(page, 0, best=texts.index("The worst of 1."), worst=texts.index("The best of 1."))
    page.keyboard.press("Enter")

    expect(told(page)).to_be_focused()
    expect(told(page)).to_contain_text("The best of 1.")
    expect(told(page)).to_contain_text("The worst of 1.")
    ready(page)
    page.keyboard.press("Enter")
    on_screen(page, 2)
    expect(told(page)).to_have_count(0)


@pytest.mark.slow
def test_somebody_who_is_told_goes_on_with_another_device(
    new_context: Any, live_server: Any
) -> None:
    study = make_checked_ratings(rated_pairs(["tutorial"], pairs=2))
    booklet = Booklet.of(live_server, study)
    here, there = (new_context().new_page() for _device in range(2))
    booklet.open(here)
    here.keyboard.press("1")
    here.keyboard.press("Enter")
    expect(told(here)).to_be_focused()

    booklet.open(there)

    expect(told(there)).to_contain_text("That is not quite right.")
    there.keyboard.press("Enter")
    on_screen(there, 2)
    assert Telling.objects.count() == 1


@pytest.mark.slow
def test_two_tabs_that_press_next_at_once_are_both_told(
    new_context: Any, live_server: Any
) -> None:
    study = make_checked_ratings(rated_pairs(["tutorial"], pairs=2))
    booklet = Booklet.of(live_server, study)
    context = new_context()
    tabs = [context.new_page() for _tab in range(2)]
    for tab in tabs:
        booklet.open(tab)
    tabs[0].keyboard.press("1")
    until(Judgment.objects.exists)
    expect(tabs[1].locator("[data-value]")).to_have_text("1")

    for tab in tabs:
        tab.evaluate("document.querySelector('.bar button.primary[value=next]').click()")

    for tab in tabs:
        expect(told(tab)).to_contain_text("That is not quite right.")
    assert Judgment.objects.count() == Telling.objects.count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("style", ["tutorial", "loud"])
@pytest.mark.parametrize("kind", ["rating", "best-worst"])
def test_axe_finds_nothing_and_nothing_sticks_out(
    page: Any, live_server: Any, style: str, kind: str
) -> None:
    if kind == "rating":
        study = make_checked_ratings(rated_pairs([style], pairs=2))
    else:
        study = make_checked_comparisons(compared_texts([style]))
    (check,) = study.checks.all()
    questions = study.design.booklets.get().questions.filter(block__purpose="check")
    screen = questions.get().screen
    assert check.style == style
    Booklet.of(live_server, study).open(page, f"s/{screen}/")
    if kind == "rating":
        page.keyboard.press("0")
    else:
        # Whatever the order is, one of the two is wrong.
        worst = page.locator(".option", has_text="The middle of 1.").locator("[data-role=worst]")
        page.locator(".option", has_text="The worst of 1.").locator("[data-role=best]").click()
        worst.click()

    page.keyboard.press("Enter")

    expect(told(page)).to_be_focused()
    ready(page)
    inspect(page, *WINDOWS)
