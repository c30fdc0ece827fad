"""A ranking study in `baselines/`."""

from annotation.kinds.best_worst.queries import people_scores
from annotation.kinds.best_worst.scores import BestWorstScores
from annotation.kinds.contract.baselines import BaselinesPart
from annotation.kinds.queries.people_scores import DescribedScores, PeopleAnswers, ScoredItems
from annotation.kinds.ranking.queries.answers import orders_arrays
from annotation.models import Study


class RankingScores(BestWorstScores):
    """Mean ranks, brought to the range from 0 to 1."""

    def described(self, scored: ScoredItems) -> DescribedScores:
        return DescribedScores(
            "mean ranks, rescaled to [0, 1]",
            people_scores.ceiling(scored.result),
            are_relative=True,
        )

    def answers(self, study: Study, phase: int | None) -> PeopleAnswers:
        read = orders_arrays(study, "people")
        return PeopleAnswers(read.table.item_pks, read.best_worst)


class RankingBaselines(BaselinesPart):
    """Items have scores."""

    scores = RankingScores()
