"""A changed consent text in a browser: by keyboard alone, on a phone, without scripts."""

import re
from typing import Any

import pytest

from annotation.models import Assignment, Consent, Judgment, Study
from tests.answering.test_consent_anew import NEW, WHAT_IS_NEW, publish
from tests.browser.arriving import arrive, saved
from tests.browser.booklets import (
    Booklet,
    comment,
    pick,
    ready,
    stored,
    until,
    wait_kept,
    wait_nothing_kept,
)
from tests.browser.networks import BadNetwork, never_arrives
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"width": 360, "height": 640}


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


def tab_to(page: Any, text: str) -> None:
    """Tab until what has the focus begins with the text; it is to be seen that it has it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        said = page.evaluate("document.activeElement.textContent.trim()")
        if said.startswith(text):
            width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
            assert float(width.removesuffix("px")) >= 2
            return
    raise AssertionError(f"no focus ever came to {text}")


def fits(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_they_read_agree_and_go_on_by_keyboard_and_lose_nothing(
    page: Any, live_server: Any, study: Study
) -> None:
    page.set_viewport_size(PHONE)
    booklet = Booklet.of(live_server, study)
    booklet.open(page)
    pick(page, 0, best=0, worst=1)
    saved(page, 1)
    publish(study, changes=WHAT_IS_NEW)
    # The page was shown before: its answer counts, and is saved by the script.
    pick(page, 1, best=1, worst=2)
    saved(page, 2)

    page.get_by_role("button", name="Next").click()
    page.wait_for_url("**/consent/?screen=2")
    arrive(page)
    assert fits(page)
    heads = page.get_by_role("heading").all_inner_texts()
    assert heads == ["The consent text has changed", "What is new", "The new text"]
    assert page.get_by_text(WHAT_IS_NEW).is_visible()
    before = page.get_by_text("What is this about?")
    assert not before.is_visible()
    tab_to(page, "The text you agreed to before")
    page.keyboard.press("Enter")
    assert before.is_visible()
    assert fits(page)
    tab_to(page, "I agree")
    page.keyboard.press("Enter")
    arrive(page, "**/s/2/")

    assert Judgment.objects.current().count() == 2
    assert Consent.objects.filter(text__version=2).count() == 1
    page.goto(booklet.url("s/1/"))
    assert page.locator("input[type=radio]:checked").count() == 4


def test_they_stop_by_keyboard_without_scripts(
    new_context: Any, live_server: Any, study: Study
) -> None:
    page = new_context(java_script_enabled=False, viewport=PHONE).new_page()
    booklet = Booklet.of(live_server, study)
    page.goto(booklet.url())
    for name in ("best", "worst"):
        radios = page.locator("[data-question]").first.locator(f"input[data-role={name}]")
        radios.nth(0 if name == "best" else 1).check(force=True)
    publish(study)

    # One question is still open: the page says so, and what was chosen is saved.
    page.get_by_role("button", name="Next").click()
    page.wait_for_load_state()
    assert Judgment.objects.current().count() == 1
    page.goto(booklet.url("s/2/"))
    page.wait_for_url("**/consent/?screen=2")
    assert page.get_by_text(re.sub(r"\*.*", "", NEW)).is_visible()
    keyboard_to(page, "I do not agree")
    page.wait_for_url("**/stop/")
    keyboard_to(page, "Stop and keep my answers")
    page.get_by_role("heading", name="You have stopped").wait_for()

    assert Judgment.objects.current().count() == 1
    assert Assignment.objects.get().state == Assignment.State.LAPSED
    # And they may change their mind.
    keyboard_to(page, "Read the text again")
    page.wait_for_url("**/consent/")
    keyboard_to(page, "I agree")
    page.wait_for_url("**/s/1/*")


def keyboard_to(page: Any, text: str) -> None:
    """Without scripts: the control by its name, as the Tab key comes to it, and Enter."""
    control = page.get_by_role("button", name=text, exact=True).or_(
        page.get_by_role("link", name=text, exact=True)
    )
    for _ in range(30):
        page.keyboard.press("Tab")
        if control.and_(page.locator(":focus")).count():
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no focus ever came to {text}")


def test_own_data_is_read_and_kept_by_keyboard_alone(
    page: Any, live_server: Any, study: Study
) -> None:
    page.set_viewport_size(PHONE)
    booklet = Booklet.of(live_server, study)
    booklet.person.answer_everything()
    page.goto(booklet.url("overview/"))
    arrive(page)
    tab_to(page, "What is stored about you")
    page.keyboard.press("Enter")
    page.wait_for_url("**/data/")
    arrive(page)
    assert fits(page)

    tab_to(page, "Version 1 of the text")
    text = page.get_by_text("What is this about?")
    assert not text.is_visible()
    page.keyboard.press("Enter")
    assert text.is_visible()
    page.keyboard.press("Enter")
    assert not text.is_visible()
    for button, file in (
        ("Everything (JSON)", "my-data.json"),
        ("My answers (TSV)", "my-answers.tsv"),
    ):
        tab_to(page, button)
        with page.expect_download() as fetched:
            page.keyboard.press("Enter")
        assert fetched.value.suggested_filename == file
    assert page.locator(".stored-answer").count() == Judgment.objects.current().count()
    here = page.get_by_role("link", name="What is stored about you")
    assert here.get_attribute("aria-current") == "page"
    page.keyboard.press("Tab")
    page.evaluate("document.activeElement.blur()")
    tab_to(page, "Go to my page")
    page.keyboard.press("Enter")
    arrive(page, "**/overview/", has_scripts=False)


@pytest.mark.parametrize("decides", ["I agree", "I do not agree"])
def test_what_a_dropped_network_left_in_the_browser_is_saved_before_they_decide(
    new_context: Any, live_server: Any, study: Study, decides: str
) -> None:
    context = new_context(viewport=PHONE, has_touch=True)
    page = context.new_page()
    booklet = Booklet.of(live_server, study)
    booklet.open(page)
    network = BadNetwork(context, never_arrives)
    pick(page, 0, best=0, worst=1)
    comment(page, 0).fill("Half typed")
    wait_kept(page, 1)
    # What a page sends while it is closed would not be lost on this network.
    page.goto("about:blank")
    page.close()
    assert not Judgment.objects.exists()
    publish(study)
    network.mend()

    page = context.new_page()
    page.goto(booklet.url(""))
    page.wait_for_url("**/consent/")
    page.get_by_text(decides, exact=True).click()
    if decides == "I do not agree":
        page.get_by_role("button", name="Stop and keep my answers").click()
        page.get_by_role("heading", name="You have stopped").wait_for()

    # It is saved, as the page says, whether or not another question is ever opened.
    until(page, lambda: stored(booklet, 0) == (0, 1, "Half typed"))
    wait_nothing_kept(page)


def test_what_is_kept_after_they_stopped_waits_for_them_to_agree(
    page: Any, live_server: Any, study: Study
) -> None:
    booklet = Booklet.of(live_server, study)
    booklet.open(page)
    network = BadNetwork(page, never_arrives)
    comment(page, 0).fill("Half typed")
    wait_kept(page, 1)
    publish(study)
    # On another device, where nothing is known of it.
    booklet.person.post("stop/")
    network.mend()

    page.goto(booklet.url("stop/"))
    page.get_by_role("link", name="Back to the text").click()
    page.get_by_role("button", name="I agree").click()
    page.wait_for_url("**/s/1/*")

    assert ready(page).locator("textarea").first.input_value() == "Half typed"
    wait_nothing_kept(page)
