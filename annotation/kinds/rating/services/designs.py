"""Making the design of a rating study: phases, blocks, who rates which item, in which order."""

from collections.abc import Callable

import numpy as np

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services.bounded_writes import Rows
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.queries.layouts import Layout, lay_out
from annotation.kinds.rating.services.rows import store as store_rows
from annotation.kinds.services.design_rows import Drawn
from annotation.models import Design
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


def draw_design(
    design: Design, progress: Callable[[float, Said], None] = lambda share, message: None
) -> Drawn:
    """Draw who rates what and in which order.

    Raises ImpossibleParametersError, with the nearest numbers that work.
    """
    parameters = RatingParameters.of(design)
    layout = lay_out(design.study, parameters)
    of_stacks, of_orders = np.random.SeedSequence(design.seed).spawn(2)
    progress(0.05, _("assigning people to items"))
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
    stored = {
        "kind": "rating",
        **certificate.as_dict(),
        # The certificate is in English; pages make their own sentences of its numbers.
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
        stored["checks"] = checks.as_json()

    def store(design: Design, rows: Rows) -> None:
        store_rows(design, parameters, layout, lists, groups, rows=rows)

    return Drawn(
        parameters=parameters,
        writing=_("writing %(n)s booklets") % {"n": len(lists)},
        n_rows=2 * len(lists) + len(parameters.phases) * sum(load + extra for load in loads),
        store=store,
        certificate=stored,
    )


def draw(layout: Layout, parameters: RatingParameters, seeds: np.random.SeedSequence) -> Stacks:
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


def _lists(stacks: Stacks, layout: Layout, rng: np.random.Generator) -> list[list[int]]:
    """The items of each validator, in the order in which they are asked in every phase."""
    items: list[list[int]] = [[] for _validator in range(stacks.n_validators)]
    for members, tuple_ in zip(stacks.validators.tolist(), layout.tuples, strict=True):
        # A smaller tuple ends before its row of stacks does.
        for stack, item in zip(members, tuple_, strict=False):
            for validator in stack:
                items[validator].append(item)
    return [[of_one[n] for n in rng.permutation(len(of_one))] for of_one in items]


def _groups(
    stacks: Stacks, layout: Layout, order: "np.typing.NDArray[np.int64]"
) -> list[int | None]:
    """The number of each booklet's group, where people are in groups of more than one."""
    if stacks.group is None or layout.pairs_per_tuple == 1:
        return [None] * len(order)
    return [int(group) + 1 for group in stacks.group[order]]
