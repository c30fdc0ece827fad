"""The texts of a best-worst study: two questions, and a worked example of a choice."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import (
    LongText,
    MarkdownText,
    dialogue_text,
    dialogue_turns,
    lines,
    one_line,
)
from annotation.kinds.forms.describing import DescribeForm, FieldGroup
from annotation.models import Study


class DescribeBestWorstForm(DescribeForm):
    """With the questions for the best and the worst."""

    most_question = forms.CharField(
        label=gettext_lazy("Question for the best item"),
        max_length=300,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    least_question = forms.CharField(
        label=gettext_lazy("Question for the worst item"),
        max_length=300,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    example_dialogue = LongText(
        label=gettext_lazy("Dialogue"),
        rows=4,
        help_text=gettext_lazy(
            "One turn per line, as “Speaker: text”. The part before the first colon names the"
            " speaker. If a turn has no speaker, start its line with a colon. The last turn is the"
            " target."
        ),
    )
    example_candidates = LongText(
        label=gettext_lazy("Candidates"), rows=4, help_text=gettext_lazy("One per line.")
    )
    example_best = forms.IntegerField(
        label=gettext_lazy("Number of the best candidate"), min_value=1, required=False
    )
    example_worst = forms.IntegerField(
        label=gettext_lazy("Number of the worst candidate"), min_value=1, required=False
    )
    example_explanation = MarkdownText(label=gettext_lazy("Explanation"), rows=3)

    EXAMPLE = (
        "example_dialogue",
        "example_candidates",
        "example_best",
        "example_worst",
        "example_explanation",
    )
    FROZEN_NOTE = gettext_lazy(
        "This study has been opened. Its language, instructions, question wording, worked example"
        " and comprehension question are frozen, so that everybody answers the same question. To"
        " ask a different question, create a new study."
    )
    OF_STUDY = ("title", "language", "most_question", "least_question")
    OF_QUESTION = FieldGroup(
        gettext_lazy("Worked example"),
        gettext_lazy(
            "People see it below the instructions, with the correct answers marked. Leave empty "
            "for no example."
        ),
        EXAMPLE,
    )
    OF_PEOPLE_ASKED = (*DescribeForm.OF_PEOPLE_ASKED, *EXAMPLE)
    field_order = [
        *OF_STUDY,
        "consent",
        *DescribeForm.OF_CHANGED_CONSENT,
        *("instructions", "thanks"),
        *EXAMPLE,
    ]

    def __init__(self, study: Study, consent: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(study, consent, data)
        example = study.worked_example
        self.initial = {
            **self.initial,
            "most_question": study.most_question,
            "least_question": study.least_question,
            "example_dialogue": dialogue_text(example.get("turns", [])),
            "example_candidates": "\n".join(map(one_line, example.get("candidates", []))),
            "example_best": example.get("best"),
            "example_worst": example.get("worst"),
            "example_explanation": example.get("explanation", ""),
        }

    @classmethod
    def column(cls, name: str) -> str:
        return "worked_example" if name in cls.EXAMPLE else super().column(name)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.is_wanted(self.EXAMPLE):
            self._check_example(cleaned)
        return cleaned

    def changes(self) -> dict[str, Any]:
        changes = super().changes()
        if {*self.changed_data} & {*self.EXAMPLE}:
            changes["worked_example"] = self._example() if self.is_wanted(self.EXAMPLE) else {}
        return changes

    def _check_example(self, cleaned: dict[str, Any]) -> None:
        if self.errors.keys() & {*self.EXAMPLE}:
            return
        turns = dialogue_turns(cleaned["example_dialogue"])
        if not turns:
            self.add_error("example_dialogue", _("Write at least one turn: the target."))
        for number, turn in enumerate(turns, start=1):
            if not turn["text"]:
                self.add_error(
                    "example_dialogue",
                    _("Turn %(n)s has a speaker and no text.") % {"n": number},
                )
        candidates = lines(cleaned["example_candidates"])
        if len(candidates) < 2:
            self.add_error("example_candidates", _("Write at least two candidates, one per line."))
            return
        best, worst = cleaned["example_best"], cleaned["example_worst"]
        self.check_number("example_best", best, len(candidates))
        self.check_number("example_worst", worst, len(candidates))
        if best and best == worst:
            self.add_error("example_worst", _("Best and worst must be two different candidates."))

    def _example(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "turns": dialogue_turns(cleaned["example_dialogue"]),
            "candidates": lines(cleaned["example_candidates"]),
            "best": cleaned["example_best"],
            "worst": cleaned["example_worst"],
            "explanation": cleaned["example_explanation"],
        }
