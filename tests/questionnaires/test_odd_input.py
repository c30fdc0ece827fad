"""Odd input: what people and researchers send is taken or refused, and never breaks a page."""

from typing import Any
from urllib.parse import urlencode

import pytest

from annotation.basics.person_questions import QuestionnaireError
from annotation.basics.questionnaires import Questionnaires
from annotation.models import QuestionnaireReply, Study
from annotation.questionnaires.queries import definitions, yaml_files
from annotation.questionnaires.services import definitions as services
from tests.questionnaires.forms import BEFORE, make_asking_study
from tests.questionnaires.test_answering import RIGHT, errors
from tests.support.annotating import Participant
from tests.support.api import address, by_token
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, url

CHOICE: dict[str, Any] = {
    "key": "q",
    "kind": "choice",
    "text": "Q?",
    "options": [{"code": "a", "text": "A"}, {"code": "b", "text": "B"}],
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "age", ["1e9999999", "-1e9999999", "1_8", "snan", "0x1F", "\x00", "3" * 5000]
)
def test_a_number_that_is_none_is_named(age: str) -> None:
    somebody = Participant(make_asking_study(before=BEFORE))
    assert errors(somebody.post("about/before/", {**RIGHT, "age": age})) == {"age"}


@pytest.mark.django_db
def test_signs_that_nobody_sees_are_no_answer() -> None:
    somebody = Participant(make_asking_study(before=BEFORE))
    for which in ("\x00", " \x00 ", "\x00\x00"):
        sent = {**RIGHT, "first_language": "other", "which": which}
        assert errors(somebody.post("about/before/", sent)) == {"which"}


@pytest.mark.django_db
def test_long_answers_in_any_script_are_taken() -> None:
    questions = [{"key": f"q{n}", "kind": "long_text", "text": "?"} for n in range(6)]
    somebody = Participant(make_asking_study(before={"questions": questions}))
    sent = {f"q{n}": "语" * 5000 for n in range(6)}
    body = urlencode(sent)
    form = {"content_type": "application/x-www-form-urlencoded"}
    response = somebody.client.post(somebody.url("about/before/"), body, **form)
    assert response.status_code == 303
    assert len(QuestionnaireReply.objects.get().values["q5"]) == 5000


@pytest.mark.django_db
def test_a_question_may_have_any_name() -> None:
    named = {
        **CHOICE,
        "key": "do",
        "options": [{"code": "draft", "text": "a draft"}, *CHOICE["options"]],
    }
    somebody = Participant(make_asking_study(before={"questions": [named]}))
    somebody.post("about/before/", {"do": "draft"})
    assert QuestionnaireReply.objects.get().completed_at is not None


@pytest.mark.parametrize("name", ["required", "may_decline", "published"])
@pytest.mark.parametrize("value", ["yes", "no", 1, "true", []])
def test_what_is_neither_true_nor_false_is_refused(name: str, value: object) -> None:
    with pytest.raises(QuestionnaireError):
        Questionnaires.of({"before": {"questions": [{**CHOICE, name: value}]}})


@pytest.mark.parametrize(
    "text",
    [
        "before: {questions: [{key: q, kind: number, text: Q, lowest: 0x" + "f" * 5000 + "}]}",
        "before: {questions: [{key: q, kind: text, text: Q, help: 0x" + "f" * 5000 + "}]}",
        "before: {questions: [{key: q, kind: choice, text: Q, options: [{code: 0x"
        + "f" * 5000
        + ", text: A}, {code: b, text: B}]}]}",
        "0x" + "f" * 5000 + ": 1",
        "before: {questions: [{key: q, kind: number, text: Q, lowest: 1" + "0" * 4000 + "}]}",
        "before: {? [a] : b}",
        "before: {questions: [{1: 2, key: q}]}",
    ],
)
def test_a_file_with_odd_numbers_and_keys_is_refused(text: str) -> None:
    with pytest.raises(QuestionnaireError):
        yaml_files.read(text)


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["1e30", "99999999999", "-1e999999"])
def test_a_limit_that_cannot_be_read_back_is_refused(number: str) -> None:
    study = make_study()
    sent = {"text": "How much?", "lowest": number}
    page = url(study, "questionnaire_add", "before") + "?kind=number"
    assert signed_in(study.owner).post(page, sent).status_code == 400
    study.refresh_from_db()
    assert definitions.of(study).questions == []


@pytest.mark.django_db
def test_names_that_no_database_stores_change_nothing() -> None:
    study = make_study()
    services.put_all(study=study, data={"before": {"questions": [CHOICE]}})
    client = signed_in(study.owner)
    for keys in (["\x00"], ["q", "\x00"], ["x" * 100_000], ["nobody"]):
        for page in (
            url(study, "questionnaire_published"),
            url(study, "questionnaire_ready", "before"),
        ):
            assert client.post(page, {"question": keys}).status_code == 302, (page, keys[0][:9])
    study.refresh_from_db()
    assert [q.key for q in definitions.of(study).questions] == ["q"]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["\ud800", "\x00", "x" * 300])
def test_the_api_names_an_unknown_field_whatever_it_is(name: str) -> None:
    study: Study = make_study()
    body = {"before": {"questions": [{**CHOICE, name: 1}]}}
    client = by_token(study.owner)
    response = client.put(address(study, "questionnaires/"), body, content_type="application/json")
    assert response.status_code == 400


def test_many_rows_are_read_quickly() -> None:
    matrices = [
        {
            **CHOICE,
            "key": f"m{n}",
            "kind": "matrix",
            "rows": [{"code": f"r{row}", "text": "R"} for row in range(60)],
        }
        for n in range(60)
    ]
    with pytest.raises(QuestionnaireError):
        Questionnaires.of({"before": {"questions": matrices}})
