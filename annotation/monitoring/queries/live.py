"""What the live page of a study says: counts that are few rows, and what a worker has stored.

Nothing here grows with the answers.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from django.db.models import Count, DurationField, Exists, OuterRef, Q, Sum

from annotation.core.queries import progress
from annotation.core.queries.counted_answers import SOURCES, Population
from annotation.core.queries.withdrawals import who_withdrew
from annotation.models import (
    Annotator,
    Assignment,
    Design,
    Exclusion,
    Item,
    LiveCount,
    Phase,
    ProgressPoint,
    Study,
)
from scoring.pace import Pace, hours_to_go

# Points on a curve: more could not be told apart on it.
MAX_POINTS = 300
# Hours after which a date means nothing.
_LONGEST = 24 * 365
# Items on a page of the study's items.
_PER_PAGE = 50


@dataclass(frozen=True)
class Hour:
    """What was counted in one hour."""

    begins: datetime
    n: int


@dataclass(frozen=True)
class Tally:
    """What a worker counted last."""

    counted_at: datetime
    n_answers: int
    n_counted: int
    # Before it was counted.
    in_last_hour: int
    in_last_day: int
    answers: list[Hour]
    joined: list[Hour]
    completed: list[Hour]

    @property
    def began_at(self) -> datetime | None:
        return min(
            (hours[0].begins for hours in (self.answers, self.joined) if hours), default=None
        )


@dataclass(frozen=True)
class PeopleOfPopulation:
    """How many people of a population are where, each counted once in each."""

    joined: int = 0
    active: int = 0
    waiting: int = 0
    submitted: int = 0
    lapsed: int = 0
    withdrawn: int = 0
    excluded: int = 0


@dataclass(frozen=True)
class End:
    """When all places will be done, between two moments; or why that cannot be told."""

    # "": there is a forecast; "done", "few", "never" (not within a year), "stalled", "shut"
    # (nobody new gets in), "over" (none may answer any more), "none".
    reason: str
    earliest: datetime | None = None
    latest: datetime | None = None


@dataclass(frozen=True)
class Point:
    """One point of the curves."""

    at: datetime
    n_judgments: int
    phases: list[dict[str, Any]]


@dataclass(frozen=True)
class Live:
    """Everything that the page shows."""

    study: Study
    design: Design | None
    population: Population
    places: progress.Places
    people: PeopleOfPopulation
    tally: Tally | None
    end: End
    points: list[Point]
    # Of the latest point.
    details: list[dict[str, Any]]
    items: dict[int, Item] = field(default_factory=dict)
    has_simulated: bool = False

    @property
    def latest(self) -> Point | None:
        return self.points[-1] if self.points else None

    @property
    def fingerprint(self) -> str:
        """The same while the page would say the same."""
        content = [
            self.study.state,
            self.design and self.design.pk,
            self.population,
            self.places,
            self.people,
            self.end,
            self.tally and (self.tally.counted_at.isoformat(), self.tally.n_answers),
            len(self.points),
            self.latest and self.latest.at.isoformat(),
            self.has_simulated,
        ]
        return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()[:32]


def live(
    study: Study,
    population: Population,
    *,
    places_by_source: Mapping[str, progress.Places] | None = None,
) -> Live:
    """Read it in a number of queries that depends on nothing.

    `places_by_source`: as `progress.places` says, if that was asked before.
    """
    design_id = progress.current_designs([study]).get(study.pk)
    design = Design.objects.get(pk=design_id) if design_id else None
    if places_by_source is None:
        places_by_source = progress.places(study)
    places = _places(places_by_source, population)
    people = _people(study, population)
    tally = _tally(design, population)
    points, details = _points(design, population)
    return Live(
        study=study,
        design=design,
        population=population,
        places=places,
        people=people,
        tally=tally,
        end=_end(study, design, places, tally),
        points=points,
        details=details,
        items=_items(details),
        has_simulated=study.annotators.filter(source__in=SOURCES["simulated"]).exists(),
    )


def _places(by_source: Mapping[str, progress.Places], population: Population) -> progress.Places:
    return next(
        (by_source[source] for source in SOURCES[population] if source in by_source),
        progress.Places(),
    )


def _people(study: Study, population: Population) -> PeopleOfPopulation:
    states = Assignment.State
    late, out = progress.overdue(study), progress.is_of_excluded()
    assignments = Assignment.objects.filter(
        annotator__study=study, annotator__source__in=SOURCES[population]
    )
    counted = assignments.aggregate(
        joined=Count("annotator", distinct=True),
        active=Count("annotator", distinct=True, filter=Q(state=states.ACTIVE) & ~late & ~out),
        waiting=Count("annotator", distinct=True, filter=Q(state=states.WAITING) & ~out),
        submitted=Count("annotator", distinct=True, filter=Q(state=states.SUBMITTED)),
        lapsed=Count("annotator", distinct=True, filter=Q(state=states.LAPSED) | late),
    )
    annotators = Annotator.objects.filter(study=study, source__in=SOURCES[population])
    standing = Exclusion.objects.in_force().filter(annotator=OuterRef("pk"))
    return PeopleOfPopulation(
        **counted,
        withdrawn=who_withdrew(annotators).count(),
        excluded=annotators.filter(Exists(standing)).count(),
    )


def _tally(design: Design | None, population: Population) -> Tally | None:
    row = LiveCount.objects.filter(design=design, population=population).first()
    if design is None or row is None or row.counted_at is None:
        return None
    hours = {
        name: [Hour(datetime.fromisoformat(begins), n) for begins, n in row.hours.get(name, [])]
        for name in ("answers", "joined", "completed")
    }
    return Tally(
        counted_at=row.counted_at.astimezone(UTC),
        n_answers=row.n_answers,
        n_counted=row.n_counted,
        in_last_hour=row.hours.get("last_hour", 0),
        in_last_day=row.hours.get("last_day", 0),
        **hours,
    )


def _points(
    design: Design | None, population: Population
) -> tuple[list[Point], list[dict[str, Any]]]:
    stored = ProgressPoint.objects.filter(design=design, population=population).order_by("-pk")
    rows = stored.values_list("at", "n_judgments", "figures")[: 2 * MAX_POINTS]
    points = [Point(at, n, figures["phases"]) for at, n, figures in rows][::-1]
    if not points:
        return [], []
    # The latest stays, and of the others so many as there is room for.
    step = -(-len(points) // MAX_POINTS)
    details = stored.values_list("details", flat=True)[:1].get()
    return points[::-1][::step][::-1], details["phases"]


def _items(details: list[dict[str, Any]]) -> dict[int, Item]:
    """The items that the lists name."""
    named = {pk for detail in details for row in detail.get("pairs", []) for pk in row[:2]}
    named |= {row[0] for detail in details for row in detail.get("undecided", [])}
    rows = Item.objects.filter(pk__in=named).select_related("target_turn", "candidate_turn")
    return {item.pk: item for item in rows.order_by("pk")}


def page_of_item(item: Item) -> int:
    """On which page of the study's items it stands."""
    return (item.number - 1) // _PER_PAGE + 1


