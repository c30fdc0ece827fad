"""What an expert decides of one item: its value, and why."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import Adjudication, Study
from annotation.results.queries.disputes import rules_of


class AdjudicationForm(forms.Form):
    """Nothing is proposed: an expert chooses as everybody else does."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=2000,
        help_text=gettext_lazy("The reason is published with the data set."),
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
        error_messages={
            "required": gettext_lazy("Enter a reason. It is stored with your decision.")
        },
    )
    # Which adjudication stood when the page was shown.
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        study: Study,
        standing: Adjudication | None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial={"seen": standing.pk if standing else 0})
        self.rules = rules_of(study)
        if standing:
            self.initial["value"] = self.rules.initial(study, standing)
        self.fields = {"value": self.rules.value_field(study), **self.fields}

    @property
    def answer(self) -> dict[str, Any]:
        """As `services.adjudications.adjudicate` takes it."""
        return self.rules.decision(self.cleaned_data["value"])
