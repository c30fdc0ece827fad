"""Numbered snapshots of a study, and what happened to them since."""

from playwright.sync_api import Page

from annotation.models import Study
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene, send


def _released(desk: Desk) -> Study:
    return desk.released


def _one(number: int) -> Scene[Desk]:
    def show(page: Page, desk: Desk) -> None:
        desk.go(page, desk.of(desk.released, "release", number))

    return Scene(f"release-{number}", "results", ("annotation_study_release",), show)


def _wrong(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.released, "release_new"))
    page.locator("#id_authors").fill("Ada Lovelace; Analytical Engines; 0000-0002-1825-0098")
    page.locator("#id_doi").fill("zenodo")
    send(page, "#content form:has(#id_authors)")
    page.locator(".errornote").wait_for()


SCENES: tuple[Scene[Desk], ...] = (
    at("releases", "results", "releases", _released),
    _one(1),
    _one(2),
    at("paper", "results", "paper", _released),
    at("paper-unreleased", "results", "paper", lambda desk: desk.collected),
    at("release-new", "results", "release_new", _released),
    at("release-new-first", "results", "release_new", lambda desk: desk.collected),
    at("release-new-ratings", "results", "release_new", lambda desk: desk.disputed),
    Scene("release-new-wrong", "results", ("annotation_study_release_new",), _wrong, 400),
)
