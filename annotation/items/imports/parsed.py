"""What a file of items holds, once read: contexts, pools, items, and a look before importing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from annotation.core.shown_items import AROUND, ShownItem, ShownText, ShownTurn
from annotation.kinds.contract.items import Shape


class ParsedTurn(NamedTuple):
    text: str
    speaker: str = ""


class Spot(NamedTuple):
    """A turn: the number of its context in the file, and its position, which counts from 1."""

    context: int
    position: int


@dataclass(frozen=True, slots=True)
class ParsedContext:
    """A dialogue or a document."""

    key: str
    turns: tuple[ParsedTurn, ...]
    domain: str = ""
    source: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    # The number of its incident.
    group: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedPool:
    key: str
    # The dialogue whose candidates are in it.
    context: int | None = None
    # Whether the file calls it a group.
    is_group: bool = False

    @property
    def is_all(self) -> bool:
        """Whether it has all items of the file."""
        return self.context is None and not self.is_group


@dataclass(frozen=True, slots=True)
class ParsedCheck:
    """What makes an item, or what is compared with it, a check: see `annotation.models.Check`."""

    style: str
    explanation: str = ""
    tolerance: Decimal = Decimal(0)
    # The names of the right categories, if something is labelled.
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedItem:
    key: str
    candidate: str
    # The text of a target or a candidate is also that of the turn where it stands, if it does.
    candidate_at: Spot | None = None
    target: str | None = None
    target_at: Spot | None = None
    pool: int = 0
    expected: Decimal | None = None
    earlier_rating: Decimal | None = None
    intended_class: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    check: ParsedCheck | None = None


@dataclass(frozen=True)
class PreviewQuestion:
    """What an annotator might see: the turns, the last of them the target, and some options."""

    turns: tuple[ParsedTurn, ...]
    options: tuple[ShownItem, ...]
    # The number of candidates of its dialogue or group; 0 if it is of all items.
    n_candidates: int = 0


@dataclass(frozen=True)
class PreviewIncident:
    key: str
    summary: tuple[str, ...]
    # The id of each report with its sentences.
    reports: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class SmallPool:
    """A pool with fewer items than the design needs."""

    # Empty if it has all items of the file.
    key: str
    n_items: int


@dataclass(frozen=True)
class ParsedItems:
    """A file without problems, or its beginning. Items stand in the order of the file."""

    shape: Shape
    contexts: Sequence[ParsedContext]
    items: Sequence[ParsedItem]
    pools: Sequence[ParsedPool]
    tuple_size: int
    # The ids of incidents.
    groups: Sequence[str] = ()
    is_beginning: bool = False
    # Whether it has columns, so that somebody can say what they are.
    is_table: bool = False

    @property
    def n_pools(self) -> int:
        return len(self.pools)

    @property
    def n_groups(self) -> int:
        return sum(pool.is_group for pool in self.pools)

    @property
    def n_check_items(self) -> int:
        return sum(item.check is not None for item in self.items)

    @cached_property
    def pool_sizes(self) -> Counter[int]:
        """The number of items in each pool, without checks."""
        return Counter(item.pool for item in self.items if not item.check)

    def small_pools(self, n_items: int) -> list[SmallPool]:
        """Pools with fewer items; a group goes on after the beginning of a file."""
        if self.is_beginning and self.shape != "dialogues":
            return []
        return [
            SmallPool("" if self.pools[pool].is_all else self.pools[pool].key, n)
            for pool, n in self.pool_sizes.items()
            if n < n_items
        ]

    def first(self, n: int = 3) -> list[PreviewQuestion]:
        """Up to n questions of the first items, in file order: for a look before importing."""
        questions: list[PreviewQuestion] = []
        waiting: dict[int, list[ParsedItem]] = {}
        previewed_pools: set[int] = set()
        for item in self.items:
            if len(questions) == n:
                break
            if item.pool in previewed_pools or item.check:
                continue
            together = waiting.setdefault(item.pool, [])
            together.append(item)
            if len(together) == self.tuple_size:
                questions.append(self._question(waiting.pop(item.pool)))
                # One of each pool says more than many of the first.
                if self.tuple_size > 1 and self.n_pools > 1:
                    previewed_pools.add(item.pool)
        return questions

    def first_incident(self) -> PreviewIncident | None:
        if not self.groups:
            return None
        # The contexts of an incident stand behind one another, its summary first.
        contexts = islice(self.contexts, next(self._starts_after_first(), None))
        (_key, summary), *reports = (
            (context.key, tuple(turn.text for turn in context.turns)) for context in contexts
        )
        return PreviewIncident(self.groups[0], summary, tuple(reports))

    def _starts_after_first(self) -> Iterator[int]:
        return (number for number, context in enumerate(self.contexts) if context.group != 0)

    def _question(self, items: list[ParsedItem]) -> PreviewQuestion:
        pool = self.pools[items[0].pool]
        turns = () if pool.context is None else self.contexts[pool.context].turns
        options = tuple(self._option(item) for item in items)
        # A group may go on after the beginning of a file.
        is_known = pool.context is not None or (pool.is_group and not self.is_beginning)
        return PreviewQuestion(turns, options, self.pool_sizes[items[0].pool] if is_known else 0)

    def _option(self, item: ParsedItem) -> ShownItem:
        pool = self.pools[item.pool]
        target = None
        # The turns of a dialogue stand above all options.
        if pool.context is None and (item.target is not None or item.target_at is not None):
            target = self._text(item.target, item.target_at)
        spots = (spot for spot in (item.target_at, item.candidate_at) if spot)
        contexts = [self.contexts[spot.context] for spot in spots]
        return ShownItem(
            item.key,
            self._text(item.candidate, item.candidate_at),
            target,
            pool.key if pool.is_group else "",
            item.expected,
            item.earlier_rating,
            item.intended_class,
            metadata=item.metadata,
            domains=tuple(context.domain for context in contexts),
            sources=tuple(context.source for context in contexts),
        )

    def _text(self, text: str | None, spot: Spot | None) -> ShownText:
        if spot is None:
            return ShownText(text or "")
        turns = self.contexts[spot.context].turns
        window = range(max(spot.position - AROUND, 1), min(spot.position + AROUND, len(turns)) + 1)
        return ShownText(
            turns[spot.position - 1].text,
            tuple(
                ShownTurn(turns[at - 1].speaker, turns[at - 1].text, at == spot.position)
                for at in window
            ),
            n_before=window[0] - 1,
            n_after=len(turns) - window[-1],
        )
