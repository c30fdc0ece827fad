"""How many answers there are, without reading them all: completed parts have stored their sums.

A worker stores them (`core/services/run_sums.py`); answers of parts that are at work, and of those
it has not come to yet, are counted. Both in one statement, so that no answer is missed or counted
twice while the worker stores.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.aggregates import Aggregate

from annotation.core.queries.key_sums import key_sum
from annotation.models import Block, Judgment, PhaseRun, Study

_IS_NO_CHECK = ~Q(question__block__purpose=Block.Purpose.CHECK)
_BASIS = ("n_answers", "last_judgment", "sum_of_keys")

# What is added up of judgments, by the column of a run that holds it.
OF_JUDGMENTS: dict[str, Aggregate] = {
    "n_answers": Count("pk", filter=_IS_NO_CHECK),
    "last_judgment": Max("pk", filter=_IS_NO_CHECK),
    "sum_of_keys": key_sum(where=_IS_NO_CHECK),
    "n_watched": Count("n_away"),
    "n_with_focus_lost": Count("pk", filter=Q(n_away__gt=0)),
    # Of those that were watched: a browser may send one number without the other.
    "n_with_paste": Count("pk", filter=Q(n_pasted__gt=0, n_away__isnull=False)),
}


def basis(runs: QuerySet[PhaseRun]) -> tuple[int, int | None, int]:
    """How many answers these runs of one study have, the last one's primary key, the keys' sum."""
    n, last, total = 0, None, 0
    for _study, n_of_some, last_of_some, total_of_some in sums(
        runs, ["assignment__annotator__study"], _BASIS
    ):
        n += n_of_some
        last = max(filter(None, (last, last_of_some)), default=None)
        # PostgreSQL answers with a Decimal.
        total += int(total_of_some or 0)
    return n, last, total


def n_answers_by(key: str, runs: QuerySet[PhaseRun]) -> "Counter[int]":
    """The answers of these runs by `assignment` or `assignment__annotator`, if there are any."""
    n_answers: Counter[int] = Counter()
    for pk, n in sums(runs, [key], ["n_answers"]):
        n_answers[pk] += n
    return +n_answers


def standing(studies: Iterable[Study]) -> "Counter[tuple[int, str]]":
    """Answers that stand, whether or not they count, by study and source."""
    n_answers: Counter[tuple[int, str]] = Counter()
    runs = PhaseRun.objects.filter(assignment__annotator__study__in=studies)
    keys = ("assignment__annotator__study", "assignment__annotator__source")
    for study, source, n in sums(runs, keys, ["n_answers"]):
        n_answers[study, source] += n
    return n_answers


def sums(
    runs: QuerySet[PhaseRun], keys: Sequence[str], names: Sequence[str]
) -> "QuerySet[Any, tuple[Any, ...]]":
    """Sums of these runs by these columns, which a run and a judgment have alike.

    The same values may come twice: with what is stored, and with what was counted.
    """
    columns = (*keys, *(f"of_{name}" for name in names))
    stored = (
        runs.filter(n_answers__isnull=False)
        .order_by()
        .values(*keys)
        .annotate(
            **{f"of_{name}": Max(name) if name == "last_judgment" else Sum(name) for name in names}
        )
    )
    counted = (
        Judgment.objects.current()
        .filter(
            assignment__runs__in=runs.filter(n_answers=None).order_by(),
            assignment__runs__phase=F("question__block__phase"),
        )
        .order_by()
        .values(*keys)
        .annotate(**{f"of_{name}": OF_JUDGMENTS[name] for name in names})
    )
    both: QuerySet[Any, tuple[Any, ...]] = stored.values_list(*columns).union(
        counted.values_list(*columns), all=True
    )
    return both
