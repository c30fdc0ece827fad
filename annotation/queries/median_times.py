"""The median time that people took for an answer, without reading all of their times."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import mean
from typing import Any

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from annotation.models import Annotator, Block, Judgment

# Rows, or a query for their keys.
People = Iterable[Annotator] | QuerySet[Annotator, Any]


def data_of(people: People) -> QuerySet[Judgment]:
    """Their standing answers to what is not a check."""
    return (
        Judgment.objects.current()
        .filter(assignment__annotator__in=people)
        .exclude(question__block__purpose=Block.Purpose.CHECK)
        .order_by()
    )


def middle_times(
    people: People,
) -> list[tuple[int, int | None]]:
    """Annotator and milliseconds: of each the one or two times in the middle, in one query."""
    who = [F("assignment__annotator_id")]
    middle = (
        data_of(people)
        .filter(active_ms__isnull=False)
        .annotate(
            place=Window(RowNumber(), partition_by=who, order_by=[F("active_ms"), F("pk")]),
            n=Window(Count("pk"), partition_by=who),
        )
        .filter(place__gte=F("n") / 2.0, place__lte=F("n") / 2.0 + 1)
    )
    return list(middle.values_list("assignment__annotator_id", "active_ms"))


def median_seconds(people: People) -> dict[int, float]:
    """By annotator; whose times are not known is not there."""
    times: dict[int, list[int]] = defaultdict(list)
    for who, ms in middle_times(people):
        if ms is not None:
            times[who].append(ms)
    return {who: mean(of) / 1000 for who, of in times.items()}


def n_answered(people: People) -> dict[int, int]:
    """How many questions each has answered, by annotator."""
    counted = data_of(people).values_list("assignment__annotator_id").annotate(n=Count("pk"))
    return dict(counted)
