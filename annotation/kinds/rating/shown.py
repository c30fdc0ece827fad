"""A rating question as a screen shows it."""

from dataclasses import dataclass

from annotation.basics.scale import Scale
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.shown_choices import ShownChoice, shown_points
from annotation.kinds.shown_pairs import ShownPair, pair_fields
from annotation.kinds.shown_scales import ShownScale
from annotation.models import Study


@dataclass(frozen=True, kw_only=True)
class ShownRating(ShownPair):
    scale: ShownScale

    @property
    def asked_scale(self) -> Scale | None:
        return self.scale.scale

    @property
    def is_worded(self) -> bool:
        return self.scale.scale.is_worded

    @property
    def script(self) -> str:
        return "worded" if self.is_worded else self.kind

    @property
    def choices(self) -> list[ShownChoice]:
        return shown_points(self.scale, self.answer.written("rating"))


def shown_rating(rows: QuestionRows, number: int, study: Study) -> ShownRating:
    return ShownRating(
        **pair_fields(rows, number),
        answer=RatingAnswer(),
        scale=ShownScale(Scale.of(study.scale)),
    )
