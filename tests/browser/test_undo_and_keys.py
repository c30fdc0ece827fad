"""Undoing, one step after the other; single keys, on any keyboard, and switched off."""

import re
from typing import Any

import pytest

from annotation.models import Draft, Judgment, Study
from tests.browser.arriving import saved, until
from tests.browser.test_annotating_trials import chosen
from tests.browser.test_feel import begin, press, ready
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


def said(page: Any) -> str:
    return page.locator("[data-bar-state]").inner_text()


# -- undo ---------------------------------------------------------------------------------------


def test_undo_takes_back_one_choice_after_the_other(
    page: Any, live_server: Any, study: Study
) -> None:
    begin(page, live_server, study)
    undo = page.get_by_role("button", name="Undo")
    assert undo.get_attribute("aria-disabled") == "true"
    press(page, "1", "w")
    saved(page, 1)

    undo.click()
    assert chosen(page, 0) == [0]
    assert said(page) == "Undone."
    best = Judgment.objects.get().best_id
    left = Draft.objects.filter(payload__best=best).exclude(payload__has_key="worst")
    until(left.exists)

    undo.click()
    assert chosen(page, 0) == []
    assert undo.get_attribute("aria-disabled") == "true"
    undo.click(force=True)  # it only looks disabled, so that the focus stays
    assert said(page) == "There is nothing to undo on this screen."


@pytest.mark.parametrize("key", ["u", "Backspace", "Control+z"])
def test_a_key_undoes_and_the_judgment_before_is_current_again(
    page: Any, live_server: Any, study: Study, key: str
) -> None:
    begin(page, live_server, study)
    press(page, "1", "w")
    saved(page, 1)
    page.locator("[data-question]").first.get_by_role("radio").nth(4).click()
    until(lambda: Judgment.objects.count() == 2)

    press(page, key)

    assert chosen(page, 0) == [0, 1]
    until(lambda: Judgment.objects.count() == 3)
    first, _, last = Judgment.objects.order_by("pk")
    assert (last.best_id, last.worst_id) == (first.best_id, first.worst_id)
    assert page.url.endswith("/s/1/")


def test_undoing_in_a_comment_is_the_comments_own(
    page: Any, live_server: Any, study: Study
) -> None:
    begin(page, live_server, study)
    press(page, "1")
    page.locator("summary", has_text="Comment").first.click()
    area = page.locator("textarea").first
    area.focus()
    page.keyboard.type("unsure")
    press(page, "Backspace", "Control+z")

    assert area.input_value() == "unsure"
    assert chosen(page, 0) == [0]


def test_undo_goes_back_to_the_question_it_is_about(
    page: Any, live_server: Any, study: Study
) -> None:
    page.set_viewport_size({"width": 1280, "height": 480})
    begin(page, live_server, study)
    page.evaluate("document.querySelector('fieldset').scrollIntoView({block: 'nearest'})")
    press(page, "1", "w")
    page.locator(".question").nth(1).and_(page.locator(".is-current")).wait_for()
    press(page, "u")

    page.locator(".question").nth(0).and_(page.locator(".is-current")).wait_for()
    assert chosen(page, 0) == [0]
    page.wait_for_function(
        "() => { const r = document.querySelectorAll('.option')[1].getBoundingClientRect();"
        " return r.top >= 0 && r.bottom <= innerHeight; }"
    )


def test_where_u_stands_for_an_option_it_chooses(page: Any, live_server: Any) -> None:
    study = factories.make_open_study(
        dialogues=2, candidates=8, parameters={"tuple_size": 7, "factor": 1.0, "strata": []}
    )
    begin(page, live_server, study)
    page.evaluate("document.querySelector('fieldset').scrollIntoView()")
    press(page, "1", "u")

    assert chosen(page, 0) == [0, 6]
    assert page.get_by_role("button", name="Undo").locator("kbd").inner_text() == "⌫"


# -- keys ---------------------------------------------------------------------------------------


def key_event(page: Any, key: str, code: str) -> None:
    page.evaluate(
        "([key, code]) => document.body.dispatchEvent("
        "new KeyboardEvent('keydown', {key, code, bubbles: true, cancelable: true}))",
        [key, code],
    )


@pytest.mark.parametrize(
    ("pressed", "choice"),
    [
        (("ě", "Digit2"), [1]),  # Czech: digits need Shift
        (("é", "Digit2"), [1]),  # French
        (("й", "KeyQ"), [0]),  # Cyrillic
        (("2", "Numpad2"), [1]),
        (("ArrowDown", "Numpad2"), []),  # no Num Lock
        (("Home", "Numpad7"), []),
        (("ö", "Semicolon"), []),
    ],
)
def test_keys_work_on_other_keyboards(
    page: Any, live_server: Any, study: Study, pressed: tuple[str, str], choice: list[int]
) -> None:
    begin(page, live_server, study)
    key_event(page, *pressed)

    assert chosen(page, 0) == choice


def test_single_keys_switched_off_stay_off_and_undo_has_a_button_still(
    page: Any, live_server: Any, study: Study
) -> None:
    own = begin(page, live_server, study)
    page.locator("summary", has_text="Instructions").click()
    page.get_by_label("Use these keyboard shortcuts").uncheck()
    page.goto(f"{own}s/2/")
    ready(page)
    page.locator("[data-question]").first.get_by_role("radio").first.click()
    press(page, "2", "u")
    assert chosen(page, 0) == [0]
    assert not page.locator(".face kbd").first.is_visible()

    press(page, "Backspace")
    assert chosen(page, 0) == []


def test_the_keys_are_described_once_on_each_page(
    page: Any, live_server: Any, study: Study
) -> None:
    own = begin(page, live_server, study)
    page.locator("summary", has_text="Instructions").click()
    assert page.locator("dl.key-list").count() == 1
    page.goto(f"{own}instructions/")

    text = page.locator("main").inner_text()
    assert len(re.findall(r"\bEnter\b", text)) == 1
    assert len(re.findall(r"\bq\b", text)) == 1
