"""What leaves of answers about people: all of it for the researcher, little for everybody."""

import csv
import io
from collections import Counter

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics.person_questions import PersonQuestion
from annotation.basics.questionnaires import Questionnaires
from annotation.core.queries.counted_answers import counted_judgments
from annotation.models import QuestionnaireReply, Study
from annotation.people.queries import retention as held
from annotation.people.services import retention
from annotation.questionnaires.queries import definitions, published, yaml_files
from annotation.questionnaires.services import definitions as services
from annotation.releases.exports import archive
from tests.questionnaires.forms import AFTER, BEFORE
from tests.support import release_studies
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import signed_in, text, url

MIN = published.MIN_PEOPLE
AGE = {"key": "age", "kind": "number", "text": "Age?", "published": True}
GROUP = {
    "key": "group",
    "kind": "choice",
    "text": "Group?",
    "options": [{"code": code, "text": code.upper()} for code in "abcdef"],
    "published": True,
}


def columns_of(question: dict, answers: list) -> list[published.PublishedColumn]:
    """Of people with these answers; None: not answered."""
    replies = [
        QuestionnaireReply(annotator_id=n, values={question["key"]: answer})
        for n, answer in enumerate(answers)
        if answer is not None
    ]
    return published.columns_of(PersonQuestion.of(question), replies, range(len(answers)))


def assert_enough_people_share_each_cell(column: published.PublishedColumn, n: int) -> None:
    shared = Counter(column.cells.values())
    assert sum(shared.values()) == n
    assert set(shared) <= {""} or min(shared.values()) >= MIN


@given(st.lists(st.integers(0, 40) | st.sampled_from([0.5, -3, 17.25]) | st.none(), max_size=60))
def test_every_published_range_is_shared_by_enough_people_and_holds_their_number(
    ages: list[float | None],
) -> None:
    (column,) = columns_of(AGE, ages)
    assert_enough_people_share_each_cell(column, len(ages))
    for person, cell in column.cells.items():
        if cell in {"", published.MERGED}:
            continue
        low, sign, high = cell.partition("..")
        high = high if sign else low
        assert ages[person] is not None
        assert float(low or "-inf") <= ages[person] <= float(high or "inf")
    # The same number stands in the same range.
    assert all(len({column.cells[p] for p, a in enumerate(ages) if a == age}) == 1 for age in ages)


def test_no_range_names_the_number_of_the_oldest_or_the_youngest() -> None:
    (column,) = columns_of(AGE, [10, 20, 21, 22, 23, 30, 31, 32, 33, 34, 60, 61, 62, 63, 87])
    assert [value for value, _n in column.counts] == ["..23", "30..34", "60.."]
    (column,) = columns_of(AGE, [10, 20, 21, 22, 23, 87])
    assert column.counts == [(published.MERGED, 6)]
    (column,) = columns_of(AGE, [30] * 5)
    assert column.counts == [("30", 5)]


@given(st.lists(st.sampled_from("abcdef") | st.none(), max_size=60))
def test_every_published_choice_is_shared_by_enough_people(groups: list[str | None]) -> None:
    (column,) = columns_of(GROUP, groups)
    assert_enough_people_share_each_cell(column, len(groups))
    true = Counter(groups)
    for value, n in column.counts:
        assert value == published.MERGED or n == true[value]
    if all(n >= MIN for n in true.values()):
        assert published.MERGED not in column.cells.values()


def test_an_empty_cell_gives_no_rare_answer_away() -> None:
    # Of two answers the one that is left out would be known.
    (column,) = columns_of(GROUP, ["a"] * 10 + ["b"])
    assert column.counts == [(published.MERGED, 11)]
    # One that nobody else lacks would say who was not asked.
    (column,) = columns_of(GROUP, ["a"] * 10 + ["b"] * 6 + [None])
    assert column.counts == [("a", 10), (published.MERGED, 7)]
    (column,) = columns_of(GROUP, ["a"] * 10 + [None] * 6)
    assert (column.counts, column.n_left_out) == ([("a", 10)], 0)
    (column,) = columns_of(GROUP, ["a"] * 3 + ["b"])
    assert (column.counts, column.n_left_out) == ([], 4)


def test_several_answers_and_a_matrix() -> None:
    several = {**GROUP, "kind": "choices"}
    (column,) = columns_of(several, [["a", "b"]] * 5 + [["a"]] * 4 + [["c"]] * 6)
    assert column.counts == [("c", 6), (published.MERGED, 9)]
    rows = [{"code": "x", "text": "X"}, {"code": "y", "text": "Y"}]
    matrix = {**GROUP, "kind": "matrix", "rows": rows}
    first, second = columns_of(matrix, [{"x": "a", "y": "b"}] * 5 + [{"x": "a"}])
    assert (first.name, first.counts) == ("group_x", [("a", 6)])
    assert (second.name, second.counts) == ("group_y", [(published.MERGED, 6)])


