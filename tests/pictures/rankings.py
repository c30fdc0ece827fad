"""Ranking questions: texts to be put in order."""

from playwright.sync_api import Page

from tests.pictures.cast import Cast
from tests.pictures.scenes import Scene, go


def _screen(page: Page, cast: Cast, study: str = "ranking") -> None:
    go(page, cast.url("screen", cast.beginner(study), 1))


def _empty(page: Page, cast: Cast) -> None:
    _screen(page, cast)


def _begun(page: Page, cast: Cast) -> None:
    _screen(page, cast, "ranked items")
    for key in "31":
        page.keyboard.press(key)
    page.wait_for_function("() => !document.querySelector('[data-state]:empty')")


def _ordered(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    for key in "3142":
        page.keyboard.press(key)
    page.wait_for_function("() => !document.querySelector('[data-state]:empty')")


def _missing(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    page.keyboard.press("2")
    page.locator(".bar button.primary").click()
    page.locator("[data-problem]:not([hidden])").first.wait_for()


def _plain(page: Page, cast: Cast) -> None:
    page.goto(cast.url("screen", cast.beginner("ranking"), 1))


def _plain_twice(page: Page, cast: Cast) -> None:
    """Two texts got the same place."""
    _plain(page, cast)
    for place, one in enumerate(page.locator("select[data-place]").all()):
        one.select_option(index=max(1, place))
    page.locator(".bar button.primary").click()
    page.locator("#problems").wait_for()


def _instructions(page: Page, cast: Cast) -> None:
    go(page, cast.url("instructions", cast.reader("ranking")))


SCENES: tuple[Scene[Cast], ...] = (
    Scene("ranking-empty", "ranking", ("screen",), _empty),
    Scene("ranking-begun", "ranking", ("screen", "save"), _begun),
    Scene("ranking-ordered", "ranking", ("screen", "save"), _ordered),
    Scene("ranking-missing", "ranking", ("screen",), _missing),
    Scene("ranking-plain", "ranking", ("screen",), _plain, has_scripts=False),
    Scene("ranking-plain-twice", "ranking", ("screen",), _plain_twice, 400, has_scripts=False),
    Scene("ranking-instructions", "ranking", ("instructions",), _instructions),
)
