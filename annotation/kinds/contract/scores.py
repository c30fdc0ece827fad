"""What `baselines/` asks of a kind whose items get scores from people."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

from annotation.kinds.queries.people_scores import (
    DescribedScores,
    PeopleAnswers,
    RatingRule,
    ScoredItems,
)
from annotation.models import Result, Study


class ScoresPart(ABC):
    """People's scores, which measures, models and reviews are held against."""

    @abstractmethod
    def read(self, study: Study, result: Result, phase: int | None, by: RatingRule) -> ScoredItems:
        """The scores of a result, rescaled to [0, 1]: of one phase, or of all answers.

        Raises StateError for a phase that there is not.
        """

    @abstractmethod
    def described(self, scored: ScoredItems) -> DescribedScores:
        """What such scores are called, and how well people agree about them."""

    @abstractmethod
    def answers(self, study: Study, phase: int | None) -> PeopleAnswers:
        """The counted answers of people that such scores are of."""

    def phases(self, study: Study) -> list[tuple[int, str]]:
        """Number and condition of the phases that have scores of their own."""
        return []

    def score_range(self, study: Study) -> tuple[float, float] | None:
        """The lowest and the highest value that people give; None if they give none."""
        return None

    def label_points(self, study: Study) -> Sequence[float]:
        """The values that people choose from, where these are few enough to be labels."""
        return ()

    def changed_by_context(self, study: Study) -> Collection[str] | None:
        """Keys of the items whose scores context changes significantly.

        None if a study has not both conditions.
        """
        return None
