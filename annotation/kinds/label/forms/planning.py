"""What is supposed of a study of labels that is to be forecast."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.sentences import translated
from annotation.core.forms.fields import NumberField
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.forms.planning import PlanForm, UntoldError, estimated, up_to
from annotation.kinds.label.queries import forecasts
from annotation.kinds.queries import noise_words
from annotation.kinds.queries.forecast_rows import Forecasted
from annotation.kinds.queries.noise_words import Slider
from annotation.models import Study
from scoring.forecasts.labels import LabelErrorEstimate


class LabelPlanForm(PlanForm):
    """How often somebody errs."""

    error = NumberField(
        label=gettext_lazy("Share of errors"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=gettext_lazy("How often somebody chooses a wrong category."),
    )
    _estimate: LabelErrorEstimate | None = None
    field_order = ["error", "known_from", "up_to"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["enough"].label = _("Required share of correct labels")

    @property
    def sliders(self) -> dict[str, Slider]:
        return {"error": noise_words.of_labels(self.study, forecasts.ERRORS)}

    @classmethod
    def usual(cls, study: Study) -> dict[str, Any]:
        return super().usual(study) | {
            "up_to": up_to(RatingParameters.of(study.design).ratings_per_item),
            "error": 0.2,
            "enough": 0.9,
            "seconds": 10,
        }

    def estimate_from(self, source: Study) -> str:
        estimate = forecasts.error_of(source)
        if estimate.reason:
            raise UntoldError(source, estimate.reason)
        self._estimate = estimate
        self.put(error=estimate.value)
        error = estimated(source, estimate.value, estimate.low, estimate.high)
        return f"{error} {translated(estimate.note)}" if estimate.note else error

    def forecast(self) -> Forecasted:
        if estimate := self._estimate:
            options = forecasts.LabelForecastOptions(
                **self.common,
                error=estimate.draws,
                estimated=estimate.value,
                shares=estimate.drawn_shares,
            )
        else:
            options = forecasts.LabelForecastOptions(
                **self.common, error=self.cleaned_data["error"]
            )
        return forecasts.forecast_of(self.study, options)
