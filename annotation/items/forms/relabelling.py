"""The forms for relabelling: which label of which items or contexts changes, and why."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.items.imports.relabels import RequestedChange, RowKind
from annotation.items.services import relabellings
from annotation.models import Study

NAMED, ALL = "named", "all"
_REASON = gettext_lazy("Give a reason. It is stored with the change.")


def _texts(n_rows: int) -> forms.Textarea:
    return forms.Textarea(
        attrs={"rows": n_rows, "class": "vLargeTextField", "spellcheck": "false"}
    )


class ReasonForm(forms.Form):
    """The reason for the changes that a file requests."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=2000,
        help_text=gettext_lazy("It is published with the data set."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
        error_messages={"required": _REASON},
    )


class RelabelForm(ReasonForm):
    of = forms.ChoiceField(
        label=gettext_lazy("Labels of"),
        choices=[
            ("context", gettext_lazy("contexts (dialogues, documents)")),
            ("item", gettext_lazy("items")),
        ],
        widget=forms.RadioSelect,
    )
    field = forms.CharField(
        label=gettext_lazy("Field"),
        max_length=200,
        help_text=gettext_lazy(
            "Enter domain, source, intended_class or the name of a metadata field."
        ),
        widget=forms.TextInput(
            attrs={"list": "fields", "autocomplete": "off", "spellcheck": "false"}
        ),
        error_messages={
            "required": gettext_lazy(
                "Enter the field to change: domain, source, or a metadata field."
            )
        },
    )
    which = forms.ChoiceField(
        label=gettext_lazy("Which"),
        choices=[
            (NAMED, gettext_lazy("those with these ids")),
            (ALL, gettext_lazy("all with this current value")),
        ],
        initial=NAMED,
        widget=forms.RadioSelect,
    )
    ids = forms.CharField(
        label=gettext_lazy("Ids, one per line"), required=False, strip=False, widget=_texts(4)
    )
    present = forms.CharField(
        label=gettext_lazy("Current value"),
        required=False,
        strip=False,
        help_text=gettext_lazy("Leave empty to change those that have no value."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    value = forms.CharField(
        label=gettext_lazy("New value"),
        required=False,
        strip=False,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    removes = forms.BooleanField(
        label=gettext_lazy("Remove the value"),
        required=False,
        help_text=gettext_lazy("The field is then empty."),
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"of": "context" if study.contexts.exists() else "item"})
        self.study = study

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("which") == NAMED and not cleaned.get("ids", "").strip():
            self.add_error(
                "ids", _("Enter at least one id, or choose all with this current value.")
            )
        if not cleaned.get("removes") and not cleaned.get("value", "").strip():
            self.add_error("value", _("Enter the new value, or tick the box to remove it."))
        return cleaned

    @property
    def digest(self) -> str:
        """A digest of the changes: a researcher confirms only what the preview has shown."""
        values = [self.cleaned_data[name] for name in self.fields if name != "reason"]
        return hashlib.sha256(repr(values).encode()).hexdigest()

    def wanted(self) -> list[RequestedChange]:
        """The changes that the form requests."""
        cleaned = self.cleaned_data
        row_kind: RowKind = cleaned["of"]
        value = None if cleaned["removes"] else cleaned["value"].strip()
        if cleaned["which"] == ALL:
            keys = relabellings.having(
                study=self.study,
                row_kind=row_kind,
                field=cleaned["field"],
                value=cleaned["present"].strip(),
            )
            return [RequestedChange(key, cleaned["field"], value, row_kind) for key in keys]
        lines = enumerate(cleaned["ids"].splitlines(), start=1)
        return [
            RequestedChange(key.strip(), cleaned["field"], value, row_kind, n)
            for n, key in lines
            if key.strip()
        ]
