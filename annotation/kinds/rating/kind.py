"""A rating study: its parts, one for each room that asks."""

from annotation.kinds.base import StudyKind
from annotation.kinds.rating.answering import RatingAnswering
from annotation.kinds.rating.baselines import RatingBaselines
from annotation.kinds.rating.designs import RatingDesigns
from annotation.kinds.rating.items import RatingItems
from annotation.kinds.rating.monitoring import RatingMonitoring
from annotation.kinds.rating.people import RatingPeople
from annotation.kinds.rating.releases import RatingReleases
from annotation.kinds.rating.results import RatingResults
from annotation.kinds.rating.simulation import RatingSimulation
from annotation.kinds.rating.studies import RatingStudies
from annotation.models.kinds import QuestionKind

RATING = StudyKind(
    slug=QuestionKind.RATING,
    studies=RatingStudies(),
    items=RatingItems(),
    designs=RatingDesigns(),
    answering=RatingAnswering(),
    people=RatingPeople(),
    monitoring=RatingMonitoring(),
    results=RatingResults(),
    baselines=RatingBaselines(),
    releases=RatingReleases(),
    simulation=RatingSimulation(),
)
