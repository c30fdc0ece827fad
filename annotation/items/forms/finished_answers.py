"""The form for a file of finished answers."""

from dataclasses import fields
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.items.imports.foreign.reading import FORMATS
from annotation.items.imports.foreign.roles import Roles
from annotation.items.services.finished_answers import Source
from annotation.kinds.registry import kind_of
from annotation.models import Study

_SAID = ("format", "columns", "person", "with_rejected")
_ROLES = [field.name for field in fields(Roles)]


class FinishedAnswersForm(forms.Form):
    """Which tool wrote the file, and what its names do not say."""

    format = forms.ChoiceField(label=_("Written by"))
    columns = forms.CharField(
        label=_("Which field is what, if its name does not say it"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
        help_text=_(
            "One a line, such as best=Answer.up or options=Input.a,Input.b. What can be said:"
            " options, best, worst; id, target, candidate, answer; comment. If a task has several"
            " questions, semicolons stand between them: best=best1;best2."
        ),
    )
    person = forms.CharField(
        label=_("Whose answers they are, if the file names nobody"),
        required=False,
        max_length=200,
        help_text=_("Potato writes a file for each person, without the person’s name."),
    )
    with_rejected = forms.BooleanField(
        label=_("Count rejected assignments of Mechanical Turk, too"), required=False
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(data)
        compares = kind_of(study).items.compares_items
        choice = self.fields["format"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [
            (name, str(label)) for name, label in FORMATS.items() if compares or name != "nrc"
        ]

    def clean_columns(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in self.cleaned_data["columns"].splitlines():
            if not line.strip():
                continue
            role, is_there, name = (part.strip() for part in line.partition("="))
            if not (is_there and name) or role not in _ROLES:
                raise forms.ValidationError(
                    gettext("%(line)s: write ROLE=NAME, where ROLE is one of %(roles)s.")
                    % {"line": line[:60], "roles": ", ".join(_ROLES)}
                )
            found[role] = name
        return found

    def source(self, path: Any) -> Source:
        return Source(path, **self.said)

    @property
    def said(self) -> dict[str, Any]:
        """As a job keeps it."""
        return {name: self.cleaned_data[name] for name in _SAID}
