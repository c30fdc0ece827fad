"""How it feels to answer for an hour: folding, the target in view, small windows, thumbs."""

import re
from typing import Any

import pytest

from annotation.models import Draft, Judgment, Study
from tests.browser.arriving import saved
from tests.browser.test_annotating import join
from tests.browser.test_annotating_trials import chosen
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


@pytest.fixture
def long_study() -> Study:
    return factories.make_open_study(
        dialogues=4, turns=(9,), parameters={"screens_per_booklet": 3, "strata": []}
    )


def begin(page: Any, live_server: Any, study: Study) -> str:
    """At the first screen, its script ready for keys; returns the personal address."""
    own = join(page, live_server, study)
    ready(page)
    return own


def ready(page: Any) -> None:
    page.wait_for_selector("html[data-ready]")


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


# -- a choice answers at once -------------------------------------------------------------------


def test_a_choice_is_painted_before_the_network_has_answered(
    page: Any, live_server: Any, study: Study
) -> None:
    begin(page, live_server, study)
    page.route("**/q/*/", lambda route: None)  # never answered
    option = page.locator(".option").nth(1)
    before = option.evaluate("e => getComputedStyle(e).borderTopColor")

    option.locator(".pick").first.click()

    assert chosen(page, 0) == [1]
    page.wait_for_function(
        "before => getComputedStyle(document.querySelectorAll('.option')[1]).borderTopColor"
        " !== before",
        arg=before,
    )
    assert not Draft.objects.exists()


def test_nothing_moves_while_a_screen_arrives(
    page: Any, live_server: Any, long_study: Study
) -> None:
    page.add_init_script(
        "window.moved = 0; new PerformanceObserver(list => {"
        " for (const entry of list.getEntries()) window.moved += entry.value;"
        "}).observe({type: 'layout-shift', buffered: true});"
    )
    own = begin(page, live_server, long_study)
    page.locator("[data-earlier] summary").first.click()
    page.goto(f"{own}s/2/")
    ready(page)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert page.locator("[data-earlier]").first.evaluate("e => e.open")
    assert page.evaluate("window.moved") == 0


def test_the_place_on_the_page_holds_through_a_reload_and_the_back_button(
    new_context: Any, live_server: Any, long_study: Study
) -> None:
    page = new_context(**PHONE).new_page()
    own = begin(page, live_server, long_study)
    page.locator("[data-earlier] summary").first.click()
    page.evaluate("scrollTo(0, 900)")
    page.reload()
    page.wait_for_function("() => Math.abs(scrollY - 900) < 2")

    page.goto(f"{own}overview/")
    page.go_back()
    page.wait_for_function("() => Math.abs(scrollY - 900) < 2")


# -- long dialogues -----------------------------------------------------------------------------


def test_a_long_dialogue_shows_its_last_turns_and_the_rest_on_demand(
    page: Any, live_server: Any, long_study: Study
) -> None:
    own = begin(page, live_server, long_study)
    question = page.locator("[data-question]").first
    fold = question.locator("summary", has_text="Show the 5 earlier turns")

    assert question.locator(".turn:visible").count() == 4
    assert question.locator(".turn-target").is_visible()
    fold.click()
    assert question.locator(".turn:visible").count() == 9

    # From now on, on every screen, until it is folded again.
    page.goto(f"{own}s/2/")
    assert page.locator(".turn:visible").count() == 18
    page.locator("summary", has_text="Hide the 5 earlier turns").first.click()
    page.reload()
    assert page.locator(".turn:visible").count() == 8


