"""What shall become of visits, as a researcher decides it: paid or not, bonuses, notes."""

from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.amounts import AmountField
from annotation.core.platforms.capabilities import Capabilities


class ActionForm(forms.Form):
    """What shall happen with some visits."""

    ACTIONS = (
        ("approve", gettext_lazy("approve")),
        ("exclude", gettext_lazy("approve, but leave the answers out of the data")),
        ("reject", gettext_lazy("reject")),
        ("ask_return", gettext_lazy("ask to return it")),
    )
    action = forms.ChoiceField(choices=ACTIONS)


class DecisionForm(forms.Form):
    """Why, as the platforms of the visits ask for it."""

    category = forms.ChoiceField(
        label=gettext_lazy("Kind of reason"),
        help_text=gettext_lazy("The platform stores it with the rejection."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
        error_messages={
            "required": gettext_lazy("Give a reason. It is stored, and the person may read it.")
        },
    )
    although_compensated = forms.BooleanField(
        label=gettext_lazy("Also pay the reward to people for whom a compensation was ordered"),
        required=False,
    )

    def __init__(
        self,
        action: str,
        known: Collection[Capabilities],
        data: Mapping[str, Any] | None = None,
        *,
        reason: str = "",
        pays_twice: bool = False,
    ) -> None:
        super().__init__(data, initial={"reason": reason})
        if not pays_twice:
            del self.fields["although_compensated"]
        categories = list(
            dict.fromkeys(name for each in known for name in each.rejection_categories)
        )
        self.least = 1
        if action == "approve":
            del self.fields["reason"]
        if action == "reject":
            self.least = max((each.reason_length for each in known), default=1)
            if self.least > 1:
                self.fields["reason"].help_text = _(
                    "At least %(n)s characters, as the platform requires."
                ) % {"n": self.least}
        if action == "reject" and categories:
            chosen = self.fields["category"]
            assert isinstance(chosen, forms.ChoiceField)
            chosen.choices = [("", "–"), *((name, name) for name in categories)]
        else:
            del self.fields["category"]

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"]
        if len(reason) < self.least:
            raise forms.ValidationError(
                _("This text has %(n)s characters; the platform requires at least %(least)s.")
                % {"n": len(reason), "least": self.least}
            )
        return reason


class CompensationForm(forms.Form):
    """For somebody who did the work and could not hand it in."""

    amount = AmountField(label=gettext_lazy("Amount"), max_digits=8)
    message = forms.CharField(
        label=gettext_lazy("Message to the person"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, currency: str, **options: Any
    ) -> None:
        super().__init__(data, **options)
        amount = self.fields["amount"]
        assert isinstance(amount, AmountField)
        amount.currency = currency
        amount.help_text = _("In %(currency)s. The platform's fee is added.") % {
            "currency": currency
        }


class BonusForm(CompensationForm):
    reason_code = forms.SlugField(
        label=gettext_lazy("Purpose"),
        max_length=40,
        help_text=gettext_lazy(
            "One word, such as “extra”. You can use each word only once per visit."
        ),
        error_messages={"invalid": gettext_lazy("Write one word of letters, digits and hyphens.")},
    )
    field_order = ("amount", "reason_code", "message")


class NoteForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
    )


class FloorForm(forms.Form):
    """What an hour of work shall be paid at least."""

    floor = AmountField(max_digits=6)

    def __init__(self, data: Mapping[str, Any] | None = None, *, currency: str) -> None:
        super().__init__(data)
        floor = self.fields["floor"]
        assert isinstance(floor, AmountField)
        floor.currency = currency
        floor.label = _("Target median hourly wage (%(currency)s)") % {"currency": currency}


class WageForm(forms.Form):
    """The top-up to a floor: its sum typed, and what people read with it."""

    message = forms.CharField(
        label=gettext_lazy("Message to the people"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
    )
    typed = AmountField(label=gettext_lazy("Type the sum to confirm"), max_digits=12)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, currency: str, message: str
    ) -> None:
        super().__init__(data, initial={"message": message})
        typed = self.fields["typed"]
        assert isinstance(typed, AmountField)
        typed.currency = currency
