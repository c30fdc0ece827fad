"""Tables of pairs, texts or dialogues (TSV and CSV)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.checks import COLUMNS as CHECK_COLUMNS
from annotation.items.imports.checks import (
    is_check,
    known_answer_problem,
    read_check,
    scale_problem,
)
from annotation.items.imports.columns import LEAVE_OUT, UnknownColumnsError
from annotation.items.imports.dialogue_tables import read_dialogue_table
from annotation.items.imports.entries import NAME_LIMIT, Builder, class_problem
from annotation.items.imports.groups import group_problem
from annotation.items.imports.headers import (
    SPECIAL,
    TEXTS,
    column_names,
    columns_are_sound,
    dialogue_column_names,
    header_is_sound,
    is_of_pairs,
    is_understood,
)
from annotation.items.imports.lines import Record, look_further
from annotation.items.imports.marks import marked
from annotation.items.imports.numbers import is_empty, number_in
from annotation.items.imports.parsed import ParsedContext, ParsedItem, ParsedTurn, Spot
from annotation.items.imports.problems import (
    cells_problem,
    item_text_problem,
    key_problem,
    length_problem,
    long_text_problem,
    of_item,
    text_problem,
)
from annotation.items.imports.texts import read_column
from annotation.kinds.contract.items import AnswerForm


def read_table(
    records: Iterator[Record],
    builder: Builder,
    columns: Mapping[str, str] | None = None,
    *,
    is_cut: bool = False,
) -> None:
    """`columns`: what somebody said that the columns are, by their names.

    A table that `is_cut` may go on behind its last record.
    Raises UnknownColumnsError if nobody did, and their names do not tell.
    """
    first = next(records, None)
    if first is None:
        return
    names = column_names(first.cells, columns, builder.kind.column_roles)
    if not names:
        look_further(records)
        return
    if {"id", *TEXTS}.isdisjoint(names) and len(names) == 1:
        read_column(chain([first], records), builder)
        return
    if not columns and (dialogue_names := dialogue_column_names(first.cells)):
        read_dialogue_table(first.line, dialogue_names, records, builder, is_cut=is_cut)
        return
    pairs = is_of_pairs(names)
    # A rating study takes no single texts: two columns of texts are a pair of other names.
    may_be_pairs = bool(columns) or (
        not builder.kind.takes_single_texts and len({*names} - {"id"}) > 1
    )
    if not builder.takes("pairs" if pairs or may_be_pairs else "single"):
        return
    if not (
        (not columns or columns_are_sound(first, columns, names, builder))
        and header_is_sound(first.line, names, builder)
    ):
        # Without its columns nothing can be said about a row; whether it can be read at all can.
        look_further(records)
        return
    if not columns and not is_understood(names, builder.kind):
        builder.problems.raise_if_any()
        raise UnknownColumnsError([cell.strip() for cell in first.cells], builder.kind)
    if not pairs:
        builder.shape = "single"
    for record in records:
        builder.n_seen += 1
        if not record.cells:
            builder.is_whole = builder.has_all_groups = False
            continue
        if len(record.cells) != len(names):
            builder.has_all_groups = False
            builder.problems.add(record.line, cells_problem(len(record.cells), len(names)))
            continue
        row = dict(zip(names, record.cells, strict=True))
        if columns:
            row.pop(LEAVE_OUT, None)
        _Row(record.line, row, builder).read(pairs=pairs)


@dataclass(frozen=True)
class _Cell:
    """A target or a candidate; with turns, the text is the one at the position."""

    text: str
    turns: tuple[ParsedTurn, ...] = ()
    position: int = 0


class _Row:
    """One record with as many cells as the header; its problems are all found."""

    def __init__(self, line: int, row: dict[str, str], builder: Builder) -> None:
        self.line = line
        self.row = row
        self.builder = builder
        # Without a column of ids, an item is named after its line.
        self.key = row.get("id", f"line-{line}")

    def add(self, name: Said, problem: Said) -> None:
        """The problem leaves %(field)s open; an empty one is none."""
        if problem:
            self.builder.problems.add(self.line, problem % {"field": name})

    def read(self, *, pairs: bool) -> None:
        n_before = len(self.builder.problems)
        row = self.row
        self.add("id", key_problem(self.key))
        group = self.group()
        target = self.cell("target") if pairs else None
        candidate = self.cell("candidate" if pairs else "text")
        check = read_check(row, self.builder.kind, self.add, self.builder.categories)
        has_names = self.builder.kind.answer_form == AnswerForm.NAMES
        expected = None if has_names else self.number("expected")
        if is_empty(row.get("expected")):
            self.add("expected", known_answer_problem(check, self.builder.kind, expected))
        self.add("expected", scale_problem(expected, self.builder.scale))
        earlier = self.number("earlier_rating")
        intended_class = row.get("intended_class", "")
        self.add("intended_class", class_problem(intended_class))
        in_context = bool((target and target.turns) or (candidate and candidate.turns))
        known = SPECIAL - {"domain", "source", "text"}
        if "check" not in row:
            known -= CHECK_COLUMNS
        if has_names and not is_check(row):
            # No number, and nothing is checked by it.
            known -= {"expected"}
        if not pairs:
            known |= {"text"}
        if in_context:
            known |= {"domain", "source"}
            for name in ("domain", "source"):
                self.add(name, self.name_problem(row.get(name, "")))
        metadata = {name: text for name, text in row.items() if name not in known}
        for name, text in metadata.items():
            self.add(name, long_text_problem(text))
        pool = self.builder.pool_in(self.line, group, row)
        if candidate is None or len(self.builder.problems) > n_before:
            return
        target_at = self.spot(target) if target else None
        self.builder.add_item(
            self.line,
            "id",
            ParsedItem(
                self.key,
                candidate.text,
                candidate_at=self.spot(candidate),
                target=target.text if target else None,
                target_at=target_at,
                pool=pool,
                expected=expected,
                earlier_rating=earlier,
                intended_class=intended_class,
                metadata=metadata,
                check=check,
            ),
            group or "",
        )

    def group(self) -> str | None:
        """The name of the group, empty if there is none; None if it cannot be read."""
        group = self.row.get("group", "")
        if not group.strip():
            return ""
        problem = key_problem(group) or group_problem(group)
        self.add("group", problem)
        return None if problem else group

    def cell(self, name: str) -> _Cell | None:
        """A text, alone or marked in its context; None if it cannot be read, then a problem."""
        text = self.row.get(name, "")
        in_context = f"{name}_context"
        context = self.row.get(in_context, "")
        for column, value in ((name, text), (in_context, context)):
            if problem := text_problem(value):
                self.add(column, problem)
                return None
        if not context.strip():
            if problem := item_text_problem(text):
                self.add(of_item(name, self.key), problem)
                return None
            if text.strip():
                return _Cell(text)
            self.add(
                name if name in self.row else in_context,
                Problem(
                    "missing", _("%(field)s is empty"), _("write the text or remove the line")
                ),
            )
            return None
        turns, position, problem = marked(context)
        if not problem and text.strip() not in ("", turns[position - 1].text):
            self.add(
                name,
                Problem(
                    "conflict",
                    _("%(field)s is not the text between the marks of %(context)s"),
                    _("write the same, or leave it empty"),
                )
                % {"context": in_context},
            )
            return None
        self.add(of_item(in_context, self.key) if turns else in_context, problem)
        return None if problem else _Cell(turns[position - 1].text, turns, position)

    def spot(self, cell: _Cell) -> Spot | None:
        if not cell.turns:
            return None
        domain, source = self.row.get("domain", ""), self.row.get("source", "")
        context = ParsedContext("", cell.turns, domain, source)
        return Spot(self.builder.nameless_context(self.line, context), cell.position)

    def number(self, name: str) -> Decimal | None:
        value, problem = number_in(self.row.get(name))
        self.add(name, problem)
        return value

    def name_problem(self, text: str) -> Said:
        return text_problem(text) or (
            length_problem(len(text), NAME_LIMIT) if len(text) > NAME_LIMIT else ""
        )
