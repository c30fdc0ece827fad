"""Which pools the intervals of ratings and labels leave out as wholes."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from annotation.kinds.rating.queries.answer_pools import numbered_pools, pools_left_out
from annotation.kinds.rating.queries.answers import ItemTable
from annotation.models.items import ONE_POOL
from scoring.jackknife import MIN_POOLS


def asked(n_pools: int) -> tuple[Any, Any]:
    """Two items of each pool, of which the main block asks for all but those of the last."""
    pools = [f"pool {n // 2}" for n in range(2 * n_pools)]
    is_asked = np.array([pool != pools[-1] for pool in pools])
    return SimpleNamespace(is_asked=is_asked), SimpleNamespace(clusters=pools)


def test_as_many_pools_as_an_interval_takes_are_left_out() -> None:
    phase, items = asked(MIN_POOLS + 1)

    assert pools_left_out(phase, items) == items.clusters[:-2]
    numbers = numbered_pools(phase, items)
    assert numbers is not None
    assert numbers.tolist() == [n // 2 for n in range(2 * MIN_POOLS)]


@pytest.mark.parametrize("n_pools", [2, MIN_POOLS])
def test_of_fewer_the_items_are(n_pools: int) -> None:
    phase, items = asked(n_pools)

    assert pools_left_out(phase, items) is None
    assert numbered_pools(phase, items) is None


def clusters_of(*pools: str) -> list[str]:
    keys = [str(n) for n in range(len(pools))]
    none = np.full(len(pools), np.nan)
    empty = [""] * len(pools)
    return ItemTable([], keys, empty, empty, empty, [*pools], none, none, none).clusters


def test_an_item_without_a_group_stands_alone_beside_groups() -> None:
    groups = [f"group {n % MIN_POOLS}" for n in range(2 * MIN_POOLS)]

    clusters = clusters_of(*groups, ONE_POOL, ONE_POOL)

    assert clusters[:-2] == groups
    assert len(set(clusters)) == MIN_POOLS + 2


def test_of_few_groups_single_items_do_not_make_enough() -> None:
    groups = [f"group {n}" for n in range(MIN_POOLS - 1)]

    assert set(clusters_of(*groups, ONE_POOL, ONE_POOL)) == {ONE_POOL}
