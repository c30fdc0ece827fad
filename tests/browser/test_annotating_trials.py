"""What people ran into who tried to annotate: each of it in a real browser."""

import re
from typing import Any

import pytest

from annotation.models import Draft, Judgment, Study
from tests.browser.arriving import (
    arrive,
    no_timers,
    painted,
    saved,
    settled,
    stop_the_clock,
    until,
)
from tests.browser.booklets import kept
from tests.browser.test_annotating import join
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

OFFLINE = "You are offline. The study continues as soon as everything is saved."


@pytest.fixture
def study() -> Study:
    return factories.make_open_study(dialogues=4, parameters={"screens_per_booklet": 3})


def chosen(page: Any, number: int) -> list[int]:
    """The places chosen in a question, as most similar and as least."""
    return page.evaluate(
        "n => [...document.querySelectorAll('[data-question]')[n].querySelectorAll('.option')]"
        ".flatMap((o, i) => [...o.querySelectorAll(':checked')].map(r => [r.dataset.role, i]))"
        ".sort().map(pair => pair[1])",
        number,
    )


def comment(page: Any) -> Any:
    page.locator("summary", has_text="Comment").first.click()
    return page.locator("textarea").first


# -- keys answer what is on the screen ---------------------------------------------------------


@pytest.fixture
def low_page(new_context: Any) -> Any:
    return new_context(viewport={"width": 1280, "height": 460}).new_page()


def begin(page: Any, live_server: Any, study: Study) -> None:
    join(page, live_server, study)
    page.evaluate("document.querySelector('fieldset').scrollIntoView({block: 'nearest'})")


@pytest.mark.parametrize("way", ["Home", "wheel"])
def test_a_key_answers_the_question_in_view(
    low_page: Any, live_server: Any, study: Study, way: str
) -> None:
    page = low_page
    begin(page, live_server, study)
    first = page.locator(".option").first
    page.keyboard.press("1")
    page.keyboard.press("w")
    page.locator(".question").nth(1).and_(page.locator(".is-current")).wait_for()
    settled(page)
    if way == "Home":
        page.keyboard.press("Home")
    else:
        page.mouse.move(600, 200)
        page.mouse.wheel(0, -5000)
    page.wait_for_function("() => scrollY === 0")
    first.evaluate("option => option.parentElement.scrollIntoView({block: 'nearest'})")
    page.keyboard.press("3")

    assert chosen(page, 0) == [2, 1]
    assert chosen(page, 1) == []
    assert "is-current" in page.locator("[data-question]").first.get_attribute("class")


def test_a_key_pressed_with_no_options_in_view_brings_them_there(
    low_page: Any, live_server: Any, study: Study
) -> None:
    page = low_page
    join(page, live_server, study)
    # A dialogue so long that its options stand below the window.
    page.evaluate("document.querySelector('.target-box, .dialogue').style.minHeight = '900px'")
    page.keyboard.press("2")

    assert chosen(page, 0) == [1]
    assert (
        page.locator(".option")
        .nth(1)
        .evaluate("option => option.getBoundingClientRect().bottom <= innerHeight")
    )


def test_keys_pressed_while_the_page_rolls_on_belong_to_the_next_question(
    low_page: Any, live_server: Any, study: Study
) -> None:
    page = low_page
    begin(page, live_server, study)
    # However slowly the keys follow one another here, to the page it is one moment.
    page.evaluate("{ const now = performance.now(); performance.now = () => now; }")
    for key in ("1", "w", "3", "q"):
        page.keyboard.press(key)

    assert (chosen(page, 0), chosen(page, 1)) == ([0, 1], [2, 0])


# -- comments ----------------------------------------------------------------------------------


