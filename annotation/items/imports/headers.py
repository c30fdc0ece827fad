"""The header of a table: which columns it has, by the names that researchers give them."""

import re
from collections.abc import Mapping, Sequence

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.checks import COLUMNS as CHECK_COLUMNS
from annotation.items.imports.columns import (
    LEAVE_OUT,
    METADATA,
    is_second_text,
    problems_of,
)
from annotation.items.imports.entries import NAME_LIMIT, Builder
from annotation.items.imports.lines import Record
from annotation.items.imports.problems import length_problem, shown, text_problem
from annotation.kinds.contract.items import ItemsPart

MAX_COLUMNS = 1000
# The limit if the researcher says what each column is: the form has a field for each.
MAX_CHOSEN_COLUMNS = 200

TEXTS = {"target", "candidate", "text", "target_context", "candidate_context"}
# What each of them says is known; further ones are metadata.
SPECIAL = {
    "id",
    *TEXTS,
    "group",
    "expected",
    "earlier_rating",
    "intended_class",
    "domain",
    "source",
    *CHECK_COLUMNS,
}
_TURN = re.compile("turn[ _]?([0-9]{1,4})", re.IGNORECASE)
# Of a table with one row for each dialogue.
_SEVERAL_CANDIDATES = re.compile("candidate[ _]?[0-9]{1,4}", re.IGNORECASE)
# What other programs call them; the first that is there is taken.
_ALIASES = {
    "id": ("pair_id",),
    "target": ("sentence1", "text1"),
    "candidate": ("sentence2", "text2"),
}


def column_names(
    cells: Sequence[str], columns: Mapping[str, str] | None = None, roles: Sequence[str] = ()
) -> list[str]:
    """The names of a header, where other programs' names of what is needed become ours.

    `columns`: what somebody said that they are, which goes before what their names say; `roles`:
    what they can be.
    """
    names = [cell.strip() for cell in cells]
    if columns:
        return _names_as_said(names, columns, roles)
    names = [name.lower() if name.lower() in SPECIAL else name for name in names]
    if "id" not in names:
        _rename(names, "id")
    if "text" not in names:
        renamed = list(names)
        for ours in ("target", "candidate"):
            if not _has(renamed, ours):
                _rename(renamed, ours)
        # One alone is a column that happens to be called so.
        if _has(renamed, "target") and _has(renamed, "candidate"):
            return renamed
    return names


def _names_as_said(
    names: Sequence[str], columns: Mapping[str, str], roles: Sequence[str]
) -> list[str]:
    """A column of which nothing is said keeps the meaning of its name, if no other has it."""
    taken = set(columns.values())
    ours = []
    for name in names:
        role = columns.get(name)
        meaning = "id" if name.lower() in _ALIASES["id"] else name.lower()
        if role is None and meaning in SPECIAL - taken:
            role = meaning
            taken.add(role)
        if role in (None, METADATA):
            # Kept under its own name, unless that would say something else of the item.
            is_reserved = name.lower() in {*SPECIAL, *roles}
            role = f"original_{name}" if is_reserved else name
        ours.append(role)
    return ours


def is_understood(names: Sequence[str], kind: ItemsPart) -> bool:
    """Whether a header tells by itself which columns hold the texts."""
    if not is_of_pairs(names) and any(is_second_text(name) for name in names):
        return False  # two texts, and only one of them would be shown
    return not missing_columns(names, kind)


def missing_columns(names: Sequence[str], kind: ItemsPart) -> list[str]:
    """What a table of items needs, and no column is."""
    is_single = not is_of_pairs(names) and kind.takes_single_texts
    required = ("id", "text") if is_single else ("id", "target", "candidate")
    return [name for name in required if not _has(names, name)]


def _has(names: Sequence[str], side: str) -> bool:
    return side in names or f"{side}_context" in names


def _rename(names: list[str], ours: str) -> None:
    lowered = [name.lower() for name in names]
    for alias in _ALIASES[ours]:
        if alias in lowered:
            names[lowered.index(alias)] = ours
            return


def is_header(cells: Sequence[str]) -> bool:
    cells = [cell.strip().strip('"') for cell in cells]
    if dialogue_column_names(cells):
        return True
    names = set(column_names(cells))
    return "id" in names and not names.isdisjoint(TEXTS - {"target", "target_context"})


def dialogue_column_names(cells: Sequence[str]) -> list[str]:
    """The names of a header that has candidates and turns (turn1, turn2, …); empty for another."""
    names = []
    for cell in cells:
        name = cell.strip()
        if turn := _TURN.fullmatch(name):
            name = f"turn{int(turn[1])}"
        elif name.lower() in {*SPECIAL, "dialogue"}:
            name = name.lower()
        names.append(name)
    has_candidates = "candidate" in names or has_candidates_in_columns(names)
    return names if has_candidates and turn_numbers(names) else []


def has_candidates_in_columns(names: Sequence[str]) -> bool:
    return any(_SEVERAL_CANDIDATES.fullmatch(name) for name in names)


def turn_numbers(names: Sequence[str]) -> list[int]:
    """The numbers in the names of the columns of turns, in the order of the table."""
    return [int(turn[1]) for name in names if (turn := _TURN.fullmatch(name))]


def too_many_columns(n: int, limit: int) -> Said:
    problem = Problem(
        "too_large",
        _("the table has %(n)s columns, but at most %(limit)s are possible"),
        _("remove some"),
    )
    return problem % {"n": n, "limit": limit}


def header_is_sound(line: int, names: list[str], builder: Builder) -> bool:
    n_before = len(builder.problems)
    if len(names) > MAX_COLUMNS:
        # Each row keeps the name of each of its columns.
        builder.problems.add(line, too_many_columns(len(names), MAX_COLUMNS))
        return False
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        is_new = name not in seen or name == LEAVE_OUT
        seen.add(name)
        if not name:
            builder.problems.add(
                line,
                Problem("missing", _("column %(n)s has no name"), _("name it or remove it"))
                % {"n": number},
            )
        elif not is_new:
            builder.problems.add(
                line,
                Problem(
                    "duplicate", _("the column %(name)s occurs twice"), _("rename one of them")
                )
                % {"name": shown(name)},
            )
        elif problem := text_problem(name):
            builder.problems.add(
                line, problem % {"field": _("column %(name)s") % {"name": shown(name)}}
            )
        elif len(name) > NAME_LIMIT:
            field = _("the name of column %(n)s") % {"n": number}
            builder.problems.add(line, length_problem(len(name), NAME_LIMIT) % {"field": field})
    return len(builder.problems) == n_before


def columns_are_sound(
    header: Record, columns: Mapping[str, str], names: Sequence[str], builder: Builder
) -> bool:
    """Whether what somebody said of the columns fits the file, and says where the texts are."""
    problems = problems_of(columns, [cell.strip() for cell in header.cells], builder.kind)
    if not problems:
        if "text" in columns.values() and is_of_pairs(names):
            problems.append(
                Problem(
                    "conflict",
                    _("one column is chosen as a single text, and another as part of a pair"),
                    _("choose one"),
                )
            )
        for role in missing_columns(names, builder.kind):
            # Items without ids are called by their lines.
            if role != "id":
                problems.append(_("no column is chosen as %(role)s") % {"role": role})
    for problem in problems:
        builder.problems.add(None, problem)
    return not problems


def is_of_pairs(names: Sequence[str]) -> bool:
    return not (TEXTS - {"text"}).isdisjoint(names)
