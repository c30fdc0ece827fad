"""From the join link to the thanks: with the keyboard alone, and without JavaScript."""

import re
from typing import Any

import pytest

from annotation.models import Assignment, Draft, Judgment, Study
from tests.browser.arriving import arrive
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

COMPREHENSION = {"prompt": "Which?", "options": ["this", "that"], "right": 2, "feedback": "No."}
# Of each question, by place on the screen: best and worst. Three screens of two questions.
PLAN = [(0, 1), (2, 0), (1, 2), (0, 2), (2, 1), (1, 0)]
DIGITS, LETTERS = "123", "qwe"


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(
        dialogues=4, parameters={"screens_per_booklet": 3}, comprehension=COMPREHENSION
    )


def said() -> list[tuple[int, int]]:
    """What the database has, in the order in which it was asked."""
    judgments = Judgment.objects.current().order_by("question__screen", "question__position")
    return [
        (one.shown_order.index(one.best_id), one.shown_order.index(one.worst_id))
        for one in judgments
    ]


def tab_to(page: Any, control: Any) -> None:
    """Press Tab until the control, or one of them, has the focus: a patient person would."""
    for _ in range(80):
        if control.evaluate_all("all => all.includes(document.activeElement)"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not come to {control}")


def enter_by_keyboard(page: Any, link: str) -> None:
    """Consent and instructions; the comprehension question is got wrong once."""
    page.goto(link)
    tab_to(page, page.get_by_label("I have read this"))
    page.keyboard.press("Space")
    tab_to(page, page.get_by_role("button", name="Begin"))
    page.keyboard.press("Enter")
    arrive(page, "**/instructions/")
    tab_to(page, page.get_by_label("this", exact=True))
    page.keyboard.press("Space")
    tab_to(page, page.get_by_role("button", name="Start"))
    page.keyboard.press("Enter")
    page.locator(".error").wait_for()
    arrive(page)
    tab_to(page, page.get_by_label("this", exact=True))
    page.keyboard.press("ArrowDown")
    tab_to(page, page.get_by_role("button", name="Start"))
    page.keyboard.press("Enter")


def send_by_keyboard(page: Any) -> None:
    arrive(page, "**/overview/")
    tab_to(page, page.get_by_role("button", name="Send my answers"))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="We have received your answers").wait_for()


def assert_all_is_there() -> None:
    assert said() == PLAN
    assert Assignment.objects.get().state == Assignment.State.SUBMITTED
    assert not Draft.objects.exists()


def test_a_whole_booklet_with_digits_letters_and_enter(
    page: Any, live_server: Any, study: Study
) -> None:
    enter_by_keyboard(page, f"{live_server.url}/j/{study.join_token}/")
    for screen in (1, 2, 3):
        arrive(page, f"**/s/{screen}/")
        for best, worst in PLAN[2 * screen - 2 : 2 * screen]:
            # The second question follows by itself.
            page.keyboard.press(DIGITS[best])
            page.keyboard.press(LETTERS[worst])
        page.keyboard.press("Enter")
    send_by_keyboard(page)

    assert_all_is_there()
    assert Judgment.objects.count() == len(PLAN)  # nobody changed their mind
    assert all(one.active_ms is not None for one in Judgment.objects.all())


def choose_by_arrows(page: Any, section: Any, role: str, place: int) -> None:
    """Into the group by Tab, and by arrows to the wanted choice; where it is, the space bar."""
    choices = section.locator(f"[data-role={role}]")
    wanted = choices.nth(place)
    tab_to(page, choices)
    if wanted.evaluate("choice => choice === document.activeElement"):
        page.keyboard.press("Space")
    for _ in PLAN:
        if wanted.is_checked():
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"the arrows do not come to choice {place + 1} of {role}")


@pytest.mark.timeout(300)
def test_a_whole_booklet_with_tab_arrows_and_the_space_bar(
    page: Any, live_server: Any, study: Study
) -> None:
    enter_by_keyboard(page, f"{live_server.url}/j/{study.join_token}/")
    for screen in (1, 2, 3):
        arrive(page, f"**/s/{screen}/")
        for number, (best, worst) in enumerate(PLAN[2 * screen - 2 : 2 * screen]):
            section = page.locator("[data-question]").nth(number)
            choose_by_arrows(page, section, "best", best)
            choose_by_arrows(page, section, "worst", worst)
        tab_to(page, page.locator(".bar button.primary"))
        page.keyboard.press("Space")
    send_by_keyboard(page)

    assert_all_is_there()


def test_a_whole_booklet_without_javascript(
    new_context: Any, live_server: Any, study: Study
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{live_server.url}/j/{study.join_token}/")
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/instructions/")
    page.get_by_label("that", exact=True).check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/s/1/")
    for screen, following in ((1, "s/2"), (2, "s/3"), (3, "overview")):
        for number, (best, worst) in enumerate(PLAN[2 * screen - 2 : 2 * screen]):
            section = page.locator("[data-question]").nth(number)
            section.get_by_role("radio", name=re.compile("^Most similar")).nth(best).check()
            if screen == 2 and number == 1:
                # Forgotten: the page comes back with everything, and says what is missing.
                page.locator(".bar button.primary").click()
                page.get_by_text("Something is still missing").wait_for()
                assert section.get_by_text("Choose the least similar one.").is_visible()
            section.get_by_role("radio", name=re.compile("^Least similar")).nth(worst).check()
        if screen == 3:
            section.get_by_text("Comment (optional)").click()
            section.locator("textarea").fill("hard\nto say")
        page.locator(".bar button.primary").click()
        page.wait_for_url(f"**/{following}/")
    page.get_by_role("button", name="Send my answers").click()
    page.get_by_role("heading", name="We have received your answers").wait_for()

    assert said() == PLAN
    assert Assignment.objects.get().state == Assignment.State.SUBMITTED
    assert [one.comment for one in Judgment.objects.current() if one.comment] == ["hard\nto say"]
    assert not Draft.objects.exists()