def test_a_comment_survives_a_reload_right_after_the_last_letter(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    page.keyboard.press("1")
    page.keyboard.press("w")
    saved(page, 1)
    comment(page).type("hard to say")
    assert page.locator("[data-state]").first.inner_text() == ""
    page.reload()
    arrive(page)

    assert page.locator("textarea").first.input_value() == "hard to say"
    until(lambda: Judgment.objects.current().filter(comment="hard to say").exists())
    saved(page, 1)
    until(lambda: kept(page) == [])


def test_a_comment_is_kept_where_nothing_can_be_sent(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    page.context.set_offline(True)
    comment(page).type("no net")

    read = "name => JSON.parse(localStorage.getItem(name)).answer.comment"
    assert [page.evaluate(read, name) for name in kept(page)] == ["no net"]


@pytest.mark.parametrize("event", ["pagehide", "visibilitychange"])
def test_a_comment_is_sent_when_the_page_goes_away(
    page: Any, live_server: Any, study: Study, event: str
) -> None:
    join(page, live_server, study)
    no_timers(page)  # after a pause it would be sent anyway
    comment(page).type("bye")
    page.evaluate(
        "name => {"
        " Object.defineProperty(document, 'visibilityState', {value: 'hidden'});"
        " (name === 'pagehide' ? window : document).dispatchEvent(new Event(name));"
        "}",
        event,
    )
    until(lambda: Draft.objects.filter(payload__comment="bye").exists())


def test_steady_typing_is_sent_after_ten_seconds(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    area = comment(page)
    stop_the_clock(page)
    sent: list[str] = []
    page.on("request", lambda r: sent.append(r.url) if "/q/" in r.url else None)
    for _ in range(9):
        area.type("a")
        page.clock.run_for(1_000)
    assert not sent
    for _ in range(2):
        area.type("a")
        page.clock.run_for(1_000)
    until(lambda: len(sent) == 1)


def test_a_comment_alone_is_not_called_one_choice_short(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    comment(page).type("hm")
    page.get_by_text("Comment saved. Please make both choices.").wait_for()
    page.locator("input[type=radio]").first.click()
    page.get_by_text("Saved so far. One more choice to make.").wait_for()


# -- going on, taking back ---------------------------------------------------------------------


def test_next_without_a_connection_says_so_at_once_and_tries_at_once(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    # Neither by itself after a while, nor because the browser says that the network is back.
    no_timers(page)
    page.evaluate("addEventListener('online', e => e.stopImmediatePropagation(), true)")
    page.context.set_offline(True)
    for key in ("1", "w", "1", "w"):
        page.keyboard.press(key)
    page.get_by_text("Not saved yet").nth(1).wait_for()
    page.keyboard.press("Enter")
    assert page.locator("[data-bar-state]").inner_text() == OFFLINE

    page.context.set_offline(False)
    page.keyboard.press("Enter")
    arrive(page, "**/s/2/")


def test_the_space_bar_takes_back_and_chooses(page: Any, live_server: Any, study: Study) -> None:
    join(page, live_server, study)
    page.locator("input[data-role=worst]").nth(1).focus()
    for expected in ([1], [], [1]):
        page.keyboard.press("Space")
        assert chosen(page, 0) == expected


def test_it_is_said_when_one_choice_takes_the_item_of_the_other(
    page: Any, live_server: Any, study: Study
) -> None:
    join(page, live_server, study)
    said = page.locator("[data-bar-state]")
    page.keyboard.press("1")
    page.keyboard.press("q")
    assert said.inner_text() == "Please choose “Most similar” again."
    page.keyboard.press("1")
    assert said.inner_text() == "Please choose “Least similar” again."
    page.keyboard.press("w")
    assert "taken back" not in said.inner_text()


# -- large letters, colours of one's own, what is heard ----------------------------------------


@pytest.mark.parametrize("is_zoomed", [True, False], ids=["zoom", "letters only"])
def test_with_large_letters_the_bar_joins_the_page(
    new_context: Any, live_server: Any, study: Study, is_zoomed: bool
) -> None:
    # To the page, 200 % on a phone is a window half as wide and high.
    size = {"width": 160, "height": 284} if is_zoomed else {"width": 320, "height": 568}
    page = new_context(viewport=size).new_page()
    own = join(page, live_server, study)
    page.goto(f"{own}s/2/")
    arrive(page)
    if not is_zoomed:
        page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.wait_for_function(
        "() => getComputedStyle(document.querySelector('.bar')).position === 'static'"
    )
    for button in page.locator(".bar .button").all():
        lines = button.evaluate(
            "b => { const range = document.createRange(); range.selectNodeContents(b.firstChild);"
            " return range.getClientRects().length; }"
        )
        assert lines == 1
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]


def test_the_bar_stays_in_view_where_there_is_room(
    new_context: Any, live_server: Any, study: Study
) -> None:
    page = new_context(viewport={"width": 320, "height": 568}).new_page()
    join(page, live_server, study)
    painted(page)
    bar = page.locator(".bar")
    assert bar.evaluate("e => getComputedStyle(e).position") == "fixed"


def test_marks_and_bars_are_there_in_forced_colours(
    new_context: Any, live_server: Any, study: Study
) -> None:
    page = new_context(forced_colors="active").new_page()
    join(page, live_server, study)
    colours = page.evaluate(
        """() => {
          const style = (s, pseudo) => getComputedStyle(document.querySelector(s), pseudo);
          return {
            paper: style("body").backgroundColor,
            mark: style(".prompt-best .mark", "::before").backgroundColor,
            pick: style(".pick-worst .mark", "::before").backgroundColor,
            border: style("progress").borderTopWidth,
            edges: [...document.querySelectorAll(".question")]
              .map(q => getComputedStyle(q).borderInlineStartColor),
          };
        }"""
    )
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert (colours["mark"], colours["pick"]) == (ink, ink)
    assert colours["border"] == "1px"
    current, other = colours["edges"]
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert other == paper
    assert current != other


def test_copying_the_link_is_announced(page: Any, live_server: Any, study: Study) -> None:
    join(page, live_server, study)
    page.locator("summary", has_text="Pause").click()
    page.get_by_role("button", name="Copy").click()
    status = page.locator(".copy").get_by_role("status")
    page.wait_for_function(
        "() => document.querySelector('.copy [role=status]').textContent === 'Copied'"
    )
    assert re.fullmatch("Copied", status.inner_text())
