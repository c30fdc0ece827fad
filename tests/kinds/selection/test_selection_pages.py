"""The page of a selection: both texts side by side, usable as a plain form."""

import json
import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotation.designs.services import designs
from annotation.kinds.selection.answer import ROLES
from annotation.models import Draft, Judgment, Question, Study, Turn
from annotation.studies.services import studies
from tests.support import selecting
from tests.support.annotating import read
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


class Selector:
    """Somebody past the instructions with a browser without JavaScript."""

    def __init__(self, study: Study) -> None:
        self.client = Client()
        joined = selecting.join(study)
        self.key, self.assignment = joined.key, joined.assignment

    def url(self, rest: str) -> str:
        return f"/a/{self.key}/{rest}"

    def get(self, rest: str = "s/1/") -> HttpResponse:
        return self.client.get(self.url(rest))

    def question(self, screen: int = 1) -> Question:
        return self.assignment.booklet.questions.get(screen=screen)

    def fields(self, screen: int = 1) -> dict[str, str]:
        return read(self.get(f"s/{screen}/")).forms[self.url(f"s/{screen}/")]

    def said(self, places: Any = (0, 1, 2), ratings: Any = ("6", "3", "0"), screen: int = 1):
        question = self.question(screen)
        turns = selecting.choices(question)
        answers = {
            role: str(turns[p]) for role, p in zip(ROLES, places, strict=True) if p is not None
        }
        answers |= {f"{r}_rating": rating for r, rating in zip(ROLES, ratings, strict=True)}
        return {f"q{question.pk}-{name}": value for name, value in answers.items()}

    def post(self, answers: dict[str, str], screen: int = 1, **more: str) -> HttpResponse:
        data = {**self.fields(screen), **answers, "go": "next", **more}
        return self.client.post(self.url(f"s/{screen}/"), data)


@pytest.fixture
def selector() -> Selector:
    return Selector(selecting.make_selection_study())


def test_a_form_without_a_script_stores_the_whole_answer_and_goes_on(selector) -> None:
    response = selector.post(selector.said(places=(4, 0, 2)))

    assert response.status_code == 303
    assert response["Location"].endswith("/s/2/")
    turns = selecting.choices(selector.question())
    picks = {p.role: (p.turn_id, p.rating) for p in Judgment.objects.get().picks.all()}
    assert picks == {
        "similar": (turns[4], 6),
        "middle": (turns[0], 3),
        "dissimilar": (turns[2], 0),
    }


def test_a_booklet_can_be_answered_and_sent(selector) -> None:
    for screen in (1, 2):
        assert selector.post(selector.said(screen=screen), screen).status_code == 303
    assert selector.client.post(selector.url("submit/")).status_code == 303

    selector.assignment.refresh_from_db()
    assert selector.assignment.state == "submitted"
    assert Judgment.objects.count() == 2


def test_what_is_missing_is_said_and_what_was_chosen_is_kept(selector) -> None:
    first = selector.post(selector.said(places=(4, 0, None)))
    assert first.status_code == 400
    assert "Choose three sentences: the most similar one" in first.content.decode()
    assert Draft.objects.count() == 1

    second = selector.post(selector.said(ratings=("6", "", "0")))
    assert second.status_code == 400
    assert "Rate each of the three sentences on the scale." in second.content.decode()
    page = second.content.decode()
    turns = selecting.choices(selector.question())
    for role, turn in zip(ROLES, turns, strict=False):
        assert re.search(rf'value="{turn}" data-role="{role}"[^>]* checked', page)


def test_one_sentence_in_two_roles_is_refused_and_said(selector) -> None:
    response = selector.post(selector.said(places=(1, 1, 2)))

    assert response.status_code == 400
    assert "three different sentences" in response.content.decode()
    assert not Judgment.objects.exists()


def test_a_sentence_of_another_incident_is_refused() -> None:
    selector = Selector(selecting.make_selection_study(incidents=2))
    question = selector.question(1)
    others = selecting.choices(selector.question(4))

    response = selector.post({**selector.said(), f"q{question.pk}-middle": str(others[0])})

    assert response.status_code == 400
    assert "sentences of these reports" in response.content.decode()
    assert not Judgment.objects.exists()


