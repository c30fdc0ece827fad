"""The texts of items with their contexts, read in chunks as plain values: for files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from annotation.basics.cells import as_json
from annotation.models import Item, Study, Turn

# At most two contexts each, which one query names.
_CHUNK = 1000
_SIDE = (
    "{}_text",
    "{}_turn_id",
    "{}_turn__context_id",
    "{}_turn__context__key",
    "{}_turn__context__group__key",
)
OPEN, CLOSE = "<sent>", "</sent>"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two texts of an item."""

    text: str
    # Id of its context, and of the group that this belongs to; empty without.
    context: str = ""
    group: str = ""
    # (speaker, text) of the context's turns, and which of them the text is.
    turns: Sequence[tuple[str, str]] = ()
    place: int | None = None

    @property
    def turns_as_json(self) -> str:
        """`[{speaker, text}]` in order; empty without a context."""
        if self.place is None:
            return ""
        return as_json([{"speaker": speaker, "text": text} for speaker, text in self.turns])

    @property
    def position(self) -> int | None:
        """Place of the text among the turns of its context, from 1."""
        return None if self.place is None else self.place + 1

    def marked(self, n_sentences: int) -> str:
        """The text in its marks, with at most so many sentences before and after it."""
        if self.place is None:
            return f"{OPEN}{self.text}{CLOSE}"
        first = max(self.place - n_sentences, 0)
        shown = self.turns[first : self.place + n_sentences + 1]
        parts = []
        for place, (speaker, text) in enumerate(shown, start=first):
            words = f"{OPEN}{text}{CLOSE}" if place == self.place else text
            parts.append(f"{speaker}: {words}" if speaker else words)
        # A conversation is read line by line, a document sentence after sentence.
        return ("\n" if any(speaker for speaker, _text in shown) else " ").join(parts)


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """What an item says."""

    key: str
    pool: str
    metadata: dict[str, Any]
    target: Side
    candidate: Side

    @property
    def group(self) -> str:
        """What belongs together: an incident; or else the group that the file named."""
        named = "" if self.pool == "all" else self.pool
        return self.target.group or self.candidate.group or named


def item_texts(study: Study) -> Iterator[ItemTexts]:
    """The items of a study in the order of their numbers."""
    rows: Iterator[tuple[Any, ...]] = iter(
        Item.objects.filter(study=study)
        .order_by("number")
        .values_list(
            "key",
            "pool__key",
            "metadata",
            *(name.format("target") for name in _SIDE),
            *(name.format("candidate") for name in _SIDE),
        )
        .iterator(chunk_size=_CHUNK)
    )
    while chunk := list(islice(rows, _CHUNK)):
        contexts = _turns({row[n] for row in chunk for n in (5, 10)} - {None})
        for key, pool, metadata, *sides in chunk:
            target, candidate = _side(sides[:5], contexts), _side(sides[5:], contexts)
            yield ItemTexts(key, pool, metadata, target, candidate)


# Keys of the turns of a context, and what they say.
_Turns = tuple[list[int], list[tuple[str, str]]]


def _turns(contexts: set[int]) -> dict[int, _Turns]:
    turns: dict[int, _Turns] = {context: ([], []) for context in contexts}
    rows = (
        Turn.objects.filter(context__in=contexts)
        .order_by("context", "position")
        .values_list("context_id", "pk", "speaker", "text")
    )
    for context, pk, speaker, text in rows.iterator(chunk_size=_CHUNK):
        keys, lines = turns[context]
        keys.append(pk)
        lines.append((speaker, text))
    return turns


def _side(row: Sequence[Any], contexts: dict[int, _Turns]) -> Side:
    text, turn, context, key, group = row
    if turn is None:
        # The target of a single text is missing, which is not the same as empty; a file is.
        return Side(text or "")
    keys, lines = contexts[context]
    place = keys.index(turn)
    return Side(lines[place][1], key, group or "", lines, place)
