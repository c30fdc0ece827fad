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
            f"{text!r} is no phase: write context_free, or context_dependent:72:14"
        )
    try:
        values = [float(number) for number in numbers]
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: hours and days must be numbers") from error
    return PhaseParameters(condition, *values)


OPTIONS: Mapping[str, Mapping[str, Any]] = {
    **QUESTIONS_PER_SCREEN,
    **CHECKS,
    "--ratings-per-item": {"type": int},
    "--items-per-booklet": {"type": int},
    "--arrangement": {"choices": sorted(ARRANGEMENTS)},
    "--teams": {"type": int, "dest": "n_teams"},
    "--calibration": {"nargs": "*", "metavar": "ID", "help": "asked first; ratings only"},
    "--repeats": {"type": int, "dest": "n_repeats"},
    "--repeat-from": {"choices": sorted(REPEATS_FROM)},
    "--repeat-distance": {"type": int},
    "--phase": {
        "action": "append",
        "type": read_phase,
        "dest": "phases",
        "metavar": "CONDITION[:HOURS[:DAYS]]",
        "help": "once for each phase: context_free or context_dependent, the hours after the"
        " earlier one before it opens, and the days after which it closes",
    },
}
