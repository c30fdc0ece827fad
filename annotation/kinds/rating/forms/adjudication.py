"""What an expert decides of a rated item: a value of the scale."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.scale import MAX_MARKS, Scale, number_of, plain
from annotation.models import Study


def value_field(study: Study) -> forms.Field:
    """A value of the scale: chosen from few, typed if there are many."""
    scale = Scale.of(study.scale)
    missing = {"required": gettext_lazy("Choose a value of the scale.")}
    if scale.n_points > MAX_MARKS:
        ends = {name: scale.text(getattr(scale, name)) for name in ("low", "high", "step")}
        return _NumberField(
            label=gettext_lazy("Value"),
            help_text=_("From %(low)s to %(high)s in steps of %(step)s.") % ends,
            error_messages=missing,
            widget=forms.NumberInput(
                attrs={
                    "min": plain(scale.low),
                    "max": plain(scale.high),
                    "step": plain(scale.step),
                }
            ),
        )
    return forms.TypedChoiceField(
        label=gettext_lazy("Value"),
        choices=[
            (plain(point), " ".join(filter(None, (scale.text(point), scale.label(point)))))
            for point in scale.points
        ],
        coerce=Decimal,
        widget=forms.RadioSelect,
        error_messages=missing,
    )


class _NumberField(forms.CharField):
    """A number as people write it; whether it is on the scale is the service's to say."""

    def clean(self, value: Any) -> Any:
        number = number_of(super().clean(value))
        if number is None:
            raise forms.ValidationError(_("Choose a value of the scale."))
        return number
