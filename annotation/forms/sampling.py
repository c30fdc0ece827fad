"""The form for drawing pairs from two columns of texts."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.services.sampled_pairs import Asked


class SamplingForm(forms.Form):
    n_pairs = forms.IntegerField(
        label=_("Number of pairs"), min_value=1, max_value=100_000, initial=200
    )
    measure = forms.ChoiceField(
        label=_("How alike two texts are"),
        choices=[("words", _("shared words")), ("characters", _("shared trigrams of characters"))],
        initial="words",
    )
    n_bins = forms.IntegerField(
        label=_("Bins of similarity"), min_value=1, max_value=100, initial=10
    )
    max_uses = forms.IntegerField(
        label=_("Pairs that a text is in, at most"), min_value=1, max_value=100_000, initial=3
    )
    threshold = forms.FloatField(
        label=_("Similarity from which texts are nearly the same"),
        min_value=0.01,
        max_value=1,
        initial=0.85,
        help_text=_("Of two such texts of a column the later one is left out."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**53,
        initial=1,
        help_text=_("The same seed draws the same pairs."),
    )

    @property
    def asked(self) -> Asked:
        return Asked(**self.cleaned_data)
