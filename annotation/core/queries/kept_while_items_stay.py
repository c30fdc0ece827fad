"""What only a look at every item of a study tells: read once for as long as they stay the same.

The columns of a large imported table take seconds to be looked through, and many pages name them.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet

from annotation.models import Relabelling, Study

T = TypeVar("T")

_KEPT_SECONDS = 24 * 60 * 60
# Whoever comes while it is read waits for it, and does not read it, too.
_reading = threading.Lock()


def kept_while_items_stay(name: str, study: Study, read: Callable[[], T]) -> T:
    """What `read` returns (never None), under this name of the study; by this process once."""
    key = f"{name}:{study.pk}:{_stamp(study)}"
    result: T | None = cache.get(key)
    if result is not None:
        return result
    with _reading:
        result = cache.get(key)
        if result is None:
            result = read()
            cache.set(key, result, _KEPT_SECONDS)
    return result


def _stamp(study: Study) -> str:
    """Another one after each import and each relabelling, which is all that changes them."""
    relabelled = Relabelling.objects.filter(study=study).aggregate(last=Max("pk"))["last"]
    extents = (*_extent(study.items.all()), *_extent(study.contexts.all()))
    return "-".join(map(str, (*extents, relabelled)))


def _extent(rows: "QuerySet[Any]") -> tuple[int, int | None]:
    counted = rows.aggregate(n=Count("pk"), last=Max("pk"))
    return counted["n"], counted["last"]
