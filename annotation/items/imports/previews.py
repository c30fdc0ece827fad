"""What of a file is seen by hardly anybody later, for a look before importing."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.basics.scale import plain
from annotation.core.shown_items import beside_columns, own_label
from annotation.items.imports.checks import STYLES, check_of_pool
from annotation.items.imports.parsed import ParsedCheck, ParsedItem, ParsedItems

# What is said of the texts of a pair, or of the turns of a context, is kept under these names.
_PARTS = frozenset({"target", "candidate", "turns"})
# An item without a context has columns of these names in every file.
_LABELS = ("domain", "source")


@dataclass(frozen=True)
class PreviewChecks:
    """How many checks of a style there are, and the first of them."""

    style: str
    n: int
    texts: tuple[str, ...]
    # A rating, or names of categories; of texts that are compared the best and the worst.
    known: tuple[str, ...]
    explanation: str
    tolerance: str = ""


def checks(parsed: ParsedItems, *, are_compared: bool) -> list[PreviewChecks]:
    """Of each style that the file has; `are_compared`: a check is a whole pool, and no item."""
    found = list(_compared(parsed) if are_compared else _single(parsed))
    n = Counter(check.style for check, _items in found)
    # Of each style the first.
    first = {check.style: (check, items) for check, items in reversed(found)}
    return [
        _look(n[style], *first[style], are_compared=are_compared)
        for style in STYLES
        if style in first
    ]


def _single(parsed: ParsedItems) -> Iterator[tuple[ParsedCheck, list[ParsedItem]]]:
    for item in parsed.items:
        if item.check:
            yield item.check, [item]


def _compared(parsed: ParsedItems) -> Iterator[tuple[ParsedCheck, list[ParsedItem]]]:
    pools: dict[int, list[ParsedItem]] = {}
    for item in parsed.items:
        if item.check:
            pools.setdefault(item.pool, []).append(item)
    for items in pools.values():
        if check := check_of_pool(items):
            yield check, items


def _look(
    n: int, check: ParsedCheck, items: list[ParsedItem], *, are_compared: bool
) -> PreviewChecks:
    if are_compared:
        # A file in which fewer than two are known is refused.
        known = sorted(
            (item.expected, item.candidate) for item in items if item.expected is not None
        )
        return PreviewChecks(
            check.style,
            n,
            tuple(item.candidate for item in items),
            (known[-1][1], known[0][1]),
            check.explanation,
        )
    (item,) = items
    rating = () if item.expected is None else (plain(item.expected),)
    return PreviewChecks(
        check.style,
        n,
        tuple(text for text in (item.target, item.candidate) if text),
        check.categories or rating,
        check.explanation,
        plain(check.tolerance) if check.tolerance else "",
    )


def metadata_names(parsed: ParsedItems, *, without: Collection[str] = ()) -> list[str]:
    """What the file says beside what is known of it, in its order; `without` what is shown."""
    names: dict[str, None] = {}
    for context in parsed.contexts:
        names.update(dict.fromkeys(_names(context.metadata)))
    for item in parsed.items:
        labels = {name: own_label(item.metadata, name) for name in _LABELS}
        is_alone = item.candidate_at is None and item.target_at is None
        metadata = beside_columns(item.metadata, **labels) if is_alone else item.metadata
        names.update(dict.fromkeys(_names(metadata)))
    return [name for name in names if name not in without]


def _names(metadata: Mapping[str, Any]) -> Iterator[str]:
    for name, value in metadata.items():
        parts = value if isinstance(value, list) else [value]
        if name in _PARTS and all(isinstance(part, dict) for part in parts):
            for part in parts:
                yield from (f"{name}.{inner}" for inner in part)
        else:
            yield name
