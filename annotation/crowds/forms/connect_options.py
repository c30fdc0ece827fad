"""What Connect is asked for a listing."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import plain_input
from annotation.crowds.forms.base_options import OptionsForm, text_area
from annotation.crowds.platforms.connect import options as connect_options

_PRICING_LABELS = {
    "standard": gettext_lazy("standard: 40 percent"),
    "academic": gettext_lazy("academic or non-profit: 25 percent"),
}


class ConnectForm(OptionsForm):
    """What participants see in the list of projects, and the fee of the account."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=connect_options.MAX_TITLE_LENGTH,
        widget=plain_input(),
    )
    summary = forms.CharField(
        label=gettext_lazy("Summary"),
        max_length=connect_options.MAX_SUMMARY_LENGTH,
        widget=text_area(4),
    )
    internal_name = forms.CharField(
        label=gettext_lazy("Internal name"),
        max_length=connect_options.MAX_TITLE_LENGTH,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy("Only you see it. Leave empty to use the title."),
    )
    is_sensitive = forms.BooleanField(
        label=gettext_lazy("The content may be sensitive"),
        required=False,
        help_text=gettext_lazy("Connect tells people before they begin."),
    )
    longest_minutes = forms.IntegerField(
        label=gettext_lazy("Time limit in minutes"),
        min_value=0,
        help_text=gettext_lazy("Enter 0 for three times the expected minutes."),
    )
    pricing = forms.ChoiceField(
        label=gettext_lazy("Fee of your account"),
        choices=[(each, _PRICING_LABELS[each]) for each in connect_options.PRICINGS],
    )
    OPTIONS = connect_options.Options
    FIRST = ("title", "summary", "internal_name", "is_sensitive", "longest_minutes", "pricing")
    GROUPS = {
        "seen": ("title", "summary", "internal_name", "is_sensitive"),
        "paid": ("longest_minutes",),
        "account": ("pricing",),
    }
    HARMLESS = {"title": "x", "summary": "x", "internal_name": "", "longest_minutes": 0}

    def terms(self) -> dict[str, Any]:
        return {"minutes": self.listing.minutes}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        # What is no matter of these fields stands on the page among the obstacles.
        self.errors.pop(NON_FIELD_ERRORS, None)
        return cleaned

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        stored = self.OPTIONS.of(options)
        return {**super().shown(options), **stored.as_data()}

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        # What the form does not show stays as it is.
        own = {name: given[name] for name in self.FIRST}
        return {**self._kept(), **super().stored(given), **own}
