"""The screens without JavaScript: showing, sending, going back and forth, submitting."""

import pytest
from django.test import Client

from annotation.models import Assignment, Draft, Item, Judgment, Turn
from annotation.studies.services import studies
from tests.support import factories
from tests.support.annotating import Participant, read, watched, writes

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine() -> Participant:
    return Participant(factories.make_open_study(dialogues=4))


def test_a_whole_booklet_without_javascript(mine: Participant) -> None:
    url = mine.get()["Location"]
    while "overview" not in url:
        screen = int(url.split("/")[-2])
        url = mine.post(f"s/{screen}/", {**mine.filled(screen), "go": "next"})["Location"]
    assert "Everything is answered" in mine.client.get(url).content.decode()
    sent = mine.post("submit/")
    thanks = mine.client.get(sent["Location"])

    assert sent.status_code == 303
    assert thanks.status_code == 200
    assert "We have received your answers" in thanks.content.decode()
    assert Judgment.objects.current().count() == mine.assignment.booklet.questions.count()
    assert not Draft.objects.exists()
    assert Assignment.objects.get().state == Assignment.State.SUBMITTED


def test_a_judgment_keeps_the_order_that_the_screen_showed(mine: Participant) -> None:
    page = read(mine.get("s/1/"))
    question = mine.questions()[0]

    mine.post("s/1/", {**mine.filled(1), "go": "next"})

    judgment = Judgment.objects.get(question=question)
    shown = page.options[f"q{question.pk}-best"]
    assert [str(item) for item in judgment.shown_order] == shown
    assert (str(judgment.best_id), str(judgment.worst_id)) == (shown[0], shown[1])
    assert judgment.shown_at is not None


def test_the_form_sent_twice_is_one_answer(mine: Participant) -> None:
    form = {**mine.filled(1), "go": "next"}

    mine.post("s/1/", form)
    mine.post("s/1/", form)

    assert Judgment.objects.count() == len(mine.questions())


def test_a_change_of_mind_is_a_revision_and_nothing_is_overwritten(mine: Participant) -> None:
    question = mine.questions()[0]
    mine.post("s/1/", mine.filled(1))
    mine.post("s/1/", mine.filled(1, best=2))
    mine.post("s/1/", mine.filled(1))  # and back again

    said = Judgment.objects.filter(question=question).order_by("pk")
    assert [j.best_id for j in said] == [said[0].best_id, said[1].best_id, said[0].best_id]
    assert [j.superseded_at is None for j in said] == [False, False, True]


def test_what_is_missing_is_said_at_the_question_and_nothing_is_lost(mine: Participant) -> None:
    first, second = mine.questions()
    form = mine.filled(1)
    del form[f"q{second.pk}-worst"]
    form[f"q{second.pk}-comment"] = "not sure"

    response = mine.post("s/1/", {**form, "go": "next"})

    page, again = response.content.decode(), read(response)
    assert response.status_code == 400
    assert "Choose the least similar one." in page
    assert f'href="#q{second.pk}"' in page
    assert f'href="#q{first.pk}"' not in page
    assert again.forms[mine.url("s/1/")][f"q{second.pk}-best"] == form[f"q{second.pk}-best"]
    assert Judgment.objects.get().question == first
    assert Draft.objects.get().payload["comment"] == "not sure"
    # A reload, or another device, shows the same.
    assert mine.form()[f"q{second.pk}-comment"] == "not sure"


def test_an_empty_form_names_both_choices_and_stores_nothing(mine: Participant) -> None:
    response = mine.post("s/1/", {**mine.form(), "go": "next"})

    assert response.status_code == 400
    assert "Choose the most similar one and the least similar one." in response.content.decode()
    assert not Draft.objects.exists()


def test_going_back_saves_what_is_there_and_does_not_complain(mine: Participant) -> None:
    question = mine.questions(2)[0]
    form = mine.filled(2)
    del form[f"q{question.pk}-best"]

    response = mine.post("s/2/", {**form, "go": "back"})

    assert response["Location"] == mine.url("s/1/")
    assert Draft.objects.get().question == question


def test_a_choice_taken_back_leaves_the_question_open(mine: Participant) -> None:
    question = mine.questions()[0]
    mine.post("s/1/", mine.filled(1))
    form = mine.filled(1)
    del form[f"q{question.pk}-best"], form[f"q{question.pk}-worst"]

    response = mine.post("s/1/", {**form, "go": "next"})

    assert response.status_code == 400
    assert mine.get()["Location"] == f"{mine.url('s/1/')}#q{question.pk}"
    assert Judgment.objects.filter(question=question, superseded_at=None).exists()