def test_the_page_marks_the_sentence_and_the_words_that_it_shares() -> None:
    study = selecting.make_selection_study(incidents=0, open_it=False)
    study.language = "cs"
    study.save()
    selecting.add_incident(
        study,
        "povoden",
        summary=["Řeka <zaplavila> náměstí.", "Nikdo nebyl zraněn."],
        reports={"a": ["Reka & náměstí.", "Pršelo <b>celý</b> den.", "Zraněn byl hasič."]},
    )
    designs.make(design=study.design)
    selector = Selector(studies.open_study(study=study))

    pages = [selector.get(f"s/{n}/").content.decode() for n in (1, 2)]

    current = [re.findall(r'aria-current="true".*?</li>', page, re.S) for page in pages]
    assert "Řeka &lt;zaplavila&gt; náměstí." in current[0][0]
    assert "Nikdo nebyl zraněn." in current[1][0]
    shared = [re.findall(r'<mark\s+class="shared">(.*?)</mark>', page) for page in pages]
    assert shared == [["Reka", "náměstí"], ["Zraněn"]]
    # Nothing of a text is markup.
    assert "Pršelo &lt;b&gt;celý&lt;/b&gt; den." in pages[0]
    for turn in Turn.objects.all():
        assert turn.text in unescape(re.sub(r"<[^>]*>", "", pages[0]))


def save(selector: Selector, answers: dict[str, str], **more: str) -> HttpResponse:
    question = selector.question()
    data = {
        name.removeprefix(f"q{question.pk}-"): value
        for name, value in {**selector.fields(), **answers}.items()
    }
    data |= {"sequence": "1", "idempotency_key": str(uuid4()), **more}
    return selector.client.post(
        selector.url(f"q/{question.pk}/"), data, headers={"accept": "application/json"}
    )


def test_saving_in_the_background_answers_with_what_stands(selector) -> None:
    turns = selecting.choices(selector.question())

    partial = json.loads(save(selector, selector.said(ratings=("2", "", ""))).content)
    whole = json.loads(save(selector, selector.said()).content)

    assert (partial["state"], whole["state"]) == ("draft", "saved")
    assert partial["answer"]["similar_rating"] == "2"
    assert partial["answer"]["middle_rating"] is None
    assert whole["answer"] == {
        **dict(zip(ROLES, turns, strict=False)),
        "similar_rating": "6",
        "middle_rating": "3",
        "dissimilar_rating": "0",
        "comment": "",
    }
    assert (whole["answered"], whole["questions"]) == (1, 2)


def test_the_answer_of_another_place_is_shown_and_this_one_offered(selector) -> None:
    fields = selector.fields()
    selecting.select(selector.assignment, selector.question(), places=(5, 4, 3))

    response = selector.client.post(
        selector.url("s/1/"), {**fields, **selector.said(), "go": "next"}
    )
    assert response.status_code == 409
    form = read(response).forms[selector.url("s/1/")]
    pk = selector.question().pk
    turns = selecting.choices(selector.question())
    assert form[f"q{pk}-similar"] == str(turns[5])
    assert form[f"q{pk}-here-similar"] == str(turns[0])
    assert form[f"q{pk}-here-middle_rating"] == "3"

    used = selector.client.post(selector.url("s/1/"), {**form, "use": str(pk)})
    assert used.status_code == 303
    current = Judgment.objects.current().get()
    assert current.picks.get(role="similar").turn_id == turns[0]


@pytest.mark.slow
def test_the_researchers_pages_show_a_study_under_way(selector) -> None:
    study = selector.assignment.annotator.study
    selector.post(selector.said())
    client = signed_in(study.owner)

    for name in (
        "change",
        "collect",
        "booklets",
        "people",
        "roster",
        "results",
        "download",
        "try",
    ):
        response = client.get(url(study, name), follow=True)
        assert response.status_code == 200, name
    assert client.get(reverse("admin:index")).status_code == 200
    page = text(client.get(url(study, "try_screen", 1, 2)))
    assert "Summary sentence 2 of incident 1." in page
    assert page.count('data-role="middle"') == sum(selecting.REPORTS)
