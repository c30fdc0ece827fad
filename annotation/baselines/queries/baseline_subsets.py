"""Into which parts the items of a study fall: by domain, by turns, by a column of the file."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.basics.errors import AnnotationError
from annotation.basics.reviewed import RESERVED
from annotation.basics.sentences import error_message
from annotation.basics.sentences import sentence as _
from annotation.core.queries.item_texts import ItemTexts, item_texts
from annotation.kinds.rating.queries.answers import item_table
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from annotation.models import Study
from scoring.arrays import BoolArray
from scoring.baselines import subsets
from scoring.baselines.expression import Condition, DescribedPair, compile_condition
from scoring.baselines.lexical import lexical_values
from scoring.measures.leaderboard import EVERYTHING

# Whether the two texts share a word, and whether SQuAD's F1 of them is 0.
WORD_OVERLAP, F1_ZERO = OF_TEXTS = ("word_overlap", "f1_zero")
# Names of the two parts that an expression makes.
TRUE, FALSE = "true", "false"
# Columns that every item has.
KNOWN = ("domain", "source", "turns", "pool", "class", *OF_TEXTS)


def labels(study: Study, wanted: Sequence[str] | None) -> dict[str, list[str]]:
    """The label of each item but the checks, in their order, by column; empty if unknown.

    `wanted`: names of columns; None for all but those of `OF_TEXTS`.

    Raises AnnotationError for a name that no item has.
    """
    is_studied = set(study.items.without_checks().values_list("key", flat=True))
    table = item_table(study)
    rows = [n for n, key in enumerate(table.keys) if key in is_studied]
    labels_by_name: dict[str, list[str]] = {
        "domain": [table.domains[n] for n in rows],
        "source": [table.sources[n] for n in rows],
        "turns": [],
        "pool": [table.pools[n] for n in rows],
        "class": [table.classes[n] for n in rows],
    }
    columns: dict[str, list[str]] = {}
    items = (item for item in item_texts(study) if item.key in is_studied)
    for place, item in enumerate(items):
        labels_by_name["turns"].append(_turns(item))
        for name, value in item.metadata.items():
            if name == RESERVED or name in labels_by_name or (label := _label(value)) is None:
                continue
            of_all = columns.setdefault(name, [])
            # Items before this one have no such column.
            of_all += [""] * (place - len(of_all)) + [label]
    # Sort the names, because PostgreSQL does not keep the order of JSON keys.
    for name, of_all in sorted(columns.items()):
        labels_by_name[name] = of_all + [""] * (len(rows) - len(of_all))
    if wanted is None:
        return labels_by_name
    known = {name: column for name, column in labels_by_name.items() if any(column)}
    for name in wanted:
        if name not in known:
            raise AnnotationError(
                _("No item has a value for %(name)s. Choose one of %(known)s.")
                % {"name": name, "known": ", ".join([*known, *OF_TEXTS])}
            )
    return {name: known[name] for name in wanted}


def _turns(item: ItemTexts) -> str:
    """The number of turns of the contexts, such as 5; 3 / 5 if they differ."""
    numbers = [str(len(side.turns)) for side in (item.target, item.candidate) if side.turns]
    return " / ".join(dict.fromkeys(numbers))


def _label(value: Any) -> str | None:
    """A value of a column as a label; None if it cannot be one, such as an object."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, str | int | float) else None


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the items: what they were divided by, and what they have in common."""

    # Both are empty for all items; the label is empty for items whose label is unknown.
    by: str
    label: str
    # The name of the part in the report.
    key: str
    mask: BoolArray


def parts(
    study: Study, pairs: StudyPairs, by: Sequence[str], expression: str
) -> tuple[list[Part], dict[str, int]]:
    """All items, then the parts that each name and the expression make of them.

    Also how many items lack what the expression asks for, by name.

    Raises AnnotationError for a name that no item has, for too many parts, and for an expression
    that cannot be read.
    """
    subset_parts = [Part("", "", EVERYTHING, np.ones(len(pairs), dtype=np.bool_))]
    lacking: dict[str, int] = {}
    named = labels(study, [name for name in by if name not in OF_TEXTS])
    try:
        for name in dict.fromkeys(by):
            if name == WORD_OVERLAP:
                masks = subsets.by_word_overlap(pairs.pairs)
            elif name == F1_ZERO:
                masks = subsets.by_f1_zero(lexical_values("squad_f1", pairs.pairs))
            else:
                masks = subsets.by_label(name, named[name])
            subset_parts += [
                Part(name, _label_of(key, name), key, mask) for key, mask in masks.items()
            ]
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error
    if expression.strip():
        holds, lacking = _holds(study, pairs, expression)
        text = " ".join(expression.split())
        subset_parts += [
            Part(text, TRUE, text, holds),
            Part(text, FALSE, f"not ({text})", ~holds),
        ]
    if len(subset_parts) > subsets.MAX_SUBSETS:
        raise AnnotationError(
            _("These choices give %(n)s subsets, but at most %(most)s are possible. Choose fewer.")
            % {"n": len(subset_parts), "most": subsets.MAX_SUBSETS}
        )
    return subset_parts, lacking


def _label_of(key: str, name: str) -> str:
    return "" if key == f"no {name}" else key.removeprefix(f"{name}: ")


def kept(study: Study, pairs: StudyPairs, where: str) -> BoolArray | None:
    """Mask of the items for which an expression is true; None without one: all items.

    Raises AnnotationError if it cannot be read.
    """
    return _holds(study, pairs, where)[0] if where.strip() else None


def packed(mask: BoolArray) -> str:
    """A bit for each item, for JSON."""
    return base64.b64encode(np.packbits(mask).tobytes()).decode("ascii")


def unpacked(text: str, n: int) -> BoolArray:
    """The mask of n items that `packed` encoded."""
    bits = np.frombuffer(base64.b64decode(text), dtype=np.uint8)
    return np.unpackbits(bits, count=n).astype(np.bool_)


def refuse_unreadable(expression: str) -> None:
    """Raises AnnotationError, with the place, unless it is empty or can be read."""
    if expression.strip():
        read_condition(expression)


def read_condition(expression: str) -> Condition:
    """Raises AnnotationError, with the place, if it cannot be read."""
    try:
        return compile_condition(expression)
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error


def _holds(study: Study, pairs: StudyPairs, expression: str) -> tuple[BoolArray, dict[str, int]]:
    """Of which items it is true, and how many lack what it asks for, by name."""
    condition = read_condition(expression)
    known = labels(study, condition.names)
    described = (
        DescribedPair(pair.first, pair.second, {name: known[name][n] for name in known})
        for n, pair in enumerate(pairs.pairs)
    )
    try:
        selected = condition.select(described)
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error
    return selected.mask, selected.n_without
