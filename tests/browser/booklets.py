"""Somebody's booklet in a browser: opened past the instructions, its scripts at work."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import expect

from annotation.models import Judgment, Study
from tests.support.annotating import Participant

# A busy machine is slow, not wrong.
expect.set_options(timeout=20_000)


@dataclass
class Booklet:
    """One person's pages; each device or tab is a page that opens it."""

    base: str
    person: Participant

    @classmethod
    def of(cls, live_server: Any, study: Study) -> "Booklet":
        return cls(live_server.url, Participant(study))

    def url(self, rest: str = "s/1/") -> str:
        return f"{self.base}{self.person.url(rest)}"

    def open(self, page: Any, rest: str = "s/1/") -> Any:
        page.goto(self.url(rest))
        return ready(page)


def ready(page: Any) -> Any:
    """The page's scripts have run: before that, keys and clicks are not theirs."""
    page.wait_for_selector("html[data-ready]", state="attached")
    return page


def reload(page: Any) -> Any:
    page.reload()
    return ready(page)


def pick(page: Any, number: int, *, best: int | None = None, worst: int | None = None) -> None:
    section = page.locator("[data-question]").nth(number)
    for role, place in (("best", best), ("worst", worst)):
        if place is not None:
            section.locator(f"input[data-role={role}]").nth(place).click()


def comment(page: Any, number: int = 0) -> Any:
    """The field for a comment, unfolded and with the focus."""
    area = page.locator("[data-question]").nth(number).locator("textarea")
    if not area.is_visible():
        page.locator("summary", has_text="Comment").nth(number).click()
    area.focus()
    return area


def chosen(page: Any, number: int) -> tuple[int | None, int | None]:
    """The places of the options that are chosen as best and as worst."""
    found = page.evaluate(
        "n => ['best', 'worst'].map(role => [...document.querySelectorAll('[data-question]')[n]"
        ".querySelectorAll(`[data-role=${role}]`)].findIndex(radio => radio.checked))",
        number,
    )
    best, worst = (None if place < 0 else place for place in found)
    return best, worst


def wait_chosen(page: Any, number: int, best: int | None, worst: int | None) -> None:
    until(page, lambda: chosen(page, number) == (best, worst))


def state(page: Any, number: int) -> Any:
    """What a question says about the saving of its answer."""
    return page.locator("[data-state]").nth(number)


def kept(page: Any) -> list[str]:
    """The names of what the browser keeps because it is not saved yet."""
    return page.evaluate("Object.keys(localStorage).filter(name => name.split(':').length === 4)")


def wait_kept(page: Any, n: int) -> None:
    """What one tab keeps, another one reads a moment later than it hears of it."""
    page.wait_for_function(
        "n => Object.keys(localStorage).filter(k => k.split(':').length === 4).length === n",
        arg=n,
    )


def wait_nothing_kept(page: Any) -> None:
    # Waited for in the page: it may be on its way to another one meanwhile.
    page.wait_for_function(
        "() => !Object.keys(localStorage).some(name => name.split(':').length === 4)"
    )


def stored(booklet: Booklet, number: int, screen: int = 1) -> tuple[int, int, str] | None:
    """The current judgment of a question: places of best and worst on the screen, comment."""
    question = booklet.person.questions(screen)[number]
    judgment = Judgment.objects.current().filter(question=question).first()
    if judgment is None:
        return None
    order = judgment.shown_order
    return order.index(judgment.best_id), order.index(judgment.worst_id), judgment.comment


def until(page: Any, condition: Callable[[], Any], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        # Waiting by way of a page lets what routes have to do for it be done meanwhile.
        page.wait_for_timeout(50)
