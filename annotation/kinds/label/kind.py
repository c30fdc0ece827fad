"""A label study: its parts, one for each room that asks."""

from annotation.kinds.base import StudyKind
from annotation.kinds.label.answering import LabelAnswering
from annotation.kinds.label.baselines import LabelBaselines
from annotation.kinds.label.designs import LabelDesigns
from annotation.kinds.label.items import LabelItems
from annotation.kinds.label.monitoring import LabelMonitoring
from annotation.kinds.label.people import LabelPeople
from annotation.kinds.label.releases import LabelReleases
from annotation.kinds.label.results import LabelResults
from annotation.kinds.label.simulation import LabelSimulation
from annotation.kinds.label.studies import LabelStudies
from annotation.models.kinds import QuestionKind

LABEL = StudyKind(
    slug=QuestionKind.LABEL,
    studies=LabelStudies(),
    items=LabelItems(),
    designs=LabelDesigns(),
    answering=LabelAnswering(),
    people=LabelPeople(),
    monitoring=LabelMonitoring(),
    results=LabelResults(),
    baselines=LabelBaselines(),
    releases=LabelReleases(),
    simulation=LabelSimulation(),
)
