"""Pausing and coming back by the link that the browser remembers; pages that explain."""

from typing import Any

import pytest

from annotation.answering.services import rosters
from annotation.models import Annotator, Study
from tests.browser.test_annotating import join
from tests.browser.test_feel import begin
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

BEGUN = "You have been here before"


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


def invitation(page: Any, live_server: Any, study: Study) -> None:
    page.goto(f"{live_server.url}/j/{study.join_token}/")


def test_pausing_says_whether_everything_is_saved(
    page: Any, live_server: Any, study: Study
) -> None:
    begin(page, live_server, study)
    page.locator("summary", has_text="Pause").click()
    state = page.locator("[data-pause-state]")
    page.get_by_text("Everything is saved. You can close this page").wait_for()

    page.context.set_offline(True)
    page.locator("[data-question]").first.get_by_role("radio").first.click()
    page.get_by_text("Not saved yet").first.wait_for()
    assert state.inner_text().startswith("Some answers are still being saved.")

    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.get_by_text("Everything is saved. You can close this page").wait_for()


# -- the invitation opened again ----------------------------------------------------------------


def test_the_invitation_opened_again_offers_to_go_on(
    page: Any, live_server: Any, study: Study
) -> None:
    own = join(page, live_server, study)
    invitation(page, live_server, study)

    assert page.get_by_role("heading", name=BEGUN).is_visible()
    assert not page.get_by_role("button", name="Begin", exact=True).is_visible()
    page.get_by_role("link", name="Go to my page").click()
    page.wait_for_url(f"{own}s/1/")
    assert Annotator.objects.count() == 1


def test_somebody_else_at_the_same_computer_begins_anew(
    page: Any, live_server: Any, study: Study
) -> None:
    first = join(page, live_server, study)
    invitation(page, live_server, study)
    page.get_by_role("button", name="Not you? Start from the beginning").click()
    assert not page.get_by_text(BEGUN).is_visible()
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Begin", exact=True).click()
    page.wait_for_url("**/instructions/")

    assert Annotator.objects.count() == 2
    # Now it is they who are remembered.
    second = page.url.removesuffix("instructions/")
    invitation(page, live_server, study)
    assert page.get_by_role("link", name="Go to my page").get_attribute("href") in second != first


def test_nothing_is_offered_for_another_study_or_in_another_browser(
    page: Any, new_context: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    elsewhere = new_context().new_page()
    invitation(elsewhere, live_server, study)
    invitation(page, live_server, factories.make_open_study())

    for shown in (page, elsewhere):
        assert not shown.get_by_text(BEGUN).is_visible()
        assert shown.get_by_role("button", name="Begin", exact=True).is_visible()


def test_who_withdrew_is_not_remembered(page: Any, live_server: Any, study: Study) -> None:
    own = join(page, live_server, study)
    page.goto(f"{own}withdraw/")
    page.get_by_label("I want to withdraw").check()
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_role("heading", name="You have withdrawn").wait_for()
    invitation(page, live_server, study)

    assert not page.get_by_text(BEGUN).is_visible()
    assert page.evaluate("Object.keys(localStorage)") == []


def test_a_remembered_link_that_was_replaced_says_so_and_is_forgotten(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    rosters.reissue_key(annotator=Annotator.objects.get())
    invitation(page, live_server, study)
    page.get_by_role("link", name="Go to my page").click()
    page.get_by_text("That page no longer exists.").wait_for()
    assert page.get_by_role("button", name="Begin", exact=True).is_visible()

    page.reload()
    assert not page.get_by_text(BEGUN).is_visible()


def test_where_storage_is_forbidden_everything_works_as_before(
    page: Any, live_server: Any, study: Study
) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage',"
        " {get() { throw new DOMException('no', 'SecurityError'); }});"
    )
    begin(page, live_server, study)
    page.keyboard.press("1")
    page.get_by_text("Saved so far. One more choice to make.").wait_for()
    invitation(page, live_server, study)

    assert not page.get_by_text(BEGUN).is_visible()
    assert page.get_by_role("button", name="Begin", exact=True).is_visible()


def test_been_here_before_is_seen_without_scrolling(
    new_context: Any, live_server: Any, study: Study
) -> None:
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    invitation(page, live_server, study)

    box = page.get_by_text("Been here before?").bounding_box()
    assert box["y"] + box["height"] < 370


# -- pages that explain -------------------------------------------------------------------------


def test_the_title_of_an_error_says_that_it_is_one(
    page: Any, live_server: Any, study: Study
) -> None:
    invitation(page, live_server, study)
    assert page.title() == study.title
    page.locator("form.card").evaluate("form => form.submit()")
    page.get_by_text("Tick the box if you agree.").wait_for()
    assert page.title() == f"Error: {study.title}"

    own = join(page, live_server, study)
    page.goto(f"{own}s/99/")
    assert page.title() == f"Error: Please note · {study.title}"
    page.goto(f"{own}s/1/")
    assert page.title() == f"Screen 1 of 3 · {study.title}"
    page.evaluate("document.getElementById('screen').submit()")
    page.get_by_text("Something is still missing").wait_for()
    assert page.title() == f"Error: Screen 1 of 3 · {study.title}"
