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
    "target_context": _("Target in its context, between <sent> and </sent>"),
    "candidate_context": _("Candidate in its context, between <sent> and </sent>"),
    "question": _("Question above both texts"),
    "group": _("Group"),
    "intended_class": _("Intended class"),
    "domain": _("Domain"),
    "source": _("Source"),
    "check": _("Check: tutorial, loud or silent"),
    "expected": _("Expected value"),
    "explanation": _("Explanation of a check"),
    "tolerance": _("Tolerance of a check"),
    "earlier_rating": _("Earlier rating"),
    METADATA: _("Kept as metadata"),
    LEAVE_OUT: _("Left out"),
}


class ItemColumnsForm(forms.Form):
    """A choice for each column; whether they fit together is said by what reads the file."""

    def __init__(self, kind: ItemsPart, found: Sequence[FoundColumn], data: Any = None) -> None:
        super().__init__(data)
        self._found = found
        choices = [(role, _LABELS[role]) for role in (*kind.column_roles, METADATA, LEAVE_OUT)]
        for number, column in enumerate(found):
            self.fields[f"column-{number}"] = forms.ChoiceField(
                label=column.name, choices=choices, initial=column.suggested
            )

    @property
    def rows(self) -> list[tuple[forms.BoundField, FoundColumn]]:
        return list(zip(self, self._found, strict=True))

    @property
    def columns(self) -> dict[str, str]:
        """The role of each column by its name."""
        roles_of_columns = self.cleaned_data.values()
        return {
            column.name: role for column, role in zip(self._found, roles_of_columns, strict=True)
        }
