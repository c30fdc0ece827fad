"""A person is a participant of the simulated Prolific in a real browser."""

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
        page.get_by_label("Participant id").fill("ada")
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("button", name="Take part").click()
        with person.expect_page() as opened:
            page.get_by_role("button", name="Open study").click()
        opened.value.get_by_role("heading", name="Thank you").wait_for()
        address = opened.value.url
        page.reload()
        text = page.text_content("body")
        person.close()

        (row,) = me.get(f"/studies/{study}/submissions/")["results"]

    assert address.endswith("PROLIFIC_PID=ada")
    assert text
    assert "AWAITING REVIEW" in text
    assert (row["participant_id"], row["study_code"]) == ("ada", "DONE1234")
