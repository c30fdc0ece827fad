"""The form that uploads measures which were computed elsewhere."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.baselines.forms.measure_options import (
    text_input,
)
from annotation.baselines.queries import measures
from annotation.core.forms.fields import LongText


class UploadForm(forms.Form):
    """Values that somebody computed elsewhere."""

    name = forms.CharField(
        label=gettext_lazy("Name of the measure"),
        max_length=measures.NAME_LIMIT,
        required=False,
        help_text=gettext_lazy(
            "The name shown in the leaderboard, for example that of the model. If the table has "
            "several measures, the name is optional and precedes each column name."
        ),
        widget=text_input(),
    )
    table = LongText(
        label=gettext_lazy("Table of scores"),
        rows=6,
        help_text=gettext_lazy(
            "One line per item: id, tab, number. For several measures, use one column each and "
            "name the columns in the first line."
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload a file (TSV or CSV, UTF-8)"), required=False
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        has_table, has_file = bool(cleaned.get("table", "").strip()), bool(cleaned.get("file"))
        if has_table and has_file:
            self.add_error("table", _("Upload a file or enter a table, not both."))
        elif not has_table and not has_file and "file" not in self.errors:
            self.add_error("table", _("Enter the scores as a table, or upload a file."))
        return cleaned
