"""Networks that are slow, break off or pretend: nothing is lost, nothing doubled."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.answering.services import judgments
from annotation.models import Assignment, Draft, Judgment, Study
from tests.browser.booklets import (
    Booklet,
    chosen,
    comment,
    kept,
    pick,
    ready,
    reload,
    state,
    stored,
    until,
    wait_chosen,
    wait_nothing_kept,
)
from tests.browser.networks import (
    SAVES,
    WAITING,
    BadNetwork,
    answer_never_arrives,
    bad_gateway,
    bad_gateway_after_storing,
    captive_portal,
    come_back,
    half_an_answer,
    never_arrives,
    portal_elsewhere,
    portal_that_speaks_json,
)
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


@pytest.fixture
def mine(live_server: Any, study: Study) -> Booklet:
    return Booklet.of(live_server, study)


# -- in the middle of a save -------------------------------------------------------------------


FAILURES = [
    never_arrives,
    answer_never_arrives,
    half_an_answer,
    captive_portal,
    portal_that_speaks_json,
    portal_elsewhere,
    bad_gateway,
    bad_gateway_after_storing,
]


@pytest.mark.parametrize("fails", FAILURES, ids=lambda fails: fails.__name__)
def test_a_save_that_fails_is_repeated_and_stored_once(
    page: Any, mine: Booklet, fails: Callable[[Any], None]
) -> None:
    mine.open(page)
    pick(page, 0, best=1)
    expect(state(page, 0)).to_contain_text("One more choice")
    network = BadNetwork(page, fails)
    pick(page, 0, worst=2)
    expect(state(page, 0)).to_have_text(WAITING)

    network.mend()
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (1, 2, "")
    assert Judgment.objects.count() == 1
    assert not Draft.objects.exists()
    assert kept(page) == []


def test_what_a_full_disk_refuses_is_kept_and_sent_again(
    page: Any, mine: Booklet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(**_answer: Any) -> None:
        Path("/dev/full").write_text("x")

    mine.open(page)
    with monkeypatch.context() as patch:
        patch.setattr(judgments, "save", fails)
        with page.expect_response(SAVES) as refused:
            pick(page, 0, best=1, worst=2)
        expect(state(page, 0)).to_have_text(WAITING)
        assert refused.value.status == 503
        assert len(kept(page)) == 1

    come_back(page)
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (1, 2, "")
    assert kept(page) == []


def test_choices_made_while_an_acknowledgement_is_lost_are_no_conflict(
    page: Any, mine: Booklet
) -> None:
    mine.open(page)
    network = BadNetwork(page, answer_never_arrives)
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_have_text(WAITING)
    pick(page, 0, worst=2)
    pick(page, 0, best=1)

    network.mend()
    come_back(page)
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (1, 2, "")
    assert page.locator("[data-elsewhere]:visible").count() == 0


def test_on_a_slow_network_choices_answer_at_once_and_all_arrive(page: Any, mine: Booklet) -> None:
    mine.open(page)
    network = page.context.new_cdp_session(page)
    network.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": 400,
            "downloadThroughput": 50_000,
            "uploadThroughput": 50_000,
        },
    )
    for number in (0, 1):
        pick(page, number, best=0, worst=1)
        pick(page, number, worst=2)
        assert chosen(page, number) == (0, 2)
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/2/")

    assert (stored(mine, 0), stored(mine, 1)) == ((0, 2, ""), (0, 2, ""))
    assert Judgment.objects.current().count() == 2


# -- going away and coming back ----------------------------------------------------------------


@pytest.mark.parametrize("arrives", [False, True], ids=["lost", "stored"])
def test_a_reload_while_sending(page: Any, mine: Booklet, arrives: bool) -> None:
    mine.open(page)
    sending: list[Any] = []
    reloaded: list[Any] = []
    page.on("framenavigated", lambda frame: reloaded.append(frame.url))

    def hang_until_then(route: Any) -> None:
        if reloaded:
            route.continue_()
            return
        if arrives:
            route.fetch()
        sending.append(route)

    page.route(SAVES, hang_until_then)
    pick(page, 0, best=2)
    pick(page, 0, worst=0)
    until(page, lambda: sending)
    reload(page)

    assert chosen(page, 0) == (2, 0)
    expect(state(page, 0)).to_have_text("Saved")
    assert stored(mine, 0) == (2, 0, "")
    assert Judgment.objects.count() == 1
    wait_nothing_kept(page)


def test_the_back_button_shows_what_was_saved_and_takes_a_change(page: Any, mine: Booklet) -> None:
    mine.open(page)
    for number in (0, 1):
        pick(page, number, best=0, worst=1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/2/")
    ready(page)
    page.go_back()
    page.wait_for_url("**/s/1/")
    ready(page)
    assert chosen(page, 0) == (0, 1)

    pick(page, 0, worst=2)
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (0, 2, "")


def test_a_page_out_of_the_browsers_memory_is_fetched_anew(page: Any, mine: Booklet) -> None:
    mine.open(page)
    question = mine.person.questions()[0]
    mine.person.save(question, mine.person.choice(question))

    with page.expect_navigation():
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    ready(page)

    assert chosen(page, 0) == (0, 1)


def test_a_lid_closed_for_a_day(page: Any, live_server: Any) -> None:
    # One place: whoever comes while its holder is idle takes it.
    study = factories.make_open_study(
        parameters={"annotations_per_tuple": 1, "screens_per_booklet": 100}
    )
    mine = Booklet.of(live_server, study)
    page.clock.install()
    mine.open(page)
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_have_text("Saved")
    page.context.set_offline(True)
    pick(page, 0, worst=2)
    expect(state(page, 0)).to_have_text(WAITING)

    Assignment.objects.update(last_active_at=timezone.now() - timedelta(days=1))
    Booklet.of(live_server, study)
    page.clock.fast_forward("24:00:00")
    come_back(page)
    expect(state(page, 0)).to_have_text("Saved")

    mine.person.assignment.refresh_from_db()
    assert mine.person.assignment.is_surplus
    assert stored(mine, 0) == (0, 2, "")
    assert Judgment.objects.count() == 2


def test_a_tab_closed_while_typing_and_then_another_device(
    new_context: Any, mine: Booklet
) -> None:
    page = mine.open(new_context().new_page())
    comment(page).press_sequentially("half a sent")
    page.close(run_before_unload=True)
    elsewhere = new_context().new_page()
    until(elsewhere, lambda: Draft.objects.filter(payload__comment="half a sent").exists())

    mine.open(elsewhere)

    assert comment(elsewhere).input_value() == "half a sent"


def test_a_tab_closed_while_a_choice_is_on_its_way_sends_the_newer_one_too(
    new_context: Any, mine: Booklet
) -> None:
    page = mine.open(new_context().new_page())
    sending: list[Any] = []
    given_up: list[Any] = []
    page.on("requestfailed", lambda request: given_up.append(request.url))

    def hang_once(route: Any) -> None:
        sending.append(route)
        if len(sending) > 1:
            route.continue_()

    page.route(SAVES, hang_once)
    pick(page, 0, best=0)
    until(page, lambda: sending)
    pick(page, 0, worst=1)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    until(page, lambda: stored(mine, 0) == (0, 1, ""))
    assert given_up == []
    # The one that was held up arrives after all, and changes nothing.
    sending[0].continue_()
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (0, 1, "")
    assert not Draft.objects.exists()


# -- storage -----------------------------------------------------------------------------------

FORBIDDEN = """
Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('denied', 'SecurityError'); },
});
"""
FILL = """() => {
  let block = 'x'.repeat(1 << 20);
  for (let n = 0; block; ) {
    try { localStorage.setItem(`full:${n++}`, block); }
    catch { block = block.slice(0, block.length >> 1); }
  }
}"""


def asks_before_leaving(page: Any) -> bool:
    return page.evaluate("!dispatchEvent(new Event('beforeunload', {cancelable: true}))")


@pytest.mark.parametrize("storage", ["forbidden", "full"])
def test_without_storage_everything_is_saved_and_only_then_leaving_is_asked_about(
    page: Any, mine: Booklet, storage: str
) -> None:
    if storage == "forbidden":
        page.add_init_script(FORBIDDEN)
    mine.open(page)
    if storage == "full":
        page.evaluate(FILL)
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_have_text("Saved")
    assert not asks_before_leaving(page)

    page.context.set_offline(True)
    pick(page, 0, worst=2)
    expect(state(page, 0)).to_have_text(WAITING)
    assert asks_before_leaving(page)

    come_back(page)
    expect(state(page, 0)).to_have_text("Saved")
    assert stored(mine, 0) == (0, 2, "")
    assert not asks_before_leaving(page)


def test_what_the_browser_keeps_may_be_left_without_being_asked(page: Any, mine: Booklet) -> None:
    mine.open(page)
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    network = BadNetwork(page, never_arrives)
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_have_text(WAITING)
    page.goto("about:blank")
    network.mend()
    mine.open(page)

    expect(state(page, 0)).to_have_text("Saved")
    assert asked == []
    assert stored(mine, 0) == (0, 1, "")


def test_a_page_that_went_before_it_was_told_that_it_is_too_old_loses_no_choice(
    page: Any, mine: Booklet, settings: Any
) -> None:
    mine.open(page)
    network = BadNetwork(page.context, never_arrives)
    pick(page, 0, best=0, worst=2)
    until(page, lambda: len(kept(page)) == 1)
    settings.SECRET_KEY = "another-secret"
    network.mend()

    reload(page)
    expect(state(page, 0)).to_have_text("Saved")

    assert stored(mine, 0) == (0, 2, "")


def test_a_page_that_became_too_old_loses_no_choice(
    page: Any, mine: Booklet, settings: Any
) -> None:
    mine.open(page)
    # The server was set up anew: what it had signed it does not recognise any more.
    settings.SECRET_KEY = "another-secret"
    pick(page, 0, best=0, worst=1)
    expect(state(page, 0)).to_contain_text("This page is out of date.")
    pick(page, 0, worst=2)
    until(page, lambda: len(kept(page)) == 1)
    assert not Judgment.objects.exists()

    reload(page)
    expect(state(page, 0)).to_have_text("Saved")

    assert chosen(page, 0) == (0, 2)
    assert stored(mine, 0) == (0, 2, "")
    wait_chosen(page, 1, None, None)
