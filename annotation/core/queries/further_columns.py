"""Columns of an imported file that nobody was shown, where files of a study have them."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import QuerySet

from annotation.basics.reviewed import RESERVED
from annotation.core.queries.kept_while_items_stay import kept_while_items_stay
from annotation.models import Study

_CHUNK = 2000
MAX_LISTED = 30


def of_items(study: Study, *, known: Collection[str] = ()) -> list[str]:
    """Names in the metadata of items, without those that have columns of their own."""
    # Of an item without a context, domain and source are columns.
    of_contexts = () if study.contexts.exists() else ("domain", "source")
    without = {RESERVED, *known, *of_contexts}
    return [name for name in _names(study)[0] if name not in without]


def of_items_and_contexts(study: Study) -> list[str]:
    """The same with the metadata of contexts, such as dialogues."""
    of_contexts = [name for name in _names(study)[1] if name != RESERVED]
    return [*dict.fromkeys([*of_items(study), *of_contexts])]


def all_names(study: Study) -> set[str]:
    """Every name in the metadata of items and contexts."""
    of_items, of_contexts = _names(study)
    return {*of_items, *of_contexts}


def listed(names: Sequence[str]) -> str:
    """Names for a sentence; of a table with very many columns the first ones."""
    return ", ".join([*names[:MAX_LISTED], *(["…"] if len(names) > MAX_LISTED else [])])


def _names(study: Study) -> tuple[list[str], list[str]]:
    """In the metadata of the items, and of the contexts, in the order in which they come up."""
    return kept_while_items_stay(
        "names", study, lambda: (_read(study.items.all()), _read(study.contexts.all()))
    )


def _read(rows: "QuerySet[Any]") -> list[str]:
    names: dict[str, None] = {}
    stored = rows.exclude(metadata={}).order_by("pk").values_list("metadata", flat=True)
    for metadata in stored.iterator(chunk_size=_CHUNK):
        names.update(dict.fromkeys(metadata))
    return list(names)
