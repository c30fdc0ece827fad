"""What Prolific is asked for a listing."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.amounts import AmountField
from annotation.core.forms.fields import plain_input
from annotation.crowds.forms.base_options import OptionsForm, text_area
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.prolific import options as prolific_options
from annotation.crowds.queries.earlier_listings import earlier_listings
from annotation.models.kinds import Outcome

_HANDLING_LABELS = {
    prolific_options.REVIEW: gettext_lazy("You decide"),
    prolific_options.APPROVE: gettext_lazy("Prolific approves and pays at once"),
    prolific_options.ASK_RETURN: gettext_lazy("Prolific requests an unpaid return"),
    prolific_options.SCREEN_OUT: gettext_lazy("Prolific pays the screen-out reward"),
}


# About ten thousand ids of people.
MAX_IDS_LENGTH = 260_000
_MAX_BAD_LINES = 5
_PERSON_ID = re.compile(assumptions.PROLIFIC_ID)


def _person_ids(text: str) -> list[str]:
    """Each id once. Raises ValidationError with the lines that hold something else."""
    ids, bad_lines = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        for word in line.replace(",", " ").split():
            if _PERSON_ID.fullmatch(word):
                ids.append(word)
            else:
                bad_lines.append((number, word))
    if bad_lines:
        sentence = _(
            "Line %(n)s: “%(word)s” is not a Prolific id. Copy the 24 characters (0–9 and a–f) "
            "again, or remove the line."
        )
        problems = [
            sentence % {"n": number, "word": word[:60]}
            for number, word in bad_lines[:_MAX_BAD_LINES]
        ]
        if (n_more := len(bad_lines) - _MAX_BAD_LINES) > 0:
            problems.append(_("Other ids that are wrong: %(n)s") % {"n": n_more})
        raise forms.ValidationError(problems)
    return list(dict.fromkeys(ids))


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
        help_text=gettext_lazy("Only you see it. Leave empty to use the title."),
    )
    longest_minutes = forms.IntegerField(
        label=gettext_lazy("Time limit in minutes"),
        min_value=0,
        max_value=1_439,
        required=False,
        help_text=gettext_lazy(
            "Enter 0 for Prolific's usual limit, which depends on the expected minutes."
        ),
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
            "Needed only for a second part, because Likeness creates a participant group in this "
            "workspace."
        ),
    )
    project = forms.CharField(
        label=gettext_lazy("Project id"),
        max_length=24,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy(
            "The project in which Likeness creates the study. Leave empty to use your default "
            "project."
        ),
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
    excluded_studies = forms.MultipleChoiceField(
        label=gettext_lazy("Exclude people who took part in"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Listings on the same account that you may open. People of this listing can never "
            "take part twice."
        ),
    )
    excluded_people = forms.CharField(
        label=gettext_lazy("Exclude these people"),
        required=False,
        max_length=MAX_IDS_LENGTH,
        widget=text_area(3),
        help_text=gettext_lazy("Prolific ids, one per line."),
    )
    allowed_studies = forms.MultipleChoiceField(
        label=gettext_lazy("Only people who took part in"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("If you choose none, other people can take part, too."),
    )
    allowed_people = forms.CharField(
        label=gettext_lazy("Only these people"),
        required=False,
        max_length=MAX_IDS_LENGTH,
        widget=text_area(3),
        help_text=gettext_lazy(
            "Prolific ids, one per line. Leave empty to admit other people, too."
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
        help_text=gettext_lazy("Your workspace on Prolific must have custom screening."),
    )
    screen_out_slots = forms.IntegerField(
        label=gettext_lazy("Maximum number of these rewards"),
        min_value=0,
        max_value=100_000,
        required=False,
    )
    pricing = forms.ChoiceField(
        label=gettext_lazy("Fee of your account"),
        choices=[
            ("corporate", gettext_lazy("corporate")),
            ("academic", gettext_lazy("academic or non-profit")),
        ],
        help_text=gettext_lazy("Used only for the estimate. Prolific determines the actual fee."),
    )
    vat_percent = forms.DecimalField(
        label=gettext_lazy("Tax on the fee, in percent"),
        min_value=0,
        max_value=100,
        max_digits=5,
        decimal_places=2,
        required=False,
        help_text=gettext_lazy(
            "Used only for the estimate. Enter 0 if your account is not charged tax."
        ),
    )
    OPTIONS = prolific_options.Options
    FIRST = (
        "title",
        "description",
        "internal_name",
        "longest_minutes",
        "is_secure",
        "devices",
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
    GROUPS = {
        "seen": ("title", "description", "internal_name", "invitation"),
        "paid": ("longest_minutes", "pricing", "vat_percent"),
        "people": ("devices", "excluded_studies", "excluded_people"),
        "account": ("is_secure", "workspace", "project"),
    }
    FURTHER = {
        "people": (
            gettext_lazy("Admit only certain people"),
            ("allowed_studies", "allowed_people"),
        )
    }
    STUDIES = ("excluded_studies", "allowed_studies")
    PEOPLE = ("excluded_people", "allowed_people")
    HANDLED = {outcome: f"handling_{outcome}" for outcome in prolific_options.HANDLING}
    PLAIN = tuple(name for name in FIRST if not name.startswith("handling_"))
    HARMLESS = {
        "title": "x",
        "description": "x",
        "internal_name": "",
        "longest_minutes": 0,
        "devices": [],
        "allowed_studies": [],
        "allowed_people": [],
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
            **{name: list(getattr(stored, name)) for name in self.STUDIES},
            **{name: "\n".join(getattr(stored, name)) for name in self.PEOPLE},
            **{name: stored.handling_of(outcome) for outcome, name in self.HANDLED.items()},
        }

    def add_fields(self, user: User) -> None:
        stored = self.OPTIONS.of(self.listing.options)
        rows = earlier_listings(self.listing, user)
        labels = [(row.remote_id, str(row.label)) for row in rows]
        related = {row.remote_id for row in rows if row.is_related}
        for name in self.STUDIES:
            # A colleague may have chosen what this user may not see: that stays chosen.
            unseen = [each for each in getattr(stored, name) if each not in dict(labels)]
            groups = (
                (_("This study and its pilots"), [each for each in labels if each[0] in related]),
                (_("Other studies"), [each for each in labels if each[0] not in related]),
                (_("Studies that you cannot open"), [(each, each) for each in unseen]),
            )
            field = self.fields[name]
            assert isinstance(field, forms.MultipleChoiceField)
            field.choices = [(label, choices) for label, choices in groups if choices]
            if not field.choices:
                del self.fields[name]

    def clean_excluded_people(self) -> list[str]:
        return _person_ids(self.cleaned_data["excluded_people"])

    def clean_allowed_people(self) -> list[str]:
        return _person_ids(self.cleaned_data["allowed_people"])

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
        # Nothing is stored for an empty list: whoever erases ids of people looks for the name.
        lists = {name: given[name] for name in (*self.STUDIES, *self.PEOPLE) if given.get(name)}
        return {**self._kept(), **super().stored(given), **own, **lists}
