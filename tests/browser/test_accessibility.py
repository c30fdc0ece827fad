"""axe on every annotator page in every state, in windows of all sizes and in each language."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from pictures.annotator import SCENES
from pictures.camera import played
from pictures.cast import Cast
from tests.browser.arriving import PATIENCE, arrive, settled
from tests.browser.inspecting import Inspector

pytestmark = pytest.mark.django_db(transaction=True)

GROUPS = sorted({scene.group for scene in SCENES})
BY_NAME = {scene.name: scene for scene in SCENES}

# Each with a language, the longest words in the narrowest windows. To the page, 400 % in a window
# of 1280 x 1024 px is a window a quarter as wide and high, drawn with four times the dots.
WINDOWS: dict[str, tuple[str, dict[str, Any]]] = {
    "1280 light": ("en", {"viewport": {"width": 1280, "height": 900}}),
    "320 dark": (
        "de",
        {
            "viewport": {"width": 320, "height": 640},
            "color_scheme": "dark",
            "has_touch": True,
            "reduced_motion": "reduce",
        },
    ),
    "200 %": ("cs", {"viewport": {"width": 640, "height": 512}, "device_scale_factor": 2}),
    "400 %": ("de", {"viewport": {"width": 320, "height": 256}, "device_scale_factor": 4}),
}
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
)


def shown_in(window: str, group: str) -> list[Any]:
    names = WHEN_ZOOMED if "%" in window else BY_NAME
    return [scene for name in names if (scene := BY_NAME[name]).group == group]


@pytest.fixture
def axe() -> Iterator[Inspector]:
    inspector = Inspector()
    yield inspector
    assert not inspector.found, "\n".join(inspector.found)


def contexts(new_context: Any, options: dict[str, Any]) -> dict[bool, Any]:
    """One with our scripts, and one without them: axe itself needs to run in both."""
    plain = new_context(**options)
    plain.route("**/*.js", lambda route: route.abort())
    return {True: new_context(**options), False: plain}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("window", WINDOWS)
def test_axe_finds_nothing_on_any_page_in_any_state(
    new_context: Any, live_server: Any, axe: Inspector, window: str, group: str
) -> None:
    language, options = WINDOWS[window]
    cast = Cast(live_server.url, language)
    by_scripts = contexts(new_context, options)
    for scene in shown_in(window, group):
        with played(by_scripts[scene.has_scripts], scene, cast) as (page, heard):
            axe.look(page, scene.name)
            if heard.status != scene.status:
                axe.found.append(f"{scene.name}: answered {heard.status}")


@pytest.mark.parametrize("window", WINDOWS)
def test_whatever_has_the_focus_is_seen_and_is_seen_to_have_it(
    new_context: Any, live_server: Any, axe: Inspector, window: str
) -> None:
    language, options = WINDOWS[window]
    cast = Cast(live_server.url, language)
    context = new_context(**options)
    for name in WITH_CONTROLS:
        with played(context, BY_NAME[name], cast) as (page, _):
            settled(page)
            axe.look_at_focus(page, name)


def test_each_page_has_a_title_of_its_own(new_context: Any, live_server: Any) -> None:
    cast = Cast(live_server.url, "en")
    context = new_context()
    titles: dict[str, set[str]] = defaultdict(set)
    pages = {
        "home": "home",
        "not-found": "not found",
        "our-mistake": "our mistake",
        "join-full": "problem",
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
    }
    for name, kind in pages.items():
        with played(context, BY_NAME[name], cast) as (page, _):
            titles[page.title()].add(kind)

    assert [kinds for kinds in titles.values() if len(kinds) > 1] == []


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
