"""A researcher has experts check a finished study, in a real browser; axe looks at every page."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser

from annotation.baselines.queries.measures import Measure
from annotation.core.services import workers
from annotation.models import Study
from annotation.reviews import services as reviews
from tests.browser.inspecting import WINDOWS, Inspector
from tests.browser.test_researcher import Desk
from tests.support.factories import make_user
from tests.support.researcher_pages import url
from tests.support.reviewing import (
    label_all,
    open_review,
    review_of,
    scored_dialogues,
    scored_ratings,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def user() -> User:
    return make_user("grace", first_name="Grace")


@pytest.fixture
def desk(browser: Browser, live_server: Any, user: User) -> Iterator[Desk]:
    workers.seen()
    with Desk(browser, live_server.url, user) as desk:
        yield desk
    expected = "the server responded with a status of 4"
    assert [said for said in desk.complaints if expected not in said] == []


@pytest.fixture
def axe() -> Iterator[Inspector]:
    inspector = Inspector(*WINDOWS)
    yield inspector
    assert not inspector.found, "\n".join(inspector.found)


def of(user: User, study: Study) -> Study:
    Study.objects.filter(pk=study.pk).update(owner=user)
    return Study.objects.get(pk=study.pk)


@pytest.mark.slow
def test_from_a_finished_study_to_an_expert_check(desk: Desk, axe: Inspector, user: User) -> None:
    page, earlier = desk.page, of(user, scored_dialogues())

    page.goto(url(earlier, "results"))
    page.get_by_role("link", name="Start an expert check").click()
    assert page.get_by_role("radio", name="Expert check of a scored study").is_checked()
    axe.look(page, "new study")
    page.get_by_label("Title").fill("Are the scores right?")
    page.get_by_role("button", name="Create the study").click()
    page.get_by_role("heading", name="Choose the items").wait_for()
    axe.look(page, "choose for experts")
    page.get_by_role("radio", name="those closest to the middle").check()
    page.get_by_role("button", name="Use these items").click()
    page.get_by_text("Choose at least 1 item").wait_for()
    axe.look(page, "choose for experts, wrong")
    page.get_by_label("How many").fill("4")
    page.get_by_role("button", name="Use these items").click()
    page.get_by_text("Copied 4 items with their contexts.").wait_for()
    axe.look(page, "items of an expert check")

    assert Study.objects.get(title="Are the scores right?").items.count() == 4


@pytest.mark.slow
def test_from_a_table_of_values_to_a_review(desk: Desk, axe: Inspector, user: User) -> None:
    page = desk.page
    earlier = of(user, scored_ratings({"p1": ("6",), "p2": ("3",), "p3": ("1",)}))
    study = review_of(earlier, "discrepancy-review")

    page.goto(url(study, "choose"))
    axe.look(page, "choose discrepancies")
    page.get_by_label("The measure's values").fill("p1\t0.2\np9\t0.4\n")
    page.get_by_role("button", name="Use these items").click()
    page.get_by_text("the study has no item 'p9'").wait_for()
    axe.look(page, "choose discrepancies, wrong")
    # What was typed is still there.
    page.get_by_label("The measure's values").fill("p1\t0.2\np2\t0.4\np3\t0.9\n")
    page.get_by_label("Name of the measure").fill("BLEU")
    page.get_by_role("button", name="Use these items").click()
    page.get_by_text("Copied 3 items").wait_for()

    assert study.items.first().metadata["_reviewed"]["is_shown"]


@pytest.mark.slow
def test_axe_finds_nothing_in_the_results(desk: Desk, axe: Inspector, user: User) -> None:
    ratings = {"p1": ("6",), "p2": ("3",), "p3": ("1",), "p4": ("5",)}
    earlier = of(user, scored_ratings(ratings))
    above, below = ["above the middle"], ["below the middle"]
    check = review_of(earlier)
    reviews.choose_for_experts(study=check)
    check = open_review(check)
    label_all(check, {"p1": below, "p2": above, "p3": below, "p4": above})
    label_all(check, {"p1": below, "p2": above, "p3": below, "p4": below})
    review = review_of(earlier, "discrepancy-review")
    reviews.choose_discrepancies(
        study=review, measure=Measure("BLEU", {"p1": 0.1, "p3": 0.9, "p4": 0.5})
    )
    review = open_review(review)
    label_all(review, {key: ["people are wrong", "other"] for key in ("p1", "p3", "p4")})

    for name, study in (("a check", check), ("a review", review)):
        desk.page.goto(url(study, "results"))
        axe.look(desk.page, f"results of {name}")
