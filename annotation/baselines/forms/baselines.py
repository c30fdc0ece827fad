"""Which measures are computed, and what the leaderboard holds them against."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.baselines.forms.measure_options import (
    PRESET,
    all_options,
    families_of,
    field_of,
    options_of,
    subset_name,
    subsets,
    text_input,
)
from annotation.baselines.queries import human_scores
from annotation.baselines.queries.measure_plots import TEST_NAMES
from annotation.baselines.queries.score_sources import (
    COLUMN,
    MAX_RATINGS_PER_ITEM,
    ColumnSource,
    ResultSource,
    Source,
)
from annotation.baselines.services.report_options import MAX_RESAMPLES, TESTS, ReportOptions
from annotation.baselines.services.specifications import (
    NO_STEMMER,
    WITH_MODELS,
    checked,
    stemmer_of,
)
from annotation.basics.errors import AnnotationError
from annotation.basics.measure_names import shown_name, stage_name
from annotation.basics.sentences import error_message, in_words, translated
from annotation.core.forms.fields import NumberField
from annotation.items.queries import number_columns
from annotation.models import Study
from scoring.baselines import Specification
from scoring.baselines.expression import (
    FUNCTIONS,
    MAX_EXPRESSION_LENGTH,
    OPERATORS,
    compile_condition,
)
from scoring.baselines.lexical import LEXICAL
from scoring.baselines.specification import Setting
from scoring.decimals import MAX_DECIMALS
from scoring.neural.measures import PRESETS

_NO_PEOPLE = ""
_NO_MODEL = ""
# Fields that are options of measures.
OPTION = "option-"
# Forms are built once, their choices read in the language of each page.
_stage, _measure = lazy(stage_name, str), lazy(shown_name, str)


class ComputeForm(forms.Form):
    """The measures to compute, and the options of the leaderboard."""

    lexical = forms.MultipleChoiceField(
        label=gettext_lazy("Lexical measures"),
        choices=[(measure.key, _measure(str(measure.name))) for measure in LEXICAL.values()],
        initial=list(LEXICAL),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "They need no model. If you tick none, all are computed. Measures that are already"
            " stored are not computed again."
        ),
    )
    stemmer = forms.ChoiceField(
        label=gettext_lazy("METEOR stemmer"),
        choices=[(name, _stage(name)) for name in LEXICAL["meteor"].settings["stemmer"]],
        required=False,
    )
    synonyms = forms.ChoiceField(
        label=gettext_lazy("METEOR synonyms"),
        choices=[(name, _stage(name)) for name in LEXICAL["meteor"].settings["synonyms"]],
        required=False,
    )
    family = forms.ChoiceField(
        label=gettext_lazy("Model-based measure"),
        choices=[
            (_NO_MODEL, pgettext_lazy("measure with a model", "none")),
            *((measure.key, translated(measure.name)) for measure in WITH_MODELS.values()),
            *((f"{PRESET}{preset.key}", translated(preset.name)) for preset in PRESETS.values()),
        ],
        required=False,
    )

    people = forms.ChoiceField(
        label=gettext_lazy("People's scores"),
        required=False,
        help_text=gettext_lazy(
            "Measures are compared with these scores: a result of this study, or a column imported"
            " with its items."
        ),
    )
    deviation = forms.ChoiceField(
        label=gettext_lazy("Standard deviations, for the noise ceiling"),
        required=False,
        help_text=gettext_lazy(
            "Only if the scores are a column of means: the column with the ratings' standard "
            "deviations."
        ),
    )
    n = forms.IntegerField(
        label=gettext_lazy("Number of ratings behind each mean"),
        min_value=1,
        max_value=MAX_RATINGS_PER_ITEM,
        required=False,
    )
    by = forms.MultipleChoiceField(
        label=gettext_lazy("Also for subsets of the items"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    expression = forms.CharField(
        label=gettext_lazy("Subsets by a condition"),
        max_length=MAX_EXPRESSION_LENGTH,
        required=False,
        help_text=gettext_lazy(
            "This splits the items into those that meet this condition and the others."
        ),
        widget=text_input(),
    )
    where = forms.CharField(
        label=gettext_lazy("Only items that meet this condition"),
        max_length=MAX_EXPRESSION_LENGTH,
        required=False,
        help_text=gettext_lazy("All other items are ignored. Leave empty to use all items."),
        widget=text_input(),
    )
    n_resamples = forms.IntegerField(
        label=gettext_lazy("Bootstrap resamples"),
        min_value=0,
        max_value=MAX_RESAMPLES,
        initial=1000,
    )
    level = NumberField(
        label=gettext_lazy("Confidence level"), min_value=0.5, max_value=0.999, initial=0.95
    )
    test = forms.ChoiceField(
        label=gettext_lazy("Test for comparing two correlations"),
        choices=[(name, TEST_NAMES.get(name, name)) for name in TESTS],
        initial="jackknife",
    )

    decimals = forms.IntegerField(
        label=gettext_lazy("Round measures to this many decimals"),
        min_value=0,
        max_value=MAX_DECIMALS,
        required=False,
        help_text=gettext_lazy(
            "The values of the measures are rounded before correlations are computed. Papers on "
            "the data set STSS-131, for example, round to 3 decimals. Leave empty for no rounding."
        ),
    )

    # Fields that the page shows in a folded section, which errors unfold.
    FURTHER = ("by", "expression", "where", "n_resamples", "level", "test", "decimals")

    def __init__(
        self,
        study: Study,
        data: Mapping[str, Any] | None = None,
        *,
        before: Mapping[str, Any] | None = None,
        model: tuple[str, str] = (_NO_MODEL, ""),
    ) -> None:
        """`before`: parameters of the job before this one, whose choices are proposed again.

        `model`: a measure and its model to propose, such as one that was trained here.
        """
        super().__init__(data)
        self.study = study
        self.sources = {source.key: source for source in human_scores.sources(study)}
        columns = [
            source.name for source in self.sources.values() if isinstance(source, ColumnSource)
        ]
        self._choices(
            "people",
            [
                *self._own_scores(),
                *((key, source.title) for key, source in self.sources.items()),
            ],
        )
        self._choices("deviation", [("", _("not known")), *((name, name) for name in columns)])
        self._choices("by", [(name, subset_name(name)) for name in subsets(study)])
        if not columns:
            del self.fields["deviation"], self.fields["n"]
        for option in all_options():
            self.fields[OPTION + option.key] = field_of(option)
        self.initial = self._proposed(before or {})
        self.initial["stemmer"] = stemmer_of(study.language)
        if self.initial["stemmer"] == NO_STEMMER:
            self.fields["stemmer"].help_text = _(
                "There is no stemmer for the language of this study: words are matched exactly."
            )
        family, name = model
        if family in WITH_MODELS and "model" in options_of(family):
            self.initial |= {"family": family, f"{OPTION}model": name}

    def _own_scores(self) -> list[tuple[str, str]]:
        """The choice that names no source; offered while the study has no scores of its own.

        Existing scores are a source like others.
        """
        if any(isinstance(source, ResultSource) for source in self.sources.values()):
            return []
        if not self.study.is_imported_table:
            return [(_NO_PEOPLE, _("the study's own scores, once it is scored"))]
        if not self.sources:
            return [(_NO_PEOPLE, _("none: no leaderboard is computed"))]
        return []

    def _choices(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def _proposed(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """The choices of the previous job, else the study's own scores if there are any."""
        try:
            options = ReportOptions.of_json(before["options"])
        except (KeyError, AnnotationError):
            options = ReportOptions()
        people = options.people or human_scores.usual(self.study) or self._likely_column()
        return {
            "people": people.key if people else _NO_PEOPLE,
            "deviation": people.deviation if isinstance(people, ColumnSource) else "",
            "n": people.n if isinstance(people, ColumnSource) else None,
            "by": list(options.by),
            "expression": options.expression,
            "where": options.where,
            "n_resamples": options.n_resamples,
            "level": options.level,
            "test": options.test,
            "decimals": options.decimals,
        }

    def _likely_column(self) -> Source | None:
        """The column that is probably people's scores; for imported tables only."""
        if not self.study.is_imported_table:
            return None
        return self.sources.get(ColumnSource(number_columns.likely_scores(self.study)).key)

    @property
    def parts_of_conditions(self) -> list[tuple[str, str]]:
        """The vocabulary of conditions: (syntax, meaning)."""
        return [
            ("first, second", _("the target and the candidate")),
            ("domain, source, …", _("the item's metadata, by name")),
            *((name, in_words(meaning)) for name, meaning in FUNCTIONS.items()),
            (" ".join(OPERATORS), _("operators")),
        ]

    @property
    def options_of_models(self) -> list[tuple[forms.BoundField, str]]:
        """Fields that are options, each with the measures that have it."""
        return [
            (self[OPTION + option.key], " ".join(families_of(option.key)))
            for option in all_options()
        ]

    @property
    def unfolded(self) -> set[str]:
        """Which folded parts of the page hold something that was typed, or that is wrong."""
        parts = set()
        if any(name.startswith(OPTION) for name in self.errors) or self["family"].value():
            parts.add("model")
        if self.errors.keys() & {*self.FURTHER} or self["by"].value() or self["where"].value():
            parts.add("report")
        return parts

    def clean_expression(self) -> str:
        return self._condition("expression")

    def clean_where(self) -> str:
        return self._condition("where")

    def _condition(self, name: str) -> str:
        text: str = self.cleaned_data[name].strip()
        if text:
            try:
                compile_condition(text)
            except ValueError as error:
                message = str(error_message(error))
                raise forms.ValidationError(f"{message[:1].upper()}{message[1:]}.") from error
        return text

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        self._check_model(cleaned)
        self._check_people(cleaned)
        return cleaned

    def _check_model(self, cleaned: dict[str, Any]) -> None:
        family = cleaned.get("family", _NO_MODEL)
        taken = options_of(family)
        for option in all_options():
            name = OPTION + option.key
            if name in self.errors:
                continue
            # A box that is not ticked says nothing about a measure that has none.
            is_box = isinstance(self.fields[name], forms.BooleanField)
            is_given = not is_box and cleaned.get(name) not in {None, "", option.default}
            if is_given and option.key not in taken:
                if family == _NO_MODEL:
                    message = _("First choose a model-based measure above, or leave this empty.")
                else:
                    message = _("The measure above does not have this setting. Leave it empty.")
                self.add_error(name, message)
            elif option.key in taken and option.default is None and not is_given:
                self.add_error(name, _("The measure needs this setting."))
        if self.errors.keys() & {*self.fields}:
            return
        try:
            for specification in self.specifications():
                checked(specification, self.study)
        except AnnotationError as error:
            self.add_error("family", error.message)

    def _check_people(self, cleaned: dict[str, Any]) -> None:
        key = cleaned.get("people", _NO_PEOPLE)
        deviation, n = cleaned.get("deviation"), cleaned.get("n")
        if (deviation or n) and not key.startswith(COLUMN):
            self.add_error(
                "deviation" if deviation else "n",
                _(
                    "This only applies to scores from a column. Choose a column, or leave this "
                    "empty."
                ),
            )
        elif bool(deviation) != bool(n) and "n" not in self.errors:
            missing = "n" if deviation else "deviation"
            self.add_error(
                missing, _("The noise ceiling needs both values. Fill in this one too.")
            )

    def specifications(self) -> list[Specification]:
        """The measures that are wanted."""
        cleaned = self.cleaned_data
        # No ticked box means all of them.
        keys = cleaned["lexical"] or LEXICAL
        specifications = [Specification(key, self._of_meteor(key)) for key in keys]
        family = cleaned["family"]
        taken = options_of(family)
        given = {
            option.key: cleaned[OPTION + option.key]
            for option in all_options()
            # Empty options have their defaults.
            if option.key in taken and cleaned[OPTION + option.key] not in {None, ""}
        }
        if family.startswith(PRESET):
            preset = PRESETS[family.removeprefix(PRESET)]
            specifications += [
                Specification(specification.measure, {**given, **specification.settings})
                for specification in preset.specifications
            ]
        elif family != _NO_MODEL:
            specifications.append(Specification(family, given))
        return specifications

    def _of_meteor(self, key: str) -> dict[str, Setting]:
        """The chosen settings of METEOR; empty for other measures."""
        if key != "meteor":
            return {}
        settings = LEXICAL[key].settings
        return {name: value for name in settings if (value := self.cleaned_data.get(name))}

    def options(self) -> ReportOptions:
        """How the leaderboard is made."""
        cleaned = self.cleaned_data
        people = self.sources.get(cleaned["people"])
        if isinstance(people, ColumnSource) and cleaned.get("deviation"):
            people = ColumnSource(people.name, deviation=cleaned["deviation"], n=cleaned["n"])
        return ReportOptions(
            people=people,
            by=tuple(cleaned["by"]),
            expression=cleaned["expression"],
            where=cleaned["where"],
            n_resamples=cleaned["n_resamples"],
            level=cleaned["level"],
            test=cleaned["test"],
            decimals=cleaned["decimals"],
        )
