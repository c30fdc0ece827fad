"""Making questionnaires: pages, YAML, the API; what nobody could answer is refused."""

import contextlib
import random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.basics.person_questions import KINDS, PersonQuestion, QuestionnaireError
from annotation.basics.questionnaires import Questionnaires
from annotation.models import Study
from annotation.questionnaires.queries import definitions, ready_questions, yaml_files
from annotation.questionnaires.services import definitions as services
from annotation.studies.services import copies
from tests.questionnaires.forms import AFTER, BEFORE, make_asking_study
from tests.support.api import address, by_token
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, url

CHOICE = {
    "key": "q",
    "kind": "choice",
    "text": "Q?",
    "options": [{"code": "a", "text": "A"}, {"code": "b", "text": "B"}],
}


def keys(study: Study, moment: str = "before") -> list[str]:
    study.refresh_from_db()
    return [question.key for question in definitions.of(study).at(moment).questions]


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "Age"},
        {"key": "1st"},
        {"kind": "colour"},
        {"text": " "},
        {"options": [{"code": "a", "text": "A"}]},
        {"options": [{"code": "a", "text": "A"}, {"code": "a", "text": "B"}]},
        {"options": [{"code": "a b", "text": "A"}, {"code": "c", "text": "B"}]},
        {"options": [{"code": "a", "text": ""}, {"code": "c", "text": "B"}]},
        {"options": "a, b"},
        {"rows": [{"code": "r", "text": "R"}]},
        {"lowest": 1},
        {"kind": "scale", "options": [], "lowest": 1, "highest": 1},
        {"kind": "scale", "options": [], "lowest": 1, "highest": 30},
        {"kind": "scale", "options": [], "lowest": 0.5, "highest": 3},
        {"kind": "number", "options": [], "lowest": "low"},
        {"kind": "number", "options": [], "lowest": 5, "highest": 4},
        {"kind": "number", "options": [], "screens_out": ["18"]},
        {"kind": "matrix"},
        {"kind": "text", "options": [], "published": True},
        {"screens_out": ["c"]},
        {"shown_if": {"question": "later", "answers": ["a"]}},
        {"colour": "red"},
    ],
)
def test_what_nobody_could_answer_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(QuestionnaireError):
        Questionnaires.of({"before": {"questions": [{**CHOICE, **wrong}]}})


def test_two_columns_cannot_have_one_name() -> None:
    matrix = {**CHOICE, "kind": "matrix", "rows": [{"code": "x", "text": "X"}]}
    for other in ({**CHOICE}, {**CHOICE, "key": "annotator"}, {**CHOICE, "key": "q_x"}):
        with pytest.raises(QuestionnaireError):
            Questionnaires.of(
                {
                    "before": {"questions": [matrix, CHOICE | {"key": "z"}]},
                    "after": {"questions": [other, matrix]},
                }
            )


def test_only_questions_before_can_screen_people_out() -> None:
    asked = {"questions": [{**CHOICE, "screens_out": ["a"]}]}
    assert Questionnaires.of({"before": asked}).as_json == {"before": asked}
    with pytest.raises(QuestionnaireError):
        Questionnaires.of({"after": asked})


def test_a_file_says_all_and_is_read_back_alike() -> None:
    every = Questionnaires.of({"before": BEFORE, "after": AFTER})
    assert yaml_files.read(yaml_files.written(every)) == every
    assert Questionnaires.of(every.as_json) == every


@pytest.mark.parametrize(("lowest", "highest"), [(0, 10), (-5, 0), (0, 1)])
def test_zero_is_an_end_of_a_scale_and_a_limit_of_a_number(lowest: int, highest: int) -> None:
    ends = {"text": "?", "lowest": lowest, "highest": highest}
    questions = [{"key": kind, "kind": kind, **ends} for kind in ("scale", "number")]
    every = Questionnaires.of({"before": {"questions": questions}})
    assert Questionnaires.of(every.as_json) == every
    assert yaml_files.read(yaml_files.written(every)) == every
    for question in every.questions:
        assert (question.lowest, question.highest) == (lowest, highest)


def test_words_like_no_and_dates_stay_words_in_a_file() -> None:
    every = yaml_files.read(
        "before:\n  questions:\n  - {key: q, kind: choice, text: 2001-01-01, required: true,"
        " options: [{code: no, text: No}, {code: yes, text: Yes}]}\n"
    )
    (question,) = every.questions
    assert [option.code for option in question.options] == ["no", "yes"]
    assert question.text == "2001-01-01"
    assert question.is_required


