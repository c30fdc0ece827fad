"""What Prolific is asked for a listing."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.amounts import AmountField
from annotation.core.forms.fields import plain_input
from annotation.crowds.forms.base_options import OptionsForm, text_area
from annotation.crowds.platforms.prolific import options as prolific_options
from annotation.models.kinds import Outcome

_HANDLING_LABELS = {
    prolific_options.REVIEW: gettext_lazy("You decide"),
    prolific_options.APPROVE: gettext_lazy("Prolific approves and pays it at once"),
    prolific_options.ASK_RETURN: gettext_lazy("Prolific asks to return it unpaid"),
    prolific_options.SCREEN_OUT: gettext_lazy("Prolific pays the reward for being screened out"),
}


def _handling_field(outcome: Outcome, label: Any) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label,
        choices=[(each, _HANDLING_LABELS[each]) for each in prolific_options.HANDLING[outcome]],
        required=False,
    )


class ProlificForm(OptionsForm):
    """What participants see, who may take part, and what Prolific does with each outcome."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=200, widget=plain_input())
    description = forms.CharField(
        label=gettext_lazy("Description"), max_length=20_000, widget=text_area(4)
    )
    internal_name = forms.CharField(
        label=gettext_lazy("Internal name"),
        max_length=200,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy("Only you see it. Empty: the title."),
    )
    longest_minutes = forms.IntegerField(
        label=gettext_lazy("Time limit in minutes"),
        min_value=0,
        max_value=1_439,
        required=False,
        help_text=gettext_lazy("0: what Prolific allows for the expected minutes."),
    )
    is_secure = forms.BooleanField(
        label=gettext_lazy("Signed launches"),
        required=False,
        help_text=gettext_lazy(
            "Prolific confirms each person's identity by a signature. Without it, "
            "anybody can forge the address, and Likeness can only check "
            "afterwards who came."
        ),
    )
    workspace = forms.CharField(
        label=gettext_lazy("Workspace id"),
        max_length=24,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy(
            "Needed for a second part: Likeness makes a participant group there."
        ),
    )
    project = forms.CharField(
        label=gettext_lazy("Project id"),
        max_length=24,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy("Where the study is made. Empty: your default project."),
    )
    devices = forms.MultipleChoiceField(
        label=gettext_lazy("Devices"),
        choices=[
            ("desktop", gettext_lazy("desktop")),
            ("tablet", gettext_lazy("tablet")),
            ("mobile", gettext_lazy("mobile")),
        ],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "If you choose none, all are allowed. Likeness works on each of them."
        ),
    )
    filters = forms.JSONField(
        label=gettext_lazy("Filters"),
        required=False,
        widget=text_area(3),
        help_text=gettext_lazy(
            "In the format of Prolific's API: a list of objects with filter_id "
            "and selected_values or selected_range. You cannot change them after "
            "publishing."
        ),
    )
    handling_completed = _handling_field(
        Outcome.COMPLETED, gettext_lazy("When somebody completed the work")
    )
    handling_failed_checks = _handling_field(
        Outcome.FAILED_CHECKS, gettext_lazy("When somebody failed the checks")
    )
    handling_screened_out = _handling_field(
        Outcome.SCREENED_OUT, gettext_lazy("When somebody was screened out")
    )
    handling_no_consent = _handling_field(
        Outcome.NO_CONSENT, gettext_lazy("When somebody did not consent")
    )
    handling_nothing_left = _handling_field(
        Outcome.NOTHING_LEFT, gettext_lazy("When no questions were left")
    )
    handling_too_early = _handling_field(
        Outcome.TOO_EARLY, gettext_lazy("When somebody came too early for this part")
    )
    screen_out_reward = AmountField(
        label=gettext_lazy("Reward for people who are screened out"),
        max_digits=6,
        required=False,
        help_text=gettext_lazy("Requires custom screening in your workspace."),
    )
    screen_out_slots = forms.IntegerField(
        label=gettext_lazy("For how many people"), min_value=0, max_value=100_000, required=False
    )
    pricing = forms.ChoiceField(
        label=gettext_lazy("Fee of your account"),
        choices=[
            ("corporate", gettext_lazy("corporate")),
            ("academic", gettext_lazy("academic or non-profit")),
        ],
        help_text=gettext_lazy("Used only for the estimate. Prolific's own figure decides."),
    )
    vat_percent = forms.DecimalField(
        label=gettext_lazy("Tax on the fee, in percent"),
        min_value=0,
        max_value=100,
        max_digits=5,
        decimal_places=2,
        required=False,
        help_text=gettext_lazy("Used only for the estimate. 0: your account is not charged tax."),
    )
    OPTIONS = prolific_options.Options
    FIRST = (
        "title",
        "description",
        "internal_name",
        "longest_minutes",
        "is_secure",
        "devices",
        "filters",
        "workspace",
        "project",
        "pricing",
        "vat_percent",
        "handling_completed",
        "handling_failed_checks",
        "handling_screened_out",
        "screen_out_reward",
        "screen_out_slots",
        "handling_no_consent",
        "handling_nothing_left",
        "handling_too_early",
    )
    HANDLED = {outcome: f"handling_{outcome}" for outcome in prolific_options.HANDLING}
    PLAIN = tuple(name for name in FIRST if not name.startswith("handling_"))
    HARMLESS = {
        "title": "x",
        "description": "x",
        "internal_name": "",
        "longest_minutes": 0,
        "devices": [],
        "filters": [],
        "workspace": "",
        "project": "",
        "pricing": "corporate",
        "vat_percent": "0",
        "screen_out_reward": "0.14",
        "handling_screened_out": prolific_options.SCREEN_OUT,
        "screen_out_slots": 1,
    }

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        stored = self.OPTIONS.of(options)
        first_values = {name: getattr(stored, name) for name in self.PLAIN}
        return {
            **super().shown(options),
            **first_values,
            "devices": list(stored.devices),
            "filters": [dict(each) for each in stored.filters],
            **{name: stored.handling_of(outcome) for outcome, name in self.HANDLED.items()},
        }

    def clean_filters(self) -> list[dict[str, Any]]:
        filters = self.cleaned_data["filters"] or []
        if not isinstance(filters, list) or not all(isinstance(each, dict) for each in filters):
            raise forms.ValidationError(_("Write a list of objects: [{“filter_id”: …}, …]."))
        return filters

    def terms(self) -> dict[str, Any]:
        listing = self.listing
        return {
            "reward": listing.reward,
            "currency": listing.currency,
            "minutes": listing.minutes,
            "needs_group": False,
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        # What is no matter of these fields stands on the page among the obstacles.
        self.errors.pop(NON_FIELD_ERRORS, None)
        return cleaned

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: given[name] for name in self.PLAIN}
        own["screen_out_reward"] = str(own["screen_out_reward"] or "0.00")
        own["vat_percent"] = str(own["vat_percent"] or "0")
        own["screen_out_slots"] = own["screen_out_slots"] or 0
        own["handling"] = {
            outcome: given[name] for outcome, name in self.HANDLED.items() if given.get(name)
        }
        own["longest_minutes"] = own["longest_minutes"] or 0
        return {**self._kept(), **super().stored(given), **own}
