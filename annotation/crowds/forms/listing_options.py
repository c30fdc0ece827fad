"""What each platform asks of a listing beside reward and places, as forms of a listing."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.amounts import AmountField
from annotation.core.forms.fields import lines, plain_input
from annotation.crowds.platforms import panel
from annotation.crowds.platforms.mturk import options as mturk_options
from annotation.crowds.platforms.prolific import options as prolific_options
from annotation.models import Listing
from annotation.models.kinds import CrowdPlatform, Outcome


def _long(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "class": "vLargeTextField"})


_OF_ALL = ("checks_wanted", "comprehension_tries", "invitation")


class OptionsForm(forms.Form):
    """What every platform has: when a visit ends without its work being done, or done badly."""

    checks_wanted = forms.FloatField(
        label=gettext_lazy("Least share of checks that are right"),
        min_value=0,
        max_value=1,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy(
            "From 0 to 1. Below it a visit ends as “failed checks”, with its own code; it is still"
            " proposed for payment. Empty: never."
        ),
    )
    comprehension_tries = forms.IntegerField(
        label=gettext_lazy("Tries at the comprehension question"),
        min_value=1,
        max_value=20,
        required=False,
        help_text=gettext_lazy("After as many wrong ones a visit is screened out. Empty: never."),
    )
    invitation = forms.CharField(
        label=gettext_lazy("Message when this part opens for somebody"),
        required=False,
        max_length=1_000,
        widget=_long(3),
        help_text=gettext_lazy("Sent by the platform, once to each person. Empty: none."),
    )

    # The platform's own dataclass of them.
    OPTIONS: ClassVar[Any]
    # What comes before those two on the page.
    FIRST: ClassVar[tuple[str, ...]] = ()
    # Values that no platform complains of: a problem is that of the field with which it goes away.
    HARMLESS: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, listing: Listing, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial=self.shown(listing.options), prefix="options")
        self.listing = listing
        if listing.phase_number == 1:
            del self.fields["invitation"]
        self.order_fields(self.FIRST)
        if listing.state != Listing.State.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The stored options as values of the fields."""
        return {name: options.get(name) for name in _OF_ALL}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors or self.listing.state != Listing.State.DRAFT:
            return cleaned
        for place, problem in [(self._place(each), each) for each in self.problems(cleaned)]:
            self.add_error(place, problem)
        return cleaned

    def problems(self, given: Mapping[str, Any]) -> list[str]:
        """What the platform would refuse of the fields' values."""
        options = self.OPTIONS.of(self.stored(given))
        return [str(each) for each in options.problems(**self.terms())]

    def terms(self) -> dict[str, Any]:
        """What of the listing decides about them, too."""
        return {}

    def _place(self, problem: str) -> str | None:
        for name, value in self.HARMLESS.items():
            if problem not in self.problems({**self.cleaned_data, name: value}):
                return name
        return None

    def options(self) -> dict[str, Any]:
        """What is stored: nothing for a field that was left empty."""
        return self.stored(self.cleaned_data)

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: given[name] for name in _OF_ALL if given.get(name) not in {None, ""}}

    def _kept(self) -> dict[str, Any]:
        """What is stored and no form shows."""
        stored = self.listing.options.items()
        return {name: value for name, value in stored if name not in self.fields}


