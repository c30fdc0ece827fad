"""What a researcher types about one question; and the title and introduction above several."""

import re
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.person_questions import (
    CHOICE,
    CHOICES,
    DATE,
    LONG_TEXT,
    MATRIX,
    MAX_NUMBER,
    NUMBER,
    SCALE,
    TEXT,
    TEXT_LIMIT,
    Condition,
    Option,
    PersonQuestion,
    QuestionnaireError,
    is_code,
)
from annotation.basics.questionnaires import Questionnaire, Questionnaires
from annotation.basics.sentences import sentence
from annotation.core.forms.fields import LongText, MarkdownText

KIND_LABELS = {
    CHOICE: gettext_lazy("one answer from a list"),
    CHOICES: gettext_lazy("several answers from a list"),
    NUMBER: gettext_lazy("a number"),
    TEXT: gettext_lazy("a short text"),
    LONG_TEXT: gettext_lazy("a long text"),
    SCALE: gettext_lazy("a scale of numbers"),
    MATRIX: gettext_lazy("a matrix: the same answers for several rows"),
    DATE: gettext_lazy("a date"),
}
# Fields that only questions of these kinds have.
_ONLY_OF = {
    "options": {CHOICE, CHOICES, MATRIX, SCALE},
    "rows": {MATRIX},
    "lowest": {NUMBER, SCALE},
    "highest": {NUMBER, SCALE},
    "screens_out": {CHOICE, CHOICES, NUMBER},
}
# Parts a question and an answer in the value of one condition.
_SIGN = "="
_LINE = re.compile(r"\s*([^\s=]+)\s+=\s+(.+)")


