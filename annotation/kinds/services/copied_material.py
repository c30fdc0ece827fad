"""Contexts, turns, pools and checks of a study, copied into another one that stands by itself."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from annotation.core.services.bounded_writes import Insert
from annotation.kinds.services import design_rows
from annotation.models import Check, Context, ContextGroup, Item, Pool, Study, Turn

# A query names at most so many contexts; for more, all turns of the study are read.
_FEW = 900


def contexts(
    study: Study,
    earlier: Study,
    *,
    only: Collection[int] | None = None,
    insert: Insert = design_rows.insert,
) -> dict[int, Context]:
    """The new context for the key of each earlier one; of `only` these keys."""
    old = [
        context
        for context in earlier.contexts.select_related("group").order_by("pk")
        if only is None or context.pk in only
    ]
    if only is None:
        old_groups = list(earlier.context_groups.order_by("pk"))
    else:
        named = {context.group_id for context in old}
        old_groups = [
            group for group in earlier.context_groups.order_by("pk") if group.pk in named
        ]
    groups = dict(
        zip(
            [group.pk for group in old_groups],
            insert(ContextGroup, (ContextGroup(study=study, key=g.key) for g in old_groups)),
            strict=True,
        )
    )
    new = insert(
        Context,
        (
            Context(
                study=study,
                group=groups[context.group_id] if context.group_id else None,
                key=context.key,
                source=context.source,
                domain=context.domain,
                metadata=context.metadata,
                n_turns=context.n_turns,
            )
            for context in old
        ),
    )
    return dict(zip([context.pk for context in old], new, strict=True))


def turns(
    earlier: Study, copied: Mapping[int, Context], *, insert: Insert = design_rows.insert
) -> dict[int, Turn]:
    """The new turn for the key of each earlier one of the contexts that were copied."""
    rows = Turn.objects.filter(context__study=earlier).order_by("context", "position")
    if len(copied) <= _FEW:
        rows = rows.filter(context__in=copied)
    old = [turn for turn in rows.iterator() if turn.context_id in copied]
    new = insert(
        Turn,
        (
            Turn(
                context=copied[turn.context_id],
                position=turn.position,
                speaker=turn.speaker,
                text=turn.text,
            )
            for turn in old
        ),
    )
    return dict(zip([turn.pk for turn in old], new, strict=True))


def pools(
    study: Study,
    items: Iterable[Item],
    copied: Mapping[int, Context],
    *,
    insert: Insert = design_rows.insert,
) -> dict[int, Pool]:
    """The new pool for the key of each earlier one that has one of these items, in their order."""
    old = sorted({item.pool for item in items}, key=lambda pool: pool.number)
    new = insert(
        Pool,
        (
            Pool(
                study=study,
                context=copied[pool.context_id] if pool.context_id else None,
                key=pool.key,
                number=number,
            )
            for number, pool in enumerate(old, start=1)
        ),
    )
    return dict(zip([pool.pk for pool in old], new, strict=True))


def items(
    study: Study,
    chosen: Sequence[Item],
    *,
    turns: Mapping[int, Turn],
    pools: Mapping[int, Pool],
    columns: Callable[[Item], dict[str, Any]],
    insert: Insert = design_rows.insert,
) -> dict[int, Item]:
    """The new item for the key of each chosen one, numbered anew in their order.

    `columns` says what a copy knows of what the earlier one was, or was given.
    """
    copies = insert(
        Item,
        (
            Item(
                study=study,
                pool=pools[item.pool_id],
                number=number,
                key=item.key,
                target_text=item.target_text,
                target_turn=turns[item.target_turn_id] if item.target_turn_id else None,
                candidate_text=item.candidate_text,
                candidate_turn=turns[item.candidate_turn_id] if item.candidate_turn_id else None,
                expected=item.expected,
                expected_of_id=item.expected_of_id,
                chosen_in_id=item.chosen_in_id,
                intended_class=item.intended_class,
                metadata=item.metadata,
                **columns(item),
            )
            for number, item in enumerate(chosen, start=1)
        ),
    )
    return dict(zip([item.pk for item in chosen], copies, strict=True))


def checks(
    study: Study,
    earlier: Study,
    *,
    items: Mapping[int, Item],
    pools: Mapping[int, Pool] | None = None,
    insert: Insert = design_rows.insert,
) -> None:
    """What was a check there is one here, too; by the keys of the earlier items and pools."""
    whole = pools or {}
    # All rows are read, because a query can name only so many keys of items.
    old = [
        check
        for check in earlier.checks.order_by("pk")
        if check.item_id in items or check.pool_id in whole
    ]
    insert(
        Check,
        (
            Check(
                study=study,
                item=items[check.item_id] if check.item_id else None,
                pool=whole[check.pool_id] if check.pool_id else None,
                style=check.style,
                explanation=check.explanation,
                tolerance=check.tolerance,
                categories=check.categories,
            )
            for check in old
        ),
    )
