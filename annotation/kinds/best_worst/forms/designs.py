"""The numbers of a best-worst design."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.basics.sentences import translated
from annotation.basics.strata import STRATA
from annotation.core.forms.fields import NumberField
from annotation.kinds.best_worst.queries import plans
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.kinds.forms.designs import ChecksField, NumbersForm, empty_if_none


class BestWorstDesignForm(NumbersForm[BestWorstParameters]):
    tuple_size = forms.IntegerField(
        label=gettext_lazy("Items shown together (k)"),
        min_value=2,
        max_value=8,
        help_text=gettext_lazy(
            "Items shown together form a tuple. 4 is usual; the GiCCS benchmark uses 3."
        ),
    )
    factor = NumberField(
        label=gettext_lazy("Tuples as a multiple of items (factor)"),
        min_value=0.01,
        max_value=100,
        help_text=gettext_lazy("A pool of N items gets factor × N tuples. 2 is usual."),
    )
    annotations_per_tuple = forms.IntegerField(
        label=gettext_lazy("People per tuple"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy("Number of different people who answer each tuple. 5 is usual."),
    )
    questions_per_screen = forms.IntegerField(
        label=gettext_lazy("Questions on a screen"), min_value=1, max_value=20
    )
    screens_per_booklet = forms.IntegerField(
        label=gettext_lazy("Screens in a booklet"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy("A booklet is the set of screens that one person answers."),
    )
    strata = forms.MultipleChoiceField(
        label=gettext_lazy("Mix on every screen"),
        choices=[(name, translated(label)) for name, label in STRATA.items()],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Each screen mixes the values of the selected properties as evenly as possible: for"
            " example, one 3-turn and one 5-turn dialogue. If all have the same value, nothing is"
            " mixed."
        ),
    )

    n_checks = ChecksField()

    PARAMETERS = BestWorstParameters

    def propose_numbers(self) -> None:
        fitting = plans.with_fitting_factor(self.study, self.stored)
        self.propose_fitting(fitting, ("factor",))

    @property
    def initial_numbers(self) -> dict[str, Any]:
        return {**super().initial_numbers, "n_checks": empty_if_none(self.stored.n_checks)}
