"""How far a study is: places, people, times. Reads only; who idled too long is told apart here
without being expired, which is left to the next claim."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum
from django.utils.functional import Promise

from annotation.basics import clock
from annotation.core.queries import imported_totals, median_times, run_status, run_sums
from annotation.core.queries.counted_answers import SOURCES, Population
from annotation.core.queries.withdrawals import who_withdrew
from annotation.models import (
    Annotator,
    Assignment,
    Design,
    Exclusion,
    ImportedTotals,
    Judgment,
    LiveCount,
    Phase,
    PhaseRun,
    Place,
    Study,
)
from annotation.models.kinds import Source

Text = str | Promise

# A median of fewer answers is computed by the page that shows it.
MIN_STORED_TIMES = 50_000
# Of people who were at work last: one of them gave the last answer.
_N_RECENT = 100


@dataclass(frozen=True)
class Places:
    """The places of a design (or of one booklet) for one kind of people."""

    total: int = 0
    done: int = 0
    in_work: int = 0
    waiting: int = 0
    # All was sent there, and the platform has still to confirm it.
    unverified: int = 0
    # All was sent there, in less than the minimum time: a researcher decides.
    held: int = 0
    # Not done, and held by people who are excluded: nothing that counts will come from there.
    excluded: int = 0

    @property
    def free(self) -> int:
        of_others = self.in_work + self.waiting + self.unverified + self.held
        return self.total - self.done - of_others - self.excluded

    @property
    def share_done(self) -> float:
        return self.done / self.total if self.total else 0.0


def n_simulated_booklets(study: Study) -> int:
    """How many booklets of the current design a program has completed."""
    return places(study).get(Source.SIMULATED, Places()).done


def current_designs(studies: Iterable[Study]) -> dict[int, int]:
    """The design that is answered, by study: the latest."""
    rows = (
        Design.objects.filter(study__in=[study.pk for study in studies])
        .order_by("number")
        .values_list("study_id", "pk")
    )
    return dict(rows)


def completed_runs() -> QuerySet[PhaseRun]:
    """Counted runs of a design's last phase: what makes a place done."""
    later = Phase.objects.filter(
        design=OuterRef("phase__design"), number__gt=OuterRef("phase__number")
    )
    return PhaseRun.objects.filter(is_counted=True).exclude(Exists(later))


def is_of_excluded() -> Q:
    """Of an assignment: whether it or its annotator is excluded now."""
    standing = Exclusion.objects.in_force()
    return Q(Exists(standing.filter(annotator=OuterRef("annotator")))) | Q(
        Exists(standing.filter(assignment=OuterRef("pk")))
    )


def _holding() -> QuerySet[Assignment]:
    """Those who hold a place that is not done."""
    done = completed_runs().filter(place=OuterRef("place"))
    return Assignment.objects.holding().exclude(Exists(done))


def places_by(
    designs: Sequence[int],
    *,
    by: str = "design",
    idle_minutes: dict[int, int] | None = None,
    imported: Mapping[int, ImportedTotals] | None = None,
) -> dict[tuple[int, str], Places]:
    """Places by (design or booklet, source), in four queries however many there are.

    `idle_minutes` by study id: who idled longer holds nothing that a newcomer could not have.
    `imported` by design, where it has been read already.
    """
    key = {"design": "booklet__design_id", "booklet": "booklet_id"}[by]
    now = clock.now()
    places_of: dict[tuple[int, str], Places] = defaultdict(Places)
    if by == "design":
        counted = imported_totals.of_designs(designs) if imported is None else imported
        gone = imported_totals.withdrawn(counted.values())
        for design, totals in counted.items():
            places_of[design, Source.IMPORTED] = _imported_places(totals, gone[design])
        designs = [design for design in designs if design not in counted]
        if not designs:
            return places_of
    n_places = Place.objects.filter(booklet__design__in=designs).values_list(key, "source")
    for group, source, n in n_places.annotate(n=Count("pk")).order_by(key, "source"):
        places_of[group, source] = Places(total=n)

    done_key = f"place__{key}"
    done = (
        completed_runs()
        .filter(place__booklet__design__in=designs)
        .values_list(done_key, "place__source")
        # Of a place and phase one run counts at most.
        .annotate(n=Count("pk"))
        .order_by(done_key, "place__source")
    )
    for group, source, n in done:
        places_of[group, source] = replace(places_of[group, source], done=n)

    holding = (
        _holding()
        .filter(place__booklet__design__in=designs, booklet__design__in=designs)
        .annotate(
            is_held=Exists(PhaseRun.objects.filter(assignment=OuterRef("pk"), is_held=True)),
            is_out=is_of_excluded(),
        )
        .values_list(
            *(done_key, "place__source", "state", "is_held", "is_out"),
            *("last_active_at", "annotator__study_id"),
        )
        .order_by(done_key, "pk")
    )
    for group, source, state, is_held, is_out, last_active_at, study_id in holding:
        here = places_of[group, source]
        limit = (idle_minutes or {}).get(study_id)
        has_idled = limit is not None and last_active_at < now - timedelta(minutes=limit)
        if state == Assignment.State.ACTIVE and has_idled:
            continue
        if is_out:
            places_of[group, source] = replace(here, excluded=here.excluded + 1)
            continue
        if state == Assignment.State.SUBMITTED and is_held:
            places_of[group, source] = replace(here, held=here.held + 1)
            continue
        if state == Assignment.State.SUBMITTED:
            places_of[group, source] = replace(here, unverified=here.unverified + 1)
            continue
        if state == Assignment.State.WAITING:
            places_of[group, source] = replace(here, waiting=here.waiting + 1)
            continue
        places_of[group, source] = replace(here, in_work=here.in_work + 1)
    return places_of


