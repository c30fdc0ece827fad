"""A ranking study: its parts, one for each room that asks."""

from annotation.kinds.base import StudyKind
from annotation.kinds.ranking.answering import RankingAnswering
from annotation.kinds.ranking.baselines import RankingBaselines
from annotation.kinds.ranking.designs import RankingDesigns
from annotation.kinds.ranking.items import RankingItems
from annotation.kinds.ranking.monitoring import RankingMonitoring
from annotation.kinds.ranking.people import RankingPeople
from annotation.kinds.ranking.releases import RankingReleases
from annotation.kinds.ranking.results import RankingResults
from annotation.kinds.ranking.simulation import RankingSimulation
from annotation.kinds.ranking.studies import RankingStudies
from annotation.models.kinds import QuestionKind

RANKING = StudyKind(
    slug=QuestionKind.RANKING,
    studies=RankingStudies(),
    items=RankingItems(),
    designs=RankingDesigns(),
    answering=RankingAnswering(),
    people=RankingPeople(),
    monitoring=RankingMonitoring(),
    results=RankingResults(),
    baselines=RankingBaselines(),
    releases=RankingReleases(),
    simulation=RankingSimulation(),
)
