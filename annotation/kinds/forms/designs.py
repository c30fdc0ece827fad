"""The numbers of a design: what the forms of all kinds share."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Generic, TypeVar

from django import forms
from django.template.defaultfilters import floatformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import NumberField
from annotation.kinds.design_parameters import DesignParameters
from annotation.models import Study
from annotation.models.studies import MAX_SCREEN_SECONDS

P = TypeVar("P", bound=DesignParameters)


class ChecksField(forms.IntegerField):
    """How many checks a booklet has; nothing means all."""

    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Checks in a booklet"),
            min_value=0,
            max_value=1000,
            required=False,
            help_text=gettext_lazy(
                "Number of attention checks (loud or silent) drawn for each booklet; leave empty"
                " for all. Every booklet also contains all tutorial checks."
            ),
        )


def empty_if_none(number: int | None) -> int | str:
    """The value as a page shows it and sends it back."""
    return "" if number is None else number


class NumbersForm(forms.Form, Generic[P]):
    """What the forms of all designs share: the seed, and settings of the study."""

    PARAMETERS: type[P]

    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**62,
        help_text=gettext_lazy(
            "The same settings, items and seed always produce the same design."
        ),
    )
    idle_minutes = forms.IntegerField(
        label=gettext_lazy("Idle minutes"),
        min_value=5,
        max_value=60 * 24 * 60,
        help_text=gettext_lazy(
            "After this many minutes without activity, a person's place may go to somebody else."
        ),
    )
    max_booklets = forms.IntegerField(
        label=gettext_lazy("Maximum booklets per person"),
        min_value=0,
        max_value=10_000,
        help_text=gettext_lazy("Enter 0 for no limit."),
    )

    min_screen_seconds = NumberField(
        label=gettext_lazy("Minimum seconds per screen"),
        min_value=0,
        max_value=MAX_SCREEN_SECONDS,
        required=False,
        help_text=gettext_lazy(
            "A booklet is held for review on the People page if at least three screens of a phase"
            " (or all screens of a shorter phase) were answered faster than this. Enter 0 for no"
            " minimum."
        ),
    )

    # These are settings of the study and may be changed while people answer.
    SETTINGS = ("idle_minutes", "max_booklets", "min_screen_seconds")

    def __init__(self, study: Study, data: Any = None) -> None:
        self.study, self.design = study, study.design
        self.stored = self.PARAMETERS.of(self.design)
        super().__init__(
            data,
            initial={
                **self.initial_numbers,
                "seed": self.design.seed,
                "idle_minutes": study.idle_minutes,
                "max_booklets": study.max_booklets,
                "min_screen_seconds": study.min_screen_seconds,
            },
        )
        # The fields of this kind of study come first.
        self.order_fields([name for name in self.fields if name not in NumbersForm.base_fields])
        if self.design.is_frozen:
            for name, field in self.fields.items():
                # See DescribeForm: what comes all the same is refused by the service.
                field.disabled = name not in self.SETTINGS and name not in self.data

    @property
    def initial_numbers(self) -> dict[str, Any]:
        """The stored numbers of the design by the names of the fields."""
        return {
            parameter.name: getattr(self.stored, parameter.name)
            for parameter in fields(self.PARAMETERS)
        }

    def propose(self) -> None:
        """Fill in what the items suggest, while no design is made."""
        if self.study.is_draft and not self.design.is_made:
            self.propose_numbers()

    def propose_numbers(self) -> None:
        """Fill in what the items suggest, and replace numbers that do not fit them."""

    def propose_fitting(self, parameters: P, names: Iterable[str]) -> None:
        """Show these numbers instead of the stored ones where they differ."""
        for name in names:
            stored, proposed = getattr(self.stored, name), getattr(parameters, name)
            if stored != proposed:
                self.initial[name] = proposed
                field = self.fields[name]
                note = _("%(n)s does not fit these items, so a smaller number is proposed.")
                field.help_text = f"{field.help_text} {note % {'n': floatformat(stored, -2)}}"
        self.stored = parameters

    @property
    def parameters(self) -> P:
        """What was typed."""
        cleaned = self.cleaned_data
        return self.PARAMETERS(
            **{parameter.name: cleaned[parameter.name] for parameter in fields(self.PARAMETERS)}
        )

    @property
    def groups(self) -> list[tuple[Any, list[forms.BoundField]]]:
        """The fields as the page shows them, under headings if there are many."""
        return [("", list(self))]

    def wrong_numbers(self) -> list[str]:
        """What keeps the numbers of the design from being counted with."""
        messages: list[str] = []
        for name, errors in self.errors.as_data().items():
            if name in (*self.SETTINGS, "__all__"):
                continue
            if any(error.code == "required" for error in errors):
                # One sentence covers all numbers that are still missing.
                missing = _("Fill in all numbers first.")
                messages.extend([missing] if missing not in messages else [])
            else:
                messages.extend(
                    _("%(label)s: %(problem)s") % {"label": self[name].label, "problem": problem}
                    for problem in self.errors[name]
                )
        return messages

    @property
    def settings(self) -> dict[str, Any]:
        chosen = {name: self.cleaned_data[name] for name in self.SETTINGS}
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def changes_design(self) -> bool:
        return bool({*self.changed_data} - {*self.SETTINGS})