def _imported_places(totals: ImportedTotals, gone: imported_totals.Withdrawn) -> Places:
    """All are done, but those of people who withdrew."""
    return Places(total=totals.n_places, done=totals.n_places - gone.n_places)


def places(study: Study) -> dict[str, Places]:
    """The places of a study's design, by source."""
    design = study.designs.order_by("-number").first()
    if design is None:
        return {}
    totals = imported_totals.of_design(design)
    counted = places_by(
        [design.pk],
        idle_minutes={study.pk: study.idle_minutes},
        imported={design.pk: totals} if totals else {},
    )
    return {source: counts for (_, source), counts in counted.items()}


def is_collecting(study: Study, of_places: Places) -> bool:
    """Whether answers are still to come, from people who are in or may still get in."""
    if of_places.done >= of_places.total or not study.takes_answers:
        return False
    return study.takes_new_people or bool(
        of_places.in_work + of_places.waiting + of_places.unverified + of_places.held
    )


@dataclass(frozen=True)
class PeopleOfSource:
    """How many people of one source are where."""

    joined: int = 0
    not_started: int = 0
    active: int = 0
    waiting: int = 0
    lapsed: int = 0
    submitted: int = 0
    withdrawn: int = 0
    surplus: int = 0
    unverified: int = 0
    returned: int = 0
    rejected: int = 0
    excluded: int = 0


@dataclass(frozen=True)
class Times:
    """What browsers counted as active time: medians, and all; None if nothing was counted."""

    minutes_per_booklet: float | None
    n_booklets: int
    seconds_per_question: float | None
    n_answers: int
    # All of these answers together.
    hours: float | None


@dataclass(frozen=True)
class Progress:
    """Everything the progress page says about one source of answers."""

    source: str
    places: Places
    people: PeopleOfSource
    times: Times
    n_judgments: int
    last_answer_at: datetime | None


def progress(study: Study) -> list[Progress]:
    """How far a study is, real people first; sources without places and people are left out."""
    design = study.designs.order_by("-number").first()
    if design and (totals := imported_totals.of_design(design)):
        return _imported_progress(study, totals)
    of_places = places(study)
    n_answers = run_sums.standing([study])
    rows = []
    for source in (Source.REAL, Source.SIMULATED, Source.IMPORTED):
        people = _people(study, source)
        counts = of_places.get(source, Places())
        if source != Source.REAL and not people.joined and not counts.total:
            continue
        n_judgments = n_answers[study.pk, source]
        rows.append(
            Progress(
                source=source,
                places=counts,
                people=people,
                times=_stored_times(design, source, n_judgments) or times(study, source),
                n_judgments=n_judgments,
                last_answer_at=_last_answer_at(study, source),
            )
        )
    return rows


def _imported_progress(study: Study, totals: ImportedTotals) -> list[Progress]:
    """The same where nobody has answered but the people of a file."""
    gone = imported_totals.withdrawn([totals])[totals.design_id]
    last_answer_at, of_times = totals.last_answer_at, _imported_times(totals)
    if gone.n_answers and last_answer_at:
        last_answer_at = _answers(study, Source.IMPORTED).aggregate(last=Max("answered_at"))[
            "last"
        ]
    if gone.n_answers and totals.n_timed_answers:
        of_times = times(study, Source.IMPORTED)
    return [
        Progress(
            source=Source.REAL,
            places=Places(),
            people=PeopleOfSource(**_without_booklets(study, Source.REAL)),
            times=Times(None, 0, None, 0, None),
            n_judgments=0,
            last_answer_at=None,
        ),
        Progress(
            source=Source.IMPORTED,
            places=_imported_places(totals, gone),
            people=PeopleOfSource(
                joined=totals.n_people,
                submitted=totals.n_people - gone.n_people,
                withdrawn=gone.n_people,
                excluded=len(imported_totals.excluded_people(totals)),
            ),
            times=of_times,
            n_judgments=totals.n_answers - gone.n_answers,
            last_answer_at=last_answer_at,
        ),
    ]


