"""A ranking question as a screen shows it: the options of a tuple, with the places they got."""

from dataclasses import dataclass, fields

from annotation.kinds.best_worst.shown import ShownBestWorst, shown_best_worst
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.ranking.answer import RankingAnswer
from annotation.kinds.shown_questions import Viewer


@dataclass(frozen=True)
class PlacedOption:
    """An option, and each place that it can get with the value that a form sends for it."""

    item: int
    number: int
    text: str
    target: str
    key: str
    place: int | None
    places: list[tuple[int, str]]

    @property
    def without_place(self) -> str:
        return f"{self.item}:"


@dataclass(frozen=True, kw_only=True)
class ShownRanking(ShownBestWorst):
    @property
    def placed_options(self) -> list[PlacedOption]:
        """In the order of their places, then those without one as they were shuffled."""
        assert isinstance(self.answer, RankingAnswer)
        numbers = range(1, len(self.options) + 1)
        options = [
            PlacedOption(
                item=option.item,
                number=option.number,
                text=option.text,
                target=option.target,
                key=option.best_key,
                place=self.answer.place_of(option.item),
                places=[(number, f"{option.item}:{number}") for number in numbers],
            )
            for option in self.options
        ]
        return sorted(options, key=lambda option: (option.place is None, option.place or 0))


def shown_ranking(rows: QuestionRows, number: int, viewer: Viewer) -> ShownRanking:
    question = shown_best_worst(rows, number, viewer)
    values = {field.name: getattr(question, field.name) for field in fields(question)}
    return ShownRanking(**{**values, "answer": RankingAnswer()})
