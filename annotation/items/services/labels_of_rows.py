"""What a label of an item or a context says, and what it may be changed into."""

import json
import math
from typing import Any

from annotation.basics.reviewed import RESERVED
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.core.shown_items import ABOVE
from annotation.items.imports.entries import CLASS_LIMIT, NAME_LIMIT
from annotation.items.imports.headers import SPECIAL
from annotation.items.imports.problems import length_problem, text_problem
from annotation.items.imports.relabels import RequestedChange, RowKind
from annotation.kinds.registry import kind_of
from annotation.models import Context, Item, Study

Row = Item | Context

# What the file says otherwise than as a label: the texts, the numbers, what belongs together.
NO_LABELS = (SPECIAL - {"domain", "source", "intended_class"}) | {
    *("turns", "sentences", "position", "speaker", "candidates", "summary", "reports"),
    # What a reviewed item is compared with; people may see it.
    RESERVED,
}
# These labels are columns in the database; all others are in the metadata.
COLUMNS: dict[RowKind, dict[str, int]] = {
    "context": {"domain": NAME_LIMIT, "source": NAME_LIMIT},
    "item": {"intended_class": CLASS_LIMIT},
}


def why_refused(study: Study, row_kind: str, name: str) -> Said:
    """Why nothing of this name can be changed."""
    if not name.strip():
        return _("Enter the field to change: domain, source, or a metadata field.")
    if problem := text_problem(name) or (
        length_problem(len(name), NAME_LIMIT) if len(name) > NAME_LIMIT else ""
    ):
        return problem % {"field": _("the name of the field")}
    if name.lower() in NO_LABELS:
        return _(
            "“%(name)s” cannot be relabelled. Texts, known answers and earlier "
            "ratings cannot change after the import."
        ) % {"name": name}
    is_shown = kind_of(study).items.shows_question
    if name == ABOVE and row_kind != "context" and is_shown and not study.is_draft:
        return _(
            "“%(name)s” cannot be changed any more, because people have seen it above "
            "the texts. Create a new study to ask a different question."
        ) % {"name": name}
    if row_kind == "context" and name == "intended_class":
        return _("Only items have an intended class. Enter ids of items.")
    return ""


def before_of(row: Row, name: str) -> Any:
    if name in COLUMNS["item" if isinstance(row, Item) else "context"]:
        # An empty column says nothing, as a missing name does.
        return getattr(row, name) or None
    return row.metadata.get(name)


def problem_with(
    study: Study, row_kind: RowKind, row: Row, change: RequestedChange, before: Any
) -> Said:
    """What keeps this value from being stored in this row."""
    if isinstance(row, Context) and (refused := why_refused(study, row_kind, change.field)):
        return refused
    if isinstance(before, dict | list):
        return Problem(
            "wrong_value",
            _("%(field)s of %(id)s is a list or an object"),
            _("only single values can be relabelled"),
        ) % {"field": change.field, "id": change.key}
    if isinstance(row, Item) and change.field in {"domain", "source"}:
        contexts = contexts_that_say(row, change.field)
        if contexts:
            return _(
                "%(field)s of %(id)s comes from its context: relabel %(contexts)s instead"
            ) % {
                "field": change.field,
                "id": change.key,
                "contexts": ", ".join(context.key for context in contexts),
            }
    value = change.value or ""
    if problem := text_problem(value):
        return problem % {"field": change.field}
    limit = COLUMNS[row_kind].get(change.field)
    if limit and len(value) > limit:
        return length_problem(len(value), limit) % {"field": change.field}
    return ""


def contexts_that_say(item: Item, name: str) -> list[Context]:
    """An item's contexts that have this label: theirs is the item's."""
    turns = [turn for turn in (item.target_turn, item.candidate_turn) if turn]
    contexts = [turn.context for turn in turns]
    if item.pool.context:
        contexts.append(item.pool.context)
    return list({c.pk: c for c in contexts if getattr(c, name)}.values())


def after_of(change: RequestedChange, row_kind: RowKind, before: Any) -> Any:
    """The value as it is stored: of the kind that it had, so that it can be changed back."""
    value = change.value
    is_column = change.field in COLUMNS[row_kind]
    if value is None or (not value and (is_column or before is None)):
        return None
    if isinstance(before, bool):
        return {"true": True, "false": False}.get(value, value)
    if isinstance(before, int | float):
        return _number(value)
    return value


def _number(text: str) -> Any:
    """A number as JSON has it; anything else stays a text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # First its size: a whole number may be too large for anything else to be asked of it.
    if not is_number or not abs(value) < 2**63 or not math.isfinite(value):
        return text
    return value