@pytest.mark.parametrize(
    "text", ["a: [", "- a", "a: &x [1]\nbefore: *x", "before: 3", "x: !!python/name:os"]
)
def test_a_file_that_is_none_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(QuestionnaireError):
        yaml_files.read(text)


def test_screening_by_numbers_and_codes() -> None:
    age = PersonQuestion.of(
        {"key": "a", "kind": "number", "text": "?", "screens_out": ["< 18", ">65.5"]}
    )
    assert [age.does_screen_out(n) for n in (17, 18, 65.5, 66)] == [True, False, False, True]
    several = PersonQuestion.of({**CHOICE, "kind": "choices", "screens_out": ["b"]})
    assert several.does_screen_out(["a", "b"])
    assert not several.does_screen_out(["a"])
    # The researcher reads what people read, not the codes of files.
    assert several.screens_out_in_words == ["B"]
    assert age.screens_out_in_words == ["< 18", ">65.5"]


def test_a_hidden_answer_does_not_count_for_conditions_or_screening() -> None:
    questions = [
        CHOICE,
        {**CHOICE, "key": "r", "shown_if": {"question": "q", "answers": ["a"]}},
        {
            **CHOICE,
            "key": "s",
            "screens_out": ["a"],
            "shown_if": {"question": "r", "answers": ["a"]},
        },
    ]
    asked = Questionnaires.of({"before": {"questions": questions}}).at("before")
    assert asked.does_screen_out({"q": "a", "r": "a", "s": "a"})
    assert not asked.does_screen_out({"q": "b", "r": "a", "s": "a"})


@pytest.mark.django_db
def test_ready_made_questions_have_the_same_codes_in_all_languages() -> None:
    def codes(language: str) -> dict[str, tuple[str, set[str]]]:
        asked = ready_questions.of(Study(language=language))
        return {q.key: (q.kind, {option.code for option in q.options}) for q in asked}

    assert codes("de") == codes("cs") == codes("en") == codes("fi")
    texts = {ready_questions.of(Study(language=code))[0].text for code in ("en", "de", "cs", "fi")}
    assert len(texts) == 3


@pytest.mark.django_db
def test_a_researcher_makes_questions_moves_them_and_removes_them() -> None:
    study = make_study()
    client = signed_in(study.owner)

    def post(name: str, *arguments: str, query: str = "", **data: Any) -> int:
        return client.post(url(study, name, *arguments) + query, data).status_code

    assert client.get(url(study, "questionnaires")).status_code == 200
    assert post("questionnaire_ready", "before", question=["age", "gender"]) == 302
    assert keys(study) == ["age", "gender"]
    # Typed without codes and without a name of its own.
    typed = {"text": "Do you read the news?", "options": "Yes, daily\nn = No\n"}
    assert post("questionnaire_add", "before", query="?kind=choice", **typed) == 302
    assert keys(study) == ["age", "gender", "do_you_read_the_news"]
    question = definitions.of(study).questions[-1]
    assert [(o.code, o.text) for o in question.options] == [("1", "Yes, daily"), ("n", "No")]
    # One that depends on it.
    which = {"text": "Which?", "shown_if": ["do_you_read_the_news=1"], "key": "which"}
    assert post("questionnaire_add", "before", query="?kind=text", **which) == 302
    # Its new name is the other's condition, too.
    edited = {**typed, "key": "news", "is_required": "on"}
    assert post("questionnaire_edit", "before", "do_you_read_the_news", **edited) == 302
    assert keys(study) == ["age", "gender", "news", "which"]
    assert definitions.of(study).questions[-1].shown_if.question == "news"
    # It cannot stand before what it depends on, nor can that be removed.
    assert post("questionnaire_move", "before", "which", to="up") == 302
    assert post("questionnaire_remove", "before", "news") == 302
    assert keys(study) == ["age", "gender", "news", "which"]
    assert post("questionnaire_move", "before", "age", to="down") == 302
    assert post("questionnaire_remove", "before", "which") == 302
    assert keys(study) == ["gender", "age", "news"]
    assert post("questionnaire_texts", "before", title="You", introduction="*Hello*") == 302
    study.refresh_from_db()
    assert definitions.of(study).at("before").title == "You"
    # What is typed wrongly is said beside the form.
    for wrong in ({"text": ""}, {"options": "only one"}, {"key": "age"}, {"key": "No good"}):
        assert post("questionnaire_edit", "before", "news", **{**edited, **wrong}) in {200, 400}
    assert keys(study) == ["gender", "age", "news"]
    # Nobody else finds it.
    assert signed_in().get(url(study, "questionnaires")).status_code == 404


