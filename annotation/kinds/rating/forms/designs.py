"""The numbers of a rating design."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import LongText, NumberField, lines
from annotation.kinds.design_parameters import PhaseParameters, RatingParameters
from annotation.kinds.forms.designs import ChecksField, NumbersForm, empty_if_none
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.rating.services.designs import DEFAULT_CLOSES_AFTER_DAYS, DEFAULT_DELAY_HOURS
from annotation.models import Phase


class RatingDesignForm(NumbersForm[RatingParameters]):
    """One phase or two; more that a script has set are kept as they are."""

    PARAMETERS = RatingParameters

    ratings_per_item = forms.IntegerField(
        label=gettext_lazy("Ratings per item"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy(
            "This many different people rate each item. An item's score is the mean of its "
            "ratings."
        ),
    )
    items_per_booklet = forms.IntegerField(
        label=gettext_lazy("Items per person"),
        min_value=1,
        max_value=5000,
        help_text=gettext_lazy(
            "This is the maximum, not counting calibration items, repeats and checks."
        ),
    )
    arrangement = forms.ChoiceField(
        label=gettext_lazy("Groups of raters"),
        widget=forms.Select(attrs={"class": "long-choices"}),
        choices=[
            ("free", gettext_lazy("Drawn separately for each group of items")),
            ("grouped", gettext_lazy("Fixed groups of people")),
        ],
        help_text=gettext_lazy(
            "This matters only if the items have groups (from the column “group” or from an "
            "earlier round); nobody rates two items of the same group. Fixed groups of people "
            "divide each group of items among their members: progress is easier to follow, but "
            "more items have the same raters."
        ),
    )
    n_teams = forms.IntegerField(
        label=gettext_lazy("Teams"),
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy(
            "The items are split, in import order, into one part for each team. Each booklet "
            "belongs to one team; 1 team is usual."
        ),
    )
    questions_per_screen = forms.IntegerField(
        label=gettext_lazy("Questions on a screen"), min_value=1, max_value=20
    )
    calibration = LongText(
        label=gettext_lazy("Calibration items"),
        rows=6,
        help_text=gettext_lazy(
            "Optional. Item ids, one per line; everybody rates these items first, in this order. "
            "They need a known answer (from the column “expected” or from an earlier rating) and "
            "do not count towards any score."
        ),
    )
    n_repeats = forms.IntegerField(
        label=gettext_lazy("Repeated items"),
        min_value=0,
        max_value=500,
        help_text=gettext_lazy(
            "They are drawn for each person and measure how consistent the person is."
        ),
    )
    repeat_from = forms.ChoiceField(
        label=gettext_lazy("Chosen from"),
        widget=forms.Select(attrs={"class": "long-choices"}),
        choices=[
            ("booklet", gettext_lazy("the items the person rates in this study")),
            ("earlier_round", gettext_lazy("the items the person rated in the earlier round")),
        ],
    )
    repeat_distance = forms.IntegerField(
        label=gettext_lazy("Minimum distance of repeats"),
        min_value=1,
        max_value=5000,
        help_text=gettext_lazy(
            "A repeat comes at least this many questions after the item first appeared in the "
            "booklet."
        ),
    )
    n_checks = ChecksField()
    first_condition = forms.ChoiceField(
        label=gettext_lazy("Items in the first phase"), choices=Phase.Condition.choices
    )
    second_phase = forms.BooleanField(
        label=gettext_lazy("Add a second phase with the same items in the same order"),
        required=False,
    )
    second_condition = forms.ChoiceField(
        label=gettext_lazy("Items in the second phase"), choices=Phase.Condition.choices
    )
    delay_hours = NumberField(
        label=gettext_lazy("Second phase opens after (hours)"),
        min_value=0,
        max_value=24 * 366,
        help_text=gettext_lazy("The hours count from when the person completes the first phase."),
    )
    closes_after_days = NumberField(
        label=gettext_lazy("Second phase closes after (days)"),
        min_value=0.001,
        max_value=366,
        required=False,
        help_text=gettext_lazy(
            "The days count from when the phase opens. Leave empty to keep it open as long as the "
            "study."
        ),
    )

    GROUPS = (
        (
            gettext_lazy("Ratings"),
            ("ratings_per_item", "items_per_booklet", "arrangement", "n_teams"),
        ),
        (
            gettext_lazy("Calibration, repeats and checks"),
            ("calibration", "n_repeats", "repeat_from", "repeat_distance", "n_checks"),
        ),
        (
            gettext_lazy("Phases"),
            (
                "first_condition",
                "second_phase",
                "second_condition",
                "delay_hours",
                "closes_after_days",
            ),
        ),
        (
            gettext_lazy("Screens, places and seed"),
            ("questions_per_screen", "idle_minutes", "max_booklets", "min_screen_seconds", "seed"),
        ),
    )

    # Fields of the form that are numbers of the design by the same name.
    PLAIN: tuple[str, ...] = (
        "ratings_per_item",
        "items_per_booklet",
        "arrangement",
        "n_teams",
        "questions_per_screen",
        "n_repeats",
        "repeat_from",
        "repeat_distance",
        "n_checks",
    )

    # Ids that `propose` has filled in for calibration.
    proposed_calibration: Sequence[str] = ()

    @property
    def initial_numbers(self) -> dict[str, Any]:
        parameters = self.stored
        second = PhaseParameters(
            Phase.Condition.DEPENDENT.value, DEFAULT_DELAY_HOURS, DEFAULT_CLOSES_AFTER_DAYS
        )
        if len(parameters.phases) > 1:
            second = parameters.phases[1]
        return {
            **{name: getattr(parameters, name) for name in self.PLAIN},
            "n_checks": empty_if_none(parameters.n_checks),
            "calibration": "\n".join(parameters.calibration),
            "first_condition": parameters.phases[0].condition,
            "second_phase": len(parameters.phases) > 1,
            "second_condition": second.condition,
            "delay_hours": _short(second.delay_hours),
            "closes_after_days": _short(second.closes_after_days),
        }

    def propose_numbers(self) -> None:
        """Fill in the calibration that the imported file seems to mean, and repeats that fit."""
        is_open = not self.stored.calibration
        keys = rating_plans.proposed_calibration(self.study) if is_open else []
        if keys:
            self.initial["calibration"] = "\n".join(keys)
            self.stored = replace(self.stored, calibration=keys)
            self.proposed_calibration = keys
        fitting = rating_plans.with_fitting_repeats(self.study, self.stored)
        self.propose_fitting(fitting, ("n_repeats", "repeat_distance"))

    @cached_property
    def calibrated_before(self) -> list[str]:
        """Ids of the items that calibrated in the earlier round."""
        return rating_plans.calibrated_before(self.study)

    @cached_property
    def known_answers(self) -> list[str]:
        """Ids of the items that could calibrate."""
        return rating_plans.with_known_answer(self.study)

    @property
    def groups(self) -> list[tuple[Any, list[forms.BoundField]]]:
        return [
            (title, [self[name] for name in names if name in self.fields])
            for title, names in self.GROUPS
        ]

    @property
    def parameters(self) -> RatingParameters:
        cleaned = self.cleaned_data
        phases = [replace(self.stored.phases[0], condition=cleaned["first_condition"])]
        if cleaned["second_phase"]:
            phases.append(
                PhaseParameters(
                    cleaned["second_condition"],
                    cleaned["delay_hours"],
                    cleaned["closes_after_days"],
                )
            )
            phases.extend(self.stored.phases[2:])
        return RatingParameters(
            **{name: cleaned[name] for name in self.PLAIN},
            calibration=lines(cleaned.get("calibration", "")),
            phases=phases,
        )


def _short(number: float | None) -> float | None:
    """72 for 72.0, as people write it."""
    return int(number) if number is not None and number == int(number) else number
