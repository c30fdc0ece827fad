"""What a file of items holds, once read: contexts, items, and a look before importing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from django.conf import settings

from annotation.errors import ImportProblemsError
from annotation.imports.problems import Problems, length_problem, shown, text_problem
from annotation.numbers import grouped
from annotation.sentences import Said, ngettext
from annotation.sentences import sentence as _

Shape = Literal["dialogues", "pairs", "single"]

ONE_POOL = "all"
# As long as their columns in the database.
NAME_LIMIT = 200
CLASS_LIMIT = 40


@dataclass(frozen=True)
class ParsedTurn:
    text: str
    speaker: str = ""


@dataclass(frozen=True)
class ParsedContext:
    """One dialogue, which is also the pool of its candidates."""

    key: str
    turns: tuple[ParsedTurn, ...]
    domain: str = ""
    source: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ParsedItem:
    key: str
    candidate: str
    # The number of its context; none: the item is in the one pool of a study without contexts.
    context: int | None = None
    # The target of a pair; that of a dialogue is its last turn.
    target: str | None = None
    intended_class: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PreviewQuestion:
    """What an annotator might see: the turns, the last of them the target, and some options."""

    turns: tuple[ParsedTurn, ...]
    options: tuple[ParsedItem, ...]


@dataclass(frozen=True)
class ParsedItems:
    """A file without problems. Items stand in the order of the file."""

    shape: Shape
    contexts: Sequence[ParsedContext]
    items: Sequence[ParsedItem]
    tuple_size: int

    @property
    def n_pools(self) -> int:
        return len(self.contexts) or 1

    def first(self, n: int = 3) -> list[PreviewQuestion]:
        """Up to n questions of the first items, in file order: for a look before importing."""
        questions = []
        if self.contexts:
            # Candidates stand behind one another, so no look at the whole file is needed.
            items = iter(self.items)
            item = next(items, None)
            for number, context in enumerate(self.contexts[:n]):
                options = []
                while item is not None and item.context == number:
                    options.append(item)
                    item = next(items, None)
                questions.append(PreviewQuestion(context.turns, tuple(options[: self.tuple_size])))
        else:
            for start in range(0, n * self.tuple_size, self.tuple_size):
                options = list(self.items[start : start + self.tuple_size])
                if len(options) == self.tuple_size:
                    questions.append(PreviewQuestion((), tuple(options)))
        return questions


class Builder:
    """Takes entries as they come, and knows what was there before."""

    def __init__(self, problems: Problems, tuple_size: int) -> None:
        self.problems = problems
        self.tuple_size = tuple_size
        self.shape: Shape = "single"
        self.contexts: list[ParsedContext] = []
        self.items: list[ParsedItem] = []
        # Entries that were there, broken or not: "no items" is said of an empty file only.
        self.n_seen = 0
        # Whether all entries could be told apart, so that they could be counted.
        self.is_whole = True
        self._context_lines: dict[str, int] = {}
        self._item_lines: dict[str, int] = {}
        self._pool_texts: dict[tuple[str | None, str], int] = {}

    def is_new_context(self, line: int, key: str) -> bool:
        """Whether no dialogue has had this id; one that has is a problem."""
        if (before := self._context_lines.setdefault(key, line)) != line:
            self._duplicate(line, "id", key, before)
        return before == line

    def add_context(self, context: ParsedContext) -> int:
        self.contexts.append(context)
        return len(self.contexts) - 1

    def add_item(self, line: int, where: Said, item: ParsedItem) -> None:
        """`where`: the field of the id, for a message."""
        if len(self.items) == settings.IMPORT_LIMIT_ITEMS:
            # Told at once and alone: reading on would only fill the memory.
            raise ImportProblemsError(
                [
                    _(
                        "line %(line)s: the file has more than %(limit)s items, the most that can"
                        " be imported; split it"
                    )
                    % {"line": line, "limit": grouped(settings.IMPORT_LIMIT_ITEMS)}
                ]
            )
        before = line
        if item.context is None:
            before = self._pool_texts.setdefault((item.target, item.candidate), line)
        if before != line:
            said = (
                _(
                    "%(text)s: the same text as in line %(before)s; an item may occur only once,"
                    " so remove one"
                )
                if item.target is None
                else _(
                    "%(text)s: the same pair as in line %(before)s; an item may occur only once,"
                    " so remove one"
                )
            )
            self.problems.add(line, said % {"text": shown(item.candidate), "before": before})
        elif item.key in self._item_lines:
            self._duplicate(line, where, item.key, self._item_lines[item.key])
        self._item_lines.setdefault(item.key, line)
        self.items.append(item)

    def _duplicate(self, line: int, where: Said, key: str, before: int) -> None:
        said = (
            _("%(field)s %(key)s: already used earlier in this line; give every entry its own id")
            if before == line
            else _(
                "%(field)s %(key)s: already used in line %(before)s; give every entry its own id"
            )
        )
        self.problems.add(line, said % {"field": where, "key": shown(key), "before": before})

    def parsed(self) -> ParsedItems:
        if not self.n_seen and not self.problems:
            self.problems.add(None, _("the file has no items; it needs at least one"))
        elif self.shape != "dialogues" and self.is_whole and 0 < self.n_seen < self.tuple_size:
            said = ngettext(
                "%(n)s item, but the design shows %(size)s at once; add items, or choose a"
                " smaller tuple size",
                "%(n)s items, but the design shows %(size)s at once; add items, or choose a"
                " smaller tuple size",
                self.n_seen,
            )
            self.problems.add(None, said % {"n": self.n_seen, "size": self.tuple_size})
        return ParsedItems(self.shape, self.contexts, self.items, self.tuple_size)


def class_problem(text: str) -> Said:
    if problem := text_problem(text):
        return problem
    if len(text) > CLASS_LIMIT:
        return length_problem(len(text), CLASS_LIMIT)
    return ""
