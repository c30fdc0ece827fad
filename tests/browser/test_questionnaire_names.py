"""Names of questions that a form has itself; drafts that the server refuses."""

from typing import Any

import pytest

from annotation.models import QuestionnaireReply
from tests.browser.arriving import arrive
from tests.browser.booklets import Booklet
from tests.questionnaires.forms import make_asking_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

NAMES = ("action", "submit", "dataset", "constructor", "method")


def test_a_question_may_have_the_name_of_something_of_the_form(
    page: Any, live_server: Any
) -> None:
    questions = [{"key": key, "kind": "text", "text": f"About {key}"} for key in NAMES]
    study = make_asking_study(before={"questions": questions})
    page.goto(Booklet.of(live_server, study).url())
    arrive(page, "**/about/before/")
    for key in NAMES:
        page.get_by_role("textbox", name=f"About {key}").fill(f"my {key}")
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/s/1/")
    assert QuestionnaireReply.objects.get().values == {key: f"my {key}" for key in NAMES}


def test_very_long_answers_are_sent(page: Any, live_server: Any) -> None:
    questions = [{"key": f"q{n}", "kind": "long_text", "text": f"Text {n}"} for n in range(3)]
    study = make_asking_study(before={"questions": questions})
    page.goto(Booklet.of(live_server, study).url())
    arrive(page, "**/about/before/")
    for n in range(3):
        page.get_by_role("textbox", name=f"Text {n}").fill("ž" * 4999)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/s/1/")
    assert len(QuestionnaireReply.objects.get().values["q2"]) == 4999
