"""Items whose ratings have the same mean have the same rank, whatever the ratings are."""

import pytest
from scipy import stats

from annotation.baselines.queries import human_scores
from annotation.baselines.queries.score_sources import ResultSource
from annotation.core.services import jobs
from annotation.kinds.design_parameters import PhaseParameters
from annotation.models import Item, Job, Result
from annotation.studies.services import studies
from tests.support import rating

pytestmark = pytest.mark.django_db

# Of three people. In binary the means of the first two differ in their last digit.
STACKS = {"p1": "002", "p2": "011", "p3": "666", "p4": "123"}
EARLIER = {"p1": 1, "p2": 0, "p3": 5, "p4": 6}


def test_equal_means_are_ties() -> None:
    study = rating.make_rating_study(
        pairs=4,
        ratings_per_item=3,
        phases=[PhaseParameters("context_free"), PhaseParameters("context_dependent")],
    )
    for key, earlier in EARLIER.items():
        Item.objects.filter(study=study, key=key).update(earlier_rating=earlier)
    for person in range(3):
        assignment = rating.join(study).assignment
        rating.rate_phase(assignment, ratings=lambda q, n=person: STACKS[q.item.key][n])
        rating.rate_phase(assignment, ratings=lambda q, n=person: str(EARLIER[q.item.key]))
    study = studies.close(study=study)
    assert jobs.run_here(study=study, kind=Job.Kind.SCORE).state == Job.State.DONE

    sums = [sum(map(int, STACKS[key])) for key in EARLIER]
    expected = pytest.approx(stats.spearmanr(sums, [*EARLIER.values()]).statistic)
    statistics = Result.objects.get().statistics
    assert statistics["phases"][0]["earlier_rating"]["spearman"] == expected
    assert statistics["selected"][0]["spearman"] == expected
    scores = human_scores.read(study, ResultSource(phase=1)).scores
    assert scores[0] == scores[1]
