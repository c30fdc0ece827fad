"""Columns of an imported file that nobody was shown, where files of a study have them."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import QuerySet

from annotation.basics.reviewed import RESERVED
from annotation.models import Study

_CHUNK = 2000
MAX_LISTED = 30


def of_items(study: Study, *, known: Collection[str] = ()) -> list[str]:
    """Names in the metadata of items, without those that have columns of their own."""
    # Of an item without a context, domain and source are columns.
    of_contexts = () if study.contexts.exists() else ("domain", "source")
    return _names(study.items.all(), without={RESERVED, *known, *of_contexts})


def of_contexts(study: Study) -> list[str]:
    return _names(study.contexts.all(), without={RESERVED})


def listed(names: Sequence[str]) -> str:
    """Names for a sentence; of a table with very many columns the first ones."""
    return ", ".join([*names[:MAX_LISTED], *(["…"] if len(names) > MAX_LISTED else [])])


def _names(rows: "QuerySet[Any]", *, without: Collection[str]) -> list[str]:
    """In the order in which they come up."""
    names: dict[str, None] = {}
    stored = rows.exclude(metadata={}).order_by("pk").values_list("metadata", flat=True)
    for metadata in stored.iterator(chunk_size=_CHUNK):
        names.update(dict.fromkeys(metadata))
    return [name for name in names if name not in without]
