"""Importing dialogues: the sample, the preview, and what happens without a decision."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotation.core.services import jobs
from annotation.models import Job
from tests.browser.inspecting import shoot
from tests.browser.test_researcher import Desk, problems_of
from tests.support.factories import make_study, make_user
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


def dialogue(key: str, candidates: int) -> str:
    turns = [{"speaker": "A", "text": "Is it late?"}, {"speaker": "B", "text": f"{key}: yes."}]
    texts = [{"text": f"Candidate {n} of {key}."} for n in range(candidates)]
    return json.dumps({"id": key, "turns": turns, "candidates": texts})


@pytest.mark.parametrize("width", [1280, 360])
def test_dialogues_are_imported_a_second_time(
    browser: Browser, live_server, tmp_path: Path, width: int
) -> None:
    user = make_user()
    study = make_study(owner=user)
    file = tmp_path / "dialogues.jsonl"
    file.write_text("\n".join([dialogue("d4", 5), dialogue("d5", 4)]))
    with Desk(browser, live_server.url, user, viewport={"width": width, "height": 800}) as desk:
        page = desk.page
        page.goto(url(study, "items"))
        page.locator("details.formats > summary").click()
        sample = page.locator("pre", has_text='"candidates"')
        # All of it is in sight: nothing has to be scrolled sideways.
        assert sample.evaluate("pre => pre.scrollWidth <= pre.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shoot(page, f"import-formats-{width}")

        page.set_input_files("#file", file)
        page.get_by_role("button", name="Upload and preview").click()
        expect(page.locator("[data-small-pools]")).to_contain_text("d5")
        expect(page.locator("[data-n-candidates]")).to_have_count(2)
        shoot(page, f"import-small-pools-{width}")
        page.locator("form button.primary").click()
        box = page.get_by_role("checkbox")
        expect(box).to_have_attribute("aria-invalid", "true")
        expect(box).to_have_accessible_description(page.locator("#replace-error").inner_text())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert problems_of(page) == []
        shoot(page, f"import-undecided-{width}")
        box.check()
        page.locator("form button.primary").click()
        page.wait_for_url("**/jobs/**")
        jobs.run(Job.objects.get().pk)

        page.reload()
        expect(page.locator("[data-job-outcome]")).to_contain_text("9")
        shoot(page, f"import-done-{width}")
        page.locator("a.primary").click()
        page.wait_for_url(f"**{url(study, 'design')}")
        shoot(page, f"import-design-{width}")
        complaints = desk.complaints
    # The browser notes the answer to the import without a decision.
    assert [line for line in complaints if "status of 400" not in line] == []