def _end(study: Study, design: Design | None, places: progress.Places, tally: Tally | None) -> End:
    if design is None or not places.total:
        return End("none")
    n_left = places.total - places.done
    if not n_left:
        return End("done")
    if not study.takes_answers:
        return End("over")
    if not study.takes_new_people:
        return End("shut")
    if tally is None or tally.began_at is None:
        return End("few")
    pace = _pace(tally, n_left, tally.began_at)
    if pace.reason:
        return End(pace.reason)
    # A person who comes now waits between the phases.
    waits = Phase.objects.filter(design=design).aggregate(
        total=Sum("delay", output_field=DurationField())
    )["total"]
    waiting = waits.total_seconds() / 3600 if waits and places.free else 0.0
    earliest, latest = max(pace.low, waiting), pace.high + waiting
    if earliest > _LONGEST:
        return End("never")
    return End(
        "",
        tally.counted_at + timedelta(hours=earliest),
        None if latest > _LONGEST else tally.counted_at + timedelta(hours=latest),
    )


def _pace(tally: Tally, n_left: int, began_at: datetime) -> Pace:
    ages = [
        # In the middle of its hour, which is all that is known.
        max((tally.counted_at - hour.begins).total_seconds() / 3600 - 0.5, 0.0)
        for hour in tally.completed
        for _ in range(hour.n)
    ]
    began = (tally.counted_at - began_at).total_seconds() / 3600
    return hours_to_go(np.array(ages), n_left=n_left, began_hours_ago=began)
