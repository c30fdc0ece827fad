"""The numbers of a selection design."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.forms.designs import NumbersForm
from annotation.models import Study


class SelectionDesignForm(NumbersForm):
    incidents_per_booklet = forms.IntegerField(
        label=gettext_lazy("Incidents for each person"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy("At most; every sentence of their summaries is a question."),
    )
    people_per_incident = forms.IntegerField(
        label=gettext_lazy("People for each incident"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy(
            "1 is usual: the pairs that come of it are rated by others in the next round."
        ),
    )

    PLAIN = ("incidents_per_booklet", "people_per_incident")

    def __init__(self, study: Study, data: Any = None) -> None:
        self.stored = SelectionParameters.of(study.design)
        super().__init__(study, {name: getattr(self.stored, name) for name in self.PLAIN}, data)

    @property
    def parameters(self) -> SelectionParameters:
        return SelectionParameters(**{name: self.cleaned_data[name] for name in self.PLAIN})
