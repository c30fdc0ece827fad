"""The contract of a kind: all that differs between kinds of studies, by the room that asks.

A kind is a folder of this package: `<room>.py` has the class `<Kind><Room>`, which answers what
that room asks (`contract/<room>.py`). Outside this package and the models' own constraints nothing
compares a kind with a constant; it asks `registry.kind_of(study)`.
"""

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from annotation.kinds.parts import class_of_kind
from annotation.models.kinds import QuestionKind

if TYPE_CHECKING:
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

P = TypeVar("P")


class _Part(Generic[P]):
    """What one room asks of a kind. It is loaded when the room first does."""

    def __set_name__(self, owner: type, room: str) -> None:
        self._room = room

    def __get__(self, kind: "StudyKind", owner: type) -> P:
        part: P = class_of_kind(kind.slug.value, self._room)()
        # Found there first the next time.
        vars(kind)[self._room] = part
        return part


class StudyKind:
    """One kind of studies: its key, as rows keep it, and a part for each room."""

    studies: "_Part[StudiesPart]" = _Part()
    items: "_Part[ItemsPart]" = _Part()
    designs: "_Part[DesignsPart[Any]]" = _Part()
    answering: "_Part[AnsweringPart]" = _Part()
    people: "_Part[PeoplePart]" = _Part()
    monitoring: "_Part[MonitoringPart]" = _Part()
    results: "_Part[ResultsPart]" = _Part()
    baselines: "_Part[BaselinesPart]" = _Part()
    releases: "_Part[ReleasesPart]" = _Part()
    simulation: "_Part[SimulationPart]" = _Part()

    def __init__(self, slug: QuestionKind) -> None:
        self.slug = slug
