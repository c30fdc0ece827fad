"""People's scores in a best-worst study."""

from annotation.kinds.best_worst.queries import people_scores
from annotation.kinds.best_worst.queries.answers import answers_arrays
from annotation.kinds.contract.scores import ScoresPart
from annotation.kinds.queries.people_scores import (
    DescribedScores,
    PeopleAnswers,
    RatingRule,
    ScoredItems,
)
from annotation.models import Result, Study


class BestWorstScores(ScoresPart):
    """Scores relative to the other items, of all answers together."""

    def read(self, study: Study, result: Result, phase: int | None, by: RatingRule) -> ScoredItems:
        return people_scores.scored_items(result)

    def described(self, scored: ScoredItems) -> DescribedScores:
        return DescribedScores(
            "scores, rescaled to [0, 1]", people_scores.ceiling(scored.result), are_relative=True
        )

    def answers(self, study: Study, phase: int | None) -> PeopleAnswers:
        read = answers_arrays(study, "people")
        return PeopleAnswers(read.table.item_pks, read.best_worst)
