"""What the live page shows is counted and measured here, by a worker, while answers come in.

Running it twice at once is harmless: a worker that counts a design has a claim on its row, and a
claim that a dead worker left is taken over after a while.
"""

import logging
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Q
from django.db.models.functions import TruncHour

from annotation.basics import clock
from annotation.core.queries import counted_answers, progress
from annotation.core.queries.counted_answers import POPULATIONS, SOURCES, Population
from annotation.core.services import run_sums
from annotation.kinds.registry import kind_of
from annotation.models import (
    Annotator,
    Assignment,
    Design,
    Exclusion,
    Job,
    LiveCount,
    ProgressPoint,
    Study,
)

# Saving touches the time of an assignment no more often than every minute.
_SETTLED_AFTER = timedelta(minutes=2)
# What comes by other ways, such as a platform's word on who it was, is found at the latest then.
_COUNTED_AFTER = timedelta(minutes=10)
_CLAIM_LASTS = timedelta(minutes=15)

# A point is measured when so many answers came or went since the last one, or this share of them;
_MIN_NEW_ANSWERS, _SHARE_NEW = 20, 0.02
# or any, and then none for a while;
_QUIET_AFTER = timedelta(minutes=15)
# never sooner after the last one than this, or than so many times what it took.
_MEASURED_AFTER, _REST = timedelta(minutes=3), 60
# Nothing more is measured in one run that took so long already.
_SECONDS_AT_ONCE = 20.0

logger = logging.getLogger("annotation.live")


@dataclass(frozen=True)
class _Due:
    """A design, one population of it, and when something happened there last."""

    design: Design
    population: Population
    active_at: datetime


def watch() -> int:
    """Count and measure every study of which something is new; return how many there were."""
    n, began = 0, time.monotonic()
    _correct_times_ahead()
    # A result that somebody waits for comes first.
    is_scoring = Job.objects.filter(kind=Job.Kind.SCORE, state__in=Job.UNFINISHED).exists()
    for due in _due():
        row = _claimed(due)
        if row is None:
            continue
        try:
            run_sums.store(due.design, due.population)
            _count(row, due)
            # What is left is due again in a minute: other work of this worker is, too.
            if not is_scoring and time.monotonic() - began < _SECONDS_AT_ONCE:
                _measure(row, due)
        except Exception:
            # One study keeps no other from being counted.
            logger.exception("the live page's figures of %s failed", due.design)
        finally:
            LiveCount.objects.filter(pk=row.pk).update(claimed_at=None)
        n += 1
    return n


def _correct_times_ahead() -> None:
    """If the clock was put back, everything is counted and measured anew."""
    for column in ("claimed_at", "counted_at", "measured_at"):
        LiveCount.objects.filter(**{f"{column}__gt": clock.latest()}).update(**{column: None})


def _due() -> Iterable[_Due]:
    """Designs that are answered, or were since they were counted last."""
    studies = list(Study.objects.exclude(state__in=Study.UNASKED).order_by("pk"))
    designs = {
        design.pk: design
        for design in Design.objects.filter(
            pk__in=progress.current_designs(studies).values()
        ).select_related("study")
    }
    counted = {
        (row.design_id, row.population): row
        for row in LiveCount.objects.filter(design__in=designs)
    }
    active = _last_activity(designs)
    now = clock.shared_now()
    for pk, population in sorted(active):
        design, at = designs[pk], active[pk, population]
        row = counted.get((pk, population))
        if (
            row is None
            or row.counted_at is None
            or row.counted_at < at + _SETTLED_AFTER
            or (row.measured_at is None or row.measured_at < at + _QUIET_AFTER)
            or (design.study.takes_answers and row.counted_at < now - _COUNTED_AFTER)
        ):
            yield _Due(design, population, at)


def _last_activity(designs: Iterable[int]) -> dict[tuple[int, Population], datetime]:
    """When somebody was last at work, was excluded, taken in again or withdrew."""
    wanted = list(designs)
    of_source = {source: name for name in POPULATIONS for source in SOURCES[name]}
    latest: dict[tuple[int, Population], datetime] = {}
    key = "booklet__design_id"
    of_work = (
        Assignment.objects.filter(booklet__design__in=wanted)
        .values_list(key, "annotator__source")
        .annotate(last=Max("last_active_at"))
        .order_by(key)
    )
    key = "assignments__booklet__design_id"
    of_withdrawal = (
        Annotator.objects.filter(
            withdrawn_at__isnull=False, assignments__booklet__design__in=wanted
        )
        .values_list(key, "source")
        .annotate(last=Max("withdrawn_at"))
        .order_by(key)
    )
    key = "annotator__assignments__booklet__design_id"
    of_exclusion = (
        Exclusion.objects.filter(annotator__assignments__booklet__design__in=wanted)
        .values_list(key, "annotator__source")
        .annotate(last=Max("at"), lifted=Max("lifted_at"))
        .order_by(key)
    )
    for design, source, *times in [*of_work, *of_withdrawal, *of_exclusion]:
        pair = design, of_source[source]
        latest[pair] = max(filter(None, [latest.get(pair), *times]))
    return latest