def test_one_item_for_both_is_refused_and_the_choice_still_shown(mine: Participant) -> None:
    question = mine.questions()[0]
    form = mine.filled(1)
    form[f"q{question.pk}-worst"] = form[f"q{question.pk}-best"]

    response = mine.post("s/1/", {**form, "go": "next"})

    assert response.status_code == 400
    assert "Choose two different options" in response.content.decode()
    assert not Judgment.objects.filter(question=question).exists()


@pytest.mark.parametrize("option", ["another", "0", "-1", "many", "9" * 30])
def test_an_option_that_is_not_the_questions_is_refused(mine: Participant, option: str) -> None:
    question = mine.questions()[0]
    if option == "another":
        others = Item.objects.exclude(memberships__tuple=question.tuple)
        option = str(others.first().pk)
    form = {**mine.filled(1), f"q{question.pk}-best": option}

    response = mine.post("s/1/", {**form, "go": "next"})

    assert response.status_code == 400
    assert "Choose from the options of this question." in response.content.decode()
    assert not Judgment.objects.filter(question=question).exists()


@pytest.mark.parametrize("forged", ["", "forged", "other question"])
def test_a_page_out_of_date_keeps_the_choices(mine: Participant, forged: str) -> None:
    first, second = mine.questions()
    form = mine.filled(1)
    if forged == "other question":
        forged = form[f"q{second.pk}-shown"]
    form[f"q{first.pk}-shown"] = forged

    response = mine.post("s/1/", {**form, "go": "next"})
    again = read(response).forms[mine.url("s/1/")]

    assert response.status_code == 400
    assert "This page was out of date." in response.content.decode()
    assert again[f"q{first.pk}-best"] == form[f"q{first.pk}-best"]
    assert not Judgment.objects.filter(question=first).exists()
    assert mine.post("s/1/", {**again, "go": "next"}).status_code == 303


@pytest.mark.parametrize("number", ["0", "99", "99999999999999999999999"])
def test_there_is_no_screen_out_of_range(mine: Participant, number: str) -> None:
    assert mine.get(f"s/{number}/").status_code == 404
    assert mine.post(f"s/{number}/", {"go": "next"}).status_code == 404


def test_text_comes_out_as_it_went_in() -> None:
    nasty = '<script>alert("x")</script>\n\t=1+1 & "quotes" None nan \u202eright\u0301 {{ 7 }}'
    study = factories.make_study()
    Item.objects.update(candidate_text=nasty)
    Turn.objects.update(text=nasty, speaker="<b>Ada</b>")
    from annotation.designs.services import designs

    designs.make(design=study.design)
    studies.edit(study=study, changes={"instructions": "<script>alert(1)</script> **bold**"})
    mine = Participant(studies.open_study(study=study))
    question = mine.questions()[0]
    mine.post("s/1/", {**mine.filled(1), f"q{question.pk}-comment": nasty})

    page = mine.get("s/1/").content.decode()

    assert "<script>alert" not in page
    assert "<b>Ada</b>" not in page
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;\n\t=1+1 &amp; " in page
    assert "<strong>bold</strong>" in page
    assert mine.form()[f"q{question.pk}-comment"] == nasty
    assert Judgment.objects.get(question=question).comment == nasty


def test_a_comment_keeps_its_edges_and_has_one_kind_of_line_end(mine: Participant) -> None:
    question = mine.questions()[0]

    mine.post("s/1/", {**mine.filled(1), f"q{question.pk}-comment": "\r\n  two\r\nlines \r\n"})

    assert Judgment.objects.get(question=question).comment == "\n  two\nlines \n"
    assert mine.form()[f"q{question.pk}-comment"] == "\n  two\nlines \n"


def test_a_form_is_newer_than_what_the_pages_script_had_sent(mine: Participant) -> None:
    question = mine.questions()[0]
    choice = mine.choice(question, worst="", sequence="999")
    mine.save(question, choice)

    mine.post("s/1/", {f"q{question.pk}-shown": choice["shown"], "go": "back"})

    assert Draft.objects.get(question=question).payload == {}


def test_a_nul_in_a_comment_is_refused_with_a_sentence(mine: Participant) -> None:
    question = mine.questions()[0]

    response = mine.post("s/1/", {**mine.filled(1), f"q{question.pk}-comment": "a\x00b"})

    assert response.status_code == 400
    assert not Judgment.objects.filter(question=question).exists()


# -- overview and submission --------------------------------------------------------------------


