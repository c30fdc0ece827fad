"""What is supposed of a best-worst study that is to be forecast."""

from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy

from annotation.basics.sentences import translated
from annotation.core.forms.fields import NumberField
from annotation.kinds.best_worst.queries import forecasts
from annotation.kinds.best_worst.queries.alternatives import alternatives_to
from annotation.kinds.best_worst.queries.answers import answers_arrays
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.kinds.forms.planning import PlanForm, UntoldError, estimated, number_of, up_to
from annotation.kinds.queries import noise_words
from annotation.kinds.queries.forecast_rows import Alternative, Forecasted
from annotation.kinds.queries.noise_words import Slider
from annotation.models import Study
from scoring import NoiseEstimate
from scoring.forecasts.best_worst import Simulate
from scoring.forecasts.latents import CONCENTRATIONS, UNIFORM, Latents
from scoring.forecasts.noise import PilotShape


class BestWorstPlanForm(PlanForm):
    """How far answers stray, and of which tuples."""

    tuple_size = forms.IntegerField(
        label=gettext_lazy("Items shown together (k)"), min_value=2, max_value=8
    )
    factor = NumberField(
        label=gettext_lazy("Tuples as a multiple of items (factor)"), min_value=0.01, max_value=100
    )
    noise = NumberField(
        label=gettext_lazy("Noise"),
        min_value=0,
        max_value=10,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text=gettext_lazy(
            "How much answers differ between people: 0 means that everybody agrees, and 1 is "
            "almost random. Nobody knows this value before a pilot; 0.3 is only a start."
        ),
    )
    UP_TO = gettext_lazy("Maximum answers per tuple")
    shape = forms.ChoiceField(
        label=gettext_lazy("Shape of the true scores"),
        required=False,
        choices=[
            ("pilot", gettext_lazy("as in the chosen study; uniform if there is none")),
            ("uniform", gettext_lazy("uniform")),
            ("normal", gettext_lazy("normal: most items in the middle")),
            ("bimodal", gettext_lazy("bimodal: most items near the two ends")),
        ],
        widget=forms.Select(attrs={"class": "long-choices"}),
    )
    compare = forms.BooleanField(
        label=gettext_lazy("Compare other tuple sizes and factors"), required=False
    )
    # How people answer in a simulated study, and how the answers of a real one are read.
    simulate: ClassVar[Simulate | None] = None
    answers_arrays = staticmethod(answers_arrays)
    _estimate: NoiseEstimate | None = None
    field_order = ["noise", "known_from", "shape", "tuple_size", "factor", "up_to"]

    @property
    def sliders(self) -> dict[str, Slider]:
        typed = number_of(self["tuple_size"].value())
        least, most = 2, 8
        k = (
            int(typed)
            if typed and least <= typed <= most
            else self.usual(self.study)["tuple_size"]
        )
        return {"noise": noise_words.of_tuples(k, forecasts.EXAMPLES, self._latents)}

    @property
    def _latents(self) -> Latents:
        """Of the shape that was chosen or estimated."""
        if self._estimate:
            return self._estimate.latents
        shape = self["shape"].value()
        return Latents.of(shape) if shape in CONCENTRATIONS else UNIFORM

    @classmethod
    def usual(cls, study: Study) -> dict[str, Any]:
        parameters = BestWorstParameters.of(study.design)
        return super().usual(study) | {
            "tuple_size": parameters.tuple_size,
            "factor": parameters.factor,
            "up_to": up_to(parameters.annotations_per_tuple),
            "noise": 0.3,
            "shape": "pilot",
            "compare": False,
        }

    def estimate_from(self, source: Study) -> str:
        shape: PilotShape = self.cleaned_data["shape"] or "pilot"
        estimate = forecasts.noise_of(source, self.answers_arrays(source, "people"), shape)
        if estimate.reason:
            raise UntoldError(source, estimate.reason)
        self._estimate = estimate
        self.put(noise=estimate.value)
        noise = estimated(source, estimate.value, estimate.low, estimate.high)
        return f"{noise} {translated(estimate.note)}" if estimate.note else noise

    def forecast(self) -> Forecasted:
        return forecasts.forecast_of(self.study, self._options)

    def alternatives(self) -> list[Alternative]:
        if not self.cleaned_data["compare"]:
            return []
        return alternatives_to(self.study, self._options)

    @property
    def _options(self) -> forecasts.TupleForecastOptions:
        data = self.cleaned_data
        return forecasts.TupleForecastOptions(
            **self.common,
            parameters=replace(
                BestWorstParameters.of(self.study.design),
                tuple_size=data["tuple_size"],
                factor=data["factor"],
            ),
            noise=self._estimate.draws if self._estimate else data["noise"],
            estimated=self._estimate.value if self._estimate else None,
            latents=self._latents,
            simulate=self.simulate,
        )
