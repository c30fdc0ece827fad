"""Which kind of objects a JSON Lines file holds, told by the first of them."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.dialogues import Dialogue
from annotation.items.imports.entries import Builder
from annotation.items.imports.incidents import Incident
from annotation.items.imports.json_entry import Entry
from annotation.items.imports.json_lines import decode, kind_of
from annotation.items.imports.json_pairs import Pair
from annotation.items.imports.lines import Lines
from annotation.kinds.contract.items import Shape

_KEYS: dict[Shape, frozenset[str]] = {
    "dialogues": frozenset({"turns", "candidates"}),
    "pairs": frozenset({"target", "candidate"}),
    "incidents": frozenset({"summary", "reports"}),
}
_ENTRIES: dict[Shape, type[Entry]] = {"dialogues": Dialogue, "pairs": Pair, "incidents": Incident}
_NAMES: dict[Shape, Said] = {
    "dialogues": _("a dialogue (turns and candidates)"),
    "pairs": _("a pair (target and candidate)"),
    "incidents": _("an incident (summary and reports)"),
}


def read_objects(lines: Lines, builder: Builder) -> None:
    # Nothing is counted of a file in which no line is an object.
    builder.shape = "dialogues"
    shape: Shape | None = None
    first = 0
    for line, text in lines:
        if not text.strip():
            continue
        builder.n_seen += 1
        entry, problem = decode(line, text, builder.problems)
        if problem:
            builder.has_all_groups = False
            builder.problems.add(line, problem)
            continue
        if not isinstance(entry, dict):
            builder.has_all_groups = False
            said = Problem(
                "wrong_value",
                _("%(kind)s instead of an object"),
                _("write one object as {...} on each line"),
            )
            builder.problems.add(line, said % {"kind": kind_of(entry)})
            continue
        if shape is None:
            shape, first = _shape(entry), line
            if not builder.takes(shape):
                return
        if (other := _other_shape(entry, shape)) is not None:
            builder.has_all_groups = False
            builder.problems.add(
                line,
                Problem(
                    "conflict",
                    _("%(other)s, but the file began with %(first)s in line %(line)s"),
                    _("put them into files of their own"),
                )
                % {"other": _NAMES[other], "first": _NAMES[shape], "line": first},
            )
            continue
        _ENTRIES[shape](line, entry, builder).read()


def _shape(entry: Mapping[str, Any]) -> Shape:
    """What an object is by its keys, even if it lacks some."""
    for shape, keys in _KEYS.items():
        if keys <= entry.keys():
            return shape
    return next((s for s, keys in _KEYS.items() if keys & entry.keys()), "dialogues")


def _other_shape(entry: Mapping[str, Any], shape: Shape) -> Shape | None:
    """What else an object is that has nothing of what the file holds."""
    if _KEYS[shape] & entry.keys():
        return None
    return next((s for s, keys in _KEYS.items() if keys <= entry.keys()), None)
