"""Into which parts the items of a study fall: by domain, by turns, by a column of the file."""

from collections.abc import Sequence
from typing import Any

from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.queries.baseline_pairs import StudyPairs
from annotation.queries.item_texts import ItemTexts, item_texts
from annotation.queries.rating_answers import item_table
from annotation.reviewed import RESERVED
from annotation.sentences import sentence as _
from scoring.arrays import BoolArray

# A leaderboard for each of more says nothing.
MOST_PARTS = 100
# Whether the two texts share a word, which is computed of the texts.
WORD_OVERLAP = "word_overlap"
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


def kept(study: Study, pairs: StudyPairs, where: str) -> BoolArray | None:
    """Of which items an expression is true; None where there is none, so that all are."""
    if not where.strip():
        return None
    raise NotImplementedError
