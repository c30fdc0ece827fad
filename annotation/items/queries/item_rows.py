"""Items and incidents as their page lists them, with what stands around a rated turn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, Q, QuerySet

from annotation.basics.reviewed import Reviewed
from annotation.core.shown_items import ABOVE, AROUND, ShownItem, ShownText, ShownTurn
from annotation.models import Check, Context, ContextGroup, Item, Study, Turn
from annotation.models.items import ONE_POOL

# Sentences of a summary or a report that the list of incidents shows.
_SENTENCES = 5


def of_study(study: Study) -> QuerySet[Item]:
    return study.items.select_related(
        "pool__known_answer",
        "known_answer",
        "target_turn__context",
        "candidate_turn__context",
    ).order_by("number")


def shown(items: Iterable[Item]) -> list[ShownItem]:
    """Items of one page. A dialogue is shown with the first of its candidates on the page."""
    items = list(items)
    shown_dialogues: set[int] = set()
    in_context = set()
    for item in items:
        dialogue = item.pool.context_id
        if dialogue is None or dialogue not in shown_dialogues:
            in_context.add(item.pk)
        if dialogue is not None:
            shown_dialogues.add(dialogue)
    turns = [
        turn
        for item in items
        if item.pk in in_context
        for turn in (item.target_turn, item.candidate_turn)
        if turn is not None
    ]
    near = _around(turns)
    return [_shown(item, near if item.pk in in_context else {}) for item in items]


def _shown(item: Item, near: dict[int, list[Turn]]) -> ShownItem:
    turns = [turn for turn in (item.target_turn, item.candidate_turn) if turn is not None]
    return ShownItem(
        item.key,
        _text(item.candidate, item.candidate_turn, near),
        _text(item.target, item.target_turn, near) if item.target else None,
        "" if item.pool.key == ONE_POOL else item.pool.key,
        item.expected,
        item.earlier_rating,
        item.intended_class,
        _check(item),
        Reviewed.of(item.metadata),
        item.metadata,
        domains=tuple(turn.context.domain for turn in turns),
        sources=tuple(turn.context.source for turn in turns),
    )


def _check(item: Item) -> str:
    """The check that an item is, alone or with its pool; empty if it is none."""
    check: Check | None = getattr(item, "known_answer", None)
    check = check or getattr(item.pool, "known_answer", None)
    if check is None:
        return ""
    return " ".join([str(check.get_style_display()), *(f"[{name}]" for name in check.categories)])


def _text(text: str, turn: Turn | None, around: dict[int, list[Turn]]) -> ShownText:
    if turn is None or turn.context_id not in around:
        return ShownText(text)
    near = [
        other for other in around[turn.context_id] if abs(other.position - turn.position) <= AROUND
    ]
    return ShownText(
        text,
        tuple(ShownTurn(other.speaker, other.text, other.pk == turn.pk) for other in near),
        n_before=near[0].position - 1,
        n_after=turn.context.n_turns - near[-1].position,
        context=turn.context.key,
    )


def _around(turns: Sequence[Turn]) -> dict[int, list[Turn]]:
    """The turns near these, by context and in their order: one query for a page."""
    if not turns:
        return {}
    wanted = Q()
    for context, position in {(turn.context_id, turn.position) for turn in turns}:
        wanted |= Q(
            context_id=context,
            position__gte=position - AROUND,
            position__lte=position + AROUND,
        )
    near: dict[int, list[Turn]] = {}
    for turn in Turn.objects.filter(wanted).order_by("context_id", "position"):
        near.setdefault(turn.context_id, []).append(turn)
    return near


@dataclass(frozen=True)
class Columns:
    """What is known of some items of a study, so that the list has a column for it."""

    has_expected: bool
    has_earlier_ratings: bool
    has_classes: bool
    has_questions: bool
    has_domains: bool
    has_sources: bool
    has_checks: bool
    # The measure that a review of discrepancies compares; empty of any other study.
    measure: str
    # Whether it has differences: by thresholds nobody computed any.
    has_differences: bool


def columns(study: Study) -> Columns:
    items = study.items
    first = items.order_by("number").first()
    reviewed = Reviewed.of(first.metadata) if first else None
    return Columns(
        has_expected=items.filter(expected__isnull=False).exists(),
        has_earlier_ratings=items.filter(earlier_rating__isnull=False).exists(),
        has_classes=items.exclude(intended_class="").exists(),
        has_questions=items.filter(metadata__has_key=ABOVE).exists(),
        has_domains=study.contexts.exclude(domain="").exists()
        or items.filter(metadata__has_key="domain").exists(),
        has_sources=study.contexts.exclude(source="").exists()
        or items.filter(metadata__has_key="source").exists(),
        has_checks=study.checks.exists(),
        measure=reviewed.measure if reviewed else "",
        has_differences=reviewed is not None and not reviewed.rule,
    )


@dataclass(frozen=True)
class ShownDocument:
    key: str
    sentences: tuple[str, ...]
    n_more: int


@dataclass(frozen=True)
class ShownIncident:
    key: str
    documents: tuple[ShownDocument, ...]


def incidents(study: Study) -> QuerySet[ContextGroup]:
    first = Turn.objects.filter(position__lte=_SENTENCES).order_by("position")
    contexts = Context.objects.order_by("pk").prefetch_related(Prefetch("turns", first))
    return study.context_groups.order_by("pk").prefetch_related(Prefetch("contexts", contexts))


def shown_incidents(groups: Iterable[ContextGroup]) -> list[ShownIncident]:
    return [
        ShownIncident(
            group.key,
            tuple(
                ShownDocument(
                    context.key,
                    tuple(turn.text for turn in context.turns.all()),
                    max(context.n_turns - _SENTENCES, 0),
                )
                for context in group.contexts.all()
            ),
        )
        for group in groups
    ]
