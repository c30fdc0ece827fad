"""The contract of a kind: all that differs between kinds of studies, by the room that asks.

A kind is a folder of this package with the same files as the others: `kind.py` lists its parts,
and `<room>.py` answers what that room asks (`contract/<room>.py`). Outside this package nothing
compares a kind with a constant; it asks `registry.kind_of(study)`.
"""

from dataclasses import dataclass
from typing import Any

from annotation.kinds.contract.answering import AnsweringPart
from annotation.kinds.contract.baselines import BaselinesPart
from annotation.kinds.contract.designs import DesignsPart
from annotation.kinds.contract.items import ItemsPart
from annotation.kinds.contract.monitoring import MonitoringPart
from annotation.kinds.contract.people import PeoplePart
from annotation.kinds.contract.releases import ReleasesPart
from annotation.kinds.contract.results import ResultsPart
from annotation.kinds.contract.simulation import SimulationPart
from annotation.kinds.contract.studies import StudiesPart
from annotation.models.kinds import QuestionKind


@dataclass(frozen=True)
class StudyKind:
    """One kind of studies: its key, as rows keep it, and a part for each room."""

    slug: QuestionKind
    studies: StudiesPart
    items: ItemsPart
    designs: DesignsPart[Any]
    answering: AnsweringPart
    people: PeoplePart
    monitoring: MonitoringPart
    results: ResultsPart
    baselines: BaselinesPart
    releases: ReleasesPart
    simulation: SimulationPart
