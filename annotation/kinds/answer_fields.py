"""Fields of a form for what annotators choose; the rules of a study are kept by the answers."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.basics.scale import number_of


class RatingField(forms.Field):
    """A value of a scale, which the answer knows; here it only has to be a number."""

    def to_python(self, value: Any) -> Decimal | None:
        if not value or not str(value).strip():
            return None
        number = number_of(value)
        if number is None:
            raise forms.ValidationError(_("Choose a value of the scale."))
        return number


class CategoriesField(forms.Field):
    """The names of chosen categories, sent as often as there are some; the answer knows them."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> tuple[str, ...] | None:
        return tuple(str(name) for name in value or () if name) or None
