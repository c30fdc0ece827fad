"""Selection questions: the sentences of reports, beside a summary."""

from playwright.sync_api import Page

from annotation.kinds.selection.answer import ROLES
from tests.pictures.cast import Cast
from tests.pictures.scenes import Scene, go


def _screen(page: Page, cast: Cast) -> str:
    key = cast.beginner("selection")
    go(page, cast.url("screen", key, 2))
    return key


def _empty(page: Page, cast: Cast) -> None:
    _screen(page, cast)


def _choose(page: Page) -> None:
    """A sentence for each role, with the keyboard."""
    for place, role in enumerate(ROLES):
        page.locator(".sentence").nth(place).focus()
        page.keyboard.press(str(place + 1))
        page.locator(f"[data-role-rating={role}] [data-range]").focus()
        page.keyboard.press(str(5 - 2 * place))


def _chosen(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    _choose(page)
    page.wait_for_function("() => !document.querySelector('[data-state]:empty')")
    page.locator(".sentence").nth(1).focus()


def _missing(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    page.locator("[data-role=middle]").first.click()
    page.locator(".bar button.primary").click()
    page.locator("[data-problem]:not([hidden])").first.wait_for()


def _elsewhere(page: Page, cast: Cast) -> None:
    """Another browser answers between the showing and the choice here."""
    key = _screen(page, cast)
    cast.select(key, screen=2)
    page.locator("[data-role=similar]").last.click()
    page.locator("[data-elsewhere]:not([hidden])").first.wait_for()


def _plain(page: Page, cast: Cast) -> None:
    page.goto(cast.url("screen", cast.beginner("selection"), 1))


def _plain_missing(page: Page, cast: Cast) -> None:
    _plain(page, cast)
    for place, role in enumerate(ROLES):
        page.locator(f"[data-role={role}]").nth(place).check()
    page.locator(".bar button.primary").click()
    page.locator("#problems").wait_for()


def _instructions(page: Page, cast: Cast) -> None:
    go(page, cast.url("instructions", cast.reader("selection")))


SCENES: tuple[Scene[Cast], ...] = (
    Scene("selection-empty", "selection", ("screen",), _empty),
    Scene("selection-saved", "selection", ("screen", "save"), _chosen),
    Scene("selection-missing", "selection", ("screen",), _missing),
    Scene("selection-elsewhere", "selection", ("screen", "save"), _elsewhere),
    Scene("selection-plain", "selection", ("screen",), _plain, has_scripts=False),
    Scene(
        "selection-plain-missing", "selection", ("screen",), _plain_missing, 400, has_scripts=False
    ),
    Scene("selection-instructions", "selection", ("instructions",), _instructions),
)
