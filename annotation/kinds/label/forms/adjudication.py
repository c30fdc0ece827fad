"""What an expert decides of a labelled item: its categories."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.basics.categories import Categories
from annotation.models import Study


def value_field(study: Study) -> forms.Field:
    """One category, or several where people may choose several."""
    categories = Categories.of(study.categories)
    kind = forms.MultipleChoiceField if categories.is_several else forms.ChoiceField
    return kind(
        label=gettext_lazy("Categories") if categories.is_several else gettext_lazy("Category"),
        choices=[(name, name) for name in categories.names],
        widget=forms.CheckboxSelectMultiple if categories.is_several else forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose a category.")},
    )
