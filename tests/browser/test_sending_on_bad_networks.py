"""Sending the booklet on a bad network, and pages that were left open after it was sent."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.answering.services import withdrawal
from annotation.models import Assignment, Judgment, PhaseRun, Study
from annotation.studies.services import studies
from tests.browser.booklets import (
    Booklet,
    chosen,
    comment,
    kept,
    pick,
    ready,
    state,
    stored,
    until,
    wait_nothing_kept,
)
from tests.browser.networks import (
    SAVES,
    SENDING,
    WAITING,
    BadNetwork,
    SlowNetwork,
    answer_never_arrives,
    captive_portal,
    come_back,
    never_arrives,
)
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

NOT_STORED = "This choice came too late and was not saved."


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


@pytest.fixture
def mine(live_server: Any, study: Study) -> Booklet:
    booklet = Booklet.of(live_server, study)
    booklet.person.answer_everything()
    return booklet


def send(page: Any) -> None:
    page.get_by_role("button", name="Send my answers").click()


def thanked(page: Any) -> None:
    page.get_by_role("heading", name="We have received your answers").wait_for()


def is_submitted() -> bool:
    return Assignment.objects.get().state == Assignment.State.SUBMITTED


def test_sent_without_a_connection_it_is_sent_when_the_network_is_back(
    page: Any, mine: Booklet
) -> None:
    mine.open(page, "overview/")
    page.context.set_offline(True)
    send(page)
    expect(page.get_by_role("status")).to_contain_text("Nothing is lost")
    send(page)
    assert not is_submitted()

    come_back(page)
    thanked(page)

    assert is_submitted()


@pytest.mark.parametrize(
    "fails",
    [never_arrives, answer_never_arrives, captive_portal],
    ids=lambda fails: fails.__name__,
)
def test_a_booklet_is_sent_once_whatever_becomes_of_the_answer(
    page: Any, mine: Booklet, fails: Callable[[Any], None]
) -> None:
    mine.open(page, "overview/")
    network = BadNetwork(page, fails, SENDING)
    send(page)
    expect(page.get_by_role("status")).to_contain_text("Nothing is lost")
    assert is_submitted() == (fails is answer_never_arrives)

    network.mend()
    thanked(page)

    assert is_submitted()
    assert PhaseRun.objects.filter(completed_at__isnull=False).count() == 1


def test_what_another_tab_could_not_save_is_saved_before_the_booklet_is_sent(
    page: Any, mine: Booklet
) -> None:
    mine.open(page)
    BadNetwork(page, never_arrives)
    pick(page, 0, best=1, worst=2)
    expect(state(page, 0)).to_have_text(WAITING)
    overview = page.context.new_page()
    mine.open(overview, "overview/")
    send(overview)
    thanked(overview)

    assert stored(mine, 0) == (1, 2, "")
    assert is_submitted()
    assert kept(overview) == []


def test_a_page_that_is_about_to_reload_sends_the_booklet_all_the_same(
    page: Any, mine: Booklet
) -> None:
    mine.open(page)
    BadNetwork(page, never_arrives)
    pick(page, 0, best=1, worst=2)
    expect(state(page, 0)).to_have_text(WAITING)
    overview = page.context.new_page()
    saving = SlowNetwork(overview, SAVES)
    mine.open(overview, "overview/")
    reloading, sending = SlowNetwork(overview, "**/overview/"), SlowNetwork(overview, SENDING)
    until(overview, lambda: saving.on_its_way)
    # In the page, as soon as what was kept is saved: Playwright would wait for the reload.
    overview.evaluate(
        "() => { const timer = setInterval(() => {"
        " if (Object.keys(localStorage).some(name => name.split(':').length === 4)) return;"
        " clearInterval(timer); document.querySelector('#sending button').click(); }, 1) }"
    )
    saving.let_through()
    until(overview, lambda: sending.on_its_way)
    reloading.let_through()
    overview.wait_for_load_state()
    sending.let_through()
    thanked(overview)

    assert stored(mine, 0) == (1, 2, "")
    assert is_submitted()


def test_what_was_kept_yesterday_is_saved_by_the_overview(page: Any, mine: Booklet) -> None:
    mine.open(page)
    network = BadNetwork(page, never_arrives)
    comment(page).fill("on second thoughts")
    pick(page, 0, best=1, worst=2)
    expect(state(page, 0)).to_have_text(WAITING)
    network.mend()
    mine.open(page, "")  # everything is answered: the personal link leads to the overview
    assert page.url.endswith("/overview/")
    until(page, lambda: stored(mine, 0) == (1, 2, "on second thoughts"))
    wait_nothing_kept(page)


def test_the_overview_names_what_was_answered_in_two_places(page: Any, mine: Booklet) -> None:
    mine.open(page)
    network = BadNetwork(page, never_arrives)
    pick(page, 0, best=1, worst=2)
    expect(state(page, 0)).to_have_text(WAITING)
    question = mine.person.questions()[0]
    mine.person.save(question, mine.person.choice(question, comment="from there"))
    network.mend()
    mine.open(page, "overview/")
    link = page.get_by_role("link", name="Look at both answers")
    link.wait_for()

    send(page)  # the first time it only leads there
    expect(page.locator("[data-sending-state]")).to_be_focused()
    assert not is_submitted()
    link.click()
    page.wait_for_url("**/s/1/")
    ready(page)
    page.get_by_role("button", name="Use this instead").click()
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (1, 2, "")


# -- left open ---------------------------------------------------------------------------------


def send_elsewhere(mine: Booklet) -> None:
    mine.person.post("submit/")


def withdraw(mine: Booklet) -> None:
    withdrawal.withdraw(annotator=mine.person.annotator)


def finish(mine: Booklet) -> None:
    studies.finish(study=mine.person.study)


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        (send_elsewhere, "You have already sent these answers. They are safe."),
        (withdraw, "You have withdrawn from this study."),
        (finish, "This study is finished. Thank you; nothing more is needed."),
    ],
    ids=["sent", "withdrawn", "finished"],
)
def test_a_page_left_open_says_so_and_takes_nothing_more(
    page: Any, mine: Booklet, ends: Callable[[Booklet], None], sentence: str
) -> None:
    mine.open(page)
    before = Judgment.objects.count()
    ends(mine)
    pick(page, 0, worst=2)
    expect(page.locator("[data-bar-state]")).to_have_text(sentence)

    # What was chosen stays to be seen; nothing else can be chosen.
    expect(state(page, 0)).to_have_text(NOT_STORED)
    assert chosen(page, 0) == (0, 2)
    page.keyboard.press("2")
    assert chosen(page, 0) == (0, 2)
    assert page.locator("input[type=radio]:enabled").count() == 0
    assert page.locator("textarea").first.get_attribute("readonly") is not None
    expect(state(page, 1)).to_have_text("")
    assert kept(page) == []
    assert Judgment.objects.count() == before

    page.get_by_role("button", name="Next").last.click()
    page.wait_for_url(mine.url(""))


def test_a_tab_learns_at_once_that_another_has_sent_the_booklet(page: Any, mine: Booklet) -> None:
    mine.open(page)
    overview = mine.open(page.context.new_page(), "overview/")
    send(overview)
    thanked(overview)

    expect(page.locator("[data-bar-state]")).to_have_text(
        "You have sent these answers in another tab. They are safe."
    )
    assert page.locator("input[type=radio]:enabled").count() == 0
    expect(state(page, 0)).to_have_text("")
