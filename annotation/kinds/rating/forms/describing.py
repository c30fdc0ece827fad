"""The texts of a rating study: one question and a scale."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.scale import Scale, ScaleError, number_of
from annotation.core.forms.fields import LongText, lines, one_line
from annotation.kinds.forms.describing import DescribeForm, FieldGroup
from annotation.models import Study


def _number(label: Any, help_text: Any = "") -> forms.CharField:
    # The scale is read as text: no digit is lost, and a decimal comma is accepted.
    return forms.CharField(
        label=label,
        max_length=12,
        help_text=help_text,
        widget=forms.TextInput(attrs={"size": 8, "inputmode": "decimal", "autocomplete": "off"}),
    )


class DescribeRatingForm(DescribeForm):
    """With the question and the scale."""

    rating_question = forms.CharField(
        label=gettext_lazy("Rating question"),
        max_length=300,
        help_text=gettext_lazy("People see it above the scale, with every pair."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    scale_low = _number(gettext_lazy("From"))
    scale_high = _number(gettext_lazy("To"))
    scale_step = _number(
        gettext_lazy("In steps of"),
        gettext_lazy("1 gives whole numbers; 0.01 gives an almost continuous scale."),
    )
    scale_labels = LongText(
        label=gettext_lazy("Labels for the points of the scale"),
        rows=4,
        help_text=gettext_lazy(
            "One point per line, as in “0: nothing in common”. Both ends need a "
            "label; other points can have one. A scale of up to 7 points, all with "
            "labels, is shown as buttons instead of a slider."
        ),
    )

    SCALE = ("scale_low", "scale_high", "scale_step", "scale_labels")
    FROZEN_NOTE = gettext_lazy(
        "This study has been opened. Its language, instructions, question, scale and comprehension"
        " question are frozen, so that everybody answers the same question. To ask a different"
        " question, create a new study."
    )
    OF_STUDY = ("title", "language", "rating_question")
    OF_QUESTION = FieldGroup(
        gettext_lazy("Scale"),
        gettext_lazy("Everybody sees the same scale; no value is preselected."),
        SCALE,
    )

    def __init__(self, study: Study, consent: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(study, consent, data)
        self.initial = {
            **self.initial,
            **_scale_fields(study.scale),
        }
        self.scale: Scale | None = None

    @classmethod
    def column(cls, name: str) -> str:
        return "scale" if name in cls.SCALE else super().column(name)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.errors.keys() & {*self.SCALE} and {*self.changed_data} & {*self.SCALE}:
            self.scale = self._read_scale(cleaned)
        return cleaned

    def _read_scale(self, cleaned: dict[str, Any]) -> Scale | None:
        numbers: list[Decimal] = []
        for name in self.SCALE[:3]:
            value = number_of(cleaned[name])
            if value is None:
                self.add_error(name, _("Give a number with at most 3 decimals."))
            else:
                numbers.append(value)
        labels = self._read_labels(cleaned["scale_labels"])
        if self.errors.keys() & {*self.SCALE}:
            return None
        low, high, step = numbers
        # The ends and the step alone first, so that what is wrong is said where it is.
        for name, words in (("scale_step", {}), ("scale_labels", labels)):
            scale = Scale(low, high, step, words)
            try:
                scale.check()
            except ScaleError as error:
                self.add_error(name, error.message)
                return None
        if missing := [scale.text(end) for end in (low, high) if not scale.label(end)]:
            self.add_error(
                "scale_labels",
                _("Label both ends of the scale: %(points)s.") % {"points": ", ".join(missing)},
            )
            return None
        return scale

    def _read_labels(self, text: str) -> dict[Decimal, str]:
        labels: dict[Decimal, str] = {}
        for line in lines(text):
            point, colon, words = line.partition(":")
            value = number_of(point)
            if value is None or not colon or not words.strip():
                self.add_error(
                    "scale_labels",
                    _("“%(line)s” is not a point with a label. Write it like “3: about half”.")
                    % {"line": line},
                )
            elif value in labels:
                self.add_error(
                    "scale_labels", _("The point %(point)s has two labels.") % {"point": point}
                )
            else:
                labels[value] = words.strip()
        return labels

    def changes(self) -> dict[str, Any]:
        changes = super().changes()
        if self.scale is not None:
            changes["scale"] = self.scale.as_json
        return changes


def _scale_fields(scale: Mapping[str, Any]) -> dict[str, str]:
    labels = scale.get("labels", {})
    return {
        **{f"scale_{name}": str(scale.get(name, "")) for name in ("low", "high", "step")},
        "scale_labels": "\n".join(
            f"{point}: {one_line(words)}" for point, words in labels.items()
        ),
    }
