"""The texts of a study that all kinds have: what each asks beside them is in its own form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.core.validators import RegexValidator
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotation.core.forms.fields import LongText, MarkdownText, lines, one_line
from annotation.core.services.imported_rules import dependents
from annotation.kinds.described import EVERYBODY, FROZEN_FIELDS, NEW_PEOPLE
from annotation.models import Study

_LANGUAGE = RegexValidator(
    r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    gettext_lazy("Use a language code, such as en, de, cs, fr or pt-BR."),
)


def language_field() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Language"),
        max_length=12,
        # Evaluated when it is needed: the language of the page.
        initial=lambda: get_language() or "en",
        validators=[_LANGUAGE],
        help_text=gettext_lazy(
            "Language code of your texts. Default texts, buttons and messages for annotators exist"
            " in English (en), German (de) and Czech (cs). For any other language, they are in"
            " English."
        ),
        widget=forms.TextInput(
            attrs={"list": "languages", "size": 8, "spellcheck": "false", "autocomplete": "off"}
        ),
    )


@dataclass(frozen=True)
class FieldGroup:
    """Fields that stand under one heading."""

    title: str | Promise
    note: str | Promise
    names: Sequence[str]


class DescribeForm(forms.Form):
    """Texts and settings of a study; the comprehension question is plain fields."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    language = language_field()
    consent = MarkdownText(
        label=gettext_lazy("Consent"),
        rows=12,
        help_text=gettext_lazy(
            "Markdown is allowed. State who runs the study, what is stored, and that taking part "
            "is voluntary. Each change creates a new version. Likeness records which version each "
            "person agreed to."
        ),
    )
    consent_asks = forms.ChoiceField(
        label=gettext_lazy("Who must agree to a changed consent text"),
        choices=[
            (
                NEW_PEOPLE,
                gettext_lazy(
                    "Only new people. People who agreed to an earlier text continue under that"
                    " text."
                ),
            ),
            (
                EVERYBODY,
                gettext_lazy(
                    "Also everybody who still has questions to answer. Before their next question,"
                    " they must agree or stop."
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
            "Write one or two sentences in the language of the study. Markdown is allowed. People "
            "who are asked again read this first, with a link to the text they agreed to before."
        ),
    )
    instructions = MarkdownText(
        label=gettext_lazy("Instructions"),
        rows=12,
        help_text=gettext_lazy(
            "Markdown is allowed. People read this before the first question and can open it "
            "again while they answer."
        ),
    )
    thanks = MarkdownText(
        label=gettext_lazy("Thanks"),
        rows=5,
        help_text=gettext_lazy("Markdown is allowed. People read this after the last answer."),
    )

    check_prompt = LongText(label=gettext_lazy("Question"), rows=2)
    check_options = LongText(
        label=gettext_lazy("Answers"), rows=4, help_text=gettext_lazy("One per line.")
    )
    check_right = forms.IntegerField(
        label=gettext_lazy("Number of the right answer"), min_value=1, required=False
    )
    check_feedback = LongText(
        label=gettext_lazy("Message after a wrong answer"),
        rows=2,
        help_text=gettext_lazy("The person may then try again."),
    )

    # The sentence above the form of an opened study.
    FROZEN_NOTE: ClassVar[str | Promise]
    # The fields that come first: the title and the question.
    OF_STUDY: ClassVar[Sequence[str]]
    # The fields that belong to the question: an example of it, or the possible answers, if any.
    OF_QUESTION: ClassVar[FieldGroup | None] = None
    # Labels of columns in this form, if they differ from the usual ones.
    LABELS: ClassVar[Mapping[str, Any]] = {}
    OF_CHANGED_CONSENT = ("consent_asks", "consent_changes")
    CHECK = ("check_prompt", "check_options", "check_right", "check_feedback")
    # The texts that only people who answer on this platform read.
    OF_PEOPLE_ASKED: ClassVar[Sequence[str]] = ("consent", "instructions", "thanks", *CHECK)

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
        return "comprehension" if name in cls.CHECK else name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.is_wanted(self.CHECK):
            self._check_comprehension(cleaned)
        return cleaned

    def is_wanted(self, names: tuple[str, ...]) -> bool:
        """Whether the part was changed and not emptied; an untouched one is left as it is."""
        changed = any(name in self.changed_data for name in names)
        filled = any(str(self.cleaned_data.get(name) or "").strip() for name in names)
        return changed and filled

    def _check_comprehension(self, cleaned: dict[str, Any]) -> None:
        if self.errors.keys() & {*self.CHECK}:
            return
        if not cleaned["check_prompt"].strip():
            self.add_error("check_prompt", _("Write the question, or clear all its fields."))
        options = lines(cleaned["check_options"])
        if len(options) < 2:
            self.add_error("check_options", _("Write at least two answers, one per line."))
            return
        self.check_number("check_right", cleaned["check_right"], len(options))

    def check_number(self, name: str, number: int | None, n: int) -> None:
        if number is None or number > n:
            self.add_error(name, _("Give a number from 1 to %(n)s.") % {"n": n})

    def changes(self) -> dict[str, Any]:
        """What was changed, as `services.studies.edit` takes it."""
        cleaned, changed = self.cleaned_data, {*self.changed_data}
        values = {
            name: cleaned[name]
            for name in self.fields
            if name in changed and self.column(name) == name
        }
        if changed & {*self.CHECK}:
            values["comprehension"] = self._check() if self.is_wanted(self.CHECK) else {}
        if values.get("consent_asks") != EVERYBODY:
            values.pop("consent_asks", None)
        return values

    def _check(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "prompt": cleaned["check_prompt"],
            "options": lines(cleaned["check_options"]),
            "right": cleaned["check_right"],
            "feedback": cleaned["check_feedback"],
        }


def initial(study: Study, consent: str) -> dict[str, Any]:
    """A study's texts as the fields that all kinds have."""
    check = study.comprehension
    return {
        "title": study.title,
        "language": study.language,
        "rating_question": study.rating_question,
        "consent": consent,
        "instructions": study.instructions,
        "thanks": study.thanks,
        "check_prompt": check.get("prompt", ""),
        "check_options": "\n".join(map(one_line, check.get("options", []))),
        "check_right": check.get("right"),
        "check_feedback": check.get("feedback", ""),
    }
