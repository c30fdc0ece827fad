"""How much of a study is asked about: items and tuples without those of checks.

All are counted by an index and checks, which are few, are subtracted: joined, each of a hundred
thousand items would look for its check.
"""

from collections import Counter
from collections.abc import Iterable

from django.db.models import Count, Q, QuerySet

from annotation.models import Check, Design, Item, Study


def n_items(study: Study) -> int:
    return n_items_by_study([study])[study.pk]


def n_items_by_study(studies: Iterable[Study]) -> "Counter[int]":
    """Studies without items are not there."""
    studies = list(studies)
    items = Item.objects.filter(study__in=studies)
    n_by_study = Counter(_by_study(items))
    known = list(Check.objects.filter(study__in=studies).values_list("item", "pool"))
    if known:
        of_items, of_pools = ({pk for pk in pks if pk} for pks in zip(*known, strict=True))
        n_by_study.subtract(_by_study(items.filter(Q(pk__in=of_items) | Q(pool__in=of_pools))))
    return +n_by_study


def _by_study(items: QuerySet[Item]) -> dict[int, int]:
    return dict(items.order_by("study").values_list("study").annotate(n=Count("pk")))


def n_tuples(design: Design) -> int:
    pools = Check.objects.filter(study=design.study_id, pool__isnull=False)
    known = list(pools.values_list("pool", flat=True))
    of_checks = design.tuples.filter(pool__in=known).count() if known else 0
    return design.tuples.count() - of_checks
