"""A label question as a screen shows it."""

from dataclasses import dataclass

from annotation.basics.categories import Categories
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.shown_choices import ShownChoice, shown_categories
from annotation.kinds.shown_pairs import ShownPair, pair_fields
from annotation.models import Study


@dataclass(frozen=True, kw_only=True)
class ShownLabel(ShownPair):
    categories: Categories

    @property
    def asked_categories(self) -> Categories | None:
        return self.categories

    @property
    def asks_to_compare(self) -> bool:
        return True

    @property
    def choices(self) -> list[ShownChoice]:
        assert isinstance(self.answer, LabelAnswer)
        return shown_categories(self.categories, self.answer.categories or ())


def shown_label(rows: QuestionRows, number: int, study: Study) -> ShownLabel:
    return ShownLabel(
        **pair_fields(rows, number),
        answer=LabelAnswer(),
        categories=Categories.of(study.categories),
    )
