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
    duration_minutes = forms.IntegerField(label=gettext_lazy("Time limit in minutes"), min_value=1)
    lifetime_hours = forms.IntegerField(
        label=gettext_lazy("Hours until the offer ends"), min_value=1
    )
    auto_approval_hours = forms.IntegerField(
        label=gettext_lazy("Hours until Mechanical Turk approves work automatically"), min_value=0
    )
    least_approval_rate = forms.IntegerField(
        label=gettext_lazy("Approval rate must exceed (percent)"), min_value=0, max_value=99
    )
    least_approved = forms.IntegerField(
        label=gettext_lazy("Number of approved HITs must exceed"),
        min_value=0,
        help_text=gettext_lazy(
            "Workers with fewer than 100 submitted HITs count as 100 % approved. "
            "High numbers keep out people who are new to the platform."
        ),
    )
    locales = forms.CharField(
        label=gettext_lazy("Countries"),
        required=False,
        max_length=300,
        widget=plain_input(),
        help_text=gettext_lazy(
            "Two-letter codes, such as DE and AT. Leave empty for all countries."
        ),
    )
    once = forms.BooleanField(
        label=gettext_lazy("Only once per person"),
        required=False,
        help_text=gettext_lazy("People who have taken part no longer see the listing."),
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
    GROUPS = {
        "seen": ("title", "description", "keywords", "invitation"),
        "paid": ("duration_minutes", "lifetime_hours"),
        "people": ("least_approval_rate", "least_approved", "locales", "once"),
    }
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