class PanelForm(OptionsForm):
    """A panel is configured and not programmed."""

    person = forms.CharField(
        label=gettext_lazy("Parameter that says who comes"),
        max_length=60,
        widget=plain_input(),
        help_text=gettext_lazy(
            "Its name in the address, as the panel fills it in: participantId, survey_code, …"
        ),
    )
    submission = forms.CharField(
        label=gettext_lazy("Parameter that says in which sitting"),
        max_length=60,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy("Empty where the panel has none."),
    )
    expected = forms.CharField(
        label=gettext_lazy("Parameters with a fixed value"),
        required=False,
        max_length=2_000,
        widget=_long(2),
        help_text=gettext_lazy("name=value, one a line. Who comes without them is not let in."),
    )
    OPTIONS = panel.Options
    FIRST = ("person", "submission", "expected")
    HARMLESS = {
        "person": "participant",
        "submission": "",
        "expected": {},
        **{f"redirect_{outcome.value}": "" for outcome in Outcome},
    }

    def __init__(self, listing: Listing, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(listing, data)
        redirects = listing.options.get("redirects", {})
        for outcome in Outcome:
            self.fields[f"redirect_{outcome.value}"] = forms.CharField(
                label=_("Way back: %(outcome)s") % {"outcome": outcome.label},
                required=False,
                max_length=1_000,
                initial=redirects.get(outcome.value, ""),
                disabled=listing.state != Listing.State.DRAFT,
                widget=plain_input(),
                help_text=_("https://…, with {person} and {submission}. Empty: a code is shown.")
                if outcome == Outcome.COMPLETED
                else "",
            )

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        expected = options.get("expected", {})
        return {
            **super().shown(options),
            "person": options.get("person", "participant"),
            "submission": options.get("submission", ""),
            "expected": "\n".join(f"{name}={value}" for name, value in expected.items()),
        }

    def clean_expected(self) -> dict[str, str]:
        answers: dict[str, str] = {}
        for line in lines(self.cleaned_data["expected"]):
            name, sign, value = line.partition("=")
            if not sign:
                raise forms.ValidationError(_("%(line)s: write name=value.") % {"line": line})
            answers[name.strip()] = value.strip()
        return answers

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        redirects = {outcome.value: given[f"redirect_{outcome.value}"] for outcome in Outcome}
        return {
            **super().stored(given),
            "person": given["person"],
            "submission": given["submission"],
            "expected": given["expected"],
            "redirects": {name: address for name, address in redirects.items() if address},
        }


class MTurkForm(OptionsForm):
    """What people see in the list of tasks, and who may take one."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=128, widget=plain_input())
    description = forms.CharField(
        label=gettext_lazy("Description"), max_length=2_000, widget=_long(3)
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


class ProlificForm(OptionsForm):
    """What participants see, who may take part, and what Prolific does with each outcome."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=200, widget=plain_input())
    description = forms.CharField(
        label=gettext_lazy("Description"), max_length=20_000, widget=_long(4)
    )
    internal_name = forms.CharField(
        label=gettext_lazy("Internal name"),
        max_length=200,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy("Seen by you alone; empty: the title."),
    )
    longest_minutes = forms.IntegerField(
        label=gettext_lazy("Minutes that people have, at most"),
        min_value=0,
        max_value=1_439,
        required=False,
        help_text=gettext_lazy("0: what Prolific would choose."),
    )
    is_secure = forms.BooleanField(
        label=gettext_lazy("Signed launches"),
        required=False,
        help_text=gettext_lazy(
            "Prolific vouches for each person. Without it the address can be forged, and who"
            " came is only asked afterwards."
        ),
    )
    workspace = forms.CharField(
        label=gettext_lazy("Workspace id"),
        max_length=24,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy("Needed for a study of several parts, unless a project is given."),
    )
    project = forms.CharField(
        label=gettext_lazy("Project id"), max_length=24, required=False, widget=plain_input()
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
        help_text=gettext_lazy("None chosen: all. Likeness works on each of them."),
    )
    filters = forms.JSONField(
        label=gettext_lazy("Filters"),
        required=False,
        widget=_long(3),
        help_text=gettext_lazy(
            "As Prolific’s API takes them: a list of objects with filter_id and selected_values or"
            " selected_range. They cannot be changed once the study is published."
        ),
    )
    screen_out_reward = AmountField(
        label=gettext_lazy("Reward of somebody screened out"),
        max_digits=6,
        required=False,
        help_text=gettext_lazy("Needs custom screening in your workspace; 0: not used."),
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
        help_text=gettext_lazy("For our estimate. What Prolific says itself decides."),
    )
    vat_percent = forms.DecimalField(
        label=gettext_lazy("Tax on the fee, in percent"),
        min_value=0,
        max_value=100,
        max_digits=5,
        decimal_places=2,
        required=False,
        help_text=gettext_lazy("For our estimate; 0: none is charged to your account."),
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
        "screen_out_reward",
        "screen_out_slots",
    )
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
        "screen_out_reward": "0.01",
        "screen_out_slots": 1,
    }

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        stored = self.OPTIONS.of(options)
        first_values = {name: getattr(stored, name) for name in self.FIRST}
        return {
            **super().shown(options),
            **first_values,
            "devices": list(stored.devices),
            "filters": [dict(each) for each in stored.filters],
        }

    def clean_filters(self) -> list[dict[str, Any]]:
        filters = self.cleaned_data["filters"] or []
        if not isinstance(filters, list) or not all(isinstance(each, dict) for each in filters):
            raise forms.ValidationError(_("Write a list of objects: [{“filter_id”: …}, …]."))
        return filters

    def terms(self) -> dict[str, Any]:
        listing = self.listing
        return {"reward": listing.reward, "minutes": listing.minutes, "needs_group": False}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        # What is no matter of these fields stands on the page among the obstacles.
        self.errors.pop(NON_FIELD_ERRORS, None)
        return cleaned

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: given[name] for name in self.FIRST}
        own["screen_out_reward"] = str(own["screen_out_reward"] or "0.00")
        own["vat_percent"] = str(own["vat_percent"] or "0")
        own["screen_out_slots"] = own["screen_out_slots"] or 0
        own["longest_minutes"] = own["longest_minutes"] or 0
        return {**self._kept(), **super().stored(given), **own}


FORMS: dict[str, type[OptionsForm]] = {
    CrowdPlatform.PANEL: PanelForm,
    CrowdPlatform.PROLIFIC: ProlificForm,
    CrowdPlatform.MTURK: MTurkForm,
}


def options_form(listing: Listing, data: Mapping[str, Any] | None = None) -> OptionsForm:
    """The form of a listing's platform."""
    return FORMS[listing.platform](listing, data)
