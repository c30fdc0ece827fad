"""The numbers of a selection design."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.forms.designs import NumbersForm


class SelectionDesignForm(NumbersForm[SelectionParameters]):
    incidents_per_booklet = forms.IntegerField(
        label=gettext_lazy("Incidents for each person"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy("Maximum. Each sentence of a summary is one question."),
    )
    people_per_incident = forms.IntegerField(
        label=gettext_lazy("People for each incident"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy(
            "1 is usual, because the resulting pairs are rated again in the next round."
        ),
    )

    PARAMETERS = SelectionParameters
