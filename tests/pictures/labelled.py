"""A researcher's pages of a study in which pairs are put into categories."""

from playwright.sync_api import Page

from annotation.models import Study
from tests.pictures.research import Desk
from tests.pictures.scenes import Scene
from tests.pictures.waiting import arrive


def _go(page: Page, desk: Desk, study: Study, name: str) -> None:
    desk.go(page, desk.of(study, name))


def _describe(page: Page, desk: Desk) -> None:
    _go(page, desk, desk.labelled, "describe")


def _type(page: Page, desk: Desk, categories: str, button: str) -> None:
    _describe(page, desk)
    page.locator("#id_categories").fill(categories)
    page.locator(f"button[name={button}]").click()
    arrive(page)


def _preview(page: Page, desk: Desk) -> None:
    names = "typo: letters only\nnumbers: another number or date\nnames\nother"
    _type(page, desk, names, "preview")
    page.locator("#preview-title").wait_for()


def _wrong(page: Page, desk: Desk) -> None:
    _type(page, desk, "typo\nnumbers | dates\n: what is left\nTypo", "save")
    page.locator(".errorlist").first.wait_for()


def _design(page: Page, desk: Desk) -> None:
    _go(page, desk, desk.labelled, "design")


def _items(page: Page, desk: Desk) -> None:
    _go(page, desk, desk.labelled, "items")


DESCRIBE = ("annotation_study_describe",)
SCENES: tuple[Scene[Desk], ...] = (
    Scene("describe-labels", "prepare", DESCRIBE, _describe),
    Scene("describe-labels-preview", "prepare", DESCRIBE, _preview),
    Scene("describe-labels-wrong", "prepare", DESCRIBE, _wrong, 400),
    Scene("design-labels", "prepare", ("annotation_study_design",), _design),
    Scene("items-labels", "prepare", ("annotation_study_items",), _items),
)
