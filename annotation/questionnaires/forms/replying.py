"""The form in which somebody answers a questionnaire, with or without a script on the page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.formats import localize
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.person_questions import (
    CHOICE,
    CHOICES,
    DATE,
    LONG_LIMIT,
    LONG_TEXT,
    MATRIX,
    MAX_NUMBER,
    NUMBER,
    SCALE,
    SHORT_LIMIT,
    Option,
    PersonQuestion,
    Value,
    Values,
)
from annotation.basics.questionnaires import Questionnaire

_MISSING = gettext_lazy("Please answer this question.")
_NO_NUMBER = gettext_lazy("Please type a number, with digits only.")
_NO_DATE = gettext_lazy("Please type a date as year-month-day, such as 2001-05-31.")
_NOT_LISTED = gettext_lazy("Please choose one of the answers.")
# With few digits, so that no arithmetic overflows; a stored 0.0000001 comes back as 1e-07.
_NUMBER = re.compile(r"[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?")
_EARLIEST = date(1800, 1, 1)
_LATEST = date(2200, 1, 1)


@dataclass
class AnsweredQuestion:
    """One question as the page shows it: what is chosen, and what is wrong with that."""

    question: PersonQuestion
    number: int
    # As it was sent: of a choice its codes, of a matrix a code for each row.
    chosen: list[str] = field(default_factory=list)
    in_rows: list[tuple[Option, str]] = field(default_factory=list)
    is_declined: bool = False
    error: str | Promise = ""
    # Of one that depends on another: that one, and the answers that it depends on.
    depends_on: PersonQuestion | None = None
    depends_on_texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands in its field, if it has one."""
        return self.chosen[0] if self.chosen else ""

    @property
    def described_by(self) -> str:
        """Ids of what a screen reader reads with the question."""
        is_there = {
            "error": self.error,
            "help": self.question.help,
            "ends": self.question.kind == SCALE and self.question.options,
        }
        return " ".join(f"about-{self.question.key}-{part}" for part in is_there if is_there[part])

    @property
    def points(self) -> list[str]:
        return [str(point) for point in self.question.points]


class ReplyForm(forms.Form):
    """What was sent of a questionnaire; a draft may lack answers, a reply may not.

    Names of fields are keys of questions; of a matrix `key:row`, and `key:declined` of whoever
    prefers not to say. After `is_valid`, `values` and `declined` hold what fits.
    """

    def __init__(
        self,
        questionnaire: Questionnaire,
        data: QueryDict | None = None,
        *,
        values: Values | None = None,
        declined: list[str] | None = None,
    ) -> None:
        super().__init__(data)
        self.questionnaire = questionnaire
        self.values: dict[str, Value] = {}
        self.declined: list[str] = []
        sent = _as_sent(values or {}, declined or []) if data is None else data
        self.questions = [
            _answered(questionnaire, question, number, sent)
            for number, question in enumerate(questionnaire.questions, 1)
        ]

    @property
    def problems(self) -> list[AnsweredQuestion]:
        return [each for each in self.questions if each.error]

    @property
    def unfit(self) -> list[str]:
        """Questions to which something was answered that does not fit, so that no draft has it."""
        return [
            each.question.key
            for each in self.problems
            if each.question.key not in self.values
            and (each.chosen or any(code for _row, code in each.in_rows))
        ]

    def clean(self) -> dict[str, Any]:
        by_key = {each.question.key: each for each in self.questions}
        # In their order: what a question depends on is known when it comes up.
        for question in self.questionnaire.questions:
            shown = {each.key for each in self.questionnaire.shown_to(self.values)}
            if question.key in shown:
                self._take(by_key[question.key])
        if self.problems:
            raise forms.ValidationError(_("Some answers are missing or do not fit."))
        return {}

    def _take(self, answered: AnsweredQuestion) -> None:
        question = answered.question
        if answered.is_declined:
            self.declined.append(question.key)
            return
        try:
            value = _value(answered)
        except forms.ValidationError as error:
            answered.error = error.messages[0]
            return
        if value is not None:
            self.values[question.key] = value
        if question.is_required and (value is None or _lacks_rows(question, value)):
            answered.error = _MISSING