@pytest.fixture
def study(db: None) -> Study:
    """A study with answers that count, whose people said something about themselves."""
    study = release_studies.best_worst()
    study.questionnaires = Questionnaires.of({"before": BEFORE, "after": AFTER}).as_json
    study.save()
    people = study.annotators.filter(source="real", assignments__judgments__isnull=False)
    for person in people.distinct():
        QuestionnaireReply.objects.create(
            annotator=person,
            moment="before",
            values={"age": 30, "first_language": "other", "which": "Ada's own"},
            saved_at=timezone.now(),
            completed_at=timezone.now(),
        )
        QuestionnaireReply.objects.create(
            annotator=person,
            moment="after",
            values={"agree": {"clear": "yes"}, "devices": ["m", "t"], "feedback": "a\tb\nAda"},
            declined=["effort"],
            saved_at=timezone.now(),
            completed_at=timezone.now(),
        )
    return study


def table(files: dict[str, bytes]) -> list[dict[str, str]]:
    content = files["questionnaire.tsv"].decode()
    return list(csv.DictReader(io.StringIO(content, newline=""), delimiter="\t"))


def test_the_researchers_own_file_has_all_of_it_and_a_codebook(study: Study) -> None:
    with archive.temporary_archive(study, "people") as file:
        files = files_of(file.read())
    rows = table(files)
    assert len(rows) == study.annotators.filter(replies__isnull=False).distinct().count() > 0
    row = rows[0]
    assert list(row)[:1] == ["annotator"]
    assert row["which"] == "Ada's own"
    assert row["feedback"] == "a\tb\nAda"
    assert (row["agree_clear"], row["agree_fun"], row["devices"]) == ("yes", "", "m|t")
    assert (row["age"], row["declined"], row["screened_out"]) == ("30", "effort", "0")
    assert row["completed_at"]
    codebook = yaml_files.read(files["questionnaires.yaml"].decode())
    assert codebook == definitions.of(study)
    assert "How old are you?" in files["README.md"].decode()
    with archive.temporary_archive(study, "simulated") as file:
        assert table(files_of(file.read())) == []


@pytest.mark.slow
def test_a_release_has_only_what_was_chosen_and_enough_people_share(study: Study) -> None:
    services.publish(study=study, keys=[])
    assert "questionnaire.tsv" not in files_of(write(study, facts()))
    services.publish(study=study, keys=["first_language", "age", "agree"])
    files = files_of(write(study, facts()))
    rows = table(files)
    counted = counted_judgments(study, "people")
    assert len(rows) == len(set(counted.values_list("assignment__annotator"))) > 0
    assert list(rows[0]) == ["annotator", "age", "first_language", "agree_clear", "agree_fun"]
    is_enough = len(rows) >= MIN
    assert {row["first_language"] for row in rows} == {"other" if is_enough else ""}
    whole = b"".join(files.values())
    assert b"Ada's own" not in whole
    assert b"a\tb" not in whole


def test_the_page_shows_what_would_be_published(study: Study) -> None:
    page = signed_in(study.owner).get(url(study, "questionnaires"))
    shown = page.context["published"]
    sections = page.context["sections"]
    n = QuestionnaireReply.objects.filter(moment="before").count()
    assert [(s.questionnaire.moment, s.n_people) for s in sections] == [
        ("before", n),
        ("after", n),
    ]
    by_key = {question.key: columns for question, columns in shown}
    assert set(by_key) == {"age", "first_language", "devices", "effort", "agree"}
    assert sum(n for _value, n in by_key["age"][0].counts) + by_key["age"][0].n_left_out > 0


def test_erasing_takes_what_people_wrote_and_leaves_what_they_chose(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(state="finished", finished_at=timezone.now())
    study.refresh_from_db()
    n = QuestionnaireReply.objects.count()
    assert held.held(study).n_texts == n
    assert retention.erase(study=study, by=study.owner) is not None
    assert held.held(study).n_texts == 0
    assert QuestionnaireReply.objects.count() == n
    values = QuestionnaireReply.objects.filter(moment="before").first().values
    assert values == {"age": 30, "first_language": "other"}
    assert not QuestionnaireReply.objects.filter(values__has_key="feedback").exists()
    assert retention.erase(study=study, by=study.owner) is None


def test_people_and_researchers_read_the_answers_in_their_words(study: Study) -> None:
    somebody = study.annotators.filter(replies__isnull=False).first()
    page = text(signed_in(study.owner).get(url(study, "person", somebody.pk)))
    for words in (
        "What is your first language?",
        "Another",
        "It was clear: yes",
        "a mouse, touch",
    ):
        assert words in page, words


@pytest.mark.slow
def test_the_scores_are_compared_with_and_without_those_of_one_answer(study: Study) -> None:
    client = signed_in(study.owner)
    first, *others = study.annotators.filter(replies__isnull=False).distinct().order_by("pk")
    reply = first.replies.get(moment="before")
    reply.values["first_language"] = "en"
    reply.save()

    def shown(answer: str) -> set[int]:
        page = client.get(url(study, "people"), {"answer": answer})
        return {row.pk for row in page.context["rows"]}

    assert shown("first_language=en") == {first.pk}
    assert shown("first_language=other") == {other.pk for other in others}
    assert shown("devices=t") == {first.pk, *(other.pk for other in others)}
    # What no question has as an answer filters nobody.
    assert shown("age=30") >= {first.pk}
    assert shown("first_language=xx") == shown("")
    client.post(url(study, "compare"), {"group": "answer", "answer": "first_language=en"})
    job = study.jobs.get(kind="compare")
    assert job.parameters["without"] == [first.pk]
