"""What somebody chooses of one filter of people."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.platforms.people_filters import FilterKind, PeopleFilter, Selection

_BOUND_FIELDS: Mapping[FilterKind, type[forms.Field]] = {
    FilterKind.INTEGER: forms.IntegerField,
    FilterKind.DECIMAL: forms.DecimalField,
    FilterKind.DATE: forms.DateField,
}


class SearchForm(forms.Form):
    q = forms.CharField(
        label=gettext_lazy("Search the filters"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"class": "vTextField", "type": "search"}),
    )

    def words(self) -> list[str]:
        """In lower case; none if the search cannot be read."""
        return str(self.cleaned_data["q"]).casefold().split() if self.is_valid() else []


class FilterForm(forms.Form):
    """Some of the filter's choices, or a range."""

    def __init__(
        self,
        people_filter: PeopleFilter,
        data: Mapping[str, Any] | None = None,
        *,
        selection: Selection | None = None,
    ) -> None:
        super().__init__(data, initial=vars(selection) if selection else None)
        self.people_filter = people_filter
        if people_filter.kind is FilterKind.CHOICES:
            self._add_choices(people_filter)
        else:
            self._add_bounds(people_filter)

    def _add_choices(self, people_filter: PeopleFilter) -> None:
        self.fields["values"] = forms.MultipleChoiceField(
            label=people_filter.question or people_filter.title,
            choices=list(people_filter.choices.items()),
            widget=forms.CheckboxSelectMultiple,
        )
        if people_filter.can_be_balanced and len(people_filter.choices) > 1:
            self.fields["is_balanced"] = forms.BooleanField(
                label=_("Recruit the same number of people for each choice"),
                required=False,
                help_text=_(
                    "The platform divides the places equally. If you tick this for several "
                    "filters, each combination of their choices gets the same share."
                ),
            )

    def _add_bounds(self, people_filter: PeopleFilter) -> None:
        least, most = people_filter.least, people_filter.most
        limits = {"least": localize(least), "most": localize(most)}
        hint = "" if least is None or most is None else _("%(least)s to %(most)s") % limits
        for name, label in (("lower", _("At least")), ("upper", _("At most"))):
            field = _BOUND_FIELDS[people_filter.kind](label=label, required=False, help_text=hint)
            if people_filter.kind is FilterKind.DATE:
                field.widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
            self.fields[name] = field

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.people_filter.kind is FilterKind.CHOICES or self.errors:
            return cleaned
        least, most = self.people_filter.least, self.people_filter.most
        for name in ("lower", "upper"):
            bound = cleaned[name]
            if bound is None:
                continue
            if (least is not None and bound < least) or (most is not None and bound > most):
                limits = {"least": localize(least), "most": localize(most)}
                self.add_error(name, _("Choose from %(least)s to %(most)s.") % limits)
        if self.errors:
            return cleaned
        if cleaned["lower"] is None and cleaned["upper"] is None:
            self.add_error("lower", _("Enter the lowest value, the highest value, or both."))
        elif None not in (cleaned["lower"], cleaned["upper"]) and (
            cleaned["lower"] > cleaned["upper"]
        ):
            self.add_error("upper", _("The highest value is below the lowest."))
        return cleaned

    def selection(self) -> Selection:
        given = self.cleaned_data
        values = given.get("values", [])
        return Selection(
            values=values,
            lower=given.get("lower"),
            upper=given.get("upper"),
            # Of one choice alone there are no shares.
            is_balanced=bool(given.get("is_balanced")) and len(values) > 1,
        )
