"""What people said of each item, which measures are held against: from a result or a column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.models import Study
from scoring.arrays import FloatArray
from scoring.noise_ceiling import NoiseCeiling


@dataclass(frozen=True)
class Source:
    """Where people's scores come from: the study's own result, or a column of the imported file."""

    kind: Literal["result", "column"]
    # Of a rating study's result: number of the phase; None of a best-worst study.
    phase: int | None = None
    # Of a column: its name, that of the column of standard deviations, ratings behind each mean.
    name: str = ""
    deviation: str = ""
    n: int | None = None

    def as_json(self) -> dict[str, Any]:
        """{"from": "result", "phase"} or {"from": "column", "name", "deviation", "n"}."""
        if self.kind == "result":
            return {"from": "result", "phase": self.phase}
        return {"from": "column", "name": self.name, "deviation": self.deviation, "n": self.n}

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> "Source":
        """Raises AnnotationError for anything that `as_json` does not write."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class HumanScores:
    """People's scores of a study's items, without its checks, in the order of their numbers."""

    # As tables and axes show it.
    name: str
    source: Source
    # nan where an item has none, as calibration has.
    scores: FloatArray
    ceiling: NoiseCeiling
    # Key of each item's pool, where there are several: the bootstrap draws whole pools.
    pools: Sequence[str] | None


def sources(study: Study) -> list[Source]:
    """What a study has: its result by phase, then each column of numbers alone."""
    raise NotImplementedError


def title(source: Source) -> str:
    """A source in words, for a choice: "people's scores, phase 1"; "column mean"."""
    raise NotImplementedError


def read(study: Study, source: Source) -> HumanScores:
    """Raises StateError, with what to do, where there are none."""
    raise NotImplementedError
