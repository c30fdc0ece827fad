"""How long people worked: medians and hours, without reading all of their times.

Working time is active time as `Judgment.active_ms` has it: the page visible and focused, and
something pressed, moved or scrolled within the last 30 seconds, until the answer is changed last.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

from django.db.models import Count, F, QuerySet, Sum, Window
from django.db.models.functions import RowNumber

from annotation.core.queries.counted_answers import Population, counted_judgments
from annotation.models import Annotator, Block, Design, Judgment

# Rows, or a query for their keys.
People = Iterable[Annotator] | QuerySet[Annotator, Any]

MS_PER_HOUR = 3_600_000


@dataclass(frozen=True)
class WorkingTime:
    """Of some answers; None if no browser counted any time."""

    n_answers: int
    n_timed: int
    median_seconds: float | None
    hours: float | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def working_time(judgments: QuerySet[Judgment, Any]) -> WorkingTime:
    """Of all of these answers together."""
    sums = judgments.order_by().aggregate(
        n=Count("pk"), n_timed=Count("active_ms"), total=Sum("active_ms")
    )
    n_timed = sums["n_timed"]
    if not n_timed:
        return WorkingTime(sums["n"], 0, None, None)
    # The middle row of the sorted ones: every database can do that, and none sends them all.
    times = judgments.filter(active_ms__isnull=False).order_by("active_ms")
    middle = times.values_list("active_ms", flat=True)[(n_timed - 1) // 2 : n_timed // 2 + 1]
    seconds = mean(ms or 0 for ms in middle) / 1000
    return WorkingTime(sums["n"], n_timed, seconds, int(sums["total"]) / MS_PER_HOUR)


def of_counted(design: Design, population: Population) -> WorkingTime:
    """Of the answers that are scored."""
    return working_time(counted_judgments(design, population))


def data_of(people: People) -> QuerySet[Judgment]:
    """Their standing answers to what is not a check."""
    return (
        Judgment.objects.current()
        .filter(assignment__annotator__in=people)
        .exclude(question__block__purpose=Block.Purpose.CHECK)
        .order_by()
    )


def _middle(judgments: QuerySet[Judgment, Any]) -> list[tuple[int, int | None]]:
    who = [F("assignment__annotator_id")]
    middle = (
        judgments.order_by()
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
    return _medians(data_of(people))


def _medians(judgments: QuerySet[Judgment, Any]) -> dict[int, float]:
    times: dict[int, list[int]] = defaultdict(list)
    for who, ms in _middle(judgments):
        if ms is not None:
            times[who].append(ms)
    return {who: mean(milliseconds) / 1000 for who, milliseconds in times.items()}


def working_times(judgments: QuerySet[Judgment, Any]) -> dict[int, WorkingTime]:
    """By annotator."""
    medians = _medians(judgments)
    sums = (
        judgments.order_by()
        .values_list("assignment__annotator_id")
        .annotate(n=Count("pk"), n_timed=Count("active_ms"), total=Sum("active_ms"))
    )
    return {
        who: WorkingTime(
            n, n_timed, medians.get(who), int(total) / MS_PER_HOUR if n_timed else None
        )
        for who, n, n_timed, total in sums
    }


NOBODY = WorkingTime(0, 0, None, None)
