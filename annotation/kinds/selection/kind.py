"""A selection study: its parts, one for each room that asks."""

from annotation.kinds.base import StudyKind
from annotation.kinds.selection.answering import SelectionAnswering
from annotation.kinds.selection.baselines import SelectionBaselines
from annotation.kinds.selection.designs import SelectionDesigns
from annotation.kinds.selection.items import SelectionItems
from annotation.kinds.selection.monitoring import SelectionMonitoring
from annotation.kinds.selection.people import SelectionPeople
from annotation.kinds.selection.releases import SelectionReleases
from annotation.kinds.selection.results import SelectionResults
from annotation.kinds.selection.simulation import SelectionSimulation
from annotation.kinds.selection.studies import SelectionStudies
from annotation.models.kinds import QuestionKind

SELECTION = StudyKind(
    slug=QuestionKind.SELECTION,
    studies=SelectionStudies(),
    items=SelectionItems(),
    designs=SelectionDesigns(),
    answering=SelectionAnswering(),
    people=SelectionPeople(),
    monitoring=SelectionMonitoring(),
    results=SelectionResults(),
    baselines=SelectionBaselines(),
    releases=SelectionReleases(),
    simulation=SelectionSimulation(),
)
