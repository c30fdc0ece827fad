"""The pause between two phases outlives the server, its restart and the reader's clock."""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest

from annotation.simulation.browser import Browser, Page
from tests.system.servers import Installation, kill_9

PAIRS = """\
id\ttarget\tcandidate
p1\tThe bridge is open again.\tCars may use the bridge once more.
p2\tThe bridge is open again.\tNobody knows when the bridge will open.
"""
PARAMETERS = {
    "ratings_per_item": 1,
    "items_per_booklet": 2,
    "phases": [
        {"condition": "context_free", "delay_hours": 0, "closes_after_days": None},
        {"condition": "context_dependent", "delay_hours": 72, "closes_after_days": 14},
    ],
}
MAKE = """
from annotation.models import Study
from annotation.designs.services import designs
from annotation.studies.services import studies
study = Study.objects.get(slug="pause")
design = study.design
design.parameters = {parameters}
design.save()
designs.make(design=design)
studies.open_study(study=study)
print(study.join_token)
"""


@pytest.fixture
def moved(migrated: Path, tmp_path: Path) -> Iterator[tuple[Installation, Path]]:
    time_file = tmp_path / "time"
    extra = {
        "DJANGO_SETTINGS_MODULE": "tests.system.moved_clock",
        "TIME_FILE": str(time_file),
        # Where the wall's clock is put forward in between.
        "TIME_ZONE": "Europe/Prague",
    }
    installation = Installation(tmp_path / "data", extra=extra)
    shutil.copy(migrated, installation.data)
    yield installation, time_file
    installation.end()


def rate(browser: Browser, page: Page) -> Page:
    while form := next((form for form in page.forms if form.selects), None):
        page = browser.send(form, {**dict.fromkeys(form.selects, "3"), "go": "next"})
        assert page.status == 200
    return page


@pytest.mark.timeout(300)
def test_a_restart_changes_nothing_and_neither_does_daylight_saving(
    moved: tuple[Installation, Path], tmp_path: Path
) -> None:
    installation, time_file = moved
    # A Saturday noon in Prague; on Sunday its clocks are put forward by an hour.
    sent_at = datetime(2027, 3, 27, 11, 0, tzinfo=UTC)
    time_file.write_text(sent_at.isoformat())
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    server = installation.serve("--no-demo")
    create = ("--create", "--title", "Pause", "--preset", "training", "--owner", "researcher")
    installation.manage("import_items", "pause", str(tmp_path / "pairs.tsv"), *create)
    token = installation.python(MAKE.format(parameters=repr(PARAMETERS)))

    browser = Browser(installation.base)
    page = browser.get(urljoin(installation.base, f"/j/{token.strip()}/"))
    form = next(form for form in page.forms if form.checkboxes)
    page = browser.send(form, form.checkboxes)
    start = page.form("/instructions/")
    assert start is not None
    own = urljoin(start.action, "../")
    page = rate(browser, browser.send(start, {}))
    submit = page.form("/submit/")
    assert submit is not None
    page = browser.send(submit, {})
    assert re.search(r'datetime="2027-03-30T1[13]:00:00', page.text)  # 11:00 UTC, 13:00 in Prague

    opens_at = sent_at + timedelta(hours=72)
    time_file.write_text((opens_at - timedelta(seconds=1)).isoformat())
    for is_restarted in (False, True):
        if is_restarted:
            browser.close()
            kill_9(server)
            installation.serve("--no-demo")
            browser = Browser(installation.base)
        assert "data-opens-in" in browser.get(own).text
        assert browser.get(urljoin(own, "s/1/")).status == 403
        assert browser.send(submit, {}).status in {403, 409}

    time_file.write_text(opens_at.isoformat())
    assert "/s/1/" in " ".join(browser.get(own).links)
    page = rate(browser, browser.get(urljoin(own, "s/1/")))
    assert page.form("/submit/") is not None
    browser.close()
