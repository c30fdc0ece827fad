"""What is supposed of a rating study that is to be forecast."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from annotation.basics.numbers import decimal
from annotation.basics.sentences import translated
from annotation.core.forms.fields import NumberField
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.forms.planning import PlanForm, UntoldError, estimated, number_of, up_to
from annotation.kinds.queries import noise_words
from annotation.kinds.queries.forecast_rows import Forecasted
from annotation.kinds.queries.noise_words import Slider
from annotation.kinds.rating.queries import forecasts
from annotation.models import Study
from scoring.forecasts.rating_noise import RatingNoise, RatingNoiseEstimate


class RatingPlanForm(PlanForm):
    """How far ratings stray, and how far the items differ."""

    UP_TO = gettext_lazy("Maximum ratings per item")

    noise = NumberField(
        label=gettext_lazy("Noise"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=gettext_lazy(
            "Standard deviation of the ratings of one item, as a share of the scale. "
            "On a scale from 0 to 6, 0.1 means 0.6 points."
        ),
    )
    spread = NumberField(
        label=gettext_lazy("Spread of the items"),
        min_value=0.01,
        max_value=0.49,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=gettext_lazy(
            "Standard deviation of the items' true values, as a share of the scale. "
            "It is 0.29 if they are spread evenly, and less if most are in the "
            "middle."
        ),
    )
    _estimate: RatingNoiseEstimate | None = None
    field_order = ["noise", "spread", "known_from", "up_to"]

    @property
    def sliders(self) -> dict[str, Slider]:
        typed = number_of(self["spread"].value())
        return noise_words.of_ratings(self.study, forecasts.NOISES, typed_spread=typed)

    @classmethod
    def usual(cls, study: Study) -> dict[str, Any]:
        return super().usual(study) | {
            "up_to": up_to(RatingParameters.of(study.design).ratings_per_item),
            "noise": 0.2,
            "spread": 0.29,
            "seconds": 15,
        }

    def estimate_from(self, source: Study) -> str:
        estimate = forecasts.noise_of(source)
        if estimate.value is None:
            raise UntoldError(source, estimate.reason or "")
        self._estimate = estimate
        spread = gettext("The items have a mean of %(mean)s and a spread of %(spread)s.") % {
            "spread": decimal(estimate.value.spread, 2),
            "mean": decimal(estimate.value.mean, 2),
        }
        self.put(noise=estimate.value.noise, spread=estimate.value.spread)
        noise = estimated(source, estimate.value.noise, estimate.low, estimate.high)
        note = f" {translated(estimate.note)}" if estimate.note else ""
        return f"{noise} {spread}{note}"

    def forecast(self) -> Forecasted:
        noise = RatingNoise(self.cleaned_data["noise"], spread=self.cleaned_data["spread"])
        draws: tuple[RatingNoise, ...] = ()
        if self._estimate and self._estimate.value:
            noise, draws = self._estimate.value, self._estimate.draws
        options = forecasts.RatingForecastOptions(**self.common, noise=noise, draws=draws)
        return forecasts.forecast_of(self.study, options)
