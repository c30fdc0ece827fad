"""A foreign word at the beginning of a text does not turn the whole text around."""

from typing import Any

import pytest

from annotation.models import Item, Study, Turn
from tests.browser.booklets import Booklet
from tests.browser.test_label import Labeller
from tests.browser.test_rating import Rater
from tests.browser.test_researcher import Desk
from tests.browser.test_selection import Selector, pick
from tests.support import factories, labelling, rating, selecting
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MOSTLY_LATIN = "سلام heißt auf Deutsch so viel wie Frieden."
MOSTLY_ARABIC = "WLAN غير متاح في هذه الغرفة اليوم."


def directions(page: Any, text: str) -> set[str]:
    """The directions in which a page writes a text; of what is shown, the innermost elements."""
    return set(
        page.evaluate(
            "text => [...document.querySelectorAll('main *')]"
            ".filter(e => e.textContent.trim() === text && !e.closest('template, select'))"
            ".filter(e => ![...e.children].some(child => child.textContent.trim() === text))"
            ".map(e => getComputedStyle(e).direction)",
            text,
        )
    )


def assert_written(page: Any, *, latin: str = MOSTLY_LATIN, arabic: str = MOSTLY_ARABIC) -> None:
    assert directions(page, latin) == {"ltr"}
    assert directions(page, arabic) == {"rtl"}


def with_mixed_texts(study: Study) -> Study:
    """Every second turn and candidate is of each sort."""
    for n, turn in enumerate(Turn.objects.filter(context__study=study).order_by("pk")):
        turn.text = (MOSTLY_LATIN, MOSTLY_ARABIC)[n % 2]
        turn.save()
    for n, item in enumerate(Item.objects.filter(study=study, candidate_turn=None)):
        item.candidate_text = (MOSTLY_LATIN, MOSTLY_ARABIC)[n % 2]
        item.save()
    return study


def test_turns_and_candidates_of_a_dialogue(page: Any, live_server: Any) -> None:
    study = with_mixed_texts(factories.make_open_study(dialogues=2, language="de"))
    Booklet.of(live_server, study).open(page)

    assert_written(page)
    assert set(page.locator(".option .text").evaluate_all("all => all.map(e => e.dir)")) == {
        "ltr",
        "rtl",
    }


def test_pairs_in_their_contexts(page: Any, live_server: Any) -> None:
    study = rating.make_rating_study(phases=rating.IN_CONTEXT, pairs=1)
    Rater(live_server, with_mixed_texts(study)).open(page)

    assert_written(page)
    # A sentence between others is a whole of its own: its full stop stands at its own end.
    isolated = page.locator(".sentences bdi").first
    assert isolated.evaluate("e => getComputedStyle(e).unicodeBidi") == "isolate"


def test_pairs_without_context_and_words_of_categories(page: Any, live_server: Any) -> None:
    study = labelling.make_label_study(
        pairs=1, names=(MOSTLY_LATIN, MOSTLY_ARABIC), explanations={}, sentences=1
    )
    Labeller(live_server, with_mixed_texts(study)).open(page)

    assert_written(page)


def test_a_sentence_that_is_chosen_keeps_its_direction_at_the_scale(
    page: Any, live_server: Any
) -> None:
    study = with_mixed_texts(selecting.make_selection_study())
    Selector(live_server, study).open(page)
    for place, role in enumerate(("similar", "middle")):
        pick(page, role, place)

    chosen = page.locator("[data-role-sentence]")
    for place in range(2):
        text = chosen.nth(place).inner_text()
        expected = {MOSTLY_LATIN: "ltr", MOSTLY_ARABIC: "rtl"}[text]
        assert chosen.nth(place).evaluate("e => getComputedStyle(e).direction") == expected
    # What stands there before a choice is ours, in the language of the page.
    assert chosen.nth(2).evaluate("e => getComputedStyle(e).direction") == "ltr"


def test_what_researchers_see_of_items(browser: Any, live_server: Any) -> None:
    study = with_mixed_texts(factories.make_study(dialogues=2))
    with Desk(browser, live_server.url, study.owner) as desk:
        desk.page.goto(url(study, "items"))

        assert_written(desk.page)
