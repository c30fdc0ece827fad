"""The page of a label question: a plain form of categories, one or several of them."""

import io
import re
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.models import Draft, Judgment, Question, Study
from annotation.studies.services import studies
from tests.support import labelling, rating
from tests.support.annotating import read, watched
from tests.support.factories import make_user
from tests.support.labelling import said
from tests.support.rating import join
from tests.support.researcher_pages import in_one_line

pytestmark = pytest.mark.django_db

JSON = {"headers": {"accept": "application/json"}}


class Labeller:
    """Somebody past the instructions with a browser without JavaScript."""

    def __init__(self, study: Study) -> None:
        self.client = Client()
        joined = join(study)
        self.key, self.assignment = joined.key, joined.assignment

    def url(self, rest: str) -> str:
        return f"/a/{self.key}/{rest}"

    def get(self, rest: str = "s/1/") -> HttpResponse:
        return self.client.get(self.url(rest))

    def question(self, screen: int = 1) -> Question:
        return self.assignment.booklet.questions.get(screen=screen)

    def fields(self, screen: int = 1) -> dict[str, Any]:
        page = self.get(f"s/{screen}/").content.decode()
        return read_form(page, self.url(f"s/{screen}/"))

    def post(self, *names: str, screen: int = 1, **more: Any) -> HttpResponse:
        name = f"q{self.question(screen).pk}-categories"
        data = {**self.fields(screen), name: list(names), "go": "next", **more}
        return self.client.post(self.url(f"s/{screen}/"), data)

    def save(self, *names: str, key: str = "", base: str = "", **more: Any) -> HttpResponse:
        """As the page's script does."""
        question = self.question()
        prefix = f"q{question.pk}-"
        fields = self.fields()
        return self.client.post(
            self.url(f"q/{question.pk}/"),
            {
                "shown": fields[f"{prefix}shown"],
                "base": base or fields[f"{prefix}base"],
                "categories": list(names),
                "comment": "",
                "sequence": "1",
                "idempotency_key": key or str(uuid4()),
                **more,
            },
            **JSON,
        )


def read_form(html: str, address: str) -> dict[str, Any]:
    return read(HttpResponse(html)).forms[address]


def chosen(html: str) -> list[str]:
    return re.findall(r'value="([^"]*)" data-role="categories"[^>]* checked', html)


@pytest.fixture
def labeller() -> Labeller:
    return Labeller(labelling.make_label_study(pairs=2))


@pytest.fixture
def several() -> Labeller:
    return Labeller(labelling.make_label_study(pairs=2, several=True))


def test_a_form_without_a_script_stores_the_category_and_goes_on(labeller) -> None:
    response = labeller.post("related")

    assert response.status_code == 303
    assert response["Location"].endswith("/s/2/")
    assert said(Judgment.objects.get()) == ["related"]


def test_a_form_without_a_script_stores_all_that_are_ticked(several) -> None:
    assert several.post("same meaning", "nothing in common").status_code == 303

    assert said(Judgment.objects.get()) == ["same meaning", "nothing in common"]
    assert chosen(several.get().content.decode()) == ["same meaning", "nothing in common"]


def test_the_page_shows_the_question_the_pair_and_the_categories(labeller) -> None:
    page = labeller.get().content.decode()

    assert "Which category fits this pair?" in page
    assert "First text" in page
    assert "Second text" in page
    assert page.count('type="radio"') == 3
    assert "One says more, or something else." in page
    assert "Choose all that fit." not in page
    assert re.findall(r'aria-keyshortcuts="(.)"', page) == ["1", "2", "3"]


def test_where_several_may_be_chosen_the_page_says_so(several) -> None:
    page = several.get().content.decode()

    assert page.count('data-role="categories"') == page.count('type="checkbox" name="q') == 3
    assert "Choose all that fit." in page


def test_in_context_the_sentences_are_marked_as_those_that_are_compared() -> None:
    study = labelling.make_label_study(pairs=1, phases=rating.IN_CONTEXT)

    page = Labeller(study).get().content.decode()

    assert page.count("To be compared:") == page.count('class="rated-sentence"') == 2
    assert "To be rated" not in page


def test_single_texts_are_put_into_categories_as_well() -> None:
    study = studies.create(owner=make_user(), title="Moods", preset="labels", seed=1)
    file = io.BytesIO(b"id\ttext\nw1\tcheerful\nw2\tgloomy\n")
    imports.import_items(study=study, path=file, filename="words.tsv")
    designs.make(design=study.design)
    labeller = Labeller(studies.open_study(study=study))

    page = labeller.get().content.decode()

    assert page.count('class="rated-text"') == 1
    assert ("cheerful" in page) != ("gloomy" in page)
    assert labeller.post("related").status_code == 303


def test_names_are_shown_as_they_are_whatever_they_hold() -> None:
    names = ["<b>bold</b>", 'with "quotes", a comma', "Řeč & 語"]
    labeller = Labeller(labelling.make_label_study(names=names, explanations={}, several=True))

    assert "<b>bold" not in labeller.get().content.decode()
    assert labeller.post(*names).status_code == 303

    assert said(Judgment.objects.get()) == names


