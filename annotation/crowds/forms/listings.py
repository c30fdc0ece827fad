"""Listings and budgets, and what a ledger's entry became, as a researcher says it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.core.forms.amounts import CURRENCIES, AmountField
from annotation.core.platforms import platforms
from annotation.crowds.queries.listings import platform_name
from annotation.models import Intent, Listing, Study

# One choice of the form: a platform in one of its environments.
_SEPARATOR = "/"


class NewListingForm(forms.Form):
    """On which platform, in which of its environments, which part of the study."""

    where = forms.ChoiceField(label=gettext_lazy("Platform"), widget=forms.RadioSelect)
    phase_number = forms.TypedChoiceField(
        label=gettext_lazy("Part of the study"), coerce=int, initial=1
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        where = self.fields["where"]
        assert isinstance(where, forms.ChoiceField)
        self.environments = {
            f"{platform.key}{_SEPARATOR}{environment.name}": (platform, environment)
            for platform in platforms()
            for environment in platform.environments()
        }
        where.choices = [
            (value, platform_name(platform.key, environment))
            for value, (platform, environment) in self.environments.items()
        ]
        numbers = phase_numbers(study)
        phase = self.fields["phase_number"]
        assert isinstance(phase, forms.ChoiceField)
        phase.choices = [(n, str(n)) for n in numbers]
        if len(numbers) == 1:
            del self.fields["phase_number"]

    def wanted(self) -> dict[str, Any]:
        platform, _slash, environment = self.cleaned_data["where"].partition(_SEPARATOR)
        return {
            "platform": platform,
            "environment": environment,
            "phase_number": self.cleaned_data.get("phase_number") or 1,
        }


def phase_numbers(study: Study) -> list[int]:
    """Of the design's phases; one if there is no design yet."""
    design = study.designs.order_by("-number").first()
    if design is None:
        return [1]
    return list(design.phases.order_by("number").values_list("number", flat=True)) or [1]


class ListingForm(forms.Form):
    """What all paid platforms ask alike."""

    n_places = forms.IntegerField(
        label=gettext_lazy("Places"),
        min_value=1,
        max_value=1_000_000,
        help_text=gettext_lazy(
            "Each place is one visit, in which a person answers one booklet (set of questions)."
        ),
    )
    reward = AmountField(label=gettext_lazy("Reward per visit"), max_digits=6)
    currency = forms.ChoiceField(label=gettext_lazy("Currency"), choices=CURRENCIES)
    minutes = forms.IntegerField(
        label=gettext_lazy("Expected minutes per visit"),
        min_value=1,
        max_value=1_380,
        help_text=gettext_lazy(
            "The median that you expect. Likeness computes the hourly wage from it. Prolific and"
            " CloudResearch Connect show people the number that was set when the places were"
            " published; a later correction does not reach them."
        ),
    )

    def __init__(self, listing: Listing, data: Mapping[str, Any] | None = None) -> None:
        is_draft = listing.state == Listing.State.DRAFT
        super().__init__(
            data,
            initial={
                # A draft begins with empty fields; what was published is what it is.
                "n_places": listing.n_places or (None if is_draft else 0),
                "reward": listing.reward or (None if is_draft else Decimal("0.00")),
                "currency": listing.currency,
                "minutes": listing.minutes,
            },
            prefix="listing",
        )
        self.listing = listing
        for name, field in self.fields.items():
            field.disabled = not is_draft and name != "minutes"


class UnpaidListingForm(ListingForm):
    """A panel pays by itself, or gives credit."""

    def __init__(self, listing: Listing, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(listing, data)
        del self.fields["reward"], self.fields["currency"]
        self.fields["minutes"].help_text = gettext_lazy(
            "The median that you expect. People do not see it."
        )


class CapForm(forms.Form):
    """How much a study may spend at most."""

    cap = AmountField(
        label=gettext_lazy("Spending cap"),
        max_digits=10,
        help_text=gettext_lazy(
            "The most that this study may spend in this currency on all platforms, including fees."
            " Likeness refuses everything that would exceed it, but what is already committed can"
            " still be paid."
        ),
    )
    currency = forms.ChoiceField(label=gettext_lazy("Currency"), choices=CURRENCIES)

    def __init__(self, data: Mapping[str, Any] | None = None, *, currency: str = "EUR") -> None:
        super().__init__(data, initial={"currency": currency})
        cap = self.fields["cap"]
        assert isinstance(cap, AmountField)
        if data and (chosen := data.get("currency")) in dict(CURRENCIES):
            cap.currency = chosen


class SumForm(forms.Form):
    """The computed sum, typed by the person who is about to spend it."""

    typed = AmountField(label=gettext_lazy("Type the sum to confirm"), max_digits=12)

    def __init__(self, data: Mapping[str, Any] | None = None, *, currency: str = "") -> None:
        super().__init__(data)
        typed = self.fields["typed"]
        assert isinstance(typed, AmountField)
        typed.currency = currency


class MorePlacesForm(SumForm):
    n = forms.IntegerField(label=gettext_lazy("Places to add"), min_value=1, max_value=1_000_000)


class MoreUnpaidPlacesForm(MorePlacesForm):
    """Of a panel, which pays by itself: there is no sum."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, currency: str = "") -> None:
        super().__init__(data, currency=currency)
        del self.fields["typed"]


class SettleForm(forms.Form):
    """What somebody found who looked on the platform itself."""

    happened = forms.TypedChoiceField(
        label=gettext_lazy("On the platform"),
        choices=[
            ("yes", gettext_lazy("it happened")),
            ("no", gettext_lazy("it did not happen; give up this step")),
        ],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        label=gettext_lazy("How you know"),
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
    )
    remote_id = forms.CharField(
        label=gettext_lazy("Id on the platform"),
        required=False,
        max_length=100,
        widget=forms.TextInput(
            attrs={"class": "vTextField", "autocomplete": "off", "spellcheck": "false"}
        ),
        help_text=gettext_lazy(
            "The id of the new HIT or study. Leave it empty if it did not happen."
        ),
    )

    def __init__(self, intent: Intent, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        if intent.kind != Intent.Kind.PUBLISH or intent.remote_id or intent.ticket_id:
            del self.fields["remote_id"]
