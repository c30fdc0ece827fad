"""The form by which the scoring of a rating study is chosen."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.core.forms.fields import NumberField


class ScoringOptionsForm(forms.Form):
    """The fields of `ScoringOptions`; an empty margin tests no equivalence."""

    test = forms.ChoiceField(
        label=_("Test of the effect of context"),
        choices=(
            ("auto", _("paired if most items were rated by the same people in both phases")),
            ("paired", _("paired t-test: each person compared with themselves")),
            ("pooled", _("pooled t-test, as in CzechSTS")),
        ),
    )
    margin = NumberField(
        label=_("Smallest effect that matters"),
        required=False,
        # Finer than any scale, but above 0.
        min_value=0.000001,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_(
            "Enter it in points of the scale. Scoring then also tests which items have a smaller "
            "effect of context."
        ),
    )
