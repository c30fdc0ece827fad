"""Label questions: a pair, and the categories that it may belong to."""

from playwright.sync_api import Page

from tests.pictures.cast import Cast
from tests.pictures.scenes import Scene, go


def _screen(page: Page, cast: Cast, study: str = "labels") -> str:
    key = cast.rater(study)
    go(page, cast.url("screen", key, 1))
    return key


def _empty(page: Page, cast: Cast) -> None:
    _screen(page, cast)


def _chosen(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    for question in range(2):
        page.locator("[data-question]").nth(question).locator("input").nth(question + 1).click()
    page.wait_for_function("() => !document.querySelector('[data-state]:empty')")


def _several(page: Page, cast: Cast) -> None:
    _screen(page, cast, "several labels")
    for key in "12":
        page.keyboard.press(key)


def _missing(page: Page, cast: Cast) -> None:
    _screen(page, cast)
    page.locator(".bar button.primary").click()
    page.locator("[data-problem]:not([hidden])").first.wait_for()


def _elsewhere(page: Page, cast: Cast) -> None:
    """Another browser answers between the showing and the choice here."""
    key = _screen(page, cast)
    cast.label_first(key)
    page.locator("[data-role=categories]").first.click()
    page.locator("[data-elsewhere]:not([hidden])").first.wait_for()


def _plain(page: Page, cast: Cast) -> None:
    page.goto(cast.url("screen", cast.rater("several labels"), 1))


def _plain_missing(page: Page, cast: Cast) -> None:
    _plain(page, cast)
    page.locator("[data-role=categories]").first.check()
    page.locator(".bar button.primary").click()
    page.locator("#problems").wait_for()


def _instructions(page: Page, cast: Cast) -> None:
    go(page, cast.url("instructions", cast.rater("labels")))


SCENES: tuple[Scene[Cast], ...] = (
    Scene("label-empty", "label", ("screen",), _empty),
    Scene("label-saved", "label", ("screen", "save"), _chosen),
    Scene("label-several", "label", ("screen", "save"), _several),
    Scene("label-missing", "label", ("screen",), _missing),
    Scene("label-elsewhere", "label", ("screen", "save"), _elsewhere),
    Scene("label-plain", "label", ("screen",), _plain, has_scripts=False),
    Scene("label-plain-missing", "label", ("screen",), _plain_missing, 400, has_scripts=False),
    Scene("label-instructions", "label", ("instructions",), _instructions),
)