def _claimed(due: _Due) -> LiveCount | None:
    """The row to write into; None while another worker does."""
    now = clock.shared_now()
    row, _made = LiveCount.objects.get_or_create(design=due.design, population=due.population)
    free = Q(claimed_at=None) | Q(claimed_at__lt=now - _CLAIM_LASTS)
    if not LiveCount.objects.filter(free, pk=row.pk).update(claimed_at=now):
        return None
    row.refresh_from_db()
    return row


def _count(row: LiveCount, due: _Due) -> None:
    """Count what there is: all of it, so that nothing that was stored late is missed."""
    now = clock.shared_now()
    given = counted_answers.judgments_of(due.design, due.population).current()
    counted = given.aggregate(
        n=Count("pk"),
        timed=Count("pk", filter=Q(answered_at__isnull=False)),
        last_hour=Count("pk", filter=Q(answered_at__gt=now - timedelta(hours=1))),
        last_day=Count("pk", filter=Q(answered_at__gt=now - timedelta(days=1))),
    )
    row.n_answers = counted.pop("n")
    row.n_counted = counted_answers.basis(due.design, due.population).n_judgments
    row.hours = {
        "answers": _hours_of_answers(row, due, counted.pop("timed")),
        "joined": _hours_of_joining(due),
        "completed": _hours_of_completing(due),
        **counted,
    }
    row.counted_at = now
    row.save(update_fields=["n_answers", "n_counted", "hours", "counted_at"])


def _hours_of_answers(row: LiveCount, due: _Due, n_timed: int) -> list[list[Any]]:
    """The answers that stand, by the hour in which they were given.

    Hours that were over when they were counted last are counted again only if an answer of them
    was withdrawn or changed since: then their sum is not `n_timed`.
    """
    if row.counted_at is not None:
        # An hour more, for what was being stored just then.
        since = (row.counted_at - timedelta(hours=1)).replace(minute=0, second=0, microsecond=0)
        older_hours = [
            [hour, n]
            for hour, n in row.hours.get("answers", [])
            if datetime.fromisoformat(hour) < since
        ]
        hours = older_hours + _answers_by_hour(due, since)
        if sum(n for _hour, n in hours) == n_timed:
            return hours
    return _answers_by_hour(due, None)


def _answers_by_hour(due: _Due, since: datetime | None) -> list[list[Any]]:
    given = counted_answers.judgments_of(due.design, due.population).current()
    given = given.filter(answered_at__isnull=False)
    if since is not None:
        given = given.filter(answered_at__gte=since)
    by_hour = (
        given.annotate(hour=TruncHour("answered_at", tzinfo=UTC))
        .values_list("hour")
        .annotate(n=Count("pk"))
        .order_by("hour")
    )
    return [[hour.isoformat(), n] for hour, n in by_hour]


def _hours_of_joining(due: _Due) -> list[list[object]]:
    """People by the hour in which they took their first booklet of this design."""
    first = (
        Assignment.objects.filter(
            booklet__design=due.design, annotator__source__in=SOURCES[due.population]
        )
        .values("annotator")
        .annotate(first=Min("created_at"))
        .order_by("annotator")
        .values_list("first", flat=True)
    )
    return _by_hour(first)


def _hours_of_completing(due: _Due) -> list[list[object]]:
    """Places by the hour in which they were done: the counted run of the last phase."""
    done = progress.completed_runs().filter(
        place__booklet__design=due.design, place__source__in=SOURCES[due.population]
    )
    return _by_hour(done.order_by("pk").values_list("completed_at", flat=True))


def _by_hour(times: Iterable[datetime | None]) -> list[list[object]]:
    hours = Counter(
        at.astimezone(UTC).replace(minute=0, second=0, microsecond=0) for at in times if at
    )
    return [[hour.isoformat(), hours[hour]] for hour in sorted(hours)]


def _measure(row: LiveCount, due: _Due) -> None:
    """Append a point to the curves where enough is new."""
    now = clock.shared_now()
    rest = max(_MEASURED_AFTER, timedelta(seconds=_REST * row.seconds))
    if row.measured_at is not None and now < row.measured_at + rest:
        return
    last = ProgressPoint.objects.filter(design=due.design, population=due.population).last()
    n_before = last.n_judgments if last else 0
    is_much = abs(row.n_counted - n_before) >= max(_MIN_NEW_ANSWERS, _SHARE_NEW * n_before)
    is_first = last is None and row.n_counted
    if not (is_much or is_first or due.active_at < now - _QUIET_AFTER):
        return
    began = time.monotonic()
    measured = None
    if last is None or counted_answers.basis(due.design, due.population) != _basis_of(last):
        measured = kind_of(due.design.study).monitoring.measure(due.design, due.population)
    if measured is not None and (last or measured.basis.n_judgments):
        ProgressPoint.objects.create(
            design=due.design,
            population=due.population,
            at=now,
            n_judgments=measured.basis.n_judgments,
            last_judgment=measured.basis.last_judgment,
            sum_of_keys=measured.basis.sum_of_keys,
            figures=measured.figures,
            details=measured.details,
        )
    row.times = progress.times_of_population(due.design, due.population)
    row.measured_at, row.seconds = now, time.monotonic() - began
    row.save(update_fields=["times", "measured_at", "seconds"])


def _basis_of(point: ProgressPoint) -> counted_answers.Basis:
    return counted_answers.Basis(point.n_judgments, point.last_judgment, point.sum_of_keys)
