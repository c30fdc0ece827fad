"""What a listing of a panel, or of another platform by its addresses, is given."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import lines, plain_input
from annotation.crowds.forms.base_options import LEGENDS, OptionsForm, text_area
from annotation.crowds.platforms import panel
from annotation.models.kinds import Outcome


class PanelForm(OptionsForm):
    """A panel is configured and not programmed."""

    person = forms.CharField(
        label=gettext_lazy("Parameter for the person's id"),
        max_length=60,
        widget=plain_input(),
        help_text=gettext_lazy(
            "The name that the panel uses in the address, such as participantId or survey_code."
        ),
    )
    submission = forms.CharField(
        label=gettext_lazy("Parameter for the session's id"),
        max_length=60,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy("Leave empty if the panel has none."),
    )
    expected = forms.CharField(
        label=gettext_lazy("Parameters with a fixed value"),
        required=False,
        max_length=2_000,
        widget=text_area(2),
        help_text=gettext_lazy(
            "One per line, written as name=value. People whose address lacks one of them cannot "
            "join."
        ),
    )
    credit_url = forms.CharField(
        label=gettext_lazy("SONA: server-side completion URL"),
        required=False,
        max_length=1_000,
        widget=plain_input(),
        help_text=gettext_lazy(
            "With this URL, Likeness gives credit to everybody whose visit ends as “completed”. "
            "Leave empty to give credit yourself."
        ),
    )
    OPTIONS = panel.Options
    FIRST = ("person", "submission", "expected", "credit_url")
    LEGENDS = {**LEGENDS, "paid": gettext_lazy("Places and time")}
    GROUPS = {"address": FIRST, "seen": ("invitation",)}
    HARMLESS = {
        "person": "participant",
        "submission": "",
        "expected": {},
        "credit_url": "",
        **{f"redirect_{outcome.value}": "" for outcome in Outcome},
    }

    def add_fields(self, user: User) -> None:
        redirects = self.listing.options.get("redirects", {})
        for outcome in Outcome:
            self.fields[f"redirect_{outcome.value}"] = forms.CharField(
                label=_("Return address: %(outcome)s") % {"outcome": outcome.label},
                required=False,
                max_length=1_000,
                initial=redirects.get(outcome.value, ""),
                widget=plain_input(),
                help_text=_(
                    "The address begins with https:// and may contain {person} and {submission}. "
                    "Leave empty to show people a code instead."
                )
                if outcome == Outcome.COMPLETED
                else "",
            )

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        expected = options.get("expected", {})
        return {
            **super().shown(options),
            "person": options.get("person", "participant"),
            "submission": options.get("submission", ""),
            "credit_url": options.get("credit_url", ""),
            "expected": "\n".join(f"{name}={value}" for name, value in expected.items()),
        }

    def clean_expected(self) -> dict[str, str]:
        answers: dict[str, str] = {}
        for line in lines(self.cleaned_data["expected"]):
            name, sign, value = line.partition("=")
            if not sign:
                raise forms.ValidationError(_("Write “%(line)s” as name=value.") % {"line": line})
            answers[name.strip()] = value.strip()
        return answers

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        redirects = {outcome.value: given[f"redirect_{outcome.value}"] for outcome in Outcome}
        return {
            **super().stored(given),
            "person": given["person"],
            "submission": given["submission"],
            "credit_url": given["credit_url"].strip(),
            "expected": given["expected"],
            "redirects": {name: address for name, address in redirects.items() if address},
        }
