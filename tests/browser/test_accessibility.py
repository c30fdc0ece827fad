"""axe on every annotator page in every state, in windows of all sizes."""

from collections import defaultdict
from typing import Any

import pytest

from tests.browser.arriving import PATIENCE, arrive
from tests.browser.inspecting import WINDOWS, ZOOMED, Inspector
from tests.pictures.annotator import SCENES
from tests.pictures.camera import played
from tests.pictures.cast import Cast

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

GROUPS = sorted({scene.group for scene in SCENES})
BY_NAME = {scene.name: scene for scene in SCENES}

# Where letters are large, what differs is where things stand: these have all kinds of things.
WHEN_ZOOMED = (
    "our-mistake",
    "consent-been-here",
    "consent-not-given",
    "return-wrong-code",
    "instructions-wrong",
    "screen-saved",
    "screen-missing",
    "screen-offline",
    "screen-pause-panel",
    "screen-right-to-left",
    "plain-missing",
    "overview-open",
    "thanks",
    "withdraw-unconfirmed",
    "consent-anew-before",
    "consent-stop",
    "questionnaire-missing",
    "data",
)
# Pages with controls that the focus goes through.
WITH_CONTROLS = (
    "consent-been-here",
    "instructions-wrong",
    "screen-empty",
    "screen-pause-panel",
    "screen-items",
    "overview-open",
    "withdraw-unconfirmed",
    "consent-anew-before",
    "consent-stop",
    "questionnaire",
    "consent-data",
)


@pytest.mark.parametrize("group", GROUPS)
def test_axe_finds_nothing_on_any_page_in_any_state(
    new_context: Any, live_server: Any, group: str
) -> None:
    """Some are looked at with large letters, too, and some are gone through by the keyboard.

    To come to a page takes longer than to look at it, so all of that is done in one visit.
    """
    # The longest words.
    cast = Cast(live_server.url, "de")
    # One with our scripts, and one without them: axe itself needs to run in both.
    plain = new_context()
    plain.route("**/*.js", lambda route: route.abort())
    by_scripts = {True: new_context(), False: plain}
    for context in by_scripts.values():
        # What the browser has compiled for one page it has for the next, while one is open.
        context.new_page().goto(cast.url("home"))
    usual, zoomed = Inspector(*WINDOWS), Inspector(*WINDOWS, *ZOOMED)
    for scene in [scene for scene in SCENES if scene.group == group]:
        axe = zoomed if scene.name in WHEN_ZOOMED else usual
        with played(by_scripts[scene.has_scripts], scene, cast) as (page, heard):
            axe.look(page, scene.name)
            if scene.name in WITH_CONTROLS:
                zoomed.look_at_focus(page, scene.name)
            if heard.status != scene.status:
                axe.found.append(f"{scene.name}: answered {heard.status}")
    found = usual.found + zoomed.found
    assert not found, "\n".join(found)


def test_every_inspected_scene_is_there() -> None:
    assert BY_NAME.keys() >= {*WHEN_ZOOMED, *WITH_CONTROLS}


def test_each_page_has_a_title_of_its_own(new_context: Any, live_server: Any) -> None:
    cast = Cast(live_server.url, "cs")
    context = new_context()
    titles: dict[str, set[str]] = defaultdict(set)
    languages = set()
    pages = {
        "home": "home",
        "not-found": "not found",
        "our-mistake": "our mistake",
        "join-full": "consent",
        "return-too-many": "problem",
        "consent": "consent",
        "return": "return",
        "instructions": "instructions",
        "screen-empty": "first screen",
        "screen-last": "last screen",
        "overview-open": "overview",
        "thanks": "thanks",
        "finished": "finished",
        "withdraw": "withdraw",
        "withdrawn": "withdrawn",
        "consent-anew": "consent anew",
        "consent-stop": "stop",
        "consent-stopped": "stopped",
        "data": "data",
    }
    for name, kind in pages.items():
        with played(context, BY_NAME[name], cast) as (page, _):
            titles[page.title()].add(kind)
            languages.add(page.evaluate("document.documentElement.lang"))

    assert [kinds for kinds in titles.values() if len(kinds) > 1] == []
    # Pages of no study speak the browser's language.
    assert languages == {"cs", "en"}


def test_a_screen_reader_is_told_what_each_choice_is_for(page: Any, live_server: Any) -> None:
    cast = Cast(live_server.url, "en")
    page.goto(cast.url("screen", cast.beginner(), 1))
    arrive(page)

    study = cast.study()
    for section in page.locator("[data-question]").all():
        heading = section.get_by_role("heading", level=2).inner_text()
        assert section.get_attribute("aria-labelledby")
        assert page.get_by_role("region", name=heading).or_(section).count()
        # The group is named by its two questions, each choice by its role and its text.
        group = section.get_by_role("group", name=study.most_question)
        assert group.count() == 1
        assert group.and_(page.get_by_role("group", name=study.least_question)).count() == 1
        texts = section.locator(".option-text").all_inner_texts()
        for role in ("Most similar", "Least similar"):
            for text in texts:
                name = f"{role} {' '.join(text.split())}"
                choice = group.get_by_role("radio", name=name, exact=True)
                assert choice.count() == 1, name


def test_what_changes_is_announced(page: Any, live_server: Any) -> None:
    cast = Cast(live_server.url, "en")
    page.goto(cast.url("screen", cast.beginner(), 1))
    arrive(page)
    page.set_default_timeout(PATIENCE * 1000)

    # The regions are there before anything is said: one that comes with its words is not heard.
    section = page.locator("[data-question]").first
    state = section.get_by_role("status")
    bar = page.locator(".bar").get_by_role("status")
    assert (state.inner_text(), bar.inner_text()) == ("", "")
    section.locator("[data-role=best]").first.click()
    page.wait_for_function("e => e.textContent", arg=state.element_handle())
    section.locator("[data-role=worst]").first.click()
    page.wait_for_function("e => e.textContent", arg=bar.element_handle())
