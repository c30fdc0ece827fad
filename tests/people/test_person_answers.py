"""A person's answers in the words that were asked, beside what the others chose."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.answering.services import assignments
from annotation.core.services import jobs
from annotation.kinds.people_answers import MAX_SHOWN_CHARS
from annotation.models import Annotator, Item, Job, Member, Person, Study, Turn
from annotation.people.queries import person_answer_rows as rows
from annotation.people.queries.people import person_rows
from annotation.people.queries.person import figures
from annotation.people.queries.person_answers import others_of, own_answers
from tests.support import selecting
from tests.support.answering import answer_one
from tests.support.api import address, by_token
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study
from tests.support.labelled import label_all, make_label_study, said_of
from tests.support.rating import TWICE, make_rating_study, rate_phase
from tests.support.rating import join as join_rating
from tests.support.researcher_pages import in_one_line, signed_in, url

pytestmark = pytest.mark.django_db


def best_worst_study(dialogues: int = 1) -> Study:
    """Everybody answers all ten questions of each dialogue."""
    return make_open_study(
        dialogues=dialogues,
        parameters={"screens_per_booklet": 10 * dialogues, "annotations_per_tuple": 3},
    )


def picks(study: Study, picked: dict[int, tuple[int, int]]) -> Annotator:
    """Somebody who picks by place, question by question; the others the first and the second."""
    assignment = join(study).assignment
    for number, question in enumerate(assignment.booklet.questions.order_by("tuple__number")):
        best, worst = picked.get(number, (0, 1))
        answer_one(assignment, question, best=best, worst=worst)
    assignments.submit(assignment=assignment)
    return assignment.annotator


def rows_of(annotator: Annotator, order: str = "asked") -> list[rows.AnswerRow]:
    own = own_answers(annotator)
    others = others_of(annotator, own)
    in_order = rows.in_order(annotator.study, own, others, order)
    return rows.answer_rows(annotator.study, in_order, others)


def score(study: Study) -> None:
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)


def test_best_and_worst_stand_there_as_texts_beside_what_the_others_chose() -> None:
    study = best_worst_study()
    who = picks(study, {0: (2, 0)})
    # Of the first tuple one has the same best and another worst, one the same both.
    picks(study, {0: (2, 1)})
    picks(study, {0: (2, 0)})

    first, *rest = rows_of(who, "disagreement")

    members = [
        one.item
        for one in Member.objects.filter(tuple__design=study.design)
        .select_related("item")
        .order_by("tuple__number", "position")[:3]
    ]
    assert [(text.key, text.text) for text in first.asked] == [
        (item.key, item.candidate) for item in members
    ]
    assert first.target is not None
    assert first.target.text == members[0].target
    assert [part.text.text for part in first.said if part.text] == [
        members[2].candidate,
        members[0].candidate,
    ]
    choice = first.others
    assert choice is not None
    assert (choice.n, choice.same_best, choice.same_worst, choice.same_both) == (2, 2, 1, 1)
    assert choice.disagreement == pytest.approx(1 / 4)
    assert all(one.others and one.others.disagreement == 0 for one in rest)
    assert len(rest) == 9


def test_what_nobody_else_answered_comes_last_and_has_no_figure() -> None:
    study = best_worst_study()
    who = picks(study, {})

    assert [row.others for row in rows_of(who, "disagreement")] == [None] * 10


def test_a_rating_stands_beside_the_mean_in_both_phases(clock: Clock) -> None:
    study = make_rating_study(pairs=3, ratings_per_item=3, phases=TWICE)
    said = {"p1": ("6", "0", "1"), "p2": ("3", "3", "3"), "p3": ("2", "3", "4")}
    held = [join_rating(study).assignment for _ in range(3)]
    for number, assignment in enumerate(held):
        rate_phase(assignment, ratings=lambda q, n=number: said[q.item.key][n])
    clock.move(hours=80)
    for assignment in held:
        assignment.refresh_from_db()
        rate_phase(assignment, ratings=lambda _question: "5")
    score(study)

    found = rows_of(held[0].annotator, "disagreement")

    assert [row.phase for row in found].count(2) == 3
    first, second, *_rest = found
    assert first.others is not None
    assert second.others is not None
    assert (first.phase, first.asked[0].key, first.said[0].value) == (1, "p1", "6")
    assert first.others.mean_rating == pytest.approx(0.5)
    assert first.others.disagreement == pytest.approx(5.5)
    assert (second.asked[0].key, second.others.disagreement) == ("p3", pytest.approx(1.5))
    item = study.items.get(key="p1")
    assert first.target is not None
    assert (first.target.text, first.asked[0].text) == (item.target, item.candidate)


@pytest.mark.slow
def test_the_agreement_is_the_figure_of_the_table_of_people_with_its_questions() -> None:
    ratings = make_rating_study(pairs=4, ratings_per_item=3)
    for offset in (0, 1, 3):
        assignment = join_rating(ratings).assignment
        rate_phase(assignment, ratings=lambda q, n=offset: str((int(q.item.key[1]) * (n + 1)) % 7))
    keys = [f"p{n}" for n in range(1, 7)]
    labels = make_label_study()
    label_all(labels, *([said_of(keys, codes)] for codes in ("ssrsoo", "ssrroo", "ssssss")))
    best_worst = best_worst_study()
    for picked in ({}, {0: (2, 0)}, {3: (1, 2)}):
        picks(best_worst, picked)

    for study, n_compared in (
        (ratings, [4, 4, 4]),
        # Only where the others have a majority.
        (labels, [2, 3, 5]),
        (best_worst, [10, 10, 10]),
    ):
        score(study)
        annotators = study.annotators.filter(assignments__isnull=False).order_by("pk")
        for annotator, n in zip(annotators, n_compared, strict=True):
            (row,) = person_rows(study, [annotator])
            own = own_answers(annotator)
            page = signed_in(study.owner).get(url(study, "person", annotator.pk))

            shown = [one for one in page.context["figures"] if one.value == row.agreement]
            assert row.compliance is not None
            assert row.n_compared == n
            assert any(str(n) in one.note for one in shown)
            # No second definition beside it.
            names = [one.name for one in figures(annotator, own, others_of(annotator, own), row)]
            assert sum("others" in name for name in names) == 1
            answer = by_token(study.owner).get(
                address(study, f"annotators/{annotator.pseudonym}/")
            )
            assert answer.json()["n_compared"] == n


def test_a_label_stands_beside_that_of_the_majority() -> None:
    keys = [f"p{n}" for n in range(1, 7)]
    study = make_label_study()
    held = label_all(study, *([said_of(keys, codes)] for codes in ("ssrsoo", "ssrroo", "ssssss")))

    found = rows_of(held[2].annotator, "disagreement")

    assert [row.others.disagreement for row in found if row.others] == [1, 1, 1, 0.5, 0, 0]
    assert {row.others.majority for row in found[:3] if row.others} == {("related",), ("other",)}
    assert all(row.others and row.others.same_label == 0 for row in found[:3])
    assert {row.said[0].value for row in found} == {"same"}


def test_selected_sentences_stand_there_as_texts() -> None:
    study = selecting.make_selection_study(sentences=1, people_per_incident=2)
    held = [selecting.join(study).assignment for _ in range(2)]
    for assignment, places in zip(held, ((0, 1, 2), (0, 3, 2)), strict=True):
        question = assignment.booklet.questions.get()
        selecting.save(assignment, question, selecting.answer_to(question, places))
        assignments.submit(assignment=assignment)

    (row,) = rows_of(held[0].annotator)

    asked = Turn.objects.get(text="Summary sentence 1 of incident 1.")
    assert [text.text for text in row.asked] == [asked.text]
    sentences = Turn.objects.in_bulk(selecting.choices(held[0].booklet.questions.get()))
    expected = list(sentences.values())
    assert [part.text.text for part in row.said if part.text] == [one.text for one in expected[:3]]
    assert [part.value for part in row.said] == ["6", "3", "0"]
    assert row.others is not None
    assert row.others.same_picks == {"similar": 1, "middle": 0, "dissimilar": 1}
    assert row.others.disagreement == pytest.approx(1 / 3)


@pytest.mark.slow
def test_the_page_is_sorted_on_request_and_keeps_that_while_paging() -> None:
    study = best_worst_study(dialogues=6)
    who = picks(study, dict.fromkeys(range(55, 60), (2, 0)))
    picks(study, {})
    client = signed_in(study.owner)

    def disagreements(query: str) -> list[float]:
        page = client.get(url(study, "person", who.pk) + query)
        return [row.others.disagreement for row in page.context["answers"]]

    by_size = disagreements("?sort=disagreement")
    assert by_size == sorted(by_size, reverse=True)
    assert by_size[:5] == [1] * 5
    assert disagreements("") != by_size
    page = client.get(url(study, "person", who.pk) + "?sort=disagreement")
    assert "sort=disagreement&amp;page=2" in page.content.decode()
    assert disagreements("?sort=disagreement&page=2") == [0] * 10
    assert disagreements("?sort=nonsense") == disagreements("")


@pytest.mark.slow
def test_a_hundred_answers_take_as_many_queries_as_ten() -> None:
    counts = []
    for dialogues in (1, 10):
        study = best_worst_study(dialogues)
        who = [picks(study, dict.fromkeys(range(0, 100, 3), (2, 0))) for _ in range(3)]
        score(study)
        client = signed_in(study.owner)
        for query in ("", "?sort=disagreement"):
            client.get(url(study, "person", who[0].pk) + query)
            with CaptureQueriesContext(connection) as queries:
                page = client.get(url(study, "person", who[0].pk) + query)
            assert len(page.context["answers"]) == min(10 * dialogues, 50)
            counts.append(len(queries))

    assert len(set(counts)) == 1, counts


def test_a_long_text_is_shortened_and_still_there_as_a_whole() -> None:
    study = best_worst_study()
    item = study.items.order_by("number").first()
    turn = item.candidate_turn
    long = "A <b>very</b> long story. " * 20
    if turn:
        Turn.objects.filter(pk=turn.pk).update(text=long)
    else:
        Item.objects.filter(pk=item.pk).update(candidate_text=long)
    who = picks(study, {})

    page = signed_in(study.owner).get(url(study, "person", who.pk))

    (text,) = {text for row in page.context["answers"] for text in row.asked if text.is_long}
    assert text.text == long
    assert len(text.beginning) <= MAX_SHOWN_CHARS
    html = in_one_line(page.content.decode())
    assert "<details><summary" in html
    assert "<b>very" not in html


def test_neither_page_nor_api_names_anybody() -> None:
    study = best_worst_study()
    who = picks(study, {})
    who.person = Person.objects.create(
        platform="prolific", platform_id="5f00d", name="Ada Lovelace", email="ada@example.org"
    )
    who.save()

    page = signed_in(study.owner).get(url(study, "person", who.pk)).content.decode()
    answer = by_token(study.owner).get(address(study, f"annotators/{who.pseudonym}/answers/"))

    for name in ("5f00d", "Ada Lovelace", "ada@example.org"):
        assert name not in page
        assert name not in answer.content.decode()


def test_the_api_answers_the_same_rows() -> None:
    study = best_worst_study()
    who = picks(study, {4: (2, 0)})
    picks(study, {})
    client = by_token(study.owner)

    answer = client.get(
        address(study, f"annotators/{who.pseudonym}/answers/"),
        {"ordering": "disagreement", "page_size": 3},
    ).json()

    assert answer["count"] == 10
    first = answer["results"][0]
    (row, *_rest) = rows_of(who, "disagreement")
    assert [one["text"] for one in first["asked"]] == [text.text for text in row.asked]
    assert first["others"]["same_both"] == 0
    assert first["others"]["disagreement"] == 1
    assert first["target"] == (row.target.text if row.target else None)
    # Simple rows have no column of another kind.
    assert first["others"]["mean_rating"] is None
    wrong = client.get(
        address(study, f"annotators/{who.pseudonym}/answers/"), {"ordering": "name"}
    )
    assert wrong.status_code == 400
