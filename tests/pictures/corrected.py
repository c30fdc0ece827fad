"""What a researcher corrects once answers are in: decisions on single items, changed labels."""

from playwright.sync_api import Page

from annotation.models import Study
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene, send
from tests.pictures.waiting import arrive


def _disputed(desk: Desk) -> Study:
    return desk.disputed


def _adjudicate(page: Page, desk: Desk) -> None:
    """The most disputed item."""
    desk.go(page, desk.of(desk.disputed, "adjudications"))
    page.locator("#content a.primary").click()
    page.wait_for_url("**/adjudications/*/*/**")
    arrive(page)


def _adjudicate_without_reason(page: Page, desk: Desk) -> None:
    _adjudicate(page, desk)
    send(page, "#content form:has([name=reason])")
    page.locator(".errornote").wait_for()


def _relabel_looked_at(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.disputed, "relabel"))
    page.locator("#id_field").fill("domain")
    page.locator("#id_which input[value=all]").check()
    page.locator("#id_value").fill("travel")
    page.locator("#id_reason").fill("As agreed on in May.")
    send(page, "#content form:has(#id_field)")
    page.locator("button[name=confirmed]").wait_for()


def _relabel_file(page: Page, desk: Desk, rows: str) -> None:
    desk.go(page, desk.of(desk.disputed, "relabel"))
    page.locator("#file").set_input_files(
        {"name": "domains.tsv", "mimeType": "text/plain", "buffer": rows.encode()}
    )
    send(page, "#content form:has(#file)")


def _relabel_by_file(page: Page, desk: Desk) -> None:
    context = desk.disputed.contexts.order_by("pk")[1]
    _relabel_file(page, desk, f"context\tdomain\n{context.key}\tsport\n")
    page.wait_for_url("**/relabel/file/**")
    arrive(page)


def _relabel_unknown(page: Page, desk: Desk) -> None:
    _relabel_file(page, desk, "id\tdomain\nnobody\tsport\n")
    page.locator(".problems").wait_for()


def _relabel_unreadable(page: Page, desk: Desk) -> None:
    _relabel_file(page, desk, "id\tdomain\nnobody\n")
    page.locator(".problems").wait_for()


SCENES: tuple[Scene[Desk], ...] = (
    at("items-with-experts", "results", "result_items", _disputed),
    at("adjudications", "results", "adjudications", _disputed),
    at("adjudications-decided", "results", "adjudications", _disputed, query="?show=decisions"),
    at("adjudications-none", "results", "adjudications", lambda desk: desk.collected),
    Scene("adjudicate", "results", ("annotation_study_adjudicate",), _adjudicate),
    Scene(
        "adjudicate-without-reason",
        "results",
        ("annotation_study_adjudicate",),
        _adjudicate_without_reason,
        400,
    ),
    at("relabel", "prepare", "relabel", _disputed),
    at("relabel-nothing-yet", "prepare", "relabel", lambda desk: desk.filled),
    Scene("relabel-looked-at", "prepare", ("annotation_study_relabel",), _relabel_looked_at),
    Scene("relabel-file", "prepare", ("annotation_study_relabel_file",), _relabel_by_file),
    Scene("relabel-unknown", "prepare", ("annotation_study_relabel_file",), _relabel_unknown),
    Scene(
        "relabel-unreadable",
        "prepare",
        ("annotation_study_relabel_upload",),
        _relabel_unreadable,
        400,
    ),
)
