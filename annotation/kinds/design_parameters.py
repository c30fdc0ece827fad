"""What a researcher chooses of a design, for each kind of study; refused if no study has it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any, Self

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.basics.strata import STRATA
from annotation.models import Design, Phase

ARRANGEMENTS = {"free": _("free"), "grouped": _("in groups")}
REPEATS_FROM = {"booklet": _("this booklet"), "earlier_round": _("the earlier round")}

RATING_NAMES = {
    "ratings_per_item": _("Ratings per item"),
    "items_per_booklet": _("Items per person"),
    "arrangement": _("Arrangement"),
    "n_teams": _("Teams"),
    "questions_per_screen": _("Questions on a screen"),
    "n_repeats": _("Repeats"),
    "repeat_from": _("Repeats from"),
    "repeat_distance": _("Distance of repeats"),
    "n_checks": _("Checks in a booklet"),
}

SELECTION_NAMES = {
    "incidents_per_booklet": _("Incidents per person"),
    "people_per_incident": _("People per incident"),
}


class ImpossibleParametersError(AnnotationError):
    """No design has these numbers; the message says which near ones have."""

    def __init__(self, message: Said, field: str = "") -> None:
        super().__init__(message)
        # The number to mend, as the form has it; empty if it is not one alone.
        self.field = field


@dataclass(frozen=True)
class DesignParameters(ABC):
    """The numbers a researcher chooses. They are stored with the design that they made."""

    @classmethod
    def of(cls, design: Design) -> Self:
        """The parameters of a design; missing ones have their default."""
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in design.parameters.items() if name in known})

    @abstractmethod
    def check(self) -> None:
        """Raise ImpossibleParametersError for what no study has, whatever is asked about."""


@dataclass(frozen=True)
class BestWorstParameters(DesignParameters):
    """Items of a pool are compared in tuples."""

    tuple_size: int = 4
    factor: float = 2.0
    annotations_per_tuple: int = 5
    questions_per_screen: int = 1
    screens_per_booklet: int = 20
    strata: list[str] = field(default_factory=list)
    # How many checks that are no tutorials a booklet has, drawn for each; None: all of them.
    n_checks: int | None = None

    def check(self) -> None:
        for name, low, high in (
            ("tuple_size", 2, 8),
            ("annotations_per_tuple", 1, 1000),
            ("questions_per_screen", 1, 20),
            ("screens_per_booklet", 1, 1000),
        ):
            if not low <= getattr(self, name) <= high:
                raise ImpossibleParametersError(
                    _("%(name)s: choose from %(low)s to %(high)s.")
                    % {"name": name.replace("_", " "), "low": low, "high": high},
                    name,
                )
        if not 0 < self.factor <= 100:
            raise ImpossibleParametersError(
                _("factor: choose a number above 0 and up to 100."), "factor"
            )
        if unknown := set(self.strata) - STRATA.keys():
            raise ImpossibleParametersError(
                _("strata: %(names)s is unknown.") % {"names": ", ".join(sorted(unknown))}
            )


@dataclass(frozen=True)
class PhaseParameters:
    """One pass over the questions of a booklet."""

    condition: str = Phase.Condition.FREE.value
    # The delay starts when the same person completes the phase before.
    delay_hours: float = 0.0
    # Counted from the opening of the phase; None: as long as the study goes on.
    closes_after_days: float | None = None

    def check(self) -> None:
        if self.condition not in Phase.Condition.values:
            raise ImpossibleParametersError(
                _("A phase has the unknown condition %(name)s.") % {"name": self.condition}
            )
        if not 0 <= self.delay_hours <= 24 * 366:
            raise ImpossibleParametersError(
                _("The delay of a phase can be from 0 hours to a year, but it is %(n)s hours.")
                % {"n": self.delay_hours},
                "delay_hours",
            )
        closes = self.closes_after_days
        if closes is not None and not 0 < closes <= 366:
            raise ImpossibleParametersError(
                _(
                    "Choose more than 0 and at most 366 days until a phase closes, or "
                    "leave it empty."
                ),
                "closes_after_days",
            )


@dataclass(frozen=True)
class RatingParameters(DesignParameters):
    """Each item is rated, or labelled, by people who each answer for some of them."""

    # How many people rate each item (a stack), and how many items one of them rates at most.
    ratings_per_item: int = 9
    items_per_booklet: int = 50
    # See tuples.stacks; if no item belongs to a group with others, both are the same.
    arrangement: str = "free"
    # The items are split into so many parts, in their order; each part has its own people.
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
    # How many checks that are no tutorials a booklet has, drawn for each; None: all of them.
    n_checks: int | None = None

    @classmethod
    def of(cls, design: Design) -> Self:
        known = {f.name for f in fields(cls)}
        given: dict[str, Any] = {n: v for n, v in design.parameters.items() if n in known}
        if "phases" in given:
            names = {f.name for f in fields(PhaseParameters)}
            given["phases"] = [
                PhaseParameters(**{n: v for n, v in phase.items() if n in names})
                for phase in given["phases"]
            ]
        return cls(**given)

    def check(self) -> None:
        for name, low, high in (
            ("ratings_per_item", 1, 1000),
            ("items_per_booklet", 1, 5000),
            ("n_teams", 1, 1000),
            ("questions_per_screen", 1, 20),
            ("n_repeats", 0, 500),
            ("repeat_distance", 1, 5000),
        ):
            if not low <= getattr(self, name) <= high:
                raise ImpossibleParametersError(
                    _("%(name)s: choose from %(low)s to %(high)s.")
                    % {"name": RATING_NAMES[name], "low": low, "high": high},
                    name,
                )
        for name, known in (("arrangement", ARRANGEMENTS), ("repeat_from", REPEATS_FROM)):
            if getattr(self, name) not in known:
                raise ImpossibleParametersError(
                    _("%(name)s: choose one of %(known)s.")
                    % {"name": RATING_NAMES[name], "known": ", ".join(known)},
                    name,
                )
        if not 1 <= len(self.phases) <= 9:
            raise ImpossibleParametersError(_("Choose from 1 to 9 phases."), "phases")
        for phase in self.phases:
            phase.check()


@dataclass(frozen=True)
class SelectionParameters(DesignParameters):
    """People read incidents, and select sentences of their reports."""

    incidents_per_booklet: int = 6
    people_per_incident: int = 1

    def check(self) -> None:
        for name, label in SELECTION_NAMES.items():
            if not 1 <= getattr(self, name) <= 1000:
                raise ImpossibleParametersError(
                    _("%(name)s: choose from %(low)s to %(high)s.")
                    % {"name": label, "low": 1, "high": 1000},
                    name,
                )
