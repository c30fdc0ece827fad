"""People's scores in a rating study."""

import math
from collections.abc import Collection, Sequence

from annotation.basics.scale import Scale
from annotation.kinds.contract.scores import ScoresPart
from annotation.kinds.queries.people_scores import (
    DescribedScores,
    PeopleAnswers,
    RatingRule,
    ScoredItems,
)
from annotation.kinds.queries.score_reasons import NO_CEILING_OF_MAJORITIES
from annotation.kinds.rating.queries import people_scores
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.models import Result, Study
from scoring.measures.noise_ceiling import NoiseCeiling
from scoring.ratings.ratings import number_names


class RatingScores(ScoresPart):
    """Mean or most frequent ratings of each phase."""

    def read(self, study: Study, result: Result, phase: int | None, by: RatingRule) -> ScoredItems:
        return people_scores.scored_items(study, result, phase, by)

    def described(self, scored: ScoredItems) -> DescribedScores:
        assert scored.phase is not None  # `read` names one
        if scored.is_labelled:
            return DescribedScores(
                f"most frequent ratings of phase {scored.phase}, rescaled to [0, 1]",
                NoiseCeiling(math.nan, math.nan, "icc-1-k", NO_CEILING_OF_MAJORITIES),
            )
        return DescribedScores(
            f"mean ratings of phase {scored.phase}, rescaled to [0, 1]",
            people_scores.ceiling(scored.result, scored.phase),
            people_scores.typical_human(scored.result, scored.phase),
            are_means=True,
        )

    def answers(self, study: Study, phase: int | None) -> PeopleAnswers:
        read = read_ratings(study, "people")
        (of_phase,) = (each for each in read.phases if each.number == phase)
        clusters = number_names(read.items.clusters)[1]
        return PeopleAnswers(read.items.pks, of_phase.main, Scale.of(study.scale), clusters)

    def phases(self, study: Study) -> list[tuple[int, str]]:
        return list(study.design.phases.order_by("number").values_list("number", "condition"))

    def score_range(self, study: Study) -> tuple[float, float]:
        scale = Scale.of(study.scale)
        return float(scale.low), float(scale.high)

    def label_points(self, study: Study) -> Sequence[float]:
        scale = Scale.of(study.scale)
        return [float(point) for point in scale.points] if scale.is_worded else ()

    def changed_by_context(self, study: Study) -> Collection[str] | None:
        return people_scores.changed_by_context(study)
