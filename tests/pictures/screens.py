"""Screens with questions, in every state that looks different."""

from playwright.sync_api import Page

from annotation.studies.services import studies
from tests.pictures.cast import Cast
from tests.pictures.scenes import Scene, go


def _screen(page: Page, cast: Cast, study: str = "open") -> None:
    go(page, cast.url("screen", cast.beginner(study), 1))


def _choose(page: Page, question: int, *, best: int | None = 1, worst: int | None = 0) -> None:
    section = page.locator("[data-question]").nth(question)
    if best is not None:
        section.locator("[data-role=best]").nth(best).click()
    if worst is not None:
        section.locator("[data-role=worst]").nth(worst).click()


def _one_choice(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    _choose(page, 0, worst=None)
    page.locator("[data-state]:not(:empty)").first.wait_for()


def _filled(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    for question in range(page.locator("[data-question]").count()):
        _choose(page, question)
    # Said of every question: nothing is on its way any more.
    page.wait_for_function("() => !document.querySelector('[data-state]:empty')")


def _no_script(page: Page, cast: Cast) -> None:
    page.goto(cast.url("screen", cast.beginner(), 1))


def _no_script_filled(page: Page, cast: Cast) -> None:
    _no_script(page, cast)
    for section in page.locator("[data-question]").all():
        section.locator("[data-role=best]").nth(1).check()
        section.locator("[data-role=worst]").nth(0).check()


def _no_script_missing(page: Page, cast: Cast) -> None:
    _no_script(page, cast)
    page.locator("[data-question] [data-role=best]").first.check()
    page.locator(".bar button.primary").click()
    page.locator("#problems").wait_for()


def _missing(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    _choose(page, 0, worst=None)
    page.locator(".bar button.primary").click()
    page.locator("[data-problem]:not([hidden])").first.wait_for()


def _taken(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    _choose(page, 0, best=1, worst=1)


def _undone(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    _choose(page, 0)
    page.locator("[data-undo]").click()


def _elsewhere(page: Page, cast: Cast) -> None:
    """Another device answers between the showing of the page and the choice on it."""
    key = cast.beginner()
    go(page, cast.url("screen", key, 1))
    cast.answer_first(key)
    _choose(page, 0, best=2, worst=None)
    page.locator("[data-elsewhere]:not([hidden])").first.wait_for()


def _plain_elsewhere(page: Page, cast: Cast) -> None:
    key = cast.beginner()
    page.goto(cast.url("screen", key, 1))
    cast.answer_first(key)
    page.locator("[data-question] [data-role=best]").nth(2).check()
    page.locator(".bar button.primary").click()
    page.locator("[data-elsewhere]:not([hidden])").first.wait_for()


def _reminder(page: Page, cast: Cast) -> None:
    """Far enough down that the target is out of view."""
    _screen(page, cast, "long")
    page.locator("[data-earlier] summary").first.click()
    page.locator("fieldset .option").nth(1).evaluate("e => e.scrollIntoView({block: 'start'})")


def _unfolded(page: Page, cast: Cast) -> None:
    _screen(page, cast, "long")
    page.locator("[data-earlier] summary").first.click()


def _offline(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    page.context.set_offline(True)
    for question in range(page.locator("[data-question]").count()):
        _choose(page, question)
    page.locator("[data-state].is-trouble").first.wait_for()
    page.locator(".bar button.primary").click()
    page.locator("[data-bar-state]:not(:empty)").wait_for()


def _finished_meanwhile(page: Page, cast: Cast) -> None:
    name = cast.another()
    _screen(page, cast, name)
    studies.finish(study=cast.study(name))
    _choose(page, 0, worst=None)
    page.locator("[data-state].is-trouble").first.wait_for()


def _paused_meanwhile(page: Page, cast: Cast) -> None:
    name = cast.another()
    key = cast.beginner(name)
    studies.pause(study=cast.study(name))
    go(page, cast.url("own", key))
    _choose(page, 0)
    page.locator("[data-state]:not(:empty)").first.wait_for()


def _pause_panel(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    page.locator("details.panel summary").last.click()


def _instructions_panel(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    page.locator("details.panel summary").first.click()


def _comment(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    page.locator("details.comment summary").first.click()
    page.locator("details.comment textarea").first.fill("???  – 1 = 2")


def _came_back(page: Page, cast: Cast) -> None:
    go(page, cast.url("own", cast.beginner(answered=3)))


def _last_screen(page: Page, cast: Cast) -> None:
    go(page, cast.url("screen", cast.ready(), 3))


def _long_dialogue(page: Page, cast: Cast) -> None:
    _screen(page, cast, "long")


def _right_to_left(page: Page, cast: Cast) -> None:
    _screen(page, cast, "right to left")
    _choose(page, 0)


def _single_items(page: Page, cast: Cast) -> None:
    _screen(page, cast, "items")
    _choose(page, 0)


def _no_such_screen(page: Page, cast: Cast) -> None:
    go(page, cast.url("screen", cast.beginner(), 99))


SCENES: tuple[Scene[Cast], ...] = (
    Scene("screen-empty", "screen", ("screen",), _screen),
    Scene("screen-window", "screen", ("screen",), _screen, is_window=True),
    Scene("screen-one-choice", "screen", ("screen", "save"), _one_choice),
    Scene("screen-saved", "screen", ("screen", "save"), _filled),
    Scene("screen-missing", "screen", ("screen",), _missing),
    Scene("screen-taken", "screen", ("screen",), _taken),
    Scene("screen-undone", "screen", ("screen", "save"), _undone),
    Scene("screen-elsewhere", "screen", ("screen", "save"), _elsewhere),
    Scene("screen-offline", "screen", ("screen",), _offline),
    Scene("screen-finished", "screen", ("screen",), _finished_meanwhile),
    Scene("screen-paused", "screen", ("screen", "save"), _paused_meanwhile),
    Scene("screen-pause-panel", "screen", ("screen",), _pause_panel, is_window=True),
    Scene("screen-instructions", "screen", ("screen",), _instructions_panel, is_window=True),
    Scene("screen-comment", "screen", ("screen",), _comment),
    Scene("screen-came-back", "screen", ("own", "screen"), _came_back),
    Scene("screen-last", "screen", ("screen",), _last_screen),
    Scene("screen-long", "screen", ("screen",), _long_dialogue),
    Scene("screen-long-unfolded", "screen", ("screen",), _unfolded),
    Scene("screen-reminder", "screen", ("screen",), _reminder, is_window=True),
    Scene("screen-right-to-left", "screen", ("screen",), _right_to_left),
    Scene("screen-items", "screen", ("screen",), _single_items),
    Scene("screen-unknown", "screen", ("screen",), _no_such_screen, 404),
    Scene("plain-empty", "screen", ("screen",), _no_script, has_scripts=False),
    Scene("plain-filled", "screen", ("screen",), _no_script_filled, has_scripts=False),
    Scene("plain-missing", "screen", ("screen",), _no_script_missing, 400, has_scripts=False),
    Scene("plain-elsewhere", "screen", ("screen",), _plain_elsewhere, 409, has_scripts=False),
)
