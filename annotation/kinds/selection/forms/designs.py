"""The numbers of a selection design."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.forms.designs import NumbersForm


class SelectionDesignForm(NumbersForm[SelectionParameters]):
    incidents_per_booklet = forms.IntegerField(
        label=gettext_lazy("Incidents per person"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy(
            "This is the maximum. Every sentence of their summaries is a question."
        ),
    )
    people_per_incident = forms.IntegerField(
        label=gettext_lazy("People per incident"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy(
            "1 is usual, because others rate the resulting pairs in the next round."
        ),
    )

    PARAMETERS = SelectionParameters