def test_the_overview_marks_what_is_open_and_what_has_a_comment(mine: Participant) -> None:
    question = mine.questions()[0]
    mine.post("s/1/", {**mine.filled(1), f"q{question.pk}-comment": "hm"})

    page = mine.get("overview/").content.decode()

    assert "answered, 1 comment" in " ".join(page.split())
    assert f'href="{mine.url("s/2/")}?from=overview"' in page
    assert f'href="{mine.url("s/2/")}#q{mine.questions(2)[0].pk}"' in page
    assert "Go to the first unanswered question" in page


def test_submitting_a_booklet_with_open_questions_leads_to_them(mine: Participant) -> None:
    mine.post("s/1/", mine.filled(1))

    response = mine.post("submit/")

    page = response.content.decode()
    assert response.status_code == 400
    assert "questions are not complete yet." in page
    assert mine.url("s/2/") in page
    assert Assignment.objects.get().state == Assignment.State.ACTIVE


def test_a_second_submission_says_that_the_answers_are_safe(mine: Participant) -> None:
    mine.answer_everything()
    mine.post("submit/")

    again = mine.post("submit/")
    late = mine.post("s/1/", {"go": "next"})

    for response in (again, late):
        assert response.status_code == 409
        assert "You have already sent these answers. They are safe." in response.content.decode()
    # A double tap: the last page they see thanks them.
    assert "We have received your answers" in again.content.decode()
    assert mine.get("s/1/")["Location"] == mine.get("overview/")["Location"] == mine.url()


def test_after_the_thanks_another_booklet_may_follow(mine: Participant) -> None:
    mine.answer_everything()
    mine.post("submit/")
    assert mine.url("more/") in read(mine.get()).forms

    response = mine.post("more/")

    assert response.status_code == 303
    assert mine.get()["Location"] == mine.url("s/1/")
    assert Assignment.objects.count() == 2


@pytest.mark.slow
def test_no_further_booklet_is_offered_past_the_studys_limit() -> None:
    mine = Participant(factories.make_open_study(dialogues=4, max_booklets=1))
    mine.answer_everything()
    mine.post("submit/")

    assert mine.url("more/") not in read(mine.get()).forms
    assert mine.post("more/").status_code == 409


def test_a_finished_study_takes_no_answers_and_loses_none(mine: Participant) -> None:
    form = mine.filled(1)
    mine.post("s/1/", form)
    studies.finish(study=mine.study)

    shown, sent = mine.get(), mine.post("s/1/", mine_changed(form))

    assert shown.status_code == 200
    assert "This study is finished" in shown.content.decode()
    assert mine.get("s/1/")["Location"] == mine.url()
    assert sent.status_code == 409
    assert "This study is finished." in sent.content.decode()
    assert Judgment.objects.current().count() == len(mine.questions())


def mine_changed(form: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in form.items() if not name.endswith("-worst")}


def test_a_paused_study_lets_those_inside_finish(mine: Participant) -> None:
    studies.pause(study=mine.study)

    mine.answer_everything()

    assert mine.post("submit/").status_code == 303


# -- reading writes nothing, and costs the same however large the study -------------------------


def test_no_get_writes(mine: Participant) -> None:
    mine.post("s/1/", mine.filled(1))

    with watched() as queries:
        for rest in ("", "instructions/", "s/1/", "s/2/", "overview/", "withdraw/"):
            mine.get(rest)

    assert writes(queries) == []


def test_a_screen_costs_the_same_number_of_queries_however_much_it_shows() -> None:
    small = Participant(factories.make_open_study(dialogues=2))
    large = Participant(
        factories.make_open_study(
            dialogues=12, turns=(9,), candidates=8, parameters={"questions_per_screen": 6}
        )
    )

    counts = []
    for person in (small, large):
        with watched() as queries:
            assert person.get("s/1/").status_code == 200
        asked = [query["sql"] for query in queries.captured_queries]
        # PostgreSQL prepares a statement once for each connection.
        counts.append(len([sql for sql in asked if not sql.startswith("PREPARE")]))

    assert counts[0] == counts[1] <= 6


def test_the_table_of_a_wrong_method(client: Client, mine: Participant) -> None:
    question = mine.questions()[0]
    for url, allowed in {
        mine.url(f"q/{question.pk}/"): "POST",
        mine.url("submit/"): "POST",
        mine.url("more/"): "POST",
    }.items():
        response = client.get(url)
        assert (response.status_code, response["Allow"]) == (405, allowed)
        assert "This page cannot be opened in this way" in response.content.decode()
    for url in (mine.url("overview/"), "/", "/healthz/"):
        response = client.post(url)
        assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert client.put(mine.url("s/1/")).status_code == 405
    assert client.delete(f"/j/{mine.study.join_token}/").status_code == 405
