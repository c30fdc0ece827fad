"""The live page in a real browser: it renews itself, and says when it cannot."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from annotation.core.services import workers
from annotation.models import LiveCount
from annotation.monitoring.pages import live as page_of_study
from annotation.monitoring.services import live
from tests.browser.test_researcher import Desk
from tests.support.factories import join, make_open_study, make_user
from tests.support.researcher_pages import finish_booklet, url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_the_page_renews_itself(
    browser: Browser, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_of_study, "POLL_SECONDS", 0.2)
    study = make_open_study(owner=make_user("grace"), dialogues=4)
    address = url(study, "live")
    workers.seen()
    finish_booklet(study)
    live.watch()
    with Desk(browser, live_server.url, study.owner) as desk:
        page = desk.page
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        page.evaluate("window.wasNotReloaded = true")
        places = page.locator(".places p")
        expect(places).to_contain_text("1 of ")
        # Somebody reads the numbers behind a figure, by keyboard.
        numbers = page.locator(".figures summary").first
        numbers.focus()
        page.keyboard.press("Enter")

        # Somebody else finishes: it appears, what was unfolded stays so, and so does the focus.
        finish_booklet(study)
        join(study)
        LiveCount.objects.update(counted_at=None)
        live.watch()
        expect(places).to_contain_text("2 of ")
        expect(page.locator(".figures details").first).to_have_attribute("open", "")
        expect(numbers).to_be_focused()
        # A tenth more of the places: a screen reader is told once.
        said = page.locator("[data-live-said]")
        expect(said).to_contain_text("% of the places are completed.")
        told = said.text_content()

        # Without the network the page says that it is old, and goes on when it is back.
        desk.context.set_offline(True)
        lost = page.locator("[data-live-lost]")
        expect(lost).to_be_visible()
        desk.context.set_offline(False)
        expect(lost).to_be_hidden()
        assert told not in (said.text_content(), "")

        # Nobody looks: nothing is asked. Seen again, it asks at once.
        hide = """is => {
          Object.defineProperty(document, "hidden", { value: is, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
        page.evaluate(hide, True)
        page.wait_for_timeout(300)  # what was under way
        asked.clear()
        page.wait_for_timeout(700)
        assert asked == []
        with page.expect_response("**/live/now/**") as answer:
            page.evaluate(hide, False)
        assert answer.value.status in {200, 304}
        assert page.evaluate("window.wasNotReloaded")
        assert [said for said in desk.complaints if "ERR_INTERNET_DISCONNECTED" not in said] == []

    with Desk(browser, live_server.url, study.owner, java_script_enabled=False) as desk:
        desk.page.goto(address)
        finish_booklet(study)
        desk.page.get_by_role("link", name="Refresh").click()
        expect(desk.page.locator(".places p")).to_contain_text("3 of ")
