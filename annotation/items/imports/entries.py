"""Entries of a file of items, as they are read: what was there before, and what may not be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings

from annotation.basics.errors import ImportProblemsError
from annotation.basics.numbers import grouped
from annotation.basics.scale import Scale
from annotation.basics.sentences import Problem, Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.items.imports.checks import MAX_CHECK_ITEMS, is_check, pool_problem
from annotation.items.imports.groups import Groups
from annotation.items.imports.ids import DistinctIds, similar_problem
from annotation.items.imports.numbers import is_empty
from annotation.items.imports.parsed import (
    ParsedContext,
    ParsedItem,
    ParsedItems,
    ParsedPool,
    ParsedTurn,
    Spot,
)
from annotation.items.imports.problems import Problems, length_problem, shown, text_problem
from annotation.kinds.contract.items import ItemsPart, Shape
from annotation.models.items import ONE_POOL

# The lengths of their columns in the database.
NAME_LIMIT = 200
CLASS_LIMIT = 40
# Sentences and utterances of one file.
MAX_TURNS_PER_FILE = 1_000_000

_FILES: dict[Shape, Said] = {
    "dialogues": _("The file has dialogues with candidates."),
    "pairs": _("The file has pairs of a target and a candidate."),
    "single": _("The file has single texts."),
    "incidents": _(
        "The file has incidents (a summary and its reports), which only a selection study takes."
    ),
}


class Builder:
    """Takes entries as they come, and knows what was there before."""

    def __init__(
        self,
        problems: Problems,
        tuple_size: int,
        kind: ItemsPart,
        categories: Sequence[str] = (),
        *,
        scale: Scale | None = None,
        allows_repeats: bool = False,
    ) -> None:
        self.problems = problems
        # Published tables may list a pair more than once, each time with a value of its own.
        self._allows_repeats = allows_repeats
        # How many items of a pool are shown at once; 1 if items are not compared.
        self.tuple_size = tuple_size if kind.compares_items else 1
        self.kind = kind
        # The names that a label study has for its items, as far as they are known.
        self.categories = categories
        # What the known answers of a rating study lie on, if it has a scale.
        self.scale = scale
        self.shape: Shape = "single"
        self.contexts: list[ParsedContext] = []
        self.items: list[ParsedItem] = []
        self.groups: list[str] = []
        # Entries that were there, broken or not: "no items" is said of an empty file only.
        self.n_seen = 0
        # Whether all entries could be told apart, so that they could be counted.
        self.is_whole = True
        # Whether the group of each was read.
        self.has_all_groups = True
        self._is_taken = True
        self._n_turns = 0
        self._pools: dict[str, int] = {}
        self._dialogue_pools: list[ParsedPool] = []
        self._context_lines: dict[str, int] = {}
        self._named: dict[str, tuple[int, int]] = {}
        self._nameless: dict[tuple[tuple[ParsedTurn, ...], str, str], int] = {}
        self._groups = Groups()
        self._n_checks = 0
        self._item_lines: dict[str, int] = {}
        self._item_ids = DistinctIds()
        self._context_ids = DistinctIds()
        self._pair_lines: dict[tuple[str, Spot | str | None, Spot | str], int] = {}

    def takes(self, shape: Shape) -> bool:
        """Whether a study of this kind can have what the file holds; it is a problem if not."""
        self.shape = shape
        self._is_taken = shape in self.kind.shapes
        if not self._is_taken:
            self.problems.add(
                None, _("%(file)s %(study)s") % {"file": _FILES[shape], "study": self.kind.takes}
            )
        return self._is_taken

    # -- Contexts -------------------------------------------------------------------------------

    def is_new_context(self, line: int, where: Said, key: str) -> bool:
        """Whether no context has had this id; one that has is a problem."""
        if key in self._context_lines:
            self._duplicate(line, where, key, self._context_lines[key])
            return False
        self._context_lines[key] = line
        return self._is_distinct(self._context_ids, line, where, key)

    def add_context(self, line: int, context: ParsedContext) -> int:
        self._n_turns += len(context.turns)
        if self._n_turns > MAX_TURNS_PER_FILE:
            _stop(
                Problem(
                    "too_large",
                    _(
                        "line %(line)s: the contexts of the file have more than %(limit)s "
                        "turns or sentences, the import limit"
                    ),
                    _("split it"),
                )
                % {"line": line, "limit": grouped(MAX_TURNS_PER_FILE)}
            )
        self.contexts.append(context)
        return len(self.contexts) - 1

    def nameless_context(self, line: int, context: ParsedContext) -> int:
        """The number of the context that says this: what is the same is stored once."""
        if context.metadata:
            return self.add_context(line, context)
        known = (context.turns, context.domain, context.source)
        if known not in self._nameless:
            self._nameless[known] = self.add_context(line, context)
        return self._nameless[known]

    def add_named_context(self, line: int, context: ParsedContext) -> int:
        """A context that later lines may refer to by its id."""
        self._is_distinct(self._context_ids, line, "context", context.key)
        number = self.add_context(line, context)
        self._named[context.key] = (number, line)
        return number

    def named_context(self, key: str) -> tuple[int, int] | None:
        """The number of the context that has this id, and the line where it stands."""
        return self._named.get(key)

    def is_new_group(self, line: int, key: str) -> bool:
        """Whether no incident has had this id; one that has is a problem."""
        before = self._groups.lines.setdefault(key, line)
        if before != line:
            self._duplicate(line, "id", key, before)
            return False
        return self._is_distinct(self._groups.ids, line, "id", key)

    def add_group(self, key: str) -> int:
        self.groups.append(key)
        return len(self.groups) - 1

    # -- Items ----------------------------------------------------------------------------------

    def dialogue_pool(self, key: str, context: int) -> int:
        """The pool of a dialogue's candidates. Only what is compared is in pools of its own."""
        if not self.kind.compares_items:
            return self._pools.setdefault(ONE_POOL, 0)
        self._dialogue_pools.append(ParsedPool(key, context))
        return len(self._dialogue_pools) - 1

    def pool_in(self, line: int, group: str | None, entry: Mapping[str, Any]) -> int:
        """The pool of what a line or row says; 0 if its group cannot be read."""
        if group is None:
            self.has_all_groups = False
            return 0
        # An expected value that cannot be read is one problem, not two.
        may_be_alone = not is_empty(entry.get("expected"))
        return self.pool_of(line, group, may_be_alone=may_be_alone, is_check=is_check(entry))

    def pool_of(self, line: int, group: str, *, may_be_alone: bool, is_check: bool = False) -> int:
        """The pool of an item: its group, or the one of all items without.

        Called also for an item that is broken in another respect, so that groups can be counted.
        Checks are not among what is counted.
        """
        self._n_checks += is_check
        if group:
            if group not in self._groups.lines:
                self._is_distinct(self._groups.ids, line, "group", group)
            self._groups.add(line, group, is_check=is_check)
        elif is_check:
            pass  # of those that are compared `parsed` says what is wrong
        elif self.kind.compares_items or not may_be_alone:
            self._groups.lines_without.append(line)
        key = group or ONE_POOL
        return self._pools.setdefault(key, len(self._pools))

    def add_item(self, line: int, where: Said, item: ParsedItem, group: str = "") -> None:
        """`where`: the field of the id, for a message."""
        if len(self.items) == settings.IMPORT_LIMIT_ITEMS:
            _stop(
                Problem(
                    "too_large",
                    _("line %(line)s: the file has more than %(limit)s items, the import limit"),
                    _("split it"),
                )
                % {"line": line, "limit": grouped(settings.IMPORT_LIMIT_ITEMS)}
            )
        # What is compared in several groups is several items; nothing is rated twice.
        scope = group if self.kind.compares_items else ""
        pair = (scope, item.target_at or item.target, item.candidate_at or item.candidate)
        before = self._pair_lines.setdefault(pair, line)
        if before != line and not self._allows_repeats:
            problem = (
                Problem(
                    "duplicate",
                    _("%(text)s: the same text as in line %(before)s"),
                    _("each item can occur only once, so remove one"),
                )
                if pair[1] is None
                else Problem(
                    "duplicate",
                    _("%(text)s: the same pair as in line %(before)s"),
                    _("each item can occur only once, so remove one"),
                )
            )
            self.problems.add(line, problem % {"text": shown(item.candidate), "before": before})
        elif item.key in self._item_lines:
            self._duplicate(line, where, item.key, self._item_lines[item.key])
        else:
            is_text = item.key == item.candidate
            self._is_distinct(self._item_ids, line, where, item.key, is_text=is_text)
        self._item_lines.setdefault(item.key, line)
        self.items.append(item)

    def _is_distinct(
        self, ids: DistinctIds, line: int, where: Said, key: str, *, is_text: bool = False
    ) -> bool:
        """Whether people can tell this id from all before; it is a problem if not."""
        if not (similar := ids.similar(key, line, is_text=is_text)):
            return True
        other, before = similar
        problem = similar_problem(key, other, self.problems.place(before))
        self.problems.add(line, _("%(field)s %(problem)s") % {"field": where, "problem": problem})
        return False

    def _duplicate(self, line: int, where: Said, key: str, before: int) -> None:
        problem = (
            Problem(
                "duplicate",
                _("%(field)s %(key)s: already used earlier in this line"),
                _("give every entry its own id"),
            )
            if before == line
            else Problem(
                "duplicate",
                _("%(field)s %(key)s: already used in line %(before)s"),
                _("give every entry its own id"),
            )
        )
        self.problems.add(line, problem % {"field": where, "key": shown(key), "before": before})

    # -- The end --------------------------------------------------------------------------------

    def parsed(self, *, is_beginning: bool = False, is_table: bool = False) -> ParsedItems:
        """Everything that was read; whether a file is whole, its beginning does not tell."""
        if self._is_taken and not is_beginning:
            self._check_numbers()
        self._name_contexts()
        pools = self._dialogue_pools or [
            ParsedPool(key, is_group=key in self._groups.sizes) for key in self._pools
        ]
        if self.kind.compares_items and not self.problems and not is_beginning:
            self._check_checks(pools)
        return ParsedItems(
            self.shape,
            self.contexts,
            self.items,
            pools,
            self.tuple_size,
            self.groups,
            is_beginning=is_beginning,
            is_table=is_table,
        )

    def _check_numbers(self) -> None:
        n_seen = self.n_seen - self._n_checks
        if not self.n_seen and not self.problems:
            self.problems.add(
                None, Problem("missing", _("the file has no items"), _("it needs at least one"))
            )
        elif self.items and all(item.check for item in self.items) and not self.problems:
            self.problems.add(
                None,
                Problem(
                    "missing",
                    _("all items of the file are checks"),
                    _("add other items"),
                ),
            )
        elif any(self._groups.sizes.values()):
            for line, problem in self._group_problems():
                self.problems.add(line, problem)
        elif self.shape != "dialogues" and self.is_whole and 0 < n_seen < self.tuple_size:
            problem = Problem(
                "conflict",
                ngettext(
                    "%(n)s item, but the design shows %(size)s at once",
                    "%(n)s items, but the design shows %(size)s at once",
                    n_seen,
                ),
                _("add items, or choose a smaller tuple size"),
            )
            self.problems.add(None, problem % {"n": n_seen, "size": self.tuple_size})

    def _group_problems(self) -> Iterator[tuple[int, Said]]:
        yield from self._groups.missing(are_compared=self.kind.compares_items)
        # If items are not compared, the design says whether groups of different sizes fit.
        if self.has_all_groups and self.kind.compares_items:
            yield from self._groups.too_small(self.tuple_size)

    def _check_checks(self, pools: Sequence[ParsedPool]) -> None:
        """What is compared is a check as a whole."""
        together: dict[int, list[ParsedItem]] = {}
        for item in self.items:
            together.setdefault(item.pool, []).append(item)
        for number, items in together.items():
            if refused := pool_problem(pools[number], items):
                item, problem = refused
                values = {
                    "n": len(items),
                    "most": MAX_CHECK_ITEMS,
                    "pool": shown(pools[number].key),
                }
                self.problems.add(self._item_lines[item.key], problem % values)

    def _name_contexts(self) -> None:
        """Give what has no id one that the file does not use."""
        number = 0
        for index, context in enumerate(self.contexts):
            if not context.key:
                number += 1
                while f"context-{number}" in self._named:
                    number += 1
                self.contexts[index] = replace(context, key=f"context-{number}")


def _stop(problem: Said) -> None:
    """Stop with this problem alone: reading on would only fill the memory."""
    raise ImportProblemsError([problem])


def class_problem(text: str) -> Said:
    if problem := text_problem(text):
        return problem
    if len(text) > CLASS_LIMIT:
        return length_problem(len(text), CLASS_LIMIT)
    return ""
