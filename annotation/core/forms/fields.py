"""Fields that keep text as it was typed, and plain lines for what is stored as JSON."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.formats import localize
from django.utils.translation import gettext as _

from annotation.basics.markdown import (
    MAX_BRACKETS,
    MAX_CELLS,
    MAX_MARKDOWN_LENGTH,
    has_too_many_cells,
    is_slow,
)
from annotation.basics.turns import speaker_and_text
from shell.normal_forms import MAX_MARKS, has_many_marks


class LongText(forms.CharField):
    """Text of several lines, exactly as typed, but for the line ends that browsers send."""

    def __init__(self, *, rows: int = 8, **options: Any) -> None:
        options.setdefault("required", False)
        options.setdefault("max_length", 100_000)
        widget = forms.Textarea(attrs={"rows": rows, "class": "vLargeTextField"})
        super().__init__(strip=False, widget=widget, **options)

    def validate(self, value: str) -> None:
        super().validate(value)
        if has_many_marks(value):
            raise ValidationError(
                _(
                    "One letter has more than %(n)s accents. Remove those that do not "
                    "belong there."
                ),
                params={"n": MAX_MARKS},
            )

    def to_python(self, value: Any) -> str:
        text: str = super().to_python(value) or ""
        return text.replace("\r\n", "\n").replace("\r", "\n")


class NumberField(forms.FloatField):
    """A number; an error says its limits as the language writes numbers, with a comma or point."""

    def run_validators(self, value: Any) -> None:
        try:
            super().run_validators(value)
        except ValidationError as error:
            for problem in error.error_list:
                if problem.params and isinstance(problem.params.get("limit_value"), float):
                    problem.params["limit_value"] = localize(problem.params["limit_value"])
            raise


class MarkdownText(LongText):
    """Text that is rendered on a page."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": MAX_MARKDOWN_LENGTH, **options})

    def validate(self, value: str) -> None:
        super().validate(value)
        if is_slow(value):
            raise ValidationError(
                _(
                    "This text has more than %(n)s opening brackets. A text with so many "
                    "links cannot be shown."
                ),
                params={"n": MAX_BRACKETS},
            )
        if has_too_many_cells(value):
            raise ValidationError(
                _("The tables in this text have more than %(n)s cells. Use a smaller table."),
                params={"n": MAX_CELLS},
            )


def lines(text: str) -> list[str]:
    """The lines of a field that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def one_line(text: str) -> str:
    return " ".join(text.split())


def dialogue_text(turns: list[dict[str, str]]) -> str:
    """Turns as lines `Speaker: text`; a line that nobody speaks begins with a colon if needed."""
    rows = []
    for turn in turns:
        text, speaker = one_line(turn.get("text", "")), turn.get("speaker", "")
        rows.append(f"{speaker}: {text}" if speaker else f": {text}" if ":" in text else text)
    return "\n".join(rows)


def dialogue_turns(text: str) -> list[dict[str, str]]:
    """Read what `dialogue_text` writes: what stands before the first colon is the speaker."""
    turns = []
    for line in lines(text):
        speaker, words = speaker_and_text(line)
        turns.append({"speaker": speaker, "text": words})
    return turns


def plain_input(**attributes: str) -> forms.TextInput:
    """Of one line, which a browser neither proposes nor corrects."""
    return forms.TextInput(
        attrs={"class": "vTextField", "autocomplete": "off", "spellcheck": "false", **attributes}
    )
