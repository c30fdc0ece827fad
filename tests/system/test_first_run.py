"""The first minutes: what `make run` starts, its printed link, a browser, and the data set."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.arriving import arrive
from tests.system.servers import Installation

pytestmark = pytest.mark.browser


@pytest.mark.timeout(300)
def test_whoever_has_only_the_printed_link_ends_up_in_the_data_set(
    blank: Installation, page: Page, tmp_path: Path
) -> None:
    blank.serve()
    link = blank.printed(r"How alike are they\? \(Demo\)\s+(http://\S+/j/\S+/)")
    right = json.loads(Path("annotation/kinds/texts/dialogues.en.json").read_text("utf-8"))[
        "comprehension"
    ]["right"]

    page.goto(link)
    page.get_by_role("checkbox").check()
    page.get_by_role("main").get_by_role("button").first.click()
    arrive(page, "**/instructions/")
    page.get_by_role("radio").nth(right - 1).check()
    page.get_by_role("main").get_by_role("button").last.click()
    arrive(page, "**/s/1/")
    n_screens = 0
    while re.search(r"/s/\d+/$", page.url):
        here = page.url
        for _ in range(page.locator("[data-question]").count()):
            page.keyboard.press("2")
            page.keyboard.press("q")
        page.keyboard.press("Enter")
        arrive(page, lambda url, here=here: url != here)
        n_screens += 1
    page.get_by_role("button", name="Send my answers").click()
    arrive(page, re.compile(r"/a/[^/]+/$"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    output = tmp_path / "demo.zip"
    blank.manage("export", "demo-en", "--output", str(output))
    with zipfile.ZipFile(output) as archive:
        text = archive.read("judgments.tsv").decode()
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))
    assert len(rows) == 2 * n_screens
    assert {(row["source"], row["status"]) for row in rows} == {("real", "counted")}
    assert len({row["annotator"] for row in rows}) == 1
    for row in rows:
        shown = json.loads(row["shown_order"])
        # Key 2 chose the second option on the screen as best, key q the first as worst.
        assert (row["best"], row["worst"]) == (shown[1], shown[0])