def _imported_times(totals: ImportedTotals) -> Times:
    return Times(
        minutes_per_booklet=totals.minutes_per_booklet,
        n_booklets=totals.n_timed_booklets,
        seconds_per_question=totals.seconds_per_question,
        n_answers=totals.n_timed_answers,
        hours=totals.hours,
    )


def _answers(study: Study, source: str) -> QuerySet[Judgment]:
    return Judgment.objects.current().filter(
        assignment__annotator__study=study, assignment__annotator__source=source
    )


def overdue(study: Study) -> Q:
    """Assignments that the next claim would expire."""
    limit = clock.now() - timedelta(minutes=study.idle_minutes)
    return Q(state=Assignment.State.ACTIVE, last_active_at__lt=limit)


def _people(study: Study, source: str) -> PeopleOfSource:
    assignments = Assignment.objects.filter(annotator__study=study, annotator__source=source)
    states = Assignment.State
    late, out = overdue(study), is_of_excluded()
    of_platforms = (
        run_status.with_status(PhaseRun.objects.filter(assignment__in=assignments))
        .exclude(assignment__state=states.WITHDRAWN)
        .filter(status__in=(run_status.UNVERIFIED, run_status.RETURNED, run_status.REJECTED))
    )
    # Who did the work that a platform has not confirmed, or that was given up, has its own word.
    is_surplus = Q(is_surplus=True) & ~Q(pk__in=of_platforms.values("assignment"))
    # Counted by people, who may hold several booklets one after the other.
    counted = assignments.aggregate(
        joined=Count("annotator", distinct=True),
        active=Count("annotator", distinct=True, filter=Q(state=states.ACTIVE) & ~late & ~out),
        waiting=Count("annotator", distinct=True, filter=Q(state=states.WAITING) & ~out),
        lapsed=Count("annotator", distinct=True, filter=Q(state=states.LAPSED) | late),
        submitted=Count("annotator", distinct=True, filter=Q(state=states.SUBMITTED)),
        surplus=Count("annotator", distinct=True, filter=is_surplus),
    )
    by_status = dict(
        of_platforms.values_list("status")
        .annotate(n=Count("assignment__annotator", distinct=True))
        .order_by("status")
    )
    return PeopleOfSource(**counted, **by_status, **_without_booklets(study, source))


def _without_booklets(study: Study, source: str) -> dict[str, int]:
    """How many people are where no booklet says it."""
    annotators = Annotator.objects.filter(study=study, source=source)
    excluded = Exclusion.objects.in_force().filter(annotator=OuterRef("pk"))
    return {
        "not_started": annotators.filter(assignments=None, withdrawn_at=None).count(),
        "withdrawn": who_withdrew(annotators).count(),
        "excluded": annotators.filter(Exists(excluded)).count(),
    }


def _last_answer_at(study: Study, source: str) -> datetime | None:
    """Checks are not what is collected, but answering them is activity."""
    answers = _answers(study, source)
    if source != Source.IMPORTED:
        # Saving touches the assignment, so the last answer is of one that was at work of late;
        # claiming touches it, too, so those without an answer are passed over.
        has_answer = Exists(Judgment.objects.current().filter(assignment=OuterRef("pk")))
        recent = (
            Assignment.objects.filter(has_answer, annotator__study=study, annotator__source=source)
            .order_by("-last_active_at", "-pk")
            .values_list("pk", flat=True)
        )
        answers = Judgment.objects.current().filter(assignment__in=list(recent[:_N_RECENT]))
    last: datetime | None = answers.aggregate(last=Max("answered_at"))["last"]
    return last


def times_of_population(design: Design, population: Population) -> dict[str, Any]:
    """By source, as a worker stores them; empty where pages compute them."""
    sources = SOURCES[population]
    n_answers = run_sums.standing([design.study])
    if sum(n_answers[design.study_id, source] for source in sources) < MIN_STORED_TIMES:
        return {}
    return {source: asdict(times(design.study, source)) for source in sources}


def _stored_times(design: Design | None, source: str, n_answers: int) -> Times | None:
    """What a worker found of very many answers; None of a few, or where it has not come yet."""
    if design is None or n_answers < MIN_STORED_TIMES:
        return None
    for stored in LiveCount.objects.filter(design=design).values_list("times", flat=True):
        if source in stored:
            return Times(**stored[source])
    return None


def times(study: Study, source: str) -> Times:
    """Of the answers that stand."""
    timed = _answers(study, source).filter(active_ms__isnull=False)
    of_answers = median_times.working_time(timed)
    booklets = list(
        timed.filter(assignment__state=Assignment.State.SUBMITTED)
        .values("assignment")
        .annotate(total=Sum("active_ms"))
        .order_by("assignment")
        .values_list("total", flat=True)
    )
    return Times(
        minutes_per_booklet=median(booklets) / 60_000 if booklets else None,
        n_booklets=len(booklets),
        seconds_per_question=of_answers.median_seconds,
        n_answers=of_answers.n_timed,
        hours=of_answers.hours,
    )
