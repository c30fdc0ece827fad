"""Which items of a scored study are looked at again."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.baselines.queries import human_scores, measures, scored_items
from annotation.basics.measure_names import shown_name
from annotation.core.forms.fields import LongText, NumberField
from annotation.items.queries import number_columns
from annotation.models import Study
from annotation.models.designs import Phase
from annotation.reviews.services import MAX_ITEMS
from scoring.measures.discrepancies import Thresholds

# Instead of a column's name: the table that is typed or uploaded, or what was computed here.
TABLE = ""
_BASELINE = "baseline:"
# The choices of people's scores: mean scores, the most frequent rating, a column of labels.
MEAN, MAJORITY, _COLUMN = "mean", "majority", "column:"
LARGEST, THRESHOLDS = "largest", "thresholds"


class ReviewForm(forms.Form):
    """The field of both kinds of review: the phase whose ratings count."""

    phase = forms.TypedChoiceField(label=gettext_lazy("Scores of"), coerce=int)

    def __init__(
        self,
        earlier: Study,
        data: Mapping[str, Any] | None = None,
        files: Any = None,
    ) -> None:
        super().__init__(data, files)
        self.earlier = earlier
        phases = scored_items.phases(earlier)
        if len(phases) < 2:
            del self.fields["phase"]
            return
        choices = [
            (
                number,
                _("phase %(n)s, %(condition)s")
                % {"n": number, "condition": Phase.Condition(condition).label},
            )
            for number, condition in phases
        ]
        field = self.fields["phase"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = choices
        field.initial = phases[0][0]


class ExpertsForm(ReviewForm):
    which = forms.ChoiceField(
        label=gettext_lazy("Items"),
        choices=[
            ("all", gettext_lazy("all items with a score")),
            ("nearest", gettext_lazy("those closest to the middle")),
            ("random", gettext_lazy("a random sample")),
            ("random_per_group", gettext_lazy("a random sample of each dialogue or group")),
        ],
        initial="all",
        widget=forms.RadioSelect,
    )
    n = forms.IntegerField(
        label=gettext_lazy("How many"),
        min_value=1,
        max_value=MAX_ITEMS,
        required=False,
        help_text=gettext_lazy(
            "Leave empty for all items. For random items of each dialogue or group: how many of "
            "each. The design's seed determines the draw."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        needs_number = cleaned.get("which", "all") != "all"
        if needs_number and not cleaned.get("n") and "n" not in self.errors:
            self.add_error("n", _("Choose at least 1 item."))
        if cleaned.get("which") == "all" and cleaned.get("n"):
            self.add_error("n", _("Leave this empty if you take all items."))
        return cleaned

    @property
    def choice(self) -> dict[str, Any]:
        """The arguments of `reviews.services.choose_for_experts`."""
        cleaned = self.cleaned_data
        return {
            "which": cleaned["which"],
            "n": cleaned["n"] or 0,
            "phase": cleaned.get("phase"),
        }


class DiscrepanciesForm(ReviewForm):
    people = forms.ChoiceField(
        label=gettext_lazy("People's scores"),
        required=False,
        help_text=gettext_lazy("The study's scores, or labels imported with its items."),
    )
    column = forms.ChoiceField(
        label=gettext_lazy("Measure"),
        required=False,
        help_text=gettext_lazy(
            "Baselines of the study, or numeric columns imported with its items. To enter other "
            "values, choose “the table below”."
        ),
    )
    table = LongText(
        label=gettext_lazy("The measure's values"),
        rows=6,
        help_text=gettext_lazy(
            "One line per item: id, tab, number. Items without a value are left out."
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload a file (TSV or CSV, UTF-8)"), required=False
    )
    name = forms.CharField(
        label=gettext_lazy("Name of the measure"),
        required=False,
        max_length=measures.NAME_LIMIT,
        help_text=gettext_lazy(
            "Only for values from a table or file. For example: BLEU. Annotators see the name if "
            "they see the values."
        ),
    )
    rule = forms.ChoiceField(
        label=gettext_lazy("Which items"),
        choices=[
            (LARGEST, gettext_lazy("the largest differences")),
            (THRESHOLDS, gettext_lazy("all items beyond thresholds")),
        ],
        required=False,
        initial=LARGEST,
        widget=forms.RadioSelect,
    )
    measure_below = NumberField(
        label=gettext_lazy("For items that people score higher, the measure is below"),
        required=False,
        help_text=gettext_lazy("Only for thresholds. For example: 0.25."),
    )
    people_from = NumberField(
        label=gettext_lazy("and people's score is at least"),
        required=False,
        help_text=gettext_lazy(
            "On the scale of the ratings or labels, for example 2. For best-worst and ranking "
            "studies, use the rescaled scores (0 to 1)."
        ),
    )
    measure_above = NumberField(
        label=gettext_lazy("For items that the measure scores higher, the measure is above"),
        required=False,
        help_text=gettext_lazy(
            "For example: 0.75. You can leave one of the two directions empty."
        ),
    )
    people_to = NumberField(
        label=gettext_lazy("and people's score is at most"),
        required=False,
        help_text=gettext_lazy("For example: 0."),
    )
    n = forms.IntegerField(
        label=gettext_lazy("How many items"),
        min_value=1,
        max_value=MAX_ITEMS,
        initial=100,
        required=False,
        help_text=gettext_lazy(
            "How many of the largest differences to take, both directions together. With "
            "thresholds, this field and the next three are ignored."
        ),
    )
    by = forms.ChoiceField(
        label=gettext_lazy("Compare by"),
        choices=[
            ("ranks", pgettext_lazy("compared by", "ranks")),
            ("standardized", pgettext_lazy("compared by", "standardized values")),
        ],
        initial="ranks",
        required=False,
        help_text=gettext_lazy(
            "Ranks run from 0 to 1; tied values share a rank. Standardized values are distances "
            "from the mean in standard deviations."
        ),
    )
    least_of_each = forms.IntegerField(
        label=gettext_lazy("Minimum per direction"),
        min_value=0,
        max_value=MAX_ITEMS,
        required=False,
        help_text=gettext_lazy(
            "The two directions: people score the item higher, or the measure does."
        ),
    )
    most_of_each = forms.IntegerField(
        label=gettext_lazy("Maximum per direction"),
        min_value=1,
        max_value=MAX_ITEMS,
        required=False,
    )
    is_shown = forms.BooleanField(
        label=gettext_lazy("Show people's score and the measure's value to annotators"),
        required=False,
        initial=True,
    )

    def __init__(
        self,
        earlier: Study,
        data: Mapping[str, Any] | None = None,
        files: Any = None,
        *,
        baseline: str = "",
    ) -> None:
        """`baseline`: number of the one that is proposed, as a link has it."""
        super().__init__(earlier, data, files)
        there = earlier.baselines.defer("values").order_by("pk")
        self.baselines = {f"{_BASELINE}{baseline.pk}": baseline for baseline in there}
        self.columns = number_columns.columns(earlier)
        field = self.fields["column"]
        assert isinstance(field, forms.ChoiceField)
        groups = [
            (
                _("Baselines"),
                [(key, shown_name(baseline.name)) for key, baseline in self.baselines.items()],
            ),
            (_("Columns"), [(name, name) for name in self.columns if name not in self.baselines]),
        ]
        field.choices = [
            (TABLE, gettext_lazy("the table below")),
            *((name, options) for name, options in groups if options),
        ]
        if f"{_BASELINE}{baseline}" in self.baselines:
            field.initial = f"{_BASELINE}{baseline}"
        if not self.columns and not self.baselines:
            del self.fields["column"]
        people = self.fields["people"]
        assert isinstance(people, forms.ChoiceField)
        people.choices = _people(earlier, self.columns)
        people.initial = people.choices[0][0] if people.choices else MEAN
        if len(people.choices) < 2 and not people.initial.startswith(_COLUMN):
            del self.fields["people"]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        self._check_rule(cleaned)
        has_table = bool(cleaned.get("table", "").strip())
        has_file = bool(cleaned.get("file"))
        if "column" in self.errors or "file" in self.errors:
            return cleaned
        if cleaned.get("column"):
            if has_table or has_file:
                self.add_error("column", _("Choose a measure or enter a table, not both."))
        elif has_table and has_file:
            self.add_error("table", _("Upload a file or enter a table, not both."))
        elif not has_table and not has_file:
            self.add_error("table", _("Enter the values as a table, or upload a file."))
        return cleaned

    def _check_rule(self, cleaned: dict[str, Any]) -> None:
        """Thresholds come in pairs, the largest differences need a number."""
        if cleaned.get("rule") != THRESHOLDS:
            if not cleaned.get("n") and "n" not in self.errors:
                self.add_error("n", _("Choose at least 1 item."))
            return
        limits = ("measure_below", "people_from"), ("measure_above", "people_to")
        for measure, people in limits:
            if (cleaned.get(measure) is None) != (cleaned.get(people) is None):
                missing = measure if cleaned.get(measure) is None else people
                if missing not in self.errors:
                    self.add_error(
                        missing, _("Fill in both limits of this direction, or neither.")
                    )
        if any(name in self.errors for pair in limits for name in pair):
            return
        if all(cleaned.get(measure) is None for measure, _people in limits):
            self.add_error("measure_below", _("Fill in the limits of at least one direction."))
            return
        try:
            self._thresholds(cleaned)
        except ValueError:
            self.add_error(
                "measure_above",
                _(
                    "These limits overlap: an item could belong to both directions. Choose "
                    "other limits."
                ),
            )

    @staticmethod
    def _thresholds(cleaned: Mapping[str, Any]) -> Thresholds:
        return Thresholds(
            *(
                cleaned.get(name)
                for name in ("measure_below", "people_from", "measure_above", "people_to")
            )
        )

    def measure(self) -> measures.Measure:
        """Raises ImportProblemsError or StateError with what is wrong about its values."""
        cleaned = self.cleaned_data
        if baseline := self.baselines.get(cleaned.get("column", TABLE)):
            return measures.of_baseline(self.earlier, baseline)
        if cleaned.get("column"):
            return measures.of_column(self.earlier, cleaned["column"])
        name = cleaned["name"] or _("measure")
        if cleaned["file"]:
            return measures.of_file(self.earlier, name, cleaned["file"].file)
        return measures.of_text(self.earlier, name, cleaned["table"])

    @property
    def has_people(self) -> bool:
        return "people" in self.fields

    @property
    def choice(self) -> dict[str, Any]:
        """The arguments of `reviews.services.choose_discrepancies`, without the measure."""
        cleaned = self.cleaned_data
        people = cleaned.get("people") or self.fields["people"].initial if self.has_people else ""
        is_column = people.startswith(_COLUMN)
        return {
            "people": MAJORITY if people == MAJORITY else MEAN,
            "column": people.removeprefix(_COLUMN) if is_column else "",
            "thresholds": self._thresholds(cleaned) if cleaned["rule"] == THRESHOLDS else None,
            "n": cleaned["n"] or 0,
            "by": cleaned["by"] or "ranks",
            "least_of_each": cleaned["least_of_each"] or 0,
            "most_of_each": cleaned["most_of_each"],
            "is_shown": cleaned["is_shown"],
            "phase": cleaned.get("phase"),
        }


def _people(earlier: Study, columns: Sequence[str]) -> list[tuple[str, Any]]:
    """The choices of people's scores: the earlier study's result, and columns of numbers.

    The result comes first. Without a result only columns are offered, unless there are none.
    """
    choices: list[tuple[str, Any]] = []
    if earlier.results.exists() or not columns:
        choices.append((MEAN, _("annotators' scores")))
        if human_scores.is_labelled(earlier):
            choices.append((MAJORITY, _("annotators' most frequent ratings")))
    return choices + [
        (f"{_COLUMN}{name}", _("column %(name)s") % {"name": name}) for name in columns
    ]