def test_a_long_dialogue_unfolds_without_javascript(
    new_context: Any, live_server: Any, long_study: Study
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    join(page, live_server, long_study, has_scripts=False)
    page.locator("summary", has_text="earlier turns").first.click()

    assert page.locator("[data-question]").first.locator(".turn:visible").count() == 9


def test_a_dialogue_of_six_turns_is_not_folded(page: Any, live_server: Any) -> None:
    study = factories.make_open_study(dialogues=2, turns=(6,), parameters={"strata": []})
    begin(page, live_server, study)

    assert page.locator("[data-earlier]").count() == 0
    assert page.locator("[data-question]").first.locator(".turn:visible").count() == 6


# -- the target in view -------------------------------------------------------------------------


def scroll_past_the_target(page: Any) -> Any:
    """To the last option of the first question; returns the copy of the target."""
    question = page.locator("[data-question]").first
    question.locator(".option").last.evaluate(
        "e => scrollTo({top: e.getBoundingClientRect().top + scrollY - innerHeight / 3})"
    )
    return question.locator(".reminder-box")


@pytest.fixture
def wordy_study(long_study: Study) -> Study:
    from annotation.models import Item, Turn

    targets = Item.objects.values("target_turn")
    Turn.objects.filter(pk__in=targets).update(text="A long target, said once more. " * 15)
    Item.objects.update(candidate_text="A candidate with much to say. " * 9)
    return long_study


def test_the_target_stays_in_view_while_options_are_scrolled_on_a_phone(
    new_context: Any, live_server: Any, wordy_study: Study
) -> None:
    page = new_context(**PHONE).new_page()
    begin(page, live_server, wordy_study)
    reminder = page.locator(".reminder-box").first
    assert not reminder.is_visible()
    height = page.evaluate("document.documentElement.scrollHeight")

    scroll_past_the_target(page)
    reminder.wait_for()

    box = reminder.bounding_box()
    assert -1 <= box["y"] <= 1
    assert box["height"] <= 740 * 0.28
    assert page.evaluate("document.documentElement.scrollHeight") == height
    # Whoever hears the page has the target itself.
    assert reminder.locator(".reminder-text").get_attribute("aria-hidden") == "true"

    more = reminder.get_by_role("button", name="Show the whole text")
    assert more.get_attribute("aria-expanded") == "false"
    more.tap()
    assert reminder.bounding_box()["height"] > box["height"]
    assert reminder.bounding_box()["height"] <= 740 * 0.6
    reminder.get_by_role("button", name="Show less text").tap()
    assert reminder.bounding_box()["height"] == box["height"]


def test_what_gets_the_focus_comes_out_from_under_the_target(
    new_context: Any, live_server: Any, wordy_study: Study
) -> None:
    page = new_context(**PHONE).new_page()
    begin(page, live_server, wordy_study)
    scroll_past_the_target(page).wait_for()
    radio = page.locator("[data-question]").first.get_by_role("radio").nth(2)
    radio.evaluate("e => scrollTo(0, e.getBoundingClientRect().top + scrollY - 10)")
    at = "e => { const r = e.getBoundingClientRect();" + (
        " return document.elementFromPoint(r.left + 20, r.top + 10) === e; }"
    )
    assert not radio.evaluate(at)

    radio.focus()

    page.wait_for_function(
        "() => { const e = document.activeElement, r = e.getBoundingClientRect();"
        " return document.elementFromPoint(r.left + 20, r.top + 10) === e; }"
    )


@pytest.mark.parametrize("size", [(360, 740), (1280, 700), (320, 568), (320, 256)])
def test_nothing_that_has_the_focus_is_covered(
    new_context: Any, live_server: Any, wordy_study: Study, size: tuple[int, int]
) -> None:
    page = new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    begin(page, live_server, wordy_study)
    covered = []
    page.locator("summary", has_text="earlier turns").first.focus()
    for key in ["Tab"] * 12 + ["Shift+Tab"] * 12:
        page.keyboard.press(key)
        found = page.evaluate(
            """async () => {
              await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
              const e = document.activeElement, r = e.getBoundingClientRect();
              if (e === document.body) return "";
              const x = r.left + r.width / 2;
              const seen = [0.1, 0.5, 0.9].filter(share => {
                const top = document.elementFromPoint(x, r.top + share * r.height);
                return top && (e.contains(top) || top.contains(e));
              });
              return seen.length ? "" : `${key_of(e)} ${Math.round(r.top)}`;
              function key_of(e) { return e.className || e.name || e.tagName; }
            }"""
        )
        if found:
            covered.append(found)

    assert covered == []


def test_in_a_low_window_bar_and_target_give_way(
    new_context: Any, live_server: Any, wordy_study: Study
) -> None:
    # To the page, 400 % on a desk is a window of 320 by 256.
    page = new_context(viewport={"width": 320, "height": 256}).new_page()
    begin(page, live_server, wordy_study)
    reminder = scroll_past_the_target(page)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert not reminder.is_visible()
    assert page.locator(".bar").evaluate("e => getComputedStyle(e).position") == "static"


@pytest.mark.parametrize("width", [320, 1280])
def test_wider_spacing_of_the_text_cuts_nothing_off(
    new_context: Any, live_server: Any, long_study: Study, width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 640}).new_page()
    begin(page, live_server, long_study)
    # The values of WCAG 1.4.12, set as a reader's own style sheet would.
    page.evaluate(
        "() => { const sheet = new CSSStyleSheet(); sheet.replaceSync("
        "'* { line-height: 1.5 !important; letter-spacing: 0.12em !important;"
        " word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }');"
        " document.adoptedStyleSheets = [sheet]; }"
    )
    cut = page.evaluate(
        "[...document.querySelectorAll('.face, .button, summary, .turn, .option, .bar-inner')]"
        ".filter(e => e.checkVisibility() && !e.closest('.reminder'))"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className)"
    )

    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# -- what a screen reader is told ---------------------------------------------------------------


