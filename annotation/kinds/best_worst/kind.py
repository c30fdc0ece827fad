"""A best-worst study: its parts, one for each room that asks."""

from annotation.kinds.base import StudyKind
from annotation.kinds.best_worst.answering import BestWorstAnswering
from annotation.kinds.best_worst.baselines import BestWorstBaselines
from annotation.kinds.best_worst.designs import BestWorstDesigns
from annotation.kinds.best_worst.items import BestWorstItems
from annotation.kinds.best_worst.monitoring import BestWorstMonitoring
from annotation.kinds.best_worst.people import BestWorstPeople
from annotation.kinds.best_worst.releases import BestWorstReleases
from annotation.kinds.best_worst.results import BestWorstResults
from annotation.kinds.best_worst.simulation import BestWorstSimulation
from annotation.kinds.best_worst.studies import BestWorstStudies
from annotation.models.kinds import QuestionKind

BEST_WORST = StudyKind(
    slug=QuestionKind.BEST_WORST,
    studies=BestWorstStudies(),
    items=BestWorstItems(),
    designs=BestWorstDesigns(),
    answering=BestWorstAnswering(),
    people=BestWorstPeople(),
    monitoring=BestWorstMonitoring(),
    results=BestWorstResults(),
    baselines=BestWorstBaselines(),
    releases=BestWorstReleases(),
    simulation=BestWorstSimulation(),
)
