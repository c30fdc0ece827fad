"""What is supposed of a study that is to be forecast."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.amounts import AmountField
from annotation.crowds.forms.listings import CURRENCIES
from annotation.kinds.best_worst.queries.forecasts import EXAMPLES, AskedOfTuples
from annotation.kinds.design_parameters import BestWorstParameters, RatingParameters
from annotation.kinds.queries import noise_words
from annotation.kinds.queries.noise_words import Slider
from annotation.kinds.rating.queries.forecasts import ERRORS, NOISES, AskedOfLabels, AskedOfRatings
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from scoring.forecasts.labels import LabelErrorEstimate
from scoring.forecasts.ratings import RatingNoise, RatingNoiseEstimate

_LONGEST = 50


class PlanForm(forms.Form):
    """What every kind of study is asked: how far the curve goes, what is enough, time and pay."""

    up_to = forms.IntegerField(
        label=gettext_lazy("People per question, up to"),
        min_value=2,
        max_value=_LONGEST,
        help_text=gettext_lazy("The curve goes as far."),
    )
    known_from = forms.ChoiceField(
        label=gettext_lazy("Or as noisy as"),
        required=False,
        help_text=gettext_lazy(
            "Estimated from the answers of a study that you may see. The estimate counts then, and"
            " stands in place of what was typed."
        ),
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
        self.study = study
        self.earlier = {str(one.pk): one for one in earlier}
        super().__init__(data, initial=usual(study))
        known = self.fields["known_from"]
        assert isinstance(known, forms.ChoiceField)
        studies = [(pk, str(one)) for pk, one in self.earlier.items()]
        # A link may name it.
        known.initial = known_from
        known.choices = [("", _("the noise above")), *studies]
        if not self.earlier:
            del self.fields["known_from"]

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
            for number in [_number(field.value())]
        ]

    def put(self, **values: float) -> None:
        """Let fields show what was estimated, to two digits, in place of what was typed."""
        typed = {name: self.data.get(name) for name in self.fields}
        self.data = {**typed, **{name: f"{value:.2f}" for name, value in values.items()}}

    @property
    def source(self) -> Study | None:
        """The study whose answers say how noisy people are."""
        return self.earlier.get(self.cleaned_data.get("known_from", ""))

    @property
    def common(self) -> dict[str, Any]:
        """What was typed of what every kind is asked."""
        names = ("up_to", "enough", "seconds", "wage", "currency")
        return {name: self.cleaned_data[name] for name in names}


class TuplesPlanForm(PlanForm):
    """Of a best-worst study."""

    tuple_size = forms.IntegerField(
        label=gettext_lazy("Items shown together (k)"), min_value=2, max_value=8
    )
    factor = forms.FloatField(
        label=gettext_lazy("Tuples per item (factor)"), min_value=0.01, max_value=100
    )
    noise = forms.FloatField(
        label=gettext_lazy("Noise"),
        min_value=0,
        max_value=10,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text=gettext_lazy(
            "How far answers stray. 0: everybody agrees; 0.3 is usual; 1: hard to tell from"
            " chance."
        ),
    )
    field_order = ["noise", "known_from", "tuple_size", "factor", "up_to"]

    @property
    def sliders(self) -> dict[str, Slider]:
        typed = _number(self["tuple_size"].value())
        least, most = 2, 8
        k = int(typed) if typed and least <= typed <= most else usual(self.study)["tuple_size"]
        return {"noise": noise_words.of_tuples(k, EXAMPLES)}

    def asked(self, *, noise: float | None = None) -> AskedOfTuples:
        """What was typed; with a noise that was estimated in place of the typed one."""
        data = self.cleaned_data
        return AskedOfTuples(
            **self.common,
            parameters=replace(
                BestWorstParameters.of(self.study.design),
                tuple_size=data["tuple_size"],
                factor=data["factor"],
            ),
            noise=data["noise"] if noise is None else noise,
        )


class RatingsPlanForm(PlanForm):
    """Of a rating study."""

    noise = forms.FloatField(
        label=gettext_lazy("Noise"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=gettext_lazy(
            "Standard deviation of the ratings of one item, as a share of the scale: 0.1 on a"
            " scale of 0 to 6 are 0.6 points."
        ),
    )
    spread = forms.FloatField(
        label=gettext_lazy("How far the items differ"),
        min_value=0.01,
        max_value=0.49,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=gettext_lazy(
            "Standard deviation of what they are truly worth, as a share of the scale: 0.29 if"
            " they lie anywhere on it, less if most lie in the middle."
        ),
    )
    field_order = ["noise", "spread", "known_from", "up_to"]

    @property
    def sliders(self) -> dict[str, Slider]:
        typed = _number(self["spread"].value())
        return noise_words.of_ratings(self.study, NOISES, typed_spread=typed)

    def asked(self, *, estimate: RatingNoiseEstimate | None = None) -> AskedOfRatings:
        """What was typed; with what was estimated in place of noise and spread."""
        value = estimate.value if estimate else None
        typed = RatingNoise(self.cleaned_data["noise"], spread=self.cleaned_data["spread"])
        return AskedOfRatings(**self.common, noise=value or typed)


class LabelsPlanForm(PlanForm):
    """Of a study of labels."""

    error = forms.FloatField(
        label=gettext_lazy("Share of errors"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=gettext_lazy("How often somebody names another category than the right one."),
    )
    field_order = ["error", "known_from", "up_to"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["enough"].label = _("Share of right labels that is enough")

    @property
    def sliders(self) -> dict[str, Slider]:
        return {"error": noise_words.of_labels(self.study, ERRORS)}

    def asked(self, *, estimate: LabelErrorEstimate | None = None) -> AskedOfLabels:
        """What was typed; with what was estimated in its place."""
        if estimate is None:
            return AskedOfLabels(**self.common, error=self.cleaned_data["error"])
        shares = estimate.shares.tolist()
        return AskedOfLabels(**self.common, error=estimate.value, shares=shares)


AnyPlanForm = TuplesPlanForm | RatingsPlanForm | LabelsPlanForm
FORMS: dict[str, type[AnyPlanForm]] = {
    QuestionKind.BEST_WORST: TuplesPlanForm,
    QuestionKind.RATING: RatingsPlanForm,
    QuestionKind.LABEL: LabelsPlanForm,
}


def usual(study: Study) -> dict[str, Any]:
    """What is asked about before anybody typed something else."""
    pay = {"enough": 0.8, "seconds": 20, "wage": "12.00", "currency": "EUR"}
    if study.kind == QuestionKind.BEST_WORST:
        parameters = BestWorstParameters.of(study.design)
        return pay | {
            "tuple_size": parameters.tuple_size,
            "factor": parameters.factor,
            "up_to": _up_to(parameters.annotations_per_tuple),
            "noise": 0.3,
        }
    up_to = _up_to(RatingParameters.of(study.design).ratings_per_item)
    if study.kind == QuestionKind.LABEL:
        return pay | {"up_to": up_to, "error": 0.2, "enough": 0.9, "seconds": 10}
    return pay | {"up_to": up_to, "noise": 0.2, "spread": 0.29, "seconds": 15}


def _number(typed: Any) -> float | None:
    """As somebody typed it, who may have typed anything."""
    try:
        number = float(typed)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _up_to(chosen: int) -> int:
    return min(max(10, chosen), _LONGEST)
