"""Everything that was seen of one annotator: figures beside those of the others, no verdict."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.answering.queries.pace import pace_of
from annotation.basics import charts_of_people
from annotation.basics.numbers import decimal, number
from annotation.basics.plot import Plot
from annotation.basics.sentences import read
from annotation.kinds.people_answers import Others, Own
from annotation.kinds.people_figures import Figure
from annotation.kinds.registry import kind_of
from annotation.models import Annotator, Assignment, Exclusion, PhaseRun
from annotation.models.kinds import Source
from annotation.people.queries import people, signs


@dataclass(frozen=True)
class Sitting:
    """One phase of one booklet; of imported answers, of all their booklets."""

    booklets: str
    n_booklets: int
    phase: int
    opened_at: datetime | None
    completed_at: datetime | None
    n_answers: int
    active_minutes: float | None
    seconds: float | None
    usual: float | None


@dataclass(frozen=True)
class PastExclusion:
    reason: str
    by: str
    at: datetime
    lifted_at: datetime | None
    lifted_by: str
    lifted_reason: str


def held_in_words(person: Annotator) -> list[str]:
    """Why something of this person is held for review: a sentence for each part that is."""
    runs = PhaseRun.objects.filter(assignment__annotator=person, is_held=True)
    return [
        _held(run)
        for run in runs.exclude(assignment__state=Assignment.State.WITHDRAWN)
        .select_related("assignment__annotator__study", "phase")
        .order_by("assignment", "phase__number")
    ]


def _held(run: PhaseRun) -> str:
    pace = pace_of(run)
    return ngettext(
        "%(fast)s of %(n)s screen took less than %(least)s seconds; the median is %(median)s"
        " seconds.",
        "%(fast)s of %(n)s screens took less than %(least)s seconds each; the median is"
        " %(median)s seconds.",
        len(pace.seconds),
    ) % {
        "fast": pace.n_fast,
        "n": len(pace.seconds),
        "least": number(pace.least_seconds, 1),
        "median": number(median(pace.seconds), 1) if pace.seconds else "–",
    }


def sittings(person: Annotator, own: Sequence[Own], others: Others) -> list[Sitting]:
    runs = (
        PhaseRun.objects.filter(assignment__annotator=person)
        .exclude(assignment__state=Assignment.State.WITHDRAWN)
        .select_related("phase", "assignment__booklet")
        .order_by("assignment", "phase__number")
    )
    of_run: dict[tuple[int, int], list[Own]] = defaultdict(list)
    for answer in own:
        of_run[answer.assignment, answer.phase].append(answer)
    together: dict[tuple[int, int], list[PhaseRun]] = defaultdict(list)
    for run in runs:
        # A file has no booklets: those that hold its answers say nothing of who sat when.
        of_file = person.source == Source.IMPORTED
        together[0 if of_file else run.assignment_id, run.phase.number].append(run)
    return [
        _sitting(
            held, [answer for run in held for answer in of_run[run.assignment_id, number]], others
        )
        for (_of, number), held in together.items()
    ]


def _sitting(runs: Sequence[PhaseRun], given: Sequence[Own], others: Others) -> Sitting:
    times = [answer.seconds for answer in given if answer.seconds is not None]
    usual = [t for answer in given if (t := others.usual_seconds(answer.question_key)) is not None]
    completed = [run.completed_at for run in runs if run.completed_at is not None]
    return Sitting(
        booklets=people.in_runs(run.assignment.booklet.number for run in runs),
        n_booklets=len(runs),
        phase=runs[0].phase.number,
        opened_at=min(run.opens_at for run in runs),
        completed_at=max(completed) if len(completed) == len(runs) else None,
        n_answers=len(given),
        active_minutes=sum(times) / 60 if times else None,
        seconds=median(times) if times else None,
        usual=median(usual) if usual else None,
    )


def figures(
    person: Annotator, own: Sequence[Own], others: Others, row: people.PersonRow
) -> list[Figure]:
    """Whatever can be said of the answers of this kind."""
    part = kind_of(person.study).people
    rows = [
        _pace(own, others),
        *([_compliance(row, str(part.agreement_name))] if part.compares_people else []),
        *part.figures(person, own, others),
        *signs.figures(person),
    ]
    if row.checks:
        rows.append(
            Figure(
                _("Checks passed"),
                _("%(right)s of %(n)s") % {"right": row.checks.n_right, "n": row.checks.n},
                note=_("mean credit %(mean)s") % {"mean": decimal(row.checks.mean, 2)},
            )
        )
    return rows


def _pace(own: Sequence[Own], others: Others) -> Figure:
    times = [answer.seconds for answer in own if answer.seconds is not None]
    usual = [t for answer in own if (t := others.usual_seconds(answer.question_key)) is not None]
    return Figure(
        _("Median seconds per question"),
        number(median(times) if times else None, 1),
        number(median(usual) if usual else None, 1),
        note=_("working time: %(n)s minutes") % {"n": decimal(sum(times) / 60, 1)}
        if times
        else _("no times recorded"),
    )


def _compliance(row: people.PersonRow, name: str) -> Figure:
    """The figure of the table of people, and of how many questions it is."""
    if row.n_compared is None:
        return Figure(
            name,
            row.agreement,
            note=_("not scored, or not in the latest scoring"),
        )
    note = ngettext(
        "%(n)s question in the latest scoring",
        "%(n)s questions in the latest scoring",
        row.n_compared,
    )
    return Figure(name, row.agreement, note=note % {"n": row.n_compared})


def exclusions(person: Annotator) -> list[PastExclusion]:
    rows = Exclusion.objects.filter(annotator=person).select_related("by", "lifted_by")
    return [
        PastExclusion(
            reason=row.reason,
            by=row.by.get_username(),
            at=row.at,
            lifted_at=row.lifted_at,
            lifted_by=row.lifted_by.get_username() if row.lifted_by else "",
            lifted_reason=read(row.lifted_reason),
        )
        for row in rows.order_by("-pk")
    ]


def time_plot(own: Sequence[Own], others: Others) -> Plot | None:
    """Seconds over the course of the booklets, with what others took for the same."""
    timed = [
        (place + 1, answer.seconds, others.usual_seconds(answer.question_key))
        for place, answer in enumerate(own)
        if answer.seconds
    ]
    if not timed:
        return None
    title = _("Time per question")
    caption = _(
        "Working time for each question in seconds, in the order of the "
        "questions, on a logarithmic scale. Dots: this person. Rings: the "
        "median of the others for the same question."
    )
    return Plot(
        "times",
        title,
        caption,
        charts_of_people.times(
            timed, title=title, x_label=_("question"), y_label=_("seconds"), description=caption
        ),
        [_("question"), _("seconds"), _("others' median seconds")],
        [list(row) for row in timed],
        digits=1,
    )
