"""Annotating in a real browser: with keys, and with a network that goes away."""

import re
from typing import Any

import pytest

from annotation.models import Draft, Judgment, Study
from tests.browser.arriving import arrive, saved, stop_the_clock, until
from tests.browser.booklets import kept
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


def join(page: Any, live_server: Any, study: Study, *, has_scripts: bool = True) -> str:
    """Consent and instructions; returns the personal address."""
    page.goto(f"{live_server.url}/j/{study.join_token}/")
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Begin").click()
    arrive(page, "**/instructions/")
    page.get_by_role("button", name="Start").click()
    arrive(page, "**/s/1/", has_scripts=has_scripts)
    return re.sub(r"s/1/$", "", page.url)


@pytest.mark.slow
def test_choosing_an_item_for_one_takes_it_out_of_the_other(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    section = page.locator("[data-question]").first
    best = section.get_by_role("radio", name=re.compile("^Most similar"))
    worst = section.get_by_role("radio", name=re.compile("^Least similar"))

    best.nth(0).click()
    worst.nth(0).click()
    assert (best.nth(0).is_checked(), worst.nth(0).is_checked()) == (False, True)
    worst.nth(0).click()  # again: taken back
    assert not worst.nth(0).is_checked()

    best.nth(1).click()
    worst.nth(2).click()
    saved(page, 1)
    assert Judgment.objects.current().count() == 1
    assert not Draft.objects.exists()


@pytest.mark.slow
def test_arrow_keys_step_over_what_the_other_role_has(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    section = page.locator("[data-question]").first
    best = section.get_by_role("radio", name=re.compile("^Most similar"))
    worst = section.get_by_role("radio", name=re.compile("^Least similar"))
    best.nth(1).click()

    worst.nth(0).focus()
    page.keyboard.press("ArrowDown")

    assert best.nth(1).is_checked()
    assert worst.nth(2).is_checked()


@pytest.mark.slow
def test_keys_are_silent_while_typing_and_with_modifiers(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    section = page.locator("[data-question]").first
    section.get_by_text("Comment (optional)").click()
    section.locator("textarea").focus()
    page.keyboard.type("1 q\nwe")
    page.locator(".question-title").first.click()
    page.keyboard.press("Control+1")

    assert page.locator("input[type=radio]:checked").count() == 0
    until(lambda: Draft.objects.filter(payload__comment="1 q\nwe").exists())


@pytest.mark.slow
def test_the_keys_may_be_switched_off(page: Any, live_server: Any, study: Study) -> None:
    join(page, live_server, study)
    page.locator("summary", has_text="Instructions").click()
    page.get_by_label("Use these keyboard shortcuts").uncheck()
    page.reload()
    arrive(page)
    assert not page.evaluate("document.documentElement.classList.contains('with-keys')")
    page.keyboard.press("1")

    assert page.locator("input[type=radio]:checked").count() == 0


@pytest.mark.slow
def test_enter_goes_to_what_is_missing(page: Any, live_server: Any, study: Study) -> None:
    join(page, live_server, study)
    page.keyboard.press("1")
    page.keyboard.press("Enter")

    message = page.locator("[data-problem]").first
    assert message.inner_text() == "Choose the least similar one."
    focused = page.evaluate("document.activeElement.dataset.role")
    assert focused == "worst"
    assert page.url.endswith("/s/1/")


@pytest.mark.slow
def test_what_was_chosen_is_there_after_a_reload_and_on_another_device(
    page: Any, new_context: Any, live_server: Any, study: Study
) -> None:
    own = join(page, live_server, study)
    page.keyboard.press("3")
    until(Draft.objects.exists)
    page.reload()
    arrive(page)
    assert page.locator("input[type=radio]:checked").count() == 1

    elsewhere = new_context().new_page()
    elsewhere.goto(own)
    arrive(elsewhere)
    assert elsewhere.url.endswith("/s/1/")
    assert elsewhere.locator("input[type=radio]:checked").count() == 1


@pytest.mark.slow
def test_without_a_network_it_says_so_and_sends_once_when_it_is_back(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.keyboard.press("q")
    waiting = page.get_by_text(
        "Not saved yet, but not lost: it will be sent again automatically."
        " Keep this page open, or come back on this device."
    )
    waiting.first.wait_for()
    page.keyboard.press("3")  # the newest choice is what is sent
    assert not Judgment.objects.exists()

    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    until(Judgment.objects.exists)
    page.wait_for_function("() => !document.querySelector('.is-trouble')")

    assert Judgment.objects.count() == 1


@pytest.mark.slow
def test_an_answer_that_was_stored_but_not_acknowledged_is_not_doubled(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    lost = []

    def lose_the_first_answer(route: Any) -> None:
        if "worst=&" not in route.request.post_data and not lost:
            route.fetch()
            lost.append(True)
            route.abort()
        else:
            route.continue_()

    page.route("**/q/*/", lose_the_first_answer)
    page.keyboard.press("1")
    page.keyboard.press("e")
    page.get_by_text("Not saved yet").first.wait_for()
    saved(page, 1)

    assert lost
    assert Judgment.objects.count() == 1


@pytest.mark.slow
def test_a_reload_before_anything_was_sent_restores_and_sends(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    page.route("**/q/*/", lambda route: route.abort())
    page.keyboard.press("1")
    page.keyboard.press("e")
    page.get_by_text("Not saved yet").first.wait_for()
    page.reload()
    arrive(page)
    assert page.locator("input[type=radio]:checked").count() == 2
    assert not Judgment.objects.exists()

    page.unroute("**/q/*/")
    page.reload()
    saved(page, 1)

    assert Judgment.objects.count() == 1
    assert kept(page) == []


@pytest.mark.slow
def test_next_waits_until_everything_is_saved(page: Any, live_server: Any, study: Study) -> None:
    join(page, live_server, study)
    page.route("**/q/*/", lambda route: route.abort())
    for key in ("1", "w", "1", "w", "Enter"):
        page.keyboard.press(key)
    page.get_by_text("The study continues as soon as everything is saved.").wait_for()
    assert page.url.endswith("/s/1/")

    page.unroute("**/q/*/")
    arrive(page, "**/s/2/")

    assert Judgment.objects.current().count() == 2


@pytest.mark.slow
def test_what_the_server_refuses_is_said_and_not_sent_for_ever(
    page: Any, live_server: Any, study: Study
) -> None:
    from annotation.studies.services import studies

    join(page, live_server, study)
    sent = []
    page.on("request", lambda request: sent.append(request.url) if "/q/" in request.url else None)
    studies.finish(study=study)
    stop_the_clock(page)
    page.keyboard.press("1")
    page.get_by_text("This study is finished. Thank you; nothing more is needed.").wait_for()
    page.clock.run_for(300_000)
    # What is asked later is heard of later: had anything been sent before, it would be known.
    with page.expect_response("**/healthz/"):
        page.evaluate("void fetch('/healthz/')")

    assert len(sent) == 1
    assert kept(page) == []


@pytest.mark.slow
def test_nothing_is_kept_or_fetched_in_the_preview(
    page: Any, live_server: Any, study: Study
) -> None:
    from django.http import HttpResponse
    from django.template.loader import render_to_string
    from django.urls import path

    from annotation.answering.queries.screens import preview_screen
    from config import annotator_urls

    def preview(request: Any) -> HttpResponse:
        number = int(request.GET.get("screen", 1))
        return HttpResponse(
            render_to_string("answering/screen.html", preview_screen(study, number))
        )

    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    annotator_urls.urlpatterns.insert(0, path("preview/", preview))
    try:
        page.goto(f"{live_server.url}/preview/")
        arrive(page)
        for key in ("1", "w", "1", "w"):
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        arrive(page, "**/preview/?screen=2")
    finally:
        del annotator_urls.urlpatterns[0]

    assert "POST" not in sent
    assert page.evaluate("Object.keys(localStorage).length") == 0
