"""The questions about people in a browser: by keyboard alone, on a phone, on a bad network."""

from typing import Any

import pytest

from annotation.models import QuestionnaireReply, Study
from tests.browser.arriving import arrive
from tests.browser.booklets import Booklet, until
from tests.browser.networks import WAITING, BadNetwork, never_arrives
from tests.browser.test_consent_anew import PHONE, fits, tab_to
from tests.questionnaires.forms import AFTER, BEFORE, make_asking_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

PAGE = "**/about/before/"


@pytest.fixture
def study() -> Study:
    return make_asking_study(before=BEFORE, after=AFTER)


def values() -> dict[str, Any]:
    reply = QuestionnaireReply.objects.order_by("-pk").first()
    return reply.values if reply else {}


def test_they_answer_by_keyboard_on_a_phone(page: Any, live_server: Any, study: Study) -> None:
    page.set_viewport_size(PHONE)
    booklet = Booklet.of(live_server, study)
    page.goto(booklet.url())
    page.wait_for_url(PAGE)
    arrive(page)
    which = page.get_by_role("textbox", name="Which one?")
    assert not which.is_visible()
    page.get_by_role("textbox", name="How old are you?").focus()
    page.keyboard.type("30")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    # What depends on an answer comes with it, and takes part in the order of the keys.
    assert which.is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Czech")
    assert fits(page)
    tab_to(page, "Continue")
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/1/")
    assert values() == {"age": 30, "first_language": "other", "which": "Czech"}


def test_declining_takes_the_place_of_an_answer(page: Any, live_server: Any, study: Study) -> None:
    page.goto(Booklet.of(live_server, study).url())
    arrive(page, PAGE)
    page.get_by_label("English").check()
    page.get_by_label("I prefer not to say").check()
    assert page.get_by_label("English").is_disabled()
    page.get_by_role("textbox", name="How old are you?").fill("30")
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/s/1/")
    reply = QuestionnaireReply.objects.get()
    assert (reply.values, reply.declined) == ({"age": 30}, ["first_language"])


def test_nothing_is_lost_on_a_bad_network(page: Any, live_server: Any, study: Study) -> None:
    booklet = Booklet.of(live_server, study)
    page.goto(booklet.url())
    arrive(page, PAGE)
    age = page.get_by_role("textbox", name="How old are you?")
    age.fill("31")
    until(page, lambda: values() == {"age": 31})

    network = BadNetwork(page.context, never_arrives, "**/about/**")
    page.get_by_label("English").check()
    page.get_by_text(WAITING).wait_for()
    # The page is closed; what the server never had comes back, and is saved.
    page.close()
    network.mend()
    again = page.context.new_page()
    again.goto(booklet.url())
    arrive(again, PAGE)
    assert again.get_by_label("English").is_checked()
    until(again, lambda: values() == {"age": 31, "first_language": "en"})
    again.get_by_role("button", name="Continue").click()
    again.wait_for_url("**/s/1/")


def test_what_is_pressed_without_a_network_is_sent_as_soon_as_there_is_one(
    page: Any, live_server: Any, study: Study
) -> None:
    booklet = Booklet.of(live_server, study)
    page.goto(booklet.url())
    arrive(page, PAGE)
    page.get_by_role("textbox", name="How old are you?").fill("31")
    page.get_by_label("English").check()
    network = BadNetwork(page, never_arrives, "**/about/**")
    page.get_by_role("button", name="Continue").click()
    page.get_by_text(WAITING).wait_for()
    network.mend()
    page.wait_for_url("**/s/1/")
    assert values() == {"age": 31, "first_language": "en"}


def test_the_last_questions_send_the_booklet(page: Any, live_server: Any, study: Study) -> None:
    del study.questionnaires["before"]
    study.save()
    booklet = Booklet.of(live_server, study)
    booklet.person.answer_everything()
    page.goto(booklet.url("overview/"))
    page.get_by_role("link", name="Continue with the last questions").click()
    arrive(page, "**/about/after/")
    page.get_by_role("group", name="How hard was it?").get_by_label("4").check()
    for row in ("It was clear", "It was fun"):
        page.get_by_role("group", name=row).get_by_label("yes").check()
    page.get_by_role("button", name="Send my answers").click()
    page.wait_for_url(booklet.url(""))
    page.get_by_role("heading", name="We have received your answers").wait_for()
    assert values() == {"effort": 4, "agree": {"clear": "yes", "fun": "yes"}}
