"""Creating and describing a study."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.core.validators import RegexValidator
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotation.core.forms.fields import (
    LongText,
    MarkdownText,
    dialogue_text,
    dialogue_turns,
    lines,
    one_line,
)
from annotation.core.services.imported_rules import dependents
from annotation.designs.services.drawn_groups import Part
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from annotation.studies import presets
from annotation.studies.services import copies
from annotation.studies.services.studies import EVERYBODY, FROZEN_FIELDS, NEW_PEOPLE

_LANGUAGE = RegexValidator(
    r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    gettext_lazy("Use a language code, such as en, de, cs, fr or pt-BR."),
)


def language_field() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Language"),
        max_length=12,
        # As it is asked for: the language that the page speaks.
        initial=lambda: get_language() or "en",
        validators=[_LANGUAGE],
        help_text=gettext_lazy(
            "Code of the language of your texts. en, de and cs come with default texts, and the"
            " controls on the annotator’s pages speak them, too. Any other code works as well;"
            " the controls are in English then."
        ),
        widget=forms.TextInput(
            attrs={"list": "languages", "size": 8, "spellcheck": "false", "autocomplete": "off"}
        ),
    )


class NewStudyForm(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        help_text=gettext_lazy("Annotators see it too."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("Plan"),
        choices=[(preset.key, preset.name) for preset in presets.PRESETS.values()],
        initial="best-worst",
        widget=forms.RadioSelect,
    )
    language = language_field()
    imported = forms.BooleanField(
        label=gettext_lazy("Imported: the values were collected elsewhere"),
        required=False,
        help_text=gettext_lazy(
            "For a table of items with published values, or answers that another tool collected."
            " Nobody is asked here. You can make it a draft again until it has answers or a"
            " release."
        ),
    )
    earlier_round = forms.ModelChoiceField(
        label=gettext_lazy("Continues"),
        queryset=Study.objects.none(),
        required=False,
        empty_label=gettext_lazy("no earlier study"),
        help_text=gettext_lazy(
            "A study that is closed, finished or imported. Of a rating study the items are"
            " copied, with their mean ratings, and whoever takes part again can be asked for items"
            " they rated there. What was chosen in a selection becomes the pairs. For an expert"
            " check, or a review, the scored study that it is about."
        ),
    )
    n_groups = forms.IntegerField(
        label=gettext_lazy("Groups to take from it"),
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text=gettext_lazy(
            "Empty: all. Otherwise so many are drawn: of a selection the three pairs of a sentence"
            " are a group, and an item that is in no group counts as one."
        ),
    )
    n_first = forms.IntegerField(
        label=gettext_lazy("Or the first groups of each person"),
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text=gettext_lazy(
            "Nothing is drawn then: so many of each person who answered there, in their order,"
            " person after person. A group of several people is taken once."
        ),
    )
    without_calibration = forms.BooleanField(
        label=gettext_lazy("Leave out the items that calibrated there"),
        required=False,
        help_text=gettext_lazy(
            "Otherwise they are copied, and named for calibration in the design."
        ),
    )

    # Which items of the earlier round are taken.
    OF_PART = ("n_groups", "n_first", "without_calibration")

    def __init__(
        self,
        user: User,
        data: Mapping[str, Any] | None = None,
        *,
        continues: str = "",
        preset: str = "",
    ) -> None:
        """`continues`, `preset`: key of the study to be continued and plan, as a link has them."""
        super().__init__(data)
        earlier = self.fields["earlier_round"]
        assert isinstance(earlier, forms.ModelChoiceField)
        earlier.queryset = Study.objects.edited_by(user).filter(
            kind__in={kind for preset in presets.PRESETS.values() for kind in preset.continues},
            state__in=Study.OVER,
        )
        if continues.isdecimal():
            self._propose(earlier.queryset.filter(pk=int(continues[:18])).first(), preset)
        if not earlier.queryset.exists():
            for name in ("earlier_round", *self.OF_PART):
                del self.fields[name]

    def _propose(self, earlier: Study | None, preset: str) -> None:
        if earlier is None:
            return
        usual = {
            QuestionKind.SELECTION.value: "czech-round-2",
            QuestionKind.RATING.value: "sts-context",
        }.get(earlier.kind, "expert-check")
        wanted = presets.PRESETS.get(preset)
        fits = wanted is not None and earlier.kind in wanted.continues
        self.initial = {
            "earlier_round": earlier.pk,
            "language": earlier.language,
            "preset": preset if fits else usual,
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        preset = presets.PRESETS.get(cleaned.get("preset", ""))
        earlier = cleaned.get("earlier_round")
        if preset and "earlier_round" not in self.errors:
            field, problem = self._problem(preset, earlier)
            if problem:
                self.add_error(field, problem)
        if cleaned.get("imported") and preset:
            field, problem = self._imported_problem(preset, earlier)
            if problem:
                self.add_error(field, problem)
        for name in self.OF_PART:
            if not cleaned.get(name):
                continue
            if not earlier:
                self.add_error(name, _("Choose the study that they are drawn from."))
            elif preset and preset.review:
                self.add_error(name, _("Leave this empty: which items is asked next."))
        return cleaned

    @property
    def part(self) -> Part:
        """What is taken of the earlier round."""
        cleaned = self.cleaned_data
        return Part(
            cleaned.get("n_groups"),
            cleaned.get("n_first"),
            with_calibration=not cleaned.get("without_calibration"),
        )

    def _imported_problem(self, preset: presets.Preset, earlier: Study | None) -> tuple[str, str]:
        """The field to mend and what is wrong, where a plan cannot have imported values."""
        if preset.review or preset.kind == QuestionKind.SELECTION:
            return "preset", _("This plan asks people: choose another one for imported values.")
        if earlier:
            return "earlier_round", _("An imported study has items of its own: leave this empty.")
        return "", ""

    def _problem(self, preset: presets.Preset, earlier: Study | None) -> tuple[str, str]:
        """The field to mend and what is wrong, where a plan cannot go on with a study."""
        if preset.review and "earlier_round" not in self.fields:
            return "preset", _(
                "This plan looks at the items of a scored study again, and no study is closed or"
                " finished yet. Close one first."
            )
        if preset.review and (earlier is None or earlier.kind not in preset.continues):
            return "earlier_round", _(
                "This plan looks at scored items again: choose a best-worst or a rating study."
            )
        if earlier is None or earlier.kind in preset.continues:
            return "", ""
        if preset.is_rating:
            return "earlier_round", _(
                "A plan with ratings continues a study with ratings or a selection, and this one"
                " has neither."
            )
        return "earlier_round", _(
            "Only a rating study continues another: choose a plan with ratings."
        )


class CopyForm(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        help_text=gettext_lazy("Annotators see it too."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    with_items = forms.BooleanField(
        label=gettext_lazy("Copy the items, too"), required=False, initial=True
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"title": copies.proposed_title(study)})
        if not study.has_material:
            del self.fields["with_items"]


class DescribeForm(forms.Form):
    """Texts and settings of a study; the worked example and the question are plain fields."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    language = language_field()
    most_question = forms.CharField(
        label=gettext_lazy("Question for the best"),
        max_length=300,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    least_question = forms.CharField(
        label=gettext_lazy("Question for the worst"),
        max_length=300,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    consent = MarkdownText(
        label=gettext_lazy("Consent"),
        rows=12,
        help_text=gettext_lazy(
            "Markdown. Who runs the study, what is stored, that it is voluntary. Everybody agrees"
            " to one version; a changed text is a new version."
        ),
    )
    consent_asks = forms.ChoiceField(
        label=gettext_lazy("Who reads a changed consent text"),
        choices=[
            (
                NEW_PEOPLE,
                gettext_lazy(
                    "Only new people: whoever agreed to an earlier text goes on under theirs."
                ),
            ),
            (
                EVERYBODY,
                gettext_lazy(
                    "Everybody who has questions left, too: before the next one they agree to it,"
                    " or stop."
                ),
            ),
        ],
        initial=NEW_PEOPLE,
        required=False,
        widget=forms.RadioSelect,
    )
    consent_changes = MarkdownText(
        label=gettext_lazy("What is new in the consent text"),
        rows=3,
        max_length=5_000,
        help_text=gettext_lazy(
            "Markdown, a sentence or two in the language of the study. Whoever is asked anew reads"
            " it first; the text they agreed to before is one click away."
        ),
    )
    instructions = MarkdownText(
        label=gettext_lazy("Instructions"),
        rows=12,
        help_text=gettext_lazy("Markdown. Shown before the first question, and on request."),
    )
    thanks = MarkdownText(
        label=gettext_lazy("Thanks"),
        rows=5,
        help_text=gettext_lazy("Markdown, shown after the last answer."),
    )

    example_dialogue = LongText(
        label=gettext_lazy("Dialogue"),
        rows=4,
        help_text=gettext_lazy(
            "A turn a line, as “Speaker: text”; what stands before the first colon is the"
            " speaker, and a line that begins with a colon has none. The last turn is the target."
        ),
    )
    example_candidates = LongText(
        label=gettext_lazy("Candidates"), rows=4, help_text=gettext_lazy("One a line.")
    )
    example_best = forms.IntegerField(
        label=gettext_lazy("Number of the best"), min_value=1, required=False
    )
    example_worst = forms.IntegerField(
        label=gettext_lazy("Number of the worst"), min_value=1, required=False
    )
    example_explanation = MarkdownText(label=gettext_lazy("Explanation"), rows=3)

    check_prompt = LongText(label=gettext_lazy("Question"), rows=2)
    check_options = LongText(
        label=gettext_lazy("Answers"), rows=4, help_text=gettext_lazy("One a line.")
    )
    check_right = forms.IntegerField(
        label=gettext_lazy("Number of the right answer"), min_value=1, required=False
    )
    check_feedback = LongText(
        label=gettext_lazy("Said after a wrong answer"),
        rows=2,
        help_text=gettext_lazy("The person may then try again."),
    )

    EXAMPLE = (
        "example_dialogue",
        "example_candidates",
        "example_best",
        "example_worst",
        "example_explanation",
    )
    # What only a best-worst study has: a worked example shows a choice of best and worst.
    OF_BEST_WORST = ("most_question", "least_question", *EXAMPLE)
    # What columns are called here, where that is not their usual name.
    LABELS: ClassVar[Mapping[str, Any]] = {}
    OF_CHANGED_CONSENT = ("consent_asks", "consent_changes")
    CHECK = ("check_prompt", "check_options", "check_right", "check_feedback")
    # What only people who are asked here read.
    OF_PEOPLE_ASKED = ("consent", "instructions", "thanks", *EXAMPLE, *CHECK)

    def __init__(self, study: Study, consent: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial(study, consent))
        self.study = study
        if study.state in Study.UNASKED:
            # Nobody has agreed to anything yet.
            for name in self.OF_CHANGED_CONSENT:
                del self.fields[name]
        if study.is_imported:
            for name in self.OF_PEOPLE_ASKED:
                del self.fields[name]
        self.is_frozen = not study.is_draft and not (study.is_imported and not dependents(study))
        if not self.is_frozen:
            return
        for name, field in self.fields.items():
            if self.column(name) not in FROZEN_FIELDS:
                continue
            # The page shows it read-only, so a browser sends nothing for it. What comes all the
            # same, from a page that was loaded before the opening, the service refuses.
            field.disabled = name not in self.data

    @classmethod
    def column(cls, name: str) -> str:
        """The study's column that a field of the form is stored in."""
        if name in cls.EXAMPLE:
            return "worked_example"
        return "comprehension" if name in cls.CHECK else name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self._is_wanted(self.EXAMPLE):
            self._check_example(cleaned)
        if self._is_wanted(self.CHECK):
            self._check_comprehension(cleaned)
        return cleaned

    def _is_wanted(self, names: tuple[str, ...]) -> bool:
        """Whether the part was changed and not emptied; an untouched one is left as it is."""
        changed = any(name in self.changed_data for name in names)
        filled = any(str(self.cleaned_data.get(name) or "").strip() for name in names)
        return changed and filled

    def _check_example(self, cleaned: dict[str, Any]) -> None:
        if self.errors.keys() & {*self.EXAMPLE}:
            return
        turns = dialogue_turns(cleaned["example_dialogue"])
        if not turns:
            self.add_error("example_dialogue", _("Write at least one turn: the target."))
        for number, turn in enumerate(turns, start=1):
            if not turn["text"]:
                self.add_error(
                    "example_dialogue",
                    _("Turn %(n)s has a speaker and no text.") % {"n": number},
                )
        candidates = lines(cleaned["example_candidates"])
        if len(candidates) < 2:
            self.add_error("example_candidates", _("Write at least two candidates, one a line."))
            return
        best, worst = cleaned["example_best"], cleaned["example_worst"]
        self._check_number("example_best", best, len(candidates))
        self._check_number("example_worst", worst, len(candidates))
        if best and best == worst:
            self.add_error("example_worst", _("Best and worst must be two different candidates."))

    def _check_comprehension(self, cleaned: dict[str, Any]) -> None:
        if self.errors.keys() & {*self.CHECK}:
            return
        if not cleaned["check_prompt"].strip():
            self.add_error("check_prompt", _("Write the question, or empty all its fields."))
        options = lines(cleaned["check_options"])
        if len(options) < 2:
            self.add_error("check_options", _("Write at least two answers, one a line."))
            return
        self._check_number("check_right", cleaned["check_right"], len(options))

    def _check_number(self, name: str, number: int | None, n: int) -> None:
        if number is None or number > n:
            self.add_error(name, _("Give a number from 1 to %(n)s.") % {"n": n})

    def changes(self) -> dict[str, Any]:
        """What was changed, as `services.studies.edit` takes it."""
        cleaned, changed = self.cleaned_data, {*self.changed_data}
        values = {name: cleaned[name] for name in self.fields if self.column(name) == name}
        if changed & {*self.EXAMPLE}:
            values["worked_example"] = self._example() if self._is_wanted(self.EXAMPLE) else {}
        if changed & {*self.CHECK}:
            values["comprehension"] = self._check() if self._is_wanted(self.CHECK) else {}
        if values.get("consent_asks") != EVERYBODY:
            values.pop("consent_asks", None)
        return {
            name: value
            for name, value in values.items()
            if name in changed or name in ("worked_example", "comprehension")
        }

    def _example(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "turns": dialogue_turns(cleaned["example_dialogue"]),
            "candidates": lines(cleaned["example_candidates"]),
            "best": cleaned["example_best"],
            "worst": cleaned["example_worst"],
            "explanation": cleaned["example_explanation"],
        }

    def _check(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "prompt": cleaned["check_prompt"],
            "options": lines(cleaned["check_options"]),
            "right": cleaned["check_right"],
            "feedback": cleaned["check_feedback"],
        }


def initial(study: Study, consent: str) -> dict[str, Any]:
    """A study's texts as the fields of the form."""
    example, check = study.worked_example, study.comprehension
    return {
        "title": study.title,
        "language": study.language,
        "most_question": study.most_question,
        "least_question": study.least_question,
        "consent": consent,
        "instructions": study.instructions,
        "thanks": study.thanks,
        "example_dialogue": dialogue_text(example.get("turns", [])),
        "example_candidates": "\n".join(map(one_line, example.get("candidates", []))),
        "example_best": example.get("best"),
        "example_worst": example.get("worst"),
        "example_explanation": example.get("explanation", ""),
        "check_prompt": check.get("prompt", ""),
        "check_options": "\n".join(map(one_line, check.get("options", []))),
        "check_right": check.get("right"),
        "check_feedback": check.get("feedback", ""),
    }
