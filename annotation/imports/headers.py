"""The header of a table: which columns it has, by the names that researchers give them."""

from collections.abc import Sequence

from annotation.imports.checks import COLUMNS as CHECK_COLUMNS
from annotation.imports.entries import NAME_LIMIT, Builder
from annotation.imports.problems import length_problem, shown, text_problem
from annotation.sentences import sentence as _

MOST_COLUMNS = 1000

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
# What other programs call them; the first that is there is taken.
_ALIASES = {
    "id": ("pair_id",),
    "target": ("sentence1", "text1"),
    "candidate": ("sentence2", "text2"),
}


def column_names(cells: Sequence[str]) -> list[str]:
    """The names of a header, where other programs' names of what is needed become ours."""
    names = [cell.strip() for cell in cells]
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


def _has(names: Sequence[str], side: str) -> bool:
    return side in names or f"{side}_context" in names


def _rename(names: list[str], ours: str) -> None:
    lowered = [name.lower() for name in names]
    for alias in _ALIASES[ours]:
        if alias in lowered:
            names[lowered.index(alias)] = ours
            return


def is_header(cells: Sequence[str]) -> bool:
    names = set(column_names([cell.strip().strip('"') for cell in cells]))
    return "id" in names and not names.isdisjoint(TEXTS - {"target", "target_context"})


def header_is_sound(line: int, names: list[str], builder: Builder) -> bool:
    n_before = len(builder.problems)
    required = ["id", "target", "candidate"] if is_of_pairs(names) else ["id", "text"]
    for name in required:
        if not _has(names, name):
            builder.problems.add(
                line,
                _("column %(name)s is missing; the header needs %(names)s")
                % {"name": name, "names": ", ".join(required)},
            )
    if len(names) > MOST_COLUMNS:
        # Each row keeps the name of each of its columns.
        builder.problems.add(
            line,
            _("%(n)s columns are more than the %(limit)s that a table may have; remove some")
            % {"n": len(names), "limit": MOST_COLUMNS},
        )
        return False
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        is_new = name not in seen
        seen.add(name)
        if not name:
            builder.problems.add(
                line, _("column %(n)s has no name; name it or remove it") % {"n": number}
            )
        elif not is_new:
            builder.problems.add(
                line,
                _("column %(name)s occurs twice; rename one of them") % {"name": shown(name)},
            )
        elif problem := text_problem(name):
            builder.problems.add(
                line, problem % {"field": _("column %(name)s") % {"name": shown(name)}}
            )
        elif len(name) > NAME_LIMIT:
            field = _("the name of column %(n)s") % {"n": number}
            builder.problems.add(line, length_problem(len(name), NAME_LIMIT) % {"field": field})
    return len(builder.problems) == n_before


def is_of_pairs(names: Sequence[str]) -> bool:
    return not (TEXTS - {"text"}).isdisjoint(names)
