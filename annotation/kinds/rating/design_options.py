"""Options of `manage.py make_design` for a design of ratings, or of labels."""

from argparse import ArgumentTypeError
from collections.abc import Mapping
from typing import Any

from annotation.kinds.design_options import CHECKS, QUESTIONS_PER_SCREEN
from annotation.kinds.design_parameters import ARRANGEMENTS, REPEATS_FROM, PhaseParameters
from annotation.models import Phase


def read_phase(text: str) -> PhaseParameters:
    """Read "context_dependent:72:14"; what is left out is the usual."""
    condition, *numbers = text.split(":")
    if condition not in Phase.Condition.values or len(numbers) > 2:
        raise ArgumentTypeError(
            f"{text!r} is not a phase: write context_free, or context_dependent:72:14"
        )
    try:
        values = [float(number) for number in numbers]
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: hours and days must be numbers") from error
    return PhaseParameters(condition, *values)


OPTIONS: Mapping[str, Mapping[str, Any]] = {
    **QUESTIONS_PER_SCREEN,
    **CHECKS,
    "--ratings-per-item": {"type": int, "help": "people who answer about each item"},
    "--items-per-booklet": {
        "type": int,
        "help": "maximum number of items per person, without calibration, repeats and checks",
    },
    "--arrangement": {
        "choices": sorted(ARRANGEMENTS),
        "help": "people for each group of items: drawn separately (free), or fixed groups of"
        " people (grouped)",
    },
    "--teams": {
        "type": int,
        "dest": "n_teams",
        "metavar": "N",
        "help": "teams among which the items are divided",
    },
    "--calibration": {
        "nargs": "*",
        "metavar": "ID",
        "help": "items that everybody rates first, in this order; not in label studies",
    },
    "--repeats": {
        "type": int,
        "dest": "n_repeats",
        "metavar": "N",
        "help": "items that each person answers twice",
    },
    "--repeat-from": {
        "choices": sorted(REPEATS_FROM),
        "help": "where repeats come from: items of the same booklet, or items that the person"
        " rated in the earlier round",
    },
    "--repeat-distance": {
        "type": int,
        "help": "minimum number of questions between an item and its repeat",
    },
    "--phase": {
        "action": "append",
        "type": read_phase,
        "dest": "phases",
        "metavar": "CONDITION[:HOURS[:DAYS]]",
        "help": "condition of a phase (context_free or context_dependent), hours between the end"
        " of the previous phase and its opening, and days until it closes; give the option once"
        " for each phase",
    },
}
