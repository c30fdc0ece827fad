"""The XML of Mechanical Turk, written by us and read from strangers."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.crowds.platforms.mturk.questions import (
    AnswerUnreadableError,
    QuestionTooLongError,
    external_question,
    html_question,
    read_answer,
)

_ANSWER = (
    '<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="http://mechanicalturk.'
    'amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd">%s'
    "</QuestionFormAnswers>"
)


def _field(name: str, text: str) -> str:
    return (
        f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier>"
        f"<FreeText>{text}</FreeText></Answer>"
    )


def test_an_address_with_an_ampersand_is_escaped_and_comes_back() -> None:
    xml = external_question("https://likeness.example/p/a/?x=1&y=<2>", frame_height=0)

    assert "?x=1&amp;y=&lt;2&gt;" in xml
    root = ElementTree.fromstring(xml)
    space = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/"
    assert root.tag == space + "ExternalQuestion.xsd}ExternalQuestion"
    url, height = root
    assert (url.text, height.text) == ("https://likeness.example/p/a/?x=1&y=<2>", "0")


def test_a_question_of_more_than_65535_bytes_is_refused() -> None:
    longest = 65_535 - len(external_question("a", frame_height=0)) + 1

    assert len(external_question("a" * longest, frame_height=0)) == 65_535
    with pytest.raises(QuestionTooLongError, match="too long for Mechanical Turk"):
        external_question("a" * (longest - 1) + "ä", frame_height=0)


def test_a_text_is_no_markup_in_the_page_of_a_compensation() -> None:
    xml = html_question(title="<b>", text="a ]]> & <script>\n\nb", button="OK")

    page = ElementTree.fromstring(xml)[0].text or ""
    assert "<p>a ]]&gt; &amp; &lt;script&gt;</p><p>b</p>" in page
    assert "<h1>&lt;b&gt;</h1>" in page


def test_fields_are_read_and_the_first_of_a_name_counts() -> None:
    xml = _ANSWER % (_field("receipt", "r 1") + _field("ä", "&lt;ü&gt;") + _field("receipt", "2"))

    assert read_answer(xml) == {"receipt": "r 1", "ä": "<ü>"}


def test_a_missing_text_is_empty_and_a_missing_name_nothing() -> None:
    nameless = "<Answer><FreeText>x</FreeText></Answer>"
    bare = "<Answer><QuestionIdentifier>a</QuestionIdentifier></Answer>"

    assert read_answer(_ANSWER % (nameless + bare)) == {"a": ""}
    assert read_answer(_ANSWER % "") == {}


def test_no_file_is_read_and_no_entity_resolved(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    body = (_ANSWER % _field("receipt", "&e;")).partition("?>")[2]
    xml = f'<!DOCTYPE q [<!ENTITY e SYSTEM "file://{secret}">]>{body}'

    with pytest.raises(
        AnswerUnreadableError, match="The submission does not have the format that"
    ):
        read_answer(xml)


@pytest.mark.parametrize("xml", ["", "receipt", "<a>", "<Answers/>", "\x00", "<a xmlns='x:'/>"])
def test_what_is_no_answer_is_said_to_be_none(xml: str) -> None:
    with pytest.raises(
        AnswerUnreadableError, match="The submission does not have the format that"
    ):
        read_answer(xml)


def test_a_huge_answer_is_not_read() -> None:
    with pytest.raises(AnswerUnreadableError, match="too long"):
        read_answer("x" * 1_000_001)


def test_a_bomb_of_entities_does_not_go_off() -> None:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    xml = f'<!DOCTYPE q [<!ENTITY l0 "ha">{levels}]><q>&l11;</q>'

    with pytest.raises(
        AnswerUnreadableError, match="The submission does not have the format that"
    ):
        read_answer(xml)


@given(st.text())
def test_foreign_text_is_read_or_refused_and_never_more(text: str) -> None:
    try:
        fields = read_answer(text)
    except AnswerUnreadableError:
        return
    assert fields == {}
