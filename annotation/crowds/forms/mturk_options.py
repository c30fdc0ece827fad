"""What Mechanical Turk is asked for a listing."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import plain_input
from annotation.crowds.forms.base_options import OptionsForm, text_area
from annotation.crowds.platforms.mturk import options as mturk_options


class MTurkForm(OptionsForm):
    """What people see in the list of tasks, and who may take one."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=128, widget=plain_input())
    description = forms.CharField(
        label=gettext_lazy("Description"), max_length=2_000, widget=text_area(3)
    )
    keywords = forms.CharField(
        label=gettext_lazy("Keywords"), max_length=1_000, required=False, widget=plain_input()
    )
    duration_minutes = forms.IntegerField(
        label=gettext_lazy("Minutes that people have, at most"), min_value=1
    )
    lifetime_hours = forms.IntegerField(
        label=gettext_lazy("Hours for which it is offered"), min_value=1
    )
    auto_approval_hours = forms.IntegerField(
        label=gettext_lazy("Hours after which work is approved by itself"), min_value=0
    )
    least_approval_rate = forms.IntegerField(
        label=gettext_lazy("Approval rate above, in percent"), min_value=0, max_value=99
    )
    least_approved = forms.IntegerField(
        label=gettext_lazy("Approved HITs above"),
        min_value=0,
        help_text=gettext_lazy(
            "Whoever has handed in fewer than 100 counts as approved by 100 %. High numbers keep"
            " out people who are new there."
        ),
    )
    locales = forms.CharField(
        label=gettext_lazy("Countries"),
        required=False,
        max_length=300,
        widget=plain_input(),
        help_text=gettext_lazy("Two letters each, such as DE, AT; empty: everywhere."),
    )
    once = forms.BooleanField(
        label=gettext_lazy("Each person once"),
        required=False,
        help_text=gettext_lazy("Who took part does not see it any more."),
    )
    OPTIONS = mturk_options.Options
    FIRST = (
        "title",
        "description",
        "keywords",
        "duration_minutes",
        "lifetime_hours",
        "auto_approval_hours",
        "least_approval_rate",
        "least_approved",
        "locales",
        "once",
    )
    HARMLESS = {
        "title": "x",
        "description": "x",
        "keywords": "",
        "duration_minutes": 60,
        "lifetime_hours": 24,
        "auto_approval_hours": 72,
        "locales": [],
        "least_approved": 100,
        "least_approval_rate": 0,
    }

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        stored = self.OPTIONS.of(options)
        first_values = {name: getattr(stored, name) for name in self.FIRST}
        return {**super().shown(options), **first_values, "locales": ", ".join(stored.locales)}

    def clean_locales(self) -> list[str]:
        given = self.cleaned_data["locales"].upper().replace(",", " ")
        return list(dict.fromkeys(given.split()))

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        # What the form does not show stays as it is.
        own = {name: given[name] for name in self.FIRST}
        return {**self._kept(), **super().stored(given), **own}