class TextsForm(forms.Form):
    """What stands above the questions of one moment."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    introduction = MarkdownText(
        label=gettext_lazy("Introduction"), rows=3, help_text=gettext_lazy("Markdown is allowed.")
    )


class FileForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("YAML file"))


class QuestionForm(forms.Form):
    """One question; `question` holds it once the form is valid."""

    text = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=TEXT_LIMIT,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    help = forms.CharField(
        label=gettext_lazy("Hint below the question"),
        required=False,
        max_length=TEXT_LIMIT,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    options = LongText(
        label=gettext_lazy("Answers"),
        rows=5,
        help_text=gettext_lazy(
            "One per line. “f = female” gives an answer the code f in files. Without codes of "
            "your own, the codes are 1, 2, 3."
        ),
    )
    rows = LongText(
        label=gettext_lazy("Rows of the matrix"),
        rows=4,
        help_text=gettext_lazy("One per line, with or without a code, like the answers."),
    )
    lowest = forms.DecimalField(
        label=gettext_lazy("Lowest number"),
        required=False,
        min_value=-MAX_NUMBER,
        max_value=MAX_NUMBER,
    )
    highest = forms.DecimalField(
        label=gettext_lazy("Highest number"),
        required=False,
        min_value=-MAX_NUMBER,
        max_value=MAX_NUMBER,
    )
    is_required = forms.BooleanField(
        label=gettext_lazy("People must answer this question"), required=False
    )
    may_decline = forms.BooleanField(
        label=gettext_lazy("People can choose “I prefer not to say”"), required=False
    )
    shown_if = forms.MultipleChoiceField(
        label=gettext_lazy("Only show it to people who chose one of these answers"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Choose answers to one question only. If you choose none, everybody sees this "
            "question."
        ),
    )
    screens_out = LongText(
        label=gettext_lazy("Answers that end the study for a person"),
        rows=2,
        help_text=gettext_lazy(
            "One per line: the code of an answer, or a limit such as < 18. Likeness thanks the "
            "person, and the place becomes free for somebody else."
        ),
    )
    key = forms.CharField(
        label=gettext_lazy("Name in files"),
        required=False,
        max_length=40,
        help_text=gettext_lazy(
            "Lower-case letters, digits and underscores. Leave empty to make the name from the "
            "question."
        ),
    )

    def __init__(
        self,
        every: Questionnaires,
        questionnaire: Questionnaire,
        kind: str,
        data: Any = None,
        *,
        question: PersonQuestion | None = None,
    ) -> None:
        super().__init__(data, initial=_initial(question) if question else None)
        self.every, self.kind = every, kind
        self.before = question
        self.question: PersonQuestion | None = None
        earlier = questionnaire.questions
        if question is not None:
            earlier = earlier[: earlier.index(question)]
        self.conditions = [
            (f"{other.key}{_SIGN}{option.code}", f"{other.text} – {option.text}")
            for other in earlier
            if other.kind in {CHOICE, CHOICES}
            for option in other.options
        ]
        self.fields["shown_if"].choices = self.conditions  # type: ignore[attr-defined]
        if not self.conditions:
            del self.fields["shown_if"]
        if questionnaire.moment != "before":
            del self.fields["screens_out"]
        for name, kinds in _ONLY_OF.items():
            if kind not in kinds:
                self.fields.pop(name, None)
        if kind == SCALE:
            self.fields["options"].label = gettext_lazy("Labels for the two ends")
            self.fields["options"].help_text = gettext_lazy(
                "Two lines, one for each end. Leave empty for no labels."
            )

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if self.errors:
            return typed
        try:
            self.question = PersonQuestion(
                key=typed["key"] or self._new_key(typed["text"]),
                kind=self.kind,
                text=typed["text"],
                help=typed["help"],
                options=_options(typed.get("options", ""), self.kind),
                rows=_options(typed.get("rows", ""), self.kind),
                lowest=typed.get("lowest"),
                highest=typed.get("highest"),
                is_required=typed["is_required"],
                may_decline=typed["may_decline"],
                shown_if=_condition(typed.get("shown_if") or []),
                screens_out=tuple(_lines(typed.get("screens_out", ""))),
                is_published=bool(self.before and self.before.is_published),
            )
            self.question.check(_("this question"))
        except QuestionnaireError as error:
            raise forms.ValidationError(error.message) from error
        return typed

    def _new_key(self, text: str) -> str:
        """A name from the first words of a question, which no other one has."""
        words = re.sub(r"[^a-z0-9]+", "_", slugify(text)).strip("_0123456789")
        base = words[:24].strip("_") or "question"
        taken = {column for other in self.every.questions for column in other.columns}
        names = (base, *(f"{base}_{n}" for n in range(2, 1000)))
        return next(name for name in names if name not in taken)


def _initial(question: PersonQuestion) -> dict[str, Any]:
    condition = question.shown_if
    return {
        "text": question.text,
        "help": question.help,
        "options": "\n".join(
            option.text if question.kind == SCALE else option.line for option in question.options
        ),
        "rows": "\n".join(row.line for row in question.rows),
        "lowest": question.lowest,
        "highest": question.highest,
        "is_required": question.is_required,
        "may_decline": question.may_decline,
        "shown_if": [f"{condition.question}{_SIGN}{code}" for code in condition.codes]
        if condition
        else [],
        "screens_out": "\n".join(question.screens_out),
        "key": question.key,
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _options(text: str, kind: str) -> tuple[Option, ...]:
    """What stands in the lines; without a code of its own each has its number."""
    lines = _lines(text)
    if kind == SCALE:
        return tuple(
            Option(code, line) for code, line in zip(("low", "high", "more"), lines, strict=False)
        )
    options = []
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match and is_code(match[1]):
            options.append(Option(match[1], match[2].strip()))
        else:
            options.append(Option(str(number), line))
    return tuple(options)


def _condition(chosen: list[str]) -> Condition | None:
    if not chosen:
        return None
    pairs = [choice.partition(_SIGN) for choice in chosen]
    if len({question for question, _sign, _code in pairs}) > 1:
        raise QuestionnaireError(sentence("Choose answers to one question only."))
    return Condition(pairs[0][0], tuple(code for _question, _sign, code in pairs))