def test_without_a_category_the_page_says_what_is_missing(labeller) -> None:
    response = labeller.post(**{f"q{labeller.question().pk}-comment": "Hm."})

    assert response.status_code == 400
    assert "<p data-problem-text>Choose a category.</p>" in in_one_line(response.content.decode())
    assert Draft.objects.get().payload == {"comment": "Hm."}


def test_where_several_may_be_chosen_at_least_one_must_be(several) -> None:
    response = several.post()

    assert response.status_code == 400
    page = in_one_line(response.content.decode())
    assert "<p data-problem-text>Choose at least one category.</p>" in page


def test_a_category_of_nobody_is_refused_and_said(labeller) -> None:
    response = labeller.post("similar")

    assert response.status_code == 400
    assert "Choose from the categories of this question." in response.content.decode()
    assert not Judgment.objects.exists()


def test_two_categories_are_refused_where_one_is_asked_for(labeller) -> None:
    response = labeller.post("related", "same meaning")

    assert response.status_code == 400
    assert "Choose one category only." in response.content.decode()
    assert not Judgment.objects.exists()


def test_a_booklet_can_be_answered_looked_over_and_sent(labeller) -> None:
    labeller.post("related", screen=1)
    assert "1 unanswered" in labeller.get("overview/").content.decode()
    labeller.post("same meaning", screen=2)

    assert "Everything is answered" in labeller.get("overview/").content.decode()
    assert labeller.client.post(labeller.url("submit/")).status_code == 303

    labeller.assignment.refresh_from_db()
    assert labeller.assignment.state == "submitted"
    assert [said(j) for j in Judgment.objects.order_by("pk")] == [["related"], ["same meaning"]]


def test_a_script_saves_several_and_is_told_what_stands(several) -> None:
    response = several.save("related", "nothing in common")

    assert response.status_code == 200
    reply = response.json()
    assert reply["state"] == "saved"
    assert reply["answer"]["categories"] == ["related", "nothing in common"]
    assert (reply["answered"], reply["questions"]) == (1, 2)


def test_a_resend_is_answered_with_what_stands(several) -> None:
    key = str(uuid4())
    first = several.save("related", key=key, base="none").json()

    assert several.save("related", key=key, base="none").json() == first
    assert Judgment.objects.count() == 1


def test_what_a_script_takes_back_stands_as_a_draft(several) -> None:
    several.save("related")

    reply = several.save().json()

    assert reply["state"] == "draft"
    assert reply["answer"]["categories"] == []
    assert chosen(several.get().content.decode()) == []


def test_a_script_of_another_place_is_told_and_nothing_is_written_over(several) -> None:
    several.save("related")

    response = several.save("same meaning", "nothing in common", base="none")

    assert response.status_code == 409
    assert response.json()["answer"]["categories"] == ["related"]
    assert said(Judgment.objects.get()) == ["related"]


def test_without_a_script_the_page_offers_all_that_was_chosen_here_and_takes_it(several) -> None:
    stale = several.fields()
    several.post("related")
    name = f"q{several.question().pk}-categories"

    refused = several.client.post(
        several.url("s/1/"), {**stale, name: ["same meaning", "nothing in common"], "go": "next"}
    )

    assert refused.status_code == 409
    page = refused.content.decode()
    assert "same meaning, nothing in common" in page
    assert chosen(page) == ["related"]
    offered = re.findall(r'name="q\d+-here-categories" value="([^"]*)"', page)
    fields = {**read_form(page, several.url("s/1/")), name: "related"}
    here = name.replace("-categories", "-here-categories")
    response = several.client.post(
        several.url("s/1/"), {**fields, here: offered, "use": str(several.question().pk)}
    )

    assert response.status_code == 303
    current = Judgment.objects.current().get()
    assert said(current) == ["same meaning", "nothing in common"]


def test_a_form_that_was_not_touched_writes_nothing_over(several) -> None:
    several.post("related", "same meaning")
    form = several.fields()
    several.post("nothing in common")

    name = f"q{several.question().pk}-categories"
    several.client.post(
        several.url("s/1/"), {**form, name: ["related", "same meaning"], "go": "next"}
    )

    assert said(Judgment.objects.current().get()) == ["nothing in common"]


@pytest.mark.parametrize("n", [9, 30])
def test_every_category_can_be_chosen_by_a_key_that_does_nothing_else(n) -> None:
    names = [f"category {number}" for number in range(1, n + 1)]
    labeller = Labeller(labelling.make_label_study(names=names))

    keys = re.findall(r'aria-keyshortcuts="(.)"', labeller.get().content.decode())

    assert len(set(keys)) == n
    assert keys[:9] == list("123456789")
    assert not set(keys) & set("ujk")


def test_a_screen_takes_as_many_queries_whatever_was_chosen(several) -> None:
    def queries() -> int:
        with watched() as context:
            several.get()
        return len(context)

    before = queries()
    several.post("related", "same meaning")

    # The choices of the answers on the screen, read at once.
    assert queries() <= before + 1


def test_the_instructions_name_the_keys(labeller) -> None:
    page = labeller.get("instructions/").content.decode()

    assert "choose this category, or undo the choice" in page