@pytest.mark.django_db
def test_opening_a_study_freezes_its_questions_but_not_what_is_published() -> None:
    study = make_asking_study(before=BEFORE)
    client = signed_in(study.owner)
    before = study.questionnaires
    client.post(url(study, "questionnaire_ready", "after"), {"question": ["feedback"]})
    client.post(url(study, "questionnaire_remove", "before", "age"))
    study.refresh_from_db()
    assert study.questionnaires == before

    client.post(url(study, "questionnaire_published"), {"question": ["age"]})
    study.refresh_from_db()
    published = [q.key for q in definitions.of(study).questions if q.is_published]
    assert published == ["age"]
    # What people write is never published.
    client.post(url(study, "questionnaire_published"), {"question": ["which"]})
    study.refresh_from_db()
    assert [q.key for q in definitions.of(study).questions if q.is_published] == ["age"]


@pytest.mark.django_db
def test_the_same_questions_go_by_file_by_copy_and_by_the_api() -> None:
    study = make_study(questionnaires={"before": BEFORE, "after": AFTER})
    client = signed_in(study.owner)
    file = client.get(url(study, "questionnaire_file")).content
    other = make_study(owner=study.owner)
    upload = url(other, "questionnaire_upload")
    sent = SimpleUploadedFile("q.yaml", file)
    assert client.post(upload, {"file": sent}).status_code == 302
    other.refresh_from_db()
    assert other.questionnaires == study.questionnaires
    for wrong in (b"\xff\xfe\x00", b"before: 3", b""):
        sent = SimpleUploadedFile("q.yaml", wrong)
        assert client.post(upload, {"file": sent}).status_code == 400
    other.refresh_from_db()
    assert other.questionnaires == study.questionnaires

    copy = copies.make_draft(study=study, title="Copy", with_items=False, by=study.owner)
    assert copy.questionnaires == study.questionnaires

    api = by_token(study.owner)
    assert api.get(address(study, "questionnaires/")).json() == study.questionnaires
    body = {"before": {"questions": [CHOICE]}}
    put = api.put(address(study, "questionnaires/"), body, content_type="application/json")
    assert put.status_code == 200
    assert put.json() == body
    body["before"]["questions"].append(CHOICE)
    put = api.put(address(study, "questionnaires/"), body, content_type="application/json")
    assert put.status_code == 400


@pytest.mark.django_db
def test_two_people_who_add_questions_at_once_lose_none() -> None:
    study = make_study()
    here, there = Study.objects.get(pk=study.pk), Study.objects.get(pk=study.pk)
    services.add_ready(study=here, moment="after", keys=["feedback"])
    services.add_ready(study=there, moment="before", keys=["age"])
    study.refresh_from_db()
    assert keys(study, "before") + keys(study, "after") == ["age", "feedback"]


@pytest.mark.django_db
def test_an_imported_study_asks_nobody() -> None:
    study = make_study()
    Study.objects.filter(pk=study.pk).update(state="imported", closed_at=timezone.now())
    client = signed_in(study.owner)
    assert client.get(url(study, "questionnaires")).status_code == 302
    client.post(url(study, "questionnaire_ready", "before"), {"question": ["age"]})
    assert keys(study) == []


def test_any_json_is_refused_with_a_sentence_or_read_back_alike() -> None:
    """Whatever a program sends: no other error, and what is taken is stable."""
    rng = random.Random(1)
    values: list[Any] = [
        None,
        True,
        1,
        -1.5,
        10**30,
        "",
        "a",
        "\x00",
        "\ud800",
        [],
        {},
        ["a"],
        KINDS,
    ]
    names = [
        *PersonQuestion.of(CHOICE).as_json,
        "rows",
        "lowest",
        "highest",
        "screens_out",
        "shown_if",
    ]
    for _ in range(2000):
        question = {**CHOICE, rng.choice(names): rng.choice(values), "kind": rng.choice(KINDS)}
        with contextlib.suppress(QuestionnaireError):
            every = Questionnaires.of({"before": {"questions": [question]}})
            assert Questionnaires.of(every.as_json) == every
