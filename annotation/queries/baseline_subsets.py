"""Into which parts the items of a study fall: by domain, by turns, by a column of the file."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.queries.baseline_pairs import StudyPairs
from annotation.queries.item_texts import ItemTexts, item_texts
from annotation.queries.rating_answers import item_table
from annotation.reviewed import RESERVED
from annotation.sentences import sentence as _
from scoring.arrays import BoolArray
from scoring.baselines.lexical import lexical_values
from scoring.leaderboard import EVERYTHING

# A leaderboard for each of more says nothing.
MOST_PARTS = 100
# Whether the two texts share a word, which is computed of the texts.
WORD_OVERLAP = "word_overlap"
# What its parts, and those of an expression, are called.
SHARED, UNSHARED = "with a word in common", "without a word in common"
TRUE, FALSE = "true", "false"
# What the application knows of every item, whatever its file said.
KNOWN = ("domain", "source", "turns", "pool", "class", WORD_OVERLAP)


def names(study: Study) -> list[str]:
    """What the items can be divided by: what is known of all, then columns of their file.

    Only what makes at least two parts, and not too many.
    """
    found = labels(study, None)
    return [name for name, of in found.items() if 2 <= len(set(of) - {""}) <= MOST_PARTS] + [
        WORD_OVERLAP
    ]


def labels(study: Study, wanted: Sequence[str] | None) -> dict[str, list[str]]:
    """By name: the label of each item but the checks, in their order; empty where unknown.

    None: every name there is, but that of the overlap of words.

    Raises AnnotationError for a name that no item has.
    """
    is_studied = set(study.items.without_checks().values_list("key", flat=True))
    table = item_table(study)
    rows = [n for n, key in enumerate(table.keys) if key in is_studied]
    found: dict[str, list[str]] = {
        "domain": [table.domains[n] for n in rows],
        "source": [table.sources[n] for n in rows],
        "turns": [],
        "pool": [table.pools[n] for n in rows],
        "class": [table.classes[n] for n in rows],
    }
    columns: dict[str, list[str]] = {}
    items = (item for item in item_texts(study) if item.key in is_studied)
    for place, item in enumerate(items):
        found["turns"].append(_turns(item))
        for name, value in item.metadata.items():
            if name == RESERVED or name in found or (label := _label(value)) is None:
                continue
            of_all = columns.setdefault(name, [])
            # Of the items before that have no such column.
            of_all += [""] * (place - len(of_all)) + [label]
    for name, of_all in columns.items():
        found[name] = of_all + [""] * (len(rows) - len(of_all))
    if wanted is None:
        return found
    for name in wanted:
        if name not in found:
            raise AnnotationError(
                _("No item has a %(name)s: choose one of %(known)s.")
                % {"name": name, "known": ", ".join([*found, WORD_OVERLAP])}
            )
        if len(set(found[name])) > MOST_PARTS:
            raise AnnotationError(
                _("%(name)s would make more than %(most)s parts. Choose another subset.")
                % {"name": name, "most": MOST_PARTS}
            )
    return {name: found[name] for name in wanted}


def _turns(item: ItemTexts) -> str:
    """How many turns the contexts have, such as 5; of two that differ, 3 / 5."""
    numbers = [str(len(side.turns)) for side in (item.target, item.candidate) if side.turns]
    return " / ".join(dict.fromkeys(numbers))


def _label(value: Any) -> str | None:
    """A value of a column as a label; None of what is none, such as an object."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, str | int | float) else None


@dataclass(frozen=True)
class Part:
    """Some of the items: what they were divided by, and what they have in common."""

    # Both empty: all items.
    by: str
    label: str

    @property
    def key(self) -> str:
        """As the report names it."""
        return f"{self.by}: {self.label}" if self.by else EVERYTHING


def subsets(
    study: Study, pairs: StudyPairs, by: Sequence[str], expression: str
) -> list[tuple[Part, BoolArray]]:
    """All items, then the parts that each name and the expression make of them.

    Raises AnnotationError for a name that no item has, and an expression that cannot be read.
    """
    found = [(Part("", ""), np.ones(len(pairs), dtype=np.bool_))]
    named = labels(study, [name for name in by if name != WORD_OVERLAP])
    for name in dict.fromkeys(by):
        if name == WORD_OVERLAP:
            found += _both(name, share_a_word(pairs), SHARED, UNSHARED)
            continue
        of_item = np.array(named[name], dtype=np.str_)
        # What is not known comes last.
        for label in sorted(set(named[name]), key=_place):
            found.append((Part(name, label), of_item == label))
    if expression.strip():
        found += _both(expression, _holds(study, pairs, expression), TRUE, FALSE)
    return found


def _both(name: str, is_true: BoolArray, yes: str, no: str) -> list[tuple[Part, BoolArray]]:
    return [(Part(name, yes), is_true), (Part(name, no), ~is_true)]


def _place(label: str) -> tuple[bool, float, str]:
    """Numbers by their size, words by the alphabet."""
    try:
        return not label, float(label), label
    except ValueError:
        return not label, math.inf, label


def share_a_word(pairs: StudyPairs) -> BoolArray:
    """Whether the two texts share a word, as SQuAD cuts them: its F1 is above 0 [SAS]."""
    return np.asarray(lexical_values("squad_f1", pairs.pairs) > 0)


def kept(study: Study, pairs: StudyPairs, where: str) -> BoolArray | None:
    """Of which items an expression is true; None without one, for all of them.

    Raises AnnotationError where it cannot be read.
    """
    return _holds(study, pairs, where) if where.strip() else None


def _holds(study: Study, pairs: StudyPairs, expression: str) -> BoolArray:
    raise NotImplementedError
