"""Choosing the columns of a table, with the keyboard alone and in a narrow window."""

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

TABLE = (
    "Frage;answer1;answer2;gold\n"
    'Was war los?;Die Heizung ist aus, leider.;"Kalt; sehr kalt.";0,5\n'
    "Wer war da?;Niemand.;Nur wir.;1\n"
)


@pytest.mark.parametrize("width", [1280, 360])
def test_columns_are_chosen_with_the_keyboard(
    browser: Browser, live_server, tmp_path: Path, width: int
) -> None:
    user = make_user()
    study = make_study(owner=user, preset="answer-similarity", dialogues=0)
    file = tmp_path / "antworten.csv"
    file.write_text(TABLE)
    with Desk(browser, live_server.url, user, viewport={"width": width, "height": 800}) as desk:
        page = desk.page
        page.goto(url(study, "items"))
        page.set_input_files("#file", file)
        page.get_by_role("button", name="Upload and preview").click()
        columns = page.locator("[data-column]")
        expect(columns).to_have_count(4)

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert problems_of(page) == []
        shoot(page, f"columns-{width}")
        roles = {
            name: page.locator(f'[data-column="{name}"] select').input_value()
            for name in ("Frage", "answer1", "answer2", "gold")
        }
        # By the first letters of an option, as somebody does without a mouse.
        page.get_by_label("gold").focus()
        page.keyboard.type("Left")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("[data-question]").first).to_have_text("Was war los?")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert problems_of(page) == []
        shoot(page, f"columns-preview-{width}")
        page.get_by_role("button", name="Import", exact=True).click()
        page.wait_for_url("**/jobs/**")
        complaints = desk.complaints
    jobs.run(Job.objects.get().pk)

    assert roles == {
        "Frage": "question",
        "answer1": "target",
        "answer2": "candidate",
        "gold": "metadata",
    }
    assert complaints == []
    assert [
        (i.key, i.target, i.candidate, i.metadata) for i in study.items.order_by("number")
    ] == [
        (
            "line-2",
            "Die Heizung ist aus, leider.",
            "Kalt; sehr kalt.",
            {"question": "Was war los?"},
        ),
        ("line-3", "Niemand.", "Nur wir.", {"question": "Wer war da?"}),
    ]
