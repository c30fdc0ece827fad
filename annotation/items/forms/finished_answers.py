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

_READ_OPTIONS = ("format", "columns", "person", "with_rejected")
_ROLES = [field.name for field in fields(Roles)]


class FinishedAnswersForm(forms.Form):
    """Which tool wrote the file, and what cannot be read from its names."""

    format = forms.ChoiceField(label=_("Format"))
    columns = forms.CharField(
        label=_("Fields with unclear names"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
        help_text=_(
            "One role=name per line, such as best=Answer.up or options=Input.a,Input.b. "
            "The roles are options, best, worst, id, target, candidate, answer and "
            "comment. If a task has several questions, separate them with semicolons: "
            "best=best1;best2."
        ),
    )
    person = forms.CharField(
        label=_("Annotator, if the file names nobody"),
        required=False,
        max_length=200,
        help_text=_("Only for a single file from Potato, which may not name the person."),
    )
    with_rejected = forms.BooleanField(
        label=_("Also count rejected assignments of Mechanical Turk"), required=False
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
        columns: dict[str, str] = {}
        for line in self.cleaned_data["columns"].splitlines():
            if not line.strip():
                continue
            role, is_there, name = (part.strip() for part in line.partition("="))
            if not (is_there and name) or role not in _ROLES:
                raise forms.ValidationError(
                    gettext("%(line)s: write ROLE=NAME, where ROLE is one of %(roles)s.")
                    % {"line": line[:60], "roles": ", ".join(_ROLES)}
                )
            columns[role] = name
        return columns

    def source(self, path: Any) -> Source:
        return Source(path, **self.read_options)

    @property
    def read_options(self) -> dict[str, Any]:
        """The fields of `Source` besides its path, as a job stores them."""
        return {name: self.cleaned_data[name] for name in _READ_OPTIONS}
