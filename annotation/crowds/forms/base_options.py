"""What every platform is asked for a listing beside reward and places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import NumberField
from annotation.core.platforms import platform_of
from annotation.models import Listing


def text_area(rows: int) -> forms.Textarea:
    """A text field of several rows."""
    return forms.Textarea(attrs={"rows": rows, "class": "vLargeTextField"})


LEGENDS = {
    "address": gettext_lazy("Parameters of the address"),
    "seen": gettext_lazy("What people see"),
    "paid": gettext_lazy("Places, reward and time"),
    "people": gettext_lazy("Who may take part"),
    "outcomes": gettext_lazy("Outcomes of visits"),
    "account": gettext_lazy("Your account on the platform"),
}


@dataclass(frozen=True)
class FieldGroup:
    """Fields of a listing that stand together on its page."""

    key: str
    legend: Any
    fields: Sequence[forms.BoundField]
    # Those that few people need, behind a line that opens them.
    further: Sequence[forms.BoundField] = ()
    further_label: Any = ""

    @property
    def is_short(self) -> bool:
        """Whether several of them fit on one line: none is for text or has several choices."""
        widgets = [field.field.widget for field in self.fields]
        return not any(
            widget.use_fieldset or "TextField" in widget.attrs.get("class", "")
            for widget in widgets
        )

    @property
    def is_open(self) -> bool:
        """Whether what stands behind the line must be seen: it is in use, or wrong."""
        return any(field.value() or field.errors for field in self.further)


_UNPAID_CHECKS_HELP = gettext_lazy(
    "Between 0 and 1, or empty for no minimum. A visit below this share ends as “failed checks”. "
    "Its answers still count, unless you exclude the person on the People page."
)
_NO_MESSAGES_HELP = gettext_lazy(
    "Likeness cannot send messages on this platform. Write to the people there yourself."
)
_COMMON_FIELDS = ("checks_wanted", "comprehension_tries", "invitation", "approve_after_days")


class OptionsForm(forms.Form):
    """What every platform has: when a visit ends without its work being done, or done badly."""

    checks_wanted = NumberField(
        label=gettext_lazy("Minimum share of checks answered correctly"),
        min_value=0,
        max_value=1,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy(
            "Between 0 and 1, or empty for no minimum. A visit below this share ends as “failed "
            "checks”: Likeness suggests paying for it but leaving its answers out of the data."
        ),
    )
    comprehension_tries = forms.IntegerField(
        label=gettext_lazy("Attempts at the comprehension question"),
        min_value=1,
        max_value=20,
        required=False,
        help_text=gettext_lazy(
            "After this many wrong attempts, the person is screened out. Leave empty for no limit."
        ),
    )
    invitation = forms.CharField(
        label=gettext_lazy("Message when this part opens"),
        required=False,
        max_length=1_000,
        widget=text_area(3),
        help_text=gettext_lazy(
            "The platform sends it once to each person. Leave empty to send no message."
        ),
    )

    approve_after_days = forms.IntegerField(
        label=gettext_lazy("Days until Likeness approves automatically"),
        min_value=1,
        max_value=30,
        required=False,
        help_text=gettext_lazy(
            "This many days after submission, Likeness approves completed visits that passed the "
            "checks and have no remark. Leave empty to approve them yourself."
        ),
    )

    # The platform's own dataclass of them.
    OPTIONS: ClassVar[Any]
    LEGENDS: ClassVar[Mapping[str, Any]] = LEGENDS
    # Where fields stand on the page; what is named nowhere is about the outcomes.
    GROUPS: ClassVar[Mapping[str, Sequence[str]]] = {}
    FURTHER: ClassVar[Mapping[str, tuple[Any, Sequence[str]]]] = {}
    # In the order in which they are checked; the common fields come last.
    FIRST: ClassVar[tuple[str, ...]] = ()
    # Values that no platform complains of: a problem is that of the field with which it goes away.
    HARMLESS: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self, listing: Listing, data: Mapping[str, Any] | None = None, *, user: User
    ) -> None:
        super().__init__(data, initial=self.shown(listing.options), prefix="options")
        self.listing = listing
        self.add_fields(user)
        capabilities = platform_of(listing.platform).capabilities
        if listing.phase_number == 1:
            del self.fields["invitation"]
        elif not capabilities.can_message:
            self.fields["invitation"].help_text = _NO_MESSAGES_HELP
        if not capabilities.is_paid:
            del self.fields["approve_after_days"]
            self.fields["checks_wanted"].help_text = _UNPAID_CHECKS_HELP
        self.order_fields(self.FIRST)
        if listing.state != Listing.State.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    def add_fields(self, user: User) -> None:
        """Fields and choices that depend on the listing, and on what the user may see."""

    def groups(self, offer: forms.Form) -> list[FieldGroup]:
        """All fields as they stand on the page, with those of the offer: places, reward, time."""
        names = {key: list(self.GROUPS.get(key, ())) for key in self.LEGENDS}
        placed = {name for some in names.values() for name in some}
        placed |= {name for _label, some in self.FURTHER.values() for name in some}
        names["outcomes"] += [name for name in self.fields if name not in placed]
        groups = []
        for key, own in names.items():
            label, further = self.FURTHER.get(key, ("", ()))
            fields = [*(offer if key == "paid" else ()), *self._bound(own)]
            legend = self.LEGENDS[key]
            groups.append(FieldGroup(key, legend, fields, self._bound(further), label))
        return [group for group in groups if group.fields or group.further]

    def _bound(self, names: Sequence[str]) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    def shown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The stored options as values of the fields."""
        return {name: options.get(name) for name in _COMMON_FIELDS}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors or self.listing.state != Listing.State.DRAFT:
            return cleaned
        for place, problem in [(self._place(each), each) for each in self.problems(cleaned)]:
            self.add_error(place, problem)
        return cleaned

    def problems(self, given: Mapping[str, Any]) -> list[str]:
        """What the platform would refuse of the fields' values."""
        options = self.OPTIONS.of(self.stored(given))
        return [str(each) for each in options.problems(**self.terms())]

    def terms(self) -> dict[str, Any]:
        """What of the listing decides about them, too."""
        return {}

    def _place(self, problem: str) -> str | None:
        for name, value in self.HARMLESS.items():
            if problem not in self.problems({**self.cleaned_data, name: value}):
                return name
        return None

    def options(self) -> dict[str, Any]:
        """What is stored: nothing for a field that was left empty."""
        return self.stored(self.cleaned_data)

    def stored(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: given[name] for name in _COMMON_FIELDS if given.get(name) not in {None, ""}}

    def _kept(self) -> dict[str, Any]:
        """What is stored and no form shows."""
        stored = self.listing.options.items()
        return {name: value for name, value in stored if name not in self.fields}
