"""The rows of imported items: contexts, turns, pools, items and checks."""

from collections.abc import Iterable, Iterator

from django.db import models

from annotation.items.imports.checks import check_of_pool
from annotation.items.imports.parsed import ParsedCheck, ParsedItem, ParsedItems, ParsedTurn, Spot
from annotation.kinds.registry import kind_of
from annotation.models import Check, Context, ContextGroup, Item, Pool, Study, Turn
from annotation.models.items import ONE_POOL
from annotation.studies.services.filling import Filling


def n_rows(parsed: ParsedItems) -> int:
    """How many there will be, but for checks."""
    n_turns = sum(len(context.turns) for context in parsed.contexts)
    n_contexts = len(parsed.groups) + len(parsed.contexts)
    return n_contexts + n_turns + len(parsed.pools) + len(parsed.items)


def store(draft: Filling, parsed: ParsedItems) -> None:
    """Write what was read after what there is."""
    study = draft.study
    groups = draft.keys(
        ContextGroup, (ContextGroup(study=study, key=key) for key in parsed.groups)
    )
    contexts = draft.keys(
        Context,
        (
            Context(
                study=study,
                group_id=None if context.group is None else groups[context.group],
                key=context.key,
                domain=context.domain,
                source=context.source,
                metadata=dict(context.metadata),
                n_turns=len(context.turns),
            )
            for context in parsed.contexts
        ),
    )
    # The one of all items without a group may be there.
    there = dict(study.pools.filter(key=ONE_POOL).values_list("key", "pk"))
    new = [pool for pool in parsed.pools if pool.key not in there]
    made = draft.keys(
        Pool,
        (
            Pool(
                study=study,
                context_id=None if pool.context is None else contexts[pool.context],
                key=pool.key,
                number=number,
            )
            for number, pool in enumerate(new, start=_last(study.pools) + 1)
        ),
    )
    there |= zip((pool.key for pool in new), made, strict=True)
    pools = [there[pool.key] for pool in parsed.pools]
    turns = _store_turns(draft, parsed, contexts)
    first = _last(study.items) + 1
    draft.add(
        Item,
        (
            Item(
                study=study,
                pool_id=pools[item.pool],
                number=number,
                key=item.key,
                target_text=None if item.target_at else item.target,
                target_turn_id=turns[item.target_at] if item.target_at else None,
                candidate_text=None if item.candidate_at else item.candidate,
                candidate_turn_id=turns[item.candidate_at] if item.candidate_at else None,
                expected=item.expected,
                earlier_rating=item.earlier_rating,
                intended_class=item.intended_class,
                metadata=dict(item.metadata),
            )
            for number, item in enumerate(parsed.items, start=first)
        ),
    )
    _store_checks(draft, parsed, pools, first)


def _store_checks(draft: Filling, parsed: ParsedItems, pools: list[int], first: int) -> None:
    """What is compared is a check as a whole, anything else item by item.

    `first`: the number of the first of these items in the study.
    """
    if not parsed.n_check_items:
        return
    study = draft.study
    if kind_of(study).items.compares_items:
        together: dict[int, list[ParsedItem]] = {}
        for item in parsed.items:
            if item.check:
                together.setdefault(item.pool, []).append(item)
        found = {pool: check_of_pool(items) for pool, items in together.items()}
        draft.add(
            Check,
            (_check(study, check, pool_id=pools[pool]) for pool, check in found.items() if check),
        )
        return
    pks = dict(study.items.values_list("number", "pk"))
    draft.add(
        Check,
        (
            _check(study, item.check, item_id=pks[number])
            for number, item in enumerate(parsed.items, start=first)
            if item.check
        ),
    )


def _check(study: Study, check: ParsedCheck, **of: int) -> Check:
    return Check(
        study=study,
        **of,
        style=check.style,
        explanation=check.explanation,
        tolerance=check.tolerance,
        categories=list(check.categories),
    )


def _last(rows: "models.Manager[Item] | models.Manager[Pool]") -> int:
    """The greatest of their numbers."""
    last: int | None = rows.aggregate(last=models.Max("number"))["last"]
    return last or 0


def _store_turns(draft: Filling, parsed: ParsedItems, contexts: list[int]) -> dict[Spot, int]:
    """Write all turns; only those that items name are remembered, for there may be a million."""
    spots = dict.fromkeys(_spots(parsed.items), 0)
    all_turns = (
        (Spot(number, position), turn)
        for number, context in enumerate(parsed.contexts)
        for position, turn in enumerate(context.turns, start=1)
    )

    def write(batch: list[tuple[Spot, ParsedTurn]]) -> None:
        rows = Turn.objects.bulk_create(
            Turn(
                context_id=contexts[spot.context],
                position=spot.position,
                speaker=turn.speaker,
                text=turn.text,
            )
            for spot, turn in batch
        )
        for row, (spot, _turn) in zip(rows, batch, strict=True):
            if spot in spots:
                spots[spot] = row.pk

    draft.in_batches(all_turns, write)
    return spots


def _spots(items: Iterable[ParsedItem]) -> Iterator[Spot]:
    for item in items:
        if item.target_at:
            yield item.target_at
        if item.candidate_at:
            yield item.candidate_at
