"""Putting items in order without JavaScript, and by what the page's script sends."""

import json
from typing import Any

import pytest
from django.http import HttpResponse

from annotation.answering.services import withdrawal
from annotation.models import Draft, Judgment, Placement, Question, Study
from tests.support.annotating import Participant
from tests.support.once import made_once
from tests.support.ranking import in_order, make_ranking_study

pytestmark = pytest.mark.django_db


@made_once
def study() -> Study:
    return make_ranking_study()


@pytest.fixture
def person(study: Study) -> Participant:
    return Participant(study)


def shown(person: Participant, screen: int = 1) -> list[int]:
    """The items of a screen, as its page lists them."""
    response = person.get(f"s/{screen}/")
    (question,) = response.context["questions"]
    return [option.item for option in question.placed_options]


def send(
    person: Participant, question: Question, places: dict[int, int | str], **more: Any
) -> HttpResponse:
    """The form with a place for each item; empty: none."""
    data = {
        **person.form(question.screen),
        f"q{question.pk}-order": [f"{item}:{place}" for item, place in places.items()],
        "go": "next",
        **more,
    }
    return person.post(f"s/{question.screen}/", data)


def test_an_order_is_stored_place_by_place(person: Participant) -> None:
    (question,) = person.questions()
    first, second, third, fourth = shown(person)

    response = send(person, question, {first: 3, second: 1, third: 4, fourth: 2})

    assert response.status_code == 303
    judgment = Judgment.objects.get()
    assert in_order(judgment) == [second, fourth, first, third]
    assert judgment.shown_order == [first, second, third, fourth]
    assert (judgment.best, judgment.worst, judgment.rating) == (None, None, None)


def test_a_stored_order_is_shown_again_in_its_order(person: Participant) -> None:
    (question,) = person.questions()
    items = shown(person)
    order = [items[2], items[0], items[3], items[1]]
    send(person, question, {item: place for place, item in enumerate(order, start=1)})

    assert shown(person) == order


@pytest.mark.parametrize("places", [(1, 1, 2, 3), (1, 2, 3, "")])
def test_what_is_no_whole_order_is_shown_again_with_what_was_chosen(
    person: Participant, places: tuple[int | str, ...]
) -> None:
    (question,) = person.questions()
    items = shown(person)

    response = send(person, question, dict(zip(items, places, strict=True)))

    assert response.status_code == 400
    (again,) = response.context["questions"]
    assert again.has_problem
    chosen = {option.item: option.place or "" for option in again.placed_options}
    assert chosen == dict(zip(items, places, strict=True))
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("value", ["x", "1", "1:2:3", "999999:1"])
def test_what_no_page_sends_is_refused(person: Participant, value: str) -> None:
    (question,) = person.questions()
    data = {**person.form(), f"q{question.pk}-order": [value], "go": "next"}

    response = person.post("s/1/", data)

    assert response.status_code == 400
    assert not Judgment.objects.exists()


def test_a_part_of_an_order_is_a_draft_until_it_is_whole(person: Participant) -> None:
    (question,) = person.questions()
    first, second, third, fourth = shown(person)
    prefix = f"q{question.pk}-"
    hidden = {
        name.removeprefix(prefix): value
        for name, value in person.form().items()
        if name.startswith(prefix)
    }
    data = {
        **hidden,
        "order": [f"{second}:1", f"{first}:", f"{third}:", f"{fourth}:"],
        "sequence": "1",
        "idempotency_key": "b5a5e0a8-5e0f-4f0e-9d3a-0d5a6f0c1b11",
        "active_ms": "900",
    }

    response = person.save(question, data)

    assert response.status_code == 200
    assert json.loads(response.content)["state"] == "draft"
    assert Draft.objects.get().payload["order"][0] == f"{second}:1"
    assert shown(person)[0] == second


def test_a_changed_order_supersedes_the_first(person: Participant) -> None:
    (question,) = person.questions()
    items = shown(person)
    send(person, question, {item: place for place, item in enumerate(items, start=1)})
    backwards = items[::-1]

    send(person, question, {item: place for place, item in enumerate(backwards, start=1)})

    assert Judgment.objects.count() == 2
    assert in_order(Judgment.objects.current().get()) == backwards


def test_withdrawing_leaves_no_place(person: Participant) -> None:
    (question,) = person.questions()
    items = shown(person)
    send(person, question, {item: place for place, item in enumerate(items, start=1)})

    withdrawal.withdraw(annotator=person.annotator)

    assert not Placement.objects.exists()
    assert Judgment.objects.get().withdrawn_at is not None


def test_somebody_sees_their_own_order(person: Participant, study: Study) -> None:
    (question,) = person.questions()
    items = shown(person)
    send(person, question, {item: place for place, item in enumerate(items, start=1)})

    page = person.get("data/").content.decode()

    texts = [study.items.get(pk=item).candidate for item in items]
    places = [page.index(text) for text in texts]
    assert places == sorted(places)
