"""The pools that intervals of ratings and labels leave out as wholes."""

from typing import Any

import numpy as np

from annotation.kinds.rating.queries.answers import ItemTable, PhaseAnswers
from scoring.arrays import IntArray
from scoring.jackknife import MIN_POOLS
from scoring.ratings.ratings import number_names


def pools_left_out(phase: PhaseAnswers[Any], items: ItemTable) -> list[str] | None:
    """Pool of each unit of the main block, where whole pools are left out for intervals.

    Pairs of one tuple go together. Of few pools not they are left out, but their items.
    """
    pools = [items.clusters[n] for n in np.flatnonzero(phase.is_asked)]
    return pools if len(set(pools)) >= MIN_POOLS else None


def numbered_pools(phase: PhaseAnswers[Any], items: ItemTable) -> IntArray | None:
    """`pools_left_out` as numbers."""
    pools = pools_left_out(phase, items)
    return None if pools is None else number_names(pools)[1]
