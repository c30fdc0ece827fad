"""Leaving the page and pasting are counted with the answer; what was pasted is not kept apart."""

from typing import Any

import pytest

from annotation.models import Judgment, Study
from tests.browser.arriving import saved, until
from tests.browser.test_feel import begin, press
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


def leave_and_come_back(page: Any) -> None:
    """As somebody does who looks something up elsewhere."""
    other = page.context.new_page()
    other.bring_to_front()
    page.evaluate("dispatchEvent(new Event('blur'))")
    other.close()
    page.bring_to_front()
    page.evaluate("dispatchEvent(new Event('focus'))")


def paste(page: Any, text: str) -> None:
    area = page.locator("textarea").first
    area.evaluate(
        """(area, text) => {
            area.dispatchEvent(new ClipboardEvent("paste", { bubbles: true }));
            area.value += text;
            area.dispatchEvent(new InputEvent("input", { bubbles: true }));
        }""",
        text,
    )


def test_what_happens_at_a_question_is_counted_with_it(
    page: Any, live_server: Any, study: Study
) -> None:
    begin(page, live_server, study)
    press(page, "1")
    leave_and_come_back(page)
    leave_and_come_back(page)
    page.locator("summary", has_text="Comment").first.click()
    paste(page, "from elsewhere")
    page.locator("textarea").first.blur()
    press(page, "w")
    saved(page, 1)
    until(Judgment.objects.filter(comment="from elsewhere").exists)

    judgment = Judgment.objects.current().get()
    assert (judgment.n_away, judgment.n_pasted) == (2, 1)

    # Going on to the next page is no leaving.
    press(page, "1", "w")
    saved(page, 2)
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/2/")
    second = Judgment.objects.current().order_by("pk").last()
    assert second is not None
    assert (second.n_away, second.n_pasted) == (0, 0)
