"""The form for drawing pairs from two columns of texts."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.baselines.forms.measure_options import text_input
from annotation.core.forms.fields import NumberField
from annotation.items.queries.sampling_plots import MEASURE_NAMES
from annotation.items.services.sampled_pairs import PairSamplingOptions
from scoring.neural.models import MAX_NAME_LENGTH
from tuples.pair_sampling import WITH_VECTORS

UNAVAILABLE = _(
    "The measures with an embedding are not available: the models folder (LIKENESS_MODELS) "
    "has no sentence encoder, and Likeness may not download one from the Hugging Face hub. "
    "Put a sentence encoder such as all-MiniLM-L6-v2 into the folder, or start Likeness "
    "with LIKENESS_HUB=1. The worker's machine also needs the libraries that read models: "
    "run `make models` there."
)


class _Measures(forms.Select):
    """A list that also shows the measures that cannot be chosen now."""

    unavailable: Sequence[str] = ()

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if value in self.unavailable:
            option["attrs"]["disabled"] = True
        return option


class SamplingForm(forms.Form):
    n_pairs = forms.IntegerField(
        label=_("Number of pairs"), min_value=1, max_value=100_000, initial=200
    )
    measure = forms.ChoiceField(
        label=_("Similarity measure"),
        choices=list(MEASURE_NAMES.items()),
        widget=_Measures,
        initial="words",
    )
    model = forms.CharField(
        label=_("Sentence encoder"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        widget=text_input(list="models"),
        help_text=_(
            "A folder inside the models folder (LIKENESS_MODELS), or a name on the hub: org/name."
        ),
    )
    n_bins = forms.IntegerField(label=_("Similarity bins"), min_value=1, max_value=100, initial=10)
    max_uses = forms.IntegerField(
        label=_("Maximum pairs per text"), min_value=1, max_value=100_000, initial=3
    )
    threshold = NumberField(
        label=_("Threshold for near-duplicates"),
        min_value=0.01,
        max_value=1,
        initial=0.85,
        help_text=_(
            "If the character trigrams of two texts in a column overlap at least this much "
            "(Jaccard), the later text is left out."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**53,
        initial=1,
        help_text=_("With the same file and settings, the same seed draws the same pairs."),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        initial: Mapping[str, Any] | None = None,
        models: Sequence[str],
        has_hub: bool,
    ) -> None:
        """`models`: those of this server's folder; `has_hub`: whether others may be fetched."""
        super().__init__(data, initial={"model": models[0] if models else "", **(initial or {})})
        self.has_models = bool(models) or has_hub
        if not self.has_models:
            measure = self.fields["measure"]
            assert isinstance(measure.widget, _Measures)
            measure.widget.unavailable = WITH_VECTORS
            measure.help_text = UNAVAILABLE
            del self.fields["model"]

    def clean_measure(self) -> str:
        measure: str = self.cleaned_data["measure"]
        if measure in WITH_VECTORS and not self.has_models:
            raise forms.ValidationError(UNAVAILABLE)
        return measure

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        model = cleaned.get("model", "").strip()
        is_needed = cleaned.get("measure") in WITH_VECTORS
        if is_needed and not model and "model" in self.fields and "model" not in self.errors:
            self.add_error("model", _("Enter the name of a sentence encoder."))
        cleaned["model"] = model if is_needed else ""
        return cleaned

    @property
    def options(self) -> PairSamplingOptions:
        return PairSamplingOptions(**self.cleaned_data)
