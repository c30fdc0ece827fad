"""The people of a study as its researchers see them: pseudonyms, states, never a key."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple

from django.db.models import Count, F, Max, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotation.basics import clock
from annotation.core.queries import consents, median_times, run_status
from annotation.kinds.contract.people import PeoplePart
from annotation.kinds.queries import check_answers
from annotation.kinds.registry import kind_of
from annotation.models import (
    Annotator,
    AnnotatorStatistics,
    Arrival,
    Assignment,
    Consent,
    Exclusion,
    Judgment,
    PhaseRun,
    Study,
)
from annotation.people.queries import flag_words
from scoring import CheckScore

Text = str | Promise


@dataclass(frozen=True)
class PersonRow:
    """One annotator as the researcher sees them: a pseudonym, never a key."""

    pk: int
    pseudonym: str
    source: str
    name: str
    state: str
    # Why what they sent is not scored; empty: it is, or is not complete.
    left_out: str
    booklets: str
    n_answered: int
    seconds_per_question: float | None
    # Of active time, over the answers in `n_answered` whose time is known.
    hours: float | None
    last_active_at: datetime | None
    exclusion: Exclusion | None
    # If there are several phases: the one that is answered or waited for.
    phase: "PhaseOfPerson | None"
    # Of the latest result; None if it does not have this person.
    compliance: float | None
    agreement: str
    # Of so many questions; None where they are in no result.
    n_compared: int | None
    # What stood out there, in sentences.
    flags: Sequence[str]
    # On loud and silent checks; None if none was answered.
    checks: CheckScore | None
    # Whether something they sent is held for review.
    is_held: bool
    # How many others came by the open link from the same network.
    n_together: int
    # An e-mail address; the address itself is not shown.
    has_address: bool
    has_started: bool
    is_withdrawn: bool
    # The latest version of the text that they agreed to.
    consent_version: int | None
    # Whether they are asked about a later one: "asked anew", "did not agree", or nothing.
    consent_asked: Text

    @property
    def can_be_chosen(self) -> bool:
        """Whether an answer or a place of theirs could be left out, or taken in again."""
        return not self.is_withdrawn and bool(self.has_started or self.exclusion)


@dataclass(frozen=True)
class PhaseOfPerson:
    """How far somebody is, and when they can go on."""

    run: int
    number: int
    opens_at: datetime
    closes_at: datetime | None
    # Whether they wait for it, or were too late for it: a researcher may open it for them.
    may_be_opened: bool
    is_over: bool
    # Once it was sent, only what a researcher did about it is worth a word.
    is_sent: bool
    # Why a researcher opened it, and who that was.
    reason: str
    opened_by: str

    @property
    def is_shown(self) -> bool:
        return not self.is_sent or bool(self.opened_by)


def person_rows(study: Study, people: Iterable[Annotator]) -> list[PersonRow]:
    """What one page of the people table shows, in a number of queries that does not grow."""
    rows = list(people)
    part, now = kind_of(study).people, clock.now()
    assignments: dict[int, list[Assignment]] = defaultdict(list)
    for assignment in (
        Assignment.objects.filter(annotator__in=rows).select_related("booklet").order_by("pk")
    ):
        assignments[assignment.annotator_id].append(assignment)
    sent = _sent([held[-1] for held in assignments.values()])
    phases = _phases([held[-1] for held in assignments.values()], now)
    times = median_times.working_times(median_times.data_of(rows))
    exclusions = {
        exclusion.annotator_id: exclusion
        for exclusion in Exclusion.objects.in_force()
        .filter(annotator__in=rows)
        .select_related("by")
    }
    statistics = latest_statistics(study, rows)
    pseudonyms = flag_words.pseudonyms_of_others(study, statistics.values())
    checks = check_answers.scores_of(study, rows)
    asked_anew = consents.asked_anew(study, rows)
    held = set(
        PhaseRun.objects.filter(assignment__annotator__in=rows, is_held=True)
        .exclude(assignment__state=Assignment.State.WITHDRAWN)
        .values_list("assignment__annotator", flat=True)
    )
    together = _together(study, rows)
    versions = dict(
        Consent.objects.filter(annotator__in=rows)
        .order_by("text__version")
        .values_list("annotator_id", "text__version")
    )
    return [
        _person_row(
            person,
            assignments[person.pk],
            exclusions.get(person.pk),
            now - timedelta(minutes=study.idle_minutes),
            working=times.get(person.pk, median_times.NOBODY),
            statistics=statistics.get(person.pk),
            part=part,
            pseudonyms=pseudonyms,
            checks=checks.get(person.pk),
            phase=phases.get(person.pk),
            sent=sent.get(person.pk, ""),
            consent_version=versions.get(person.pk),
            consent_asked=asked_anew.get(person.pk, ""),
            is_held=person.pk in held,
            n_together=together.get(person.pk, 0),
        )
        for person in rows
    ]


def _together(study: Study, people: Sequence[Annotator]) -> dict[int, int]:
    """By annotator: how many others came from the same network."""
    groups = dict(
        Arrival.objects.filter(assignment__annotator__in=people)
        .exclude(group="")
        .order_by("pk")
        .values_list("assignment__annotator", "group")
    )
    sizes = dict(
        Arrival.objects.filter(assignment__annotator__study=study, group__in=set(groups.values()))
        .values_list("group")
        .annotate(n=Count("assignment__annotator", distinct=True))
        .order_by()
    )
    return {annotator: sizes[group] - 1 for annotator, group in groups.items()}


def _phases(assignments: Iterable[Assignment], now: datetime) -> dict[int, PhaseOfPerson]:
    """By annotator: the phase beyond the first that they are in."""
    latest: dict[int, PhaseRun] = {}
    runs = (
        PhaseRun.objects.filter(assignment__in=assignments, phase__number__gt=1)
        .select_related("phase", "assignment", "opened_early_by")
        .order_by("assignment", "phase__number")
    )
    for run in runs:
        latest[run.assignment.annotator_id] = run
    begun = set(
        Judgment.objects.filter(assignment__in=[run.assignment_id for run in latest.values()])
        .values_list("assignment", "question__block__phase")
        .distinct()
        .order_by()
    )
    by_annotator = {}
    for annotator, run in latest.items():
        is_here = run.assignment.state in {Assignment.State.WAITING, Assignment.State.LAPSED}
        is_begun = (run.assignment_id, run.phase_id) in begun
        is_over = bool(run.closes_at and run.closes_at <= now) and not is_begun
        by_annotator[annotator] = PhaseOfPerson(
            run=run.pk,
            number=run.phase.number,
            opens_at=run.opens_at,
            closes_at=run.closes_at,
            may_be_opened=is_here and not is_begun and (run.opens_at > now or is_over),
            is_over=is_over and is_here,
            is_sent=run.completed_at is not None,
            reason=run.reason,
            opened_by=run.opened_early_by.get_username() if run.opened_early_by else "",
        )
    return by_annotator


def _sent(assignments: Iterable[Assignment]) -> dict[int, str]:
    """By annotator: the word of `run_status` for what they sent last."""
    runs = PhaseRun.objects.filter(assignment__in=assignments, completed_at__isnull=False)
    return dict(
        run_status.with_status(runs)
        .exclude(assignment__state=Assignment.State.WITHDRAWN)
        .order_by("phase__number")
        .values_list("assignment__annotator", "status")
    )


def _left_out(latest: Assignment, sent: str) -> Text:
    is_on = latest.state not in {Assignment.State.SUBMITTED, Assignment.State.WITHDRAWN}
    if sent in {"", run_status.COUNTED} and latest.is_surplus and is_on:
        sent = run_status.SURPLUS  # whatever they still send: their place was retaken
    return run_status.LEFT_OUT.get(sent, "")


@dataclass(frozen=True)
class AgreementRange:
    """Of all people in the latest result, whether anybody stands out or not."""

    n: int
    lowest: str
    median: str
    highest: str


def agreement_range(study: Study, *, simulated: bool) -> AgreementRange | None:
    """None if nobody can be compared with others."""
    latest = study.results.filter(population="simulated" if simulated else "people")
    values = AnnotatorStatistics.objects.filter(
        result__in=latest.order_by("-pk").values("pk")[:1],
        compliance__isnull=False,
        annotator__withdrawn_at=None,
    ).values_list("compliance", flat=True)
    if not (known := sorted(value for value in values if value is not None)):
        return None
    lowest, middle, highest = (
        kind_of(study).people.agreement_text(value)
        for value in (known[0], median(known), known[-1])
    )
    return AgreementRange(len(known), lowest, middle, highest)


def latest_statistics(study: Study, people: Sequence[Annotator]) -> dict[int, AnnotatorStatistics]:
    """By annotator, from the latest result of each population."""
    latest = study.results.order_by().values("population").annotate(last=Max("pk")).values("last")
    statistics = AnnotatorStatistics.objects.filter(result__in=latest, annotator__in=people)
    return {row.annotator_id: row for row in statistics}


def _person_row(
    person: Annotator,
    held: Sequence[Assignment],
    exclusion: Exclusion | None,
    idle_since: datetime,
    *,
    working: median_times.WorkingTime,
    statistics: AnnotatorStatistics | None,
    part: PeoplePart,
    pseudonyms: Mapping[int, str],
    checks: CheckScore | None,
    phase: PhaseOfPerson | None,
    sent: str,
    consent_version: int | None,
    consent_asked: Text,
    is_held: bool,
    n_together: int,
) -> PersonRow:
    state: Text = _("withdrawn") if person.withdrawn_at else _("not started")
    latest = held[-1] if held else None
    if latest and not person.withdrawn_at:
        late = latest.state == Assignment.State.ACTIVE and latest.last_active_at < idle_since
        state = (Assignment.State.LAPSED if late else Assignment.State(latest.state)).label
    who = person.person
    compliance = statistics.compliance if statistics else None
    return PersonRow(
        pk=person.pk,
        pseudonym=person.pseudonym,
        source=str(person.get_source_display()),
        name=(who.name or who.platform_id) if who else "",
        state=str(state),
        left_out=str(_left_out(latest, sent)) if latest else "",
        booklets=in_runs(assignment.booklet.number for assignment in held),
        n_answered=working.n_answers,
        seconds_per_question=working.median_seconds,
        hours=working.hours,
        last_active_at=latest.last_active_at if latest else None,
        exclusion=exclusion,
        compliance=compliance,
        agreement=part.agreement_text(compliance),
        n_compared=part.n_compared(statistics) if statistics else None,
        flags=[flag_words.said(flag, pseudonyms) for flag in statistics.flags]
        if statistics
        else [],
        checks=checks,
        phase=phase,
        is_held=is_held,
        n_together=n_together,
        has_address=bool(who and who.email),
        has_started=bool(held),
        is_withdrawn=person.withdrawn_at is not None,
        consent_version=consent_version,
        consent_asked=consent_asked,
    )


class RosterRecord(NamedTuple):
    """Somebody on the roster, and when they finished, if they did."""

    platform_id: str
    name: str
    finished_at: datetime | None


def roster_records(study: Study) -> list[RosterRecord]:
    """Everybody on the roster."""
    rows = (
        study.annotators.filter(person__platform="roster")
        .annotate(
            finished_at=Max(
                "assignments__runs__completed_at",
                filter=Q(assignments__state=Assignment.State.SUBMITTED),
            )
        )
        .order_by("person__platform_id", "pk")
        .values("finished_at", platform_id=F("person__platform_id"), name=F("person__name"))
    )
    return [RosterRecord(**row) for row in rows]


def in_runs(numbers: Iterable[int]) -> str:
    """Numbers for a table, from three in a row on as from and to: imported answers have many."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )
