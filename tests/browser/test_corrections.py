"""Adjudicating and relabelling in a real browser: with the keyboard alone, and with axe."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page

from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import relabellings
from annotation.models import Adjudication
from annotation.results.services import adjudications
from tests.browser.inspecting import WINDOWS, Inspector
from tests.browser.test_researcher import Desk
from tests.support.factories import make_user
from tests.support.rated_studies import DEPENDENT, FREE, Rated, add_context, make_rated
from tests.support.researcher_pages import url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def axe() -> Iterator[Inspector]:
    inspector = Inspector(*WINDOWS)
    yield inspector
    assert not inspector.found, "\n".join(inspector.found)


def disputed(user: User) -> Rated:
    """Three pairs that people rated otherwise, one of them within a document."""
    rated = make_rated(("a", "b", "c"), conditions=(FREE, DEPENDENT))
    rated.study.owner = user
    turns = add_context(rated.study, "report", [f"Sentence {n}." for n in range(1, 15)])
    item = rated.items["a"]
    item.candidate_text, item.candidate_turn = None, turns[7]
    item.save()
    rated.study.save()
    rated.answer({"a": 0, "b": 1, "c": 3}, {"a": 2, "b": 2, "c": 3})
    rated.answer({"a": 6, "b": 4, "c": 3}, {"a": 2, "b": 4, "c": 3})
    return rated


def decide(rated: Rated, key: str) -> Adjudication:
    return adjudications.adjudicate(
        study=rated.study,
        item=rated.items[key],
        phase=rated.phases[0],
        rating=Decimal(3),
        reason="The second text is about another day.",
        by=rated.study.owner,
    )


def test_axe_finds_nothing(browser: Browser, live_server: Any, axe: Inspector) -> None:
    user = make_user("grace")
    rated = disputed(user)
    study = rated.study
    adjudications.lift(adjudication=decide(rated, "c"))
    decide(rated, "c")
    wanted = [RequestedChange("report", "domain", "news"), RequestedChange("a", "note", "x")]
    relabellings.relabel(study=study, wanted=wanted, reason="As agreed.", by=user)
    addresses = {
        "adjudications": url(study, "adjudications"),
        "decisions": f"{url(study, 'adjudications')}?show=decisions",
        "adjudicate": url(study, "adjudicate", rated.items["a"].pk, 2),
        "decided": url(study, "adjudicate", rated.items["c"].pk, 1),
        "items": url(study, "result_items"),
        "relabel": url(study, "relabel"),
    }
    with Desk(browser, live_server.url, user) as desk:
        page = desk.page
        for name, address in addresses.items():
            page.goto(address)
            axe.look(page, name)
        page.goto(addresses["adjudicate"])
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("alert").wait_for()
        axe.look(page, "adjudicate, wrong")
        page.goto(addresses["relabel"])
        page.get_by_label("Field").fill("domain")
        page.get_by_label("Ids, one per line").fill("report")
        page.get_by_label("New value").fill("sport")
        page.get_by_label("Reason").fill("As agreed.")
        page.get_by_role("button", name="Preview the changes").click()
        page.get_by_role("button", name="Apply the changes").wait_for()
        axe.look(page, "relabel, looked at")


@pytest.mark.slow
def test_an_expert_goes_from_item_to_item_with_the_keyboard_alone(
    browser: Browser, live_server: Any
) -> None:
    user = make_user("grace")
    rated = disputed(user)

    with Desk(browser, live_server.url, user) as desk:
        page = desk.page
        page.goto(url(rated.study, "adjudications"))
        tab_to(page, "Start adjudicating")
        page.keyboard.press("Enter")
        for key, presses in (("a", 2), ("b", 5)):
            page.get_by_role("heading", name=key, exact=True).wait_for()
            tab_to(page, "", name="value")
            for _press in range(presses):
                page.keyboard.press("ArrowDown")
            tab_to(page, "", name="reason")
            page.keyboard.type(f"the reason of {key}")
            tab_to(page, "Save and go to the next item")
            page.keyboard.press("Enter")
        page.get_by_role("heading", name="c", exact=True).wait_for()

    said = Adjudication.objects.order_by("pk").values_list("item__key", "rating", "reason")
    assert list(said) == [
        ("a", 2, "the reason of a"),
        ("b", 5, "the reason of b"),
    ]


def tab_to(page: Page, text: str, *, name: str = "") -> None:
    """Tab until what has the focus says the text, or is the field of this name."""
    for _ in range(80):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "[document.activeElement.textContent.trim(), document.activeElement.name || '']"
        )
        if found[1] == name if name else found[0] == text:
            return
    raise AssertionError(f"no focus ever came to {text or name}")
