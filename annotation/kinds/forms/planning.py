"""What is supposed of a study that is to be forecast, whatever kind it is of."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext, gettext_lazy

from annotation.basics.errors import AnnotationError
from annotation.basics.numbers import decimal
from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import translated
from annotation.core.forms.amounts import CURRENCIES, AmountField
from annotation.core.forms.fields import NumberField
from annotation.kinds.queries.forecast_rows import Alternative, Forecasted
from annotation.kinds.queries.noise_words import Slider
from annotation.models import Study

_MAX_PEOPLE_PER_QUESTION = 50


class UntoldError(AnnotationError):
    """The answers of the study that was named tell nothing."""

    def __init__(self, study: Study, why: str) -> None:
        template = _("The noise cannot be estimated from the answers of %(study)s: %(why)s.")
        super().__init__(template % {"study": str(study), "why": translated(why)})


class PlanForm(forms.Form):
    """What every kind of study is asked: how far the curve goes, what is enough, time and pay."""

    # The label of `up_to`, if a kind does not speak of answers to a question.
    UP_TO: ClassVar[Any] = None

    up_to = forms.IntegerField(
        label=gettext_lazy("Maximum answers per question"),
        min_value=2,
        max_value=_MAX_PEOPLE_PER_QUESTION,
        help_text=gettext_lazy("The forecast curve ends at this number."),
    )
    known_from = forms.ChoiceField(
        label=gettext_lazy("Or estimate the noise from"),
        required=False,
        widget=forms.Select(attrs={"class": "long-choices"}),
        help_text=gettext_lazy(
            "Likeness estimates the noise from the answers of a study that you have access to. "
            "The estimate replaces what you entered above."
        ),
    )
    enough = NumberField(
        label=gettext_lazy("Required reliability"),
        min_value=0.1,
        max_value=0.99,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )
    seconds = NumberField(label=gettext_lazy("Seconds per question"), min_value=1, max_value=3600)
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
        self.study = study
        self.earlier = {str(source.pk): source for source in earlier}
        super().__init__(data, initial=self.usual(study))
        if self.UP_TO:
            self.fields["up_to"].label = self.UP_TO
        known = self.fields["known_from"]
        assert isinstance(known, forms.ChoiceField)
        studies = [(pk, str(source)) for pk, source in self.earlier.items()]
        # A link can preselect it.
        known.initial = known_from
        known.choices = [("", gettext("no study: use the noise entered above")), *studies]
        if not self.earlier:
            del self.fields["known_from"]

    @classmethod
    def usual(cls, study: Study) -> dict[str, Any]:
        """What is asked about before anybody typed something else."""
        return {"enough": 0.8, "seconds": 20, "wage": "12.00", "currency": "EUR"}

    @property
    def sliders(self) -> dict[str, Slider]:
        """By the name of the field that each sets."""
        raise NotImplementedError

    @property
    def rows(self) -> list[tuple[forms.BoundField, Slider | None, str]]:
        """Each field with its slider, and what the value means that stands there."""
        sliders = self.sliders
        return [
            (field, slider, slider.meaning(number) if slider and number is not None else "")
            for field in self
            for slider in [sliders.get(field.name)]
            for number in [number_of(field.value())]
        ]

    def estimate_from(self, source: Study) -> str:
        """Let what the answers of another study tell stand in place of what was typed; in words.

        Raises UntoldError if they tell nothing.
        """
        raise NotImplementedError

    def forecast(self) -> Forecasted:
        """What may be expected of a study with these numbers.

        Raises AnnotationError if they give no study that could be simulated.
        """
        raise NotImplementedError

    def alternatives(self) -> list[Alternative]:
        """What other designs need for the same, if somebody asked for them."""
        return []

    def put(self, **values: float) -> None:
        """Let fields show what was estimated, to two digits, in place of what was typed."""
        typed = {name: self.data.get(name) for name in self.fields}
        self.data = {**typed, **{name: f"{value:.2f}" for name, value in values.items()}}

    @property
    def source(self) -> Study | None:
        """The study whose answers say how noisy people are."""
        return self.earlier.get(self.cleaned_data.get("known_from", ""))

    @property
    def pay(self) -> dict[str, Any]:
        """What was typed of time and money."""
        return {name: self.cleaned_data[name] for name in ("seconds", "wage", "currency")}

    @property
    def common(self) -> dict[str, Any]:
        """What was typed of what the forecast of every kind is told."""
        return {name: self.cleaned_data[name] for name in ("up_to", "enough", "seconds")}


def estimated(source: Study, value: float, low: float, high: float) -> str:
    """What was estimated from a study, and how much other studies may differ from it."""
    estimate = gettext("Estimated from %(study)s: %(noise)s.") % {
        "study": source.title,
        "noise": decimal(value, 2),
    }
    if low == high:
        return estimate  # a note says why other studies are not known to differ
    others = gettext(
        "Judging by these answers, it would lie between %(low)s and %(high)s in about 95 %% of"
        " other studies with other people."
    ) % {"low": decimal(low, 2), "high": decimal(high, 2)}
    return f"{estimate} {others}"


def number_of(typed: Any) -> float | None:
    """As somebody typed it, who may have typed anything."""
    try:
        number = float(typed)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def up_to(chosen: int) -> int:
    """How far the curve goes at first, if a design has so many answers to each question."""
    return min(max(10, chosen), _MAX_PEOPLE_PER_QUESTION)