def test_the_accessibility_tree_names_every_group_and_says_nothing_twice(
    page: Any, live_server: Any, study: Study
) -> None:
    begin(page, live_server, study)
    tree = page.locator("body").aria_snapshot()

    for number in (1, 2):
        assert f'group "Dialogue {number} of 2 Which' in tree
    assert "text: Most similar" not in tree
    assert re.search(r'- radio "Most similar Candidate \d', tree)
    # Nothing is announced before anything happened.
    assert [line for line in tree.splitlines() if "status:" in line] == []


def test_one_choice_of_two_is_seen_but_not_announced(
    page: Any, live_server: Any, study: Study
) -> None:
    begin(page, live_server, study)
    state = page.locator("[data-state]").first
    press(page, "1")
    page.get_by_text("Saved so far. One more choice to make.").wait_for()
    assert state.get_attribute("aria-live") == "off"
    press(page, "w")
    saved(page, 1)

    assert state.get_attribute("aria-live") == "polite"


# -- with a thumb -------------------------------------------------------------------------------


def test_a_booklet_with_taps_alone_on_a_phone(
    new_context: Any, live_server: Any, study: Study
) -> None:
    page = new_context(**PHONE).new_page()
    begin(page, live_server, study)
    for screen in (1, 2, 3):
        page.wait_for_url(f"**/s/{screen}/")
        ready(page)
        for question in page.locator("[data-question]").all():
            question.locator(".pick-best").nth(0).tap()
            question.locator(".pick-worst").nth(1).tap()
        page.get_by_role("button", name="Finish" if screen == 3 else "Next").tap()
    page.wait_for_url("**/overview/")

    assert Judgment.objects.current().count() == 6
    assert not Draft.objects.exists()


def test_the_buttons_of_the_bar_fit_at_320_pixels(
    new_context: Any, live_server: Any, study: Study
) -> None:
    page = new_context(viewport={"width": 320, "height": 640}).new_page()
    own = begin(page, live_server, study)
    page.goto(f"{own}s/2/")
    ready(page)
    tops = {b.bounding_box()["y"] for b in page.locator(".bar .button").all()}

    assert page.locator(".bar .button:visible").count() == 3
    assert len(tops) == 1
    assert page.locator(".bar").bounding_box()["height"] <= 640 / 6
