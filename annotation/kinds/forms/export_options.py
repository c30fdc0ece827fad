"""The form by which the files of a rating study are chosen."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.core.forms.fields import NumberField
from annotation.kinds.exports.options import MAX_CONTEXT_SENTENCES, ExportOptions

TESTS = (
    ("auto", _("as on the results page")),
    ("pooled", _("pooled t-test, as in CzechSTS")),
    ("paired", _("paired t-test: each person compared with themselves")),
    ("welch", _("Welch's t-test")),
)


class ExportOptionsForm(forms.Form):
    """What is not sent has its default, so that a plain link works, too."""

    context_sentences = forms.IntegerField(
        label=_("Turns of context"),
        min_value=0,
        max_value=MAX_CONTEXT_SENTENCES,
        required=False,
        help_text=_(
            "Maximum number of sentences or turns before and after the rated one in "
            "the data set (the files test_*.tsv)."
        ),
    )
    test = forms.ChoiceField(
        label=_("Test of the effect of context"), choices=TESTS, required=False
    )
    level = NumberField(
        label=_("Significance level"),
        required=False,
        # Half of the smallest number that anybody would choose.
        min_value=0.000001,
        max_value=0.999999,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_(
            "Items with a p-value below this level go into the files test_significant_*.tsv."
        ),
    )
    corrected = forms.BooleanField(
        label=_("Use p-values with the Benjamini-Hochberg correction"), required=False
    )

    @property
    def options(self) -> ExportOptions:
        """What a valid form says."""
        given = {name: value for name, value in self.cleaned_data.items() if value is not None}
        if not given["test"]:
            del given["test"]
        return ExportOptions(**given)
