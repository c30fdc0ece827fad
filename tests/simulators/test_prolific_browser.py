"""A person is a participant of the simulated Prolific in a real browser."""

import re
from typing import Any

import pytest

from tests.simulators.prolific import ProlificSimulator
from tests.simulators.prolific.researcher import Researcher

pytestmark = pytest.mark.browser


def test_a_person_logs_in_takes_a_place_and_comes_back_with_the_code(browser: Any) -> None:
    with ProlificSimulator() as sim:
        me = Researcher(sim)
        # A study that sends everybody back at once.
        url = f"{sim.complete_url}?cc=DONE1234&PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        study = me.published(name="Dialogues", external_study_url=url)
        person = browser.new_context()
        page = person.new_page()

        page.goto(sim.site)
        page.get_by_label("Name, or id of 24 digits").fill("ada")
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("button", name="Take part").click()
        with person.expect_page() as opened:
            page.get_by_role("button", name="Open study").click()
        opened.value.get_by_role("heading", name="Thank you").wait_for()
        address = opened.value.url
        page.reload()
        text = page.text_content("body")
        page.get_by_role("link", name="Studies").click()
        page.get_by_role("row", name="Dialogues").get_by_text("AWAITING REVIEW").wait_for()
        person.close()

        (row,) = me.get(f"/studies/{study}/submissions/")["results"]

    ada = row["participant_id"]
    assert re.fullmatch("[0-9a-f]{24}", ada)
    assert address.endswith(f"PROLIFIC_PID={ada}")
    assert text
    assert "AWAITING REVIEW" in text
    assert row["study_code"] == "DONE1234"
