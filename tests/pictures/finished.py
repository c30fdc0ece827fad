"""Answers that another tool collected, imported into a draft."""

from playwright.sync_api import Page

from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene, send
from tests.pictures.waiting import arrive

_HEADER = (
    "AssignmentId,WorkerId,AssignmentStatus,Input.item1,Input.item2,Input.item3,"
    "Answer.best,Answer.worst\n"
)
_ROWS = (
    "a1,W1,Approved,The shop is open.,One can buy bread now.,It rains.,item2,item3\n"
    "a2,W2,Submitted,The shop is open.,One can buy bread now.,It rains.,item1,item3\n"
    "a3,W3,Rejected,The shop is open.,One can buy bread now.,It rains.,item1,item2\n"
)


def _upload(page: Page, desk: Desk, rows: str) -> None:
    desk.go(page, desk.of(desk.empty, "finished"))
    page.locator("#id_format").select_option("mturk")
    page.locator("#file").set_input_files(
        {"name": "batch.csv", "mimeType": "text/csv", "buffer": (_HEADER + rows).encode()}
    )
    send(page, "#content form:has(#file)")


def _looked_at(page: Page, desk: Desk) -> None:
    _upload(page, desk, _ROWS)
    page.locator("ol.previews").wait_for()
    arrive(page)


def _wrong(page: Page, desk: Desk) -> None:
    _upload(page, desk, _ROWS.replace("item3\n", "item9\n"))
    page.locator(".problems").wait_for()


SCENES: tuple[Scene[Desk], ...] = (
    at("finished", "prepare", "finished", lambda desk: desk.empty),
    at("finished-opened", "prepare", "finished", lambda desk: desk.collected),
    Scene("finished-file", "prepare", ("annotation_study_finished_file",), _looked_at),
    Scene("finished-wrong", "prepare", ("annotation_study_finished_upload",), _wrong, 400),
)
