"""The tuples that the numbers and the seed of a best-worst design give, pool by pool."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.basics.strata import stratum_name
from annotation.kinds.best_worst.queries.pool_sizes import refusal
from annotation.kinds.design_parameters import BestWorstParameters, ImpossibleParametersError
from annotation.models import Pool, Study
from shell.messages import Message
from tuples import ImpossibleDesignError, make_tuples, pool_seed
from tuples.arrays import IntArray


@dataclass(frozen=True)
class PoolItems:
    pk: int
    key: str
    is_dialogue: bool
    items: list[int]
    turns: str
    domain: str
    source: str

    def stratum(self, names: Iterable[str]) -> str:
        return " / ".join(getattr(self, name) for name in names)

    def stratum_name(self, names: Iterable[str]) -> Message:
        return stratum_name({name: getattr(self, name) for name in names})


def pools_of(study: Study) -> list[PoolItems]:
    """What is compared, without the pools that are checks."""
    items: dict[int, list[int]] = {}
    for pk, pool_id in (
        study.items.without_checks().order_by("number").values_list("pk", "pool_id")
    ):
        items.setdefault(pool_id, []).append(pk)
    rows = Pool.objects.filter(study=study).order_by("number").select_related("context")
    return [
        PoolItems(
            pk=pool.pk,
            key=pool.key,
            is_dialogue=pool.context is not None,
            items=items[pool.pk],
            turns=str(pool.context.n_turns) if pool.context else "",
            domain=pool.context.domain if pool.context else "",
            source=pool.context.source if pool.context else "",
        )
        for pool in rows
        if pool.pk in items
    ]


def draw(pool: PoolItems, parameters: BestWorstParameters, *, seed: int) -> IntArray:
    try:
        return make_tuples(
            len(pool.items),
            size=parameters.tuple_size,
            factor=parameters.factor,
            seed=pool_seed(seed, pool.key),
        )
    except ImpossibleDesignError as error:
        raise ImpossibleParametersError(
            refusal(
                error,
                parameters,
                key=pool.key,
                n_items=len(pool.items),
                is_dialogue=pool.is_dialogue,
            )
        ) from error


def drawn_tuples(
    study: Study, parameters: BestWorstParameters, *, seed: int
) -> tuple[IntArray, int]:
    """The tuples that a design of these numbers would have, shape (t, k), and how many items.

    Items are numbered from 0, pool after pool. Raises ImpossibleParametersError.
    """
    pools = pools_of(study)
    drawn = []
    n_items = 0
    for pool in pools:
        drawn.append(n_items + draw(pool, parameters, seed=seed))
        n_items += len(pool.items)
    return np.concatenate(drawn), n_items
