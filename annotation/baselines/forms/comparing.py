"""Which two correlations of a leaderboard are compared: measures, people, one from elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.baselines.forms.measure_options import text_input
from annotation.baselines.queries.measure_plots import TEST_NAMES
from annotation.baselines.queries.score_sources import MAX_RATINGS_PER_ITEM
from annotation.baselines.services.report_options import TESTS
from annotation.basics.measure_names import shown_name
from annotation.core.forms.fields import NumberField
from scoring.baselines.questions import Question, StatedCorrelation

# A measure's name has a letter before any of these.
TYPICAL_HUMAN, STATED = "=typical-human", "=stated"
MAX_NAME_LENGTH = 100


class CompareForm(forms.Form):
    """A question to the stored figures: sent by GET, nothing changes by it."""

    first = forms.ChoiceField(label=gettext_lazy("First"))
    second = forms.ChoiceField(label=gettext_lazy("Second"))
    test = forms.ChoiceField(
        label=gettext_lazy("Test"),
        choices=[(name, TEST_NAMES.get(name, name)) for name in TESTS],
    )
    name = forms.CharField(
        label=gettext_lazy("Name of this correlation"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=gettext_lazy("For example, a measure and the paper that reports it."),
        widget=text_input(),
    )
    r = NumberField(label=gettext_lazy("Correlation"), min_value=-1, max_value=1, required=False)
    n = forms.IntegerField(
        label=gettext_lazy("Number of items or raters"),
        min_value=2,
        max_value=MAX_RATINGS_PER_ITEM,
        required=False,
        help_text=gettext_lazy("Leave empty to treat the correlation as exact."),
    )
    sd = NumberField(
        label=gettext_lazy("Standard deviation over raters"),
        min_value=0,
        max_value=1,
        required=False,
        help_text=gettext_lazy(
            "Only if the correlation is an average of the correlations of individual raters. Then "
            "compare it with the typical human: the average correlation of one annotator of this "
            "study with the others."
        ),
    )

    STATED_FIELDS = ("name", "r", "n", "sd")

    def __init__(
        self,
        measures: Sequence[str],
        data: Mapping[str, Any] | None = None,
        *,
        has_raters: bool,
        test: str,
    ) -> None:
        # Other forms of the page have fields of the same names: each label needs its own field.
        super().__init__(data, initial={"test": test}, auto_id="compare-%s")
        human = [(TYPICAL_HUMAN, _("typical human"))] if has_raters else []
        sides = [*((name, shown_name(name)) for name in measures), *human]
        for name, more in (
            ("first", []),
            ("second", [(STATED, _("a correlation from elsewhere"))]),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [*sides, *more]

    @property
    def is_stated_open(self) -> bool:
        """Whether the page unfolds what belongs to a correlation from elsewhere."""
        return self["second"].value() == STATED or any(
            name in self.errors for name in self.STATED_FIELDS
        )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        is_stated = cleaned.get("second") == STATED
        if is_stated and cleaned.get("r") is None and "r" not in self.errors:
            self.add_error("r", _("Enter the correlation to compare with."))
        if not is_stated and any(cleaned.get(name) not in {None, ""} for name in ("r", "n", "sd")):
            self.add_error(
                "second",
                _("You entered a correlation. Choose “a correlation from elsewhere” here."),
            )
        return cleaned

    def question(self, subset: str) -> Question:
        """The chosen comparison as `scoring` takes it."""
        cleaned = self.cleaned_data
        second: str | StatedCorrelation | None = cleaned["second"]
        if second == STATED:
            second = StatedCorrelation(
                " ".join(cleaned["name"].split()) or "stated value",
                cleaned["r"],
                cleaned["n"],
                cleaned["sd"],
            )
        return Question(
            None if cleaned["first"] == TYPICAL_HUMAN else cleaned["first"],
            None if second == TYPICAL_HUMAN else second,
            subset,
            cleaned["test"],
        )
