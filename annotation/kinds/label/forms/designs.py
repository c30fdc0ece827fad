"""The numbers of a label design: those of a rating design, but for what only numbers allow."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.kinds.rating.forms.designs import RatingDesignForm
from annotation.models import Study

# A known answer would be a number, and no study with labels continues another.
_WITHOUT = ("calibration", "repeat_from")


class LabelDesignForm(RatingDesignForm):
    """Nothing calibrates, and what comes again is drawn from the same booklet."""

    PLAIN = tuple(name for name in RatingDesignForm.PLAIN if name not in _WITHOUT)
    WORDS: dict[str, tuple[Any, Any]] = {
        "ratings_per_item": (
            gettext_lazy("People per item"),
            gettext_lazy(
                "This many different people choose a category for each item. The "
                "category that most of them choose is its label."
            ),
        ),
        "items_per_booklet": (
            gettext_lazy("Items per person"),
            gettext_lazy("This is the maximum, not counting repeats and checks."),
        ),
        "arrangement": (
            gettext_lazy("Groups of people"),
            gettext_lazy(
                "This matters only if the items have groups (from the column “group”); nobody "
                "labels two items of the same group. Fixed groups of people divide each group of "
                "items among their members: progress is easier to follow, but more items have the "
                "same people."
            ),
        ),
    }

    def __init__(self, study: Study, data: Any = None) -> None:
        super().__init__(study, data)
        for name in _WITHOUT:
            del self.fields[name]
        for name, (label, help_text) in self.WORDS.items():
            self.fields[name].label = label
            self.fields[name].help_text = help_text

    def propose(self) -> None:
        """Nothing: what is known of an item is no number."""

    @property
    def groups(self) -> list[tuple[Any, list[forms.BoundField]]]:
        (_who, who), (_again, again), *others = super().groups
        return [
            (gettext_lazy("Labels"), who),
            (gettext_lazy("Repeats"), again),
            *others,
        ]
