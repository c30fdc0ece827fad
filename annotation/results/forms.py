"""What an expert decides of one item: a value of the scale, or categories, and why."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.categories import Categories
from annotation.basics.scale import Scale, number_of, plain
from annotation.kinds.shown_scales import MOST_MARKS
from annotation.models import Adjudication, Study
from annotation.models.kinds import QuestionKind


class AdjudicationForm(forms.Form):
    """Nothing is proposed: an expert chooses as everybody else does."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
        error_messages={
            "required": gettext_lazy("Say why: the reason is kept with the adjudication.")
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
        value = _categories(study) if study.kind == QuestionKind.LABEL else _rating(study)
        if standing:
            chosen = (
                plain(standing.rating)
                if standing.rating is not None
                else standing.categories
                if isinstance(value, forms.MultipleChoiceField)
                else standing.categories[0]
            )
            self.initial["value"] = chosen
        self.fields = {"value": value, **self.fields}

    @property
    def answer(self) -> dict[str, Any]:
        """As `services.adjudications.adjudicate` takes it."""
        value = self.cleaned_data["value"]
        if isinstance(value, Decimal):
            return {"rating": value}
        return {"categories": value if isinstance(value, list) else [value]}


def _rating(study: Study) -> forms.Field:
    scale = Scale.of(study.scale)
    missing = {"required": gettext_lazy("Choose a value of the scale.")}
    if scale.n_points > MOST_MARKS:
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


def _categories(study: Study) -> forms.Field:
    categories = Categories.of(study.categories)
    kind = forms.MultipleChoiceField if categories.is_several else forms.ChoiceField
    return kind(
        label=gettext_lazy("Categories") if categories.is_several else gettext_lazy("Category"),
        choices=[(name, name) for name in categories.names],
        widget=forms.CheckboxSelectMultiple if categories.is_several else forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose a category.")},
    )
