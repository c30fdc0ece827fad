"""Making the design of a rating study: phases, blocks, who rates which item, in which order."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from annotation.models import Design, Phase
from annotation.sentences import Said
from annotation.sentences import sentence as _
from annotation.services import rating_rows
from annotation.services.bounded_writes import Rows
from annotation.services.design_rows import Drawn, ImpossibleParametersError
from tuples.stacks import (
    Stacks,
    certify_stacks,
    filling_order,
    make_stacks,
    make_uneven_stacks,
    side_by_side,
)

DEFAULT_DELAY_HOURS = 72.0
DEFAULT_CLOSES_AFTER_DAYS = 14.0

ARRANGEMENTS = {"free": _("free"), "grouped": _("in groups")}
REPEATS_FROM = {"booklet": _("this booklet"), "earlier_round": _("the earlier round")}

NAMES = {
    "ratings_per_item": _("Ratings of each item"),
    "items_per_booklet": _("Items for each person"),
    "arrangement": _("Arrangement"),
    "n_teams": _("Teams"),
    "questions_per_screen": _("Questions on a screen"),
    "n_repeats": _("Repeats"),
    "repeat_from": _("Repeats from"),
    "repeat_distance": _("Distance of repeats"),
    "n_checks": _("Checks in a booklet"),
}


@dataclass(frozen=True)
class PhaseParameters:
    """One pass over the questions of a booklet."""

    condition: str = Phase.Condition.FREE.value
    # Counted from the moment in which the same person completed the phase before.
    delay_hours: float = 0.0
    # After its opening; None: as long as the study goes on.
    closes_after_days: float | None = None

    def check(self) -> None:
        if self.condition not in Phase.Condition.values:
            raise ImpossibleParametersError(
                _("The condition %(name)s of a phase is unknown.") % {"name": self.condition}
            )
        if not 0 <= self.delay_hours <= 24 * 366:
            raise ImpossibleParametersError(
                _("The delay of a phase is from 0 hours to a year, not %(n)s hours.")
                % {"n": self.delay_hours},
                "delay_hours",
            )
        closes = self.closes_after_days
        if closes is not None and not 0 < closes <= 366:
            raise ImpossibleParametersError(
                _("A phase closes after more than 0 and at most 366 days, or never."),
                "closes_after_days",
            )


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
    # How many checks that are no tutorials a booklet has, drawn for each; None: all of them.
    n_checks: int | None = None

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

    def check(self) -> None:
        """Refuse what no study has, whatever its items."""
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
                    % {"name": NAMES[name], "low": low, "high": high},
                    name,
                )
        for name, known in (("arrangement", ARRANGEMENTS), ("repeat_from", REPEATS_FROM)):
            if getattr(self, name) not in known:
                raise ImpossibleParametersError(
                    _("%(name)s: choose one of %(known)s.")
                    % {"name": NAMES[name], "known": ", ".join(known)},
                    name,
                )
        if not 1 <= len(self.phases) <= 9:
            raise ImpossibleParametersError(_("Choose from 1 to 9 phases."), "phases")
        for phase in self.phases:
            phase.check()


def draw_design(
    design: Design, progress: Callable[[float, Said], None] = lambda share, message: None
) -> Drawn:
    """Draw who rates what and in which order.

    Raises ImpossibleParametersError, with the nearest numbers that work.
    """
    parameters = RatingParameters.of(design)
    layout = rating_rows.lay_out(design.study, parameters)
    of_stacks, of_orders = np.random.SeedSequence(design.seed).spawn(2)
    progress(0.05, _("drawing who rates what"))
    stacks = draw(layout, parameters, of_stacks)
    order = filling_order(stacks)
    progress(0.3, _("certificate"))
    certificate = certify_stacks(stacks)
    lists = _lists(stacks, layout, np.random.Generator(np.random.PCG64(of_orders)))
    lists = [lists[validator] for validator in order]
    groups = _groups(stacks, layout, order)
    loads = [len(items) for items in lists]
    checks = layout.checks
    extra = len(layout.calibration) + parameters.n_repeats + checks.n_in_booklet
    said = {
        "kind": "rating",
        **certificate.as_dict(),
        # In English, as everything in the certificate: the pages say it from its numbers.
        "sentences": certificate.sentences(),
        "booklets": {
            "n_booklets": len(lists),
            "questions_per_screen": parameters.questions_per_screen,
            "n_phases": len(parameters.phases),
            "n_calibration": len(layout.calibration),
            "n_repeats": parameters.n_repeats,
            "questions_per_phase_min": min(loads) + extra,
            "questions_per_phase_max": max(loads) + extra,
            "notes": [],
        },
    }
    if checks.n_in_booklet:
        said["checks"] = checks.as_json()

    def store(design: Design, rows: Rows) -> None:
        rating_rows.store(design, parameters, layout, lists, groups, rows=rows)

    return Drawn(
        parameters=parameters,
        writing=_("writing %(n)s booklets") % {"n": len(lists)},
        n_rows=2 * len(lists) + len(parameters.phases) * sum(load + extra for load in loads),
        store=store,
        certificate=said,
    )


def draw(
    layout: "rating_rows.Layout", parameters: RatingParameters, seeds: np.random.SeedSequence
) -> Stacks:
    """Draw the stacks of each team; tuples are numbered through as the layout has them."""
    teams = []
    done = 0
    for n_tuples, child in zip(layout.team_sizes, seeds.spawn(layout.n_teams), strict=True):
        seed = int(child.generate_state(1, np.uint64)[0])
        if layout.is_even:
            stacks = make_stacks(
                layout.n_validators,
                n_tuples,
                ratings_per_pair=parameters.ratings_per_item,
                pairs_per_tuple=layout.pairs_per_tuple,
                arrangement="grouped" if parameters.arrangement == "grouped" else "free",
                seed=seed,
            )
        else:
            stacks = make_uneven_stacks(
                layout.n_validators,
                [len(tuple_) for tuple_ in layout.tuples[done : done + n_tuples]],
                ratings_per_pair=parameters.ratings_per_item,
                seed=seed,
            )
        teams.append(stacks)
        done += n_tuples
    return side_by_side(teams)


def _lists(
    stacks: Stacks, layout: "rating_rows.Layout", rng: np.random.Generator
) -> list[list[int]]:
    """The items of each validator, in the order in which they are asked in every phase."""
    items: list[list[int]] = [[] for _validator in range(stacks.n_validators)]
    for members, tuple_ in zip(stacks.validators.tolist(), layout.tuples, strict=True):
        # A smaller tuple ends before its row of stacks does.
        for stack, item in zip(members, tuple_, strict=False):
            for validator in stack:
                items[validator].append(item)
    return [[of_one[n] for n in rng.permutation(len(of_one))] for of_one in items]


def _groups(
    stacks: Stacks, layout: "rating_rows.Layout", order: "np.typing.NDArray[np.int64]"
) -> list[int | None]:
    """The number of each booklet's group, where people are in groups of more than one."""
    if stacks.group is None or layout.pairs_per_tuple == 1:
        return [None] * len(order)
    return [int(group) + 1 for group in stacks.group[order]]