def _answered(
    questionnaire: Questionnaire,
    question: PersonQuestion,
    number: int,
    sent: MultiValueDict[str, str],
) -> AnsweredQuestion:
    answered = AnsweredQuestion(
        question,
        number,
        chosen=[text for text in sent.getlist(question.key) if text.replace("\x00", "").strip()],
        in_rows=[(row, sent.get(f"{question.key}:{row.code}") or "") for row in question.rows],
        is_declined=question.may_decline and bool(sent.get(f"{question.key}:declined")),
    )
    if question.shown_if:
        other = questionnaire.question(question.shown_if.question)
        answered.depends_on = other
        answered.depends_on_texts = [
            option.text for option in other.options if option.code in question.shown_if.codes
        ]
    return answered


def _value(answered: AnsweredQuestion) -> Value | None:
    """What was answered; None for nothing. Raises ValidationError where it does not fit."""
    question = answered.question
    codes = {option.code for option in question.options}
    if question.kind == MATRIX:
        in_rows = {row.code: code for row, code in answered.in_rows if code}
        if not set(in_rows.values()) <= codes:
            raise forms.ValidationError(str(_NOT_LISTED))
        return in_rows or None
    if not answered.chosen:
        return None
    if question.kind in {CHOICE, CHOICES}:
        chosen = [option.code for option in question.options if option.code in answered.chosen]
        if len(chosen) != len(set(answered.chosen)) or (
            question.kind == CHOICE and len(chosen) > 1
        ):
            raise forms.ValidationError(str(_NOT_LISTED))
        return chosen if question.kind == CHOICES else chosen[0]
    return _typed(question, answered.text)


def _typed(question: PersonQuestion, text: str) -> Value:
    if question.kind == SCALE:
        if text not in {str(point) for point in question.points}:
            raise forms.ValidationError(str(_NOT_LISTED))
        return int(text)
    if question.kind == NUMBER:
        return _number(question, text)
    if question.kind == DATE:
        return _date(text).isoformat()
    limit = LONG_LIMIT if question.kind == LONG_TEXT else SHORT_LIMIT
    written = text.replace("\r\n", "\n").replace("\x00", "").strip()
    if len(written) > limit:
        raise forms.ValidationError(
            _("Please write at most %(most)s characters; these are %(n)s.")
            % {"most": limit, "n": len(written)}
        )
    return written


def _number(question: PersonQuestion, text: str) -> int | float:
    typed = text.strip().replace(",", ".")
    if not _NUMBER.fullmatch(typed) or abs(number := Decimal(typed)) > MAX_NUMBER:
        raise forms.ValidationError(str(_NO_NUMBER))
    if question.lowest is not None and number < question.lowest:
        raise forms.ValidationError(
            _("Please type a number of at least %(low)s.") % {"low": localize(question.lowest)}
        )
    if question.highest is not None and number > question.highest:
        raise forms.ValidationError(
            _("Please type a number of at most %(high)s.") % {"high": localize(question.highest)}
        )
    return int(number) if number == int(number) else float(number)


def _date(text: str) -> date:
    try:
        day = date.fromisoformat(text.strip())
    except ValueError as error:
        raise forms.ValidationError(str(_NO_DATE)) from error
    if not _EARLIEST <= day <= _LATEST:
        raise forms.ValidationError(str(_NO_DATE))
    return day


def _lacks_rows(question: PersonQuestion, value: Value) -> bool:
    return question.kind == MATRIX and isinstance(value, dict) and len(value) < len(question.rows)


def _as_sent(values: Mapping[str, Value], declined: list[str]) -> MultiValueDict[str, str]:
    """Stored answers as a form would send them."""
    sent: MultiValueDict[str, str] = MultiValueDict()
    for key, value in values.items():
        if isinstance(value, dict):
            for row, code in value.items():
                sent[f"{key}:{row}"] = code
        elif isinstance(value, list):
            sent.setlist(key, value)
        else:
            sent[key] = str(value)
    for key in declined:
        sent[f"{key}:declined"] = "1"
    return sent
