"""The texts of a label study: one question and its categories."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.categories import COLON, Categories, CategoriesError, check_one
from annotation.basics.reviewed import Review
from annotation.core.forms.fields import LongText, one_line
from annotation.kinds.forms.describing import DescribeForm, FieldGroup
from annotation.kinds.label.presets import review_of
from annotation.kinds.label.services.categories import check_categories
from annotation.models import Study


class DescribeLabelForm(DescribeForm):
    """With the question and the categories."""

    rating_question = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=300,
        help_text=gettext_lazy("People see it above the categories, with every item."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    categories = LongText(
        label=gettext_lazy("Names of the categories"),
        rows=8,
        required=True,
        help_text=gettext_lazy(
            "2 to 30 categories, one per line. The part after the first colon explains the "
            "category, as in “related: one says more, or something else”."
        ),
    )
    several = forms.BooleanField(
        label=gettext_lazy("People can choose several for one item"), required=False
    )

    CATEGORIES = ("categories", "several")
    FROZEN_NOTE = gettext_lazy(
        "This study has been opened. Its language, instructions, question, categories and"
        " comprehension question are frozen, so that everybody answers the same question. To ask a"
        " different question, create a new study."
    )
    OF_STUDY = ("title", "language", "rating_question")
    OF_QUESTION = FieldGroup(
        gettext_lazy("Categories"),
        gettext_lazy("Everybody sees them in this order; none is preselected."),
        CATEGORIES,
    )
    LABELS = {"rating_question": gettext_lazy("question")}

    def __init__(self, study: Study, consent: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(study, consent, data)
        self.initial = {
            **self.initial,
            "rating_question": study.rating_question,
            "categories": _written(study.categories),
            "several": bool(study.categories.get("several")),
        }
        if review_of(study.preset) == Review.EXPERTS:
            self.fields["categories"].help_text = _(
                "Two lines: the first means above the middle, the second below it. "
                "The text after the first colon is the explanation."
            )
            self.fields["several"].help_text = _("This is not possible in an expert check.")
        self.read: Categories | None = None

    @classmethod
    def column(cls, name: str) -> str:
        return "categories" if name in cls.CATEGORIES else super().column(name)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.errors.keys() & {*self.CATEGORIES} and self._is_changed:
            self.read = self._read(cleaned["categories"], is_several=cleaned["several"])
        return cleaned

    @property
    def _is_changed(self) -> bool:
        return bool({*self.changed_data} & {*self.CATEGORIES})

    def _read(self, text: str, *, is_several: bool) -> Categories | None:
        explanations: dict[str, str] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            name, _colon, words = line.partition(COLON)
            try:
                check_one(name.strip(), words.strip(), earlier=[*explanations])
            except CategoriesError as error:
                self._add(number, error)
            else:
                explanations[name.strip()] = words.strip()
        if "categories" in self.errors:
            return None
        categories = Categories(
            [*explanations], is_several, {n: words for n, words in explanations.items() if words}
        )
        try:
            categories.check()
            check_categories(self.study, categories)
        except CategoriesError as error:
            self.add_error("categories", error.message)
            return None
        return categories

    def _add(self, line: int, error: CategoriesError) -> None:
        message = _("Line %(n)s: %(problem)s") % {"n": line, "problem": error.message}
        self.add_error("categories", message)

    def changes(self) -> dict[str, Any]:
        changes = super().changes()
        if self.read is not None:
            changes["categories"] = self.read.as_json
        return changes


def _written(categories: Mapping[str, Any]) -> str:
    explanations = categories.get("explanations", {})
    return "\n".join(
        f"{name}{COLON} {one_line(explanations[name])}" if explanations.get(name) else name
        for name in categories.get("names", ())
    )
