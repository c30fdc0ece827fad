"""Making the design of a rating study: phases, blocks, who rates which item, in which order."""

from dataclasses import dataclass, field, fields
from typing import Any

from annotation.models import Design, Phase

DEFAULT_DELAY_HOURS = 72.0
DEFAULT_CLOSES_AFTER_DAYS = 14.0


@dataclass(frozen=True)
class PhaseParameters:
    """One pass over the questions of a booklet."""

    condition: str = Phase.Condition.FREE.value
    # Counted from the moment in which the same person completed the phase before.
    delay_hours: float = 0.0
    # After its opening; None: as long as the study goes on.
    closes_after_days: float | None = None


@dataclass(frozen=True)
class RatingParameters:
    """The numbers a researcher chooses. They are stored with the design that they made."""

    # How many people rate each item (a stack), and how many items one of them rates at most.
    ratings_per_item: int = 9
    items_per_booklet: int = 50
    # See tuples.stacks; where no item belongs to a group with others, both are the same.
    arrangement: str = "free"
    # Parts of the items, in their order, each with people of its own.
    n_teams: int = 1
    questions_per_screen: int = 1
    phases: list[PhaseParameters] = field(default_factory=lambda: [PhaseParameters()])
    # Ids of the items that everybody rates first, in this order; they are not exported as data.
    calibration: list[str] = field(default_factory=list)
    # How many items a person rates again, and which they can be: those of the earlier round, or
    # those of this booklet at least so many questions before.
    n_repeats: int = 0
    repeat_from: str = "booklet"
    repeat_distance: int = 20

    @classmethod
    def of(cls, design: Design) -> "RatingParameters":
        known = {f.name for f in fields(cls)}
        given: dict[str, Any] = {n: v for n, v in design.parameters.items() if n in known}
        if "phases" in given:
            names = {f.name for f in fields(PhaseParameters)}
            given["phases"] = [
                PhaseParameters(**{n: v for n, v in phase.items() if n in names})
                for phase in given["phases"]
            ]
        return cls(**given)
