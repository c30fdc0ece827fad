"""What a study asks people about themselves: before the first question, between phases, after."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.basics.person_questions import (
    CHOICE,
    CHOICES,
    MAX_QUESTIONS,
    Condition,
    PersonQuestion,
    QuestionnaireError,
    Value,
    Values,
    problem,
    text_of,
)
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _

# More fields than these and a few are not taken in one form.
MAX_COLUMNS = 500
# In the order in which people meet them.
MOMENTS = ("before", "between", "after")
# What stands in the file beside the answers.
OTHER_COLUMNS = ("annotator", "declined", "screened_out", "completed_at")


@dataclass(frozen=True)
class Questionnaire:
    """The questions that people are asked at one moment."""

    moment: str
    questions: tuple[PersonQuestion, ...] = ()
    title: str = ""
    introduction: str = ""

    @classmethod
    def of(cls, moment: str, data: Mapping[str, Any]) -> "Questionnaire":
        where = _("questionnaire “%(moment)s”") % {"moment": moment}
        if not isinstance(data, Mapping) or data.keys() - {"title", "introduction", "questions"}:
            raise problem(where, _("it can have only a title, an introduction and questions"))
        listed = data.get("questions", [])
        if not isinstance(listed, list) or not all(isinstance(q, Mapping) for q in listed):
            raise problem(where, _("its questions must be a list"))
        return cls(
            moment,
            tuple(PersonQuestion.of(question) for question in listed),
            title=text_of(data, "title"),
            introduction=text_of(data, "introduction"),
        )

    @property
    def as_json(self) -> dict[str, Any]:
        every = {
            "title": self.title,
            "introduction": self.introduction,
            "questions": [question.as_json for question in self.questions],
        }
        return {name: value for name, value in every.items() if value}

    def question(self, key: str) -> PersonQuestion:
        return next(question for question in self.questions if question.key == key)

    def shown_to(self, values: Values) -> Iterator[PersonQuestion]:
        """The questions that somebody with these answers sees, in order."""
        seen: dict[str, Value] = {}
        for question in self.questions:
            if question.shown_if is None or question.shown_if.holds(seen):
                if question.key in values:
                    seen[question.key] = values[question.key]
                yield question

    def does_screen_out(self, values: Values) -> bool:
        return any(
            question.does_screen_out(values[question.key])
            for question in self.shown_to(values)
            if question.key in values
        )

    def check(self) -> None:
        """Raise QuestionnaireError unless each condition is on an earlier question."""
        earlier: dict[str, PersonQuestion] = {}
        for question in self.questions:
            where = _("question %(key)s") % {"key": question.key}
            if question.shown_if:
                _check_condition(question.shown_if, earlier, where)
            if question.screens_out and self.moment != MOMENTS[0]:
                raise problem(
                    where, _("only questions before the first part can screen people out")
                )
            earlier[question.key] = question


@dataclass(frozen=True)
class Questionnaires:
    """Those of a study, by the moment at which people meet them; empty ones are left out."""

    all: tuple[Questionnaire, ...] = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Questionnaires":
        """Read what `as_json` wrote. Raises QuestionnaireError, with what to change."""
        unknown = set(data) - set(MOMENTS)
        if unknown:
            raise QuestionnaireError(
                _("“%(name)s” is not a questionnaire. Use one of %(moments)s.")
                % {"name": str(min(map(str, unknown)))[:60], "moments": ", ".join(MOMENTS)}
            )
        every = cls(tuple(Questionnaire.of(m, data[m]) for m in MOMENTS if data.get(m)))
        every.check()
        return every

    @property
    def as_json(self) -> dict[str, Any]:
        return {each.moment: each.as_json for each in self.all if each.as_json}

    @property
    def questions(self) -> list[PersonQuestion]:
        return [question for each in self.all for question in each.questions]

    def at(self, moment: str) -> Questionnaire:
        """The one of a moment; without questions if there is none."""
        return next((each for each in self.all if each.moment == moment), Questionnaire(moment))

    def is_there(self, moment: str) -> bool:
        return bool(self.at(moment).questions)

    def with_changed(self, changed: Questionnaire) -> "Questionnaires":
        every = {each.moment: each for each in self.all} | {changed.moment: changed}
        return Questionnaires(tuple(every[m] for m in MOMENTS if m in every))

    def check(self) -> None:
        """Raise QuestionnaireError, with what to change, unless people can answer them."""
        if len(self.questions) > MAX_QUESTIONS:
            raise QuestionnaireError(
                _(
                    "The questionnaires of a study can have at most %(most)s questions, but these "
                    "have %(n)s."
                )
                % {"most": MAX_QUESTIONS, "n": len(self.questions)}
            )
        columns = Counter(column for question in self.questions for column in question.columns)
        if columns.total() > MAX_COLUMNS:
            raise QuestionnaireError(
                _(
                    "The questionnaires of a study can have at most %(most)s questions and rows, "
                    "but these have %(n)s."
                )
                % {"most": MAX_COLUMNS, "n": columns.total()}
            )
        for column, n in columns.items():
            if n > 1 or column in OTHER_COLUMNS:
                raise QuestionnaireError(
                    _("Two columns of the file would be called “%(name)s”. Choose another name.")
                    % {"name": column}
                )
        for each in self.all:
            each.check()


def _check_condition(
    condition: Condition, earlier: Mapping[str, PersonQuestion], where: Said
) -> None:
    other = earlier.get(condition.question)
    if other is None or other.kind not in {CHOICE, CHOICES}:
        raise problem(
            where,
            _(
                "it can depend only on an earlier question of this page that has answers to "
                "choose from"
            ),
        )
    codes = {option.code for option in other.options}
    if not condition.codes or not set(condition.codes) <= codes:
        raise problem(
            where,
            _("it depends on an answer that question %(key)s does not have") % {"key": other.key},
        )
