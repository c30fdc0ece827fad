"""What a pilot of a study is drawn from, where items are asked about."""

from collections.abc import Collection, Iterable, Set
from dataclasses import dataclass

from annotation.kinds.services import copied_material
from annotation.models import Item, Study
from annotation.models.items import ONE_POOL


@dataclass(frozen=True)
class PilotPart:
    """Something that is drawn whole: a dialogue, a group of items, an item, an incident."""

    name: str
    # The keys of the items, or of the incident's contexts.
    pks: tuple[int, ...]


def parts_of_items(study: Study, *, beside: Collection[str]) -> list[PilotPart]:
    """Groups of items, and items that are in none, but for checks and for those named `beside`."""
    groups: dict[tuple[str, str], list[int]] = {}
    items = study.items.without_checks().order_by("number")
    for pk, key, pool in items.values_list("pk", "key", "pool__key"):
        if key not in beside:
            groups.setdefault((pool, key if pool == ONE_POOL else ""), []).append(pk)
    return [PilotPart(key or pool, tuple(pks)) for (pool, key), pks in groups.items()]


def copy_items(study: Study, pilot: Study, chosen: Set[int], *, beside: Collection[str]) -> None:
    """Copy the chosen items, and what is in every pilot, with all that they stand in."""
    data = {pk for part in parts_of_items(study, beside=beside) for pk in part.pks}
    items = [
        item
        for item in study.items.select_related(
            "pool", "target_turn__context", "candidate_turn__context"
        ).order_by("number")
        # Items that calibrate and checks are not drawn, but all taken.
        if item.pk in chosen or item.pk not in data
    ]
    contexts = copied_material.contexts(pilot, study, only=_contexts(items))
    turns = copied_material.turns(study, contexts)
    pools = copied_material.pools(pilot, items, contexts)
    copies = copied_material.items(
        pilot,
        items,
        turns=turns,
        pools=pools,
        # The copies keep their link to an earlier round: a pilot is not a round of its own.
        columns=lambda item: {
            "earlier_rating": item.earlier_rating,
            "score_of_id": item.score_of_id,
            "derived_from_id": item.derived_from_id,
        },
    )
    copied_material.checks(pilot, study, items=copies, pools=pools)


def _contexts(items: Iterable[Item]) -> set[int]:
    """The contexts of the items' pools, and those of their texts."""
    contexts = {item.pool.context_id for item in items if item.pool.context_id is not None}
    for item in items:
        contexts |= {turn.context_id for turn in (item.target_turn, item.candidate_turn) if turn}
    return contexts
