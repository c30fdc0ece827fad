"""The form in which somebody says what the columns of a table of items are."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.items.imports.columns import LEAVE_OUT, METADATA, FoundColumn
from annotation.kinds.contract.items import ItemsPart

_LABELS = {
    "id": _("Id"),
    "target": _("Target: the first text"),
    "candidate": _("Candidate: the second text"),
    "text": _("Single text"),
    "target_context": _("Target in its context, marked with <sent> and </sent>"),
    "candidate_context": _("Candidate in its context, marked with <sent> and </sent>"),
    "question": _("Question above both texts"),
    "group": _("Group"),
    "intended_class": _("Intended class"),
    "domain": _("Domain"),
    "source": _("Source"),
    "check": _("Attention check: tutorial, loud or silent"),
    "expected": _("Expected answer"),
    "explanation": _("Explanation of an attention check"),
    "tolerance": _("Tolerance of an attention check"),
    "earlier_rating": _("Earlier rating"),
    METADATA: _("Kept as metadata"),
    LEAVE_OUT: _("Left out"),
}


class ItemColumnsForm(forms.Form):
    """A choice for each column; the reader of the file checks whether they fit together."""

    def __init__(
        self, kind: ItemsPart, file_columns: Sequence[FoundColumn], data: Any = None
    ) -> None:
        super().__init__(data)
        self._file_columns = file_columns
        choices = [(role, _LABELS[role]) for role in (*kind.column_roles, METADATA, LEAVE_OUT)]
        for number, column in enumerate(file_columns):
            self.fields[f"column-{number}"] = forms.ChoiceField(
                label=column.name, choices=choices, initial=column.suggested
            )

    @property
    def rows(self) -> list[tuple[forms.BoundField, FoundColumn]]:
        return list(zip(self, self._file_columns, strict=True))

    @property
    def columns(self) -> dict[str, str]:
        """The role of each column by its name."""
        roles_of_columns = self.cleaned_data.values()
        return {
            column.name: role
            for column, role in zip(self._file_columns, roles_of_columns, strict=True)
        }
