"""What is supposed of a study that is to be forecast."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms.amounts import AmountField
from annotation.forms.listings import CURRENCIES
from annotation.models import Study
from annotation.queries.forecasts import Asked
from annotation.services.designs import Parameters

USUAL_NOISE = 0.3


def usual(parameters: Parameters) -> dict[str, Any]:
    """What is asked about before anybody typed something else."""
    return {
        "tuple_size": parameters.tuple_size,
        "factor": parameters.factor,
        "up_to": min(max(10, parameters.annotations_per_tuple), 50),
        "noise": USUAL_NOISE,
        "enough": 0.8,
        "seconds": 20,
        "wage": "12.00",
        "currency": "EUR",
    }


class PlanForm(forms.Form):
    """The numbers of the design that matter, and what is expected of people and pay."""

    tuple_size = forms.IntegerField(
        label=gettext_lazy("Items shown together (k)"), min_value=2, max_value=8
    )
    factor = forms.FloatField(
        label=gettext_lazy("Tuples per item (factor)"), min_value=0.01, max_value=100
    )
    up_to = forms.IntegerField(
        label=gettext_lazy("People per tuple, up to"),
        min_value=2,
        max_value=50,
        help_text=gettext_lazy("The curve goes as far."),
    )
    noise = forms.FloatField(
        label=gettext_lazy("Noise"),
        min_value=0,
        max_value=10,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text=gettext_lazy(
            "How far answers stray. 0: everybody agrees; 0.3 is usual; 1: hard to tell from"
            " chance. Below stands how often two people agree."
        ),
    )
    known_from = forms.ChoiceField(
        label=gettext_lazy("Or as noisy as"),
        required=False,
        help_text=gettext_lazy("Estimated from the answers of a study that you may see."),
    )
    enough = forms.FloatField(
        label=gettext_lazy("Reliability that is enough"),
        min_value=0.1,
        max_value=0.99,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )
    seconds = forms.FloatField(
        label=gettext_lazy("Seconds per question"), min_value=1, max_value=3600
    )
    wage = AmountField(label=gettext_lazy("Wage per hour"), min_value=0, max_digits=8)
    currency = forms.ChoiceField(label=gettext_lazy("Currency"), choices=CURRENCIES)

    def __init__(
        self,
        study: Study,
        earlier: Sequence[Study],
        data: Mapping[str, Any] | None = None,
        *,
        known_from: str = "",
    ) -> None:
        self.stored = Parameters.of(study.design)
        self.earlier = {str(one.pk): one for one in earlier}
        super().__init__(data, initial=usual(self.stored))
        known = self.fields["known_from"]
        assert isinstance(known, forms.ChoiceField)
        studies = [(pk, str(one)) for pk, one in self.earlier.items()]
        # A link may name it.
        known.initial = known_from
        known.choices = [("", _("the noise above")), *studies]
        if not self.earlier:
            del self.fields["known_from"]

    @property
    def source(self) -> Study | None:
        """The study whose answers say how noisy people are."""
        return self.earlier.get(self.cleaned_data.get("known_from", ""))

    def asked(self, *, noise: float | None = None) -> Asked:
        """What was typed; with a noise that was estimated in place of the typed one."""
        data = self.cleaned_data
        return Asked(
            parameters=replace(self.stored, tuple_size=data["tuple_size"], factor=data["factor"]),
            noise=data["noise"] if noise is None else noise,
            up_to=data["up_to"],
            enough=data["enough"],
            seconds=data["seconds"],
            wage=data["wage"],
            currency=data["currency"],
        )
