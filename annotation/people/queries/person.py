"""Everything that was seen of one annotator: figures beside those of the others, no verdict."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from statistics import mean, median

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

import scoring
from annotation.basics import charts_of_people
from annotation.basics.numbers import decimal, number, percent
from annotation.basics.plot import Plot
from annotation.basics.sentences import read
from annotation.kinds.rating.queries import repeats as rating_repeats
from annotation.models import Annotator, Assignment, Exclusion, PhaseRun
from annotation.models.kinds import QuestionKind, Source
from annotation.people.queries import people
from annotation.people.queries.person_answers import Others, Own, population_of
from scoring.flags import longest_run
from scoring.flags.best_worst import ordered_again
from scoring.flags.runs import usual_run


@dataclass(frozen=True)
class Figure:
    """One thing that was seen, what is usual, and of how many answers."""

    name: str
    value: str
    usual: str = "–"
    note: str = ""


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


def sittings(person: Annotator, own: Sequence[Own], others: Others) -> list[Sitting]:
    runs = (
        PhaseRun.objects.filter(assignment__annotator=person)
        .exclude(assignment__state=Assignment.State.WITHDRAWN)
        .select_related("phase", "assignment__booklet")
        .order_by("assignment", "phase__number")
    )
    of_run: dict[tuple[int, int], list[Own]] = defaultdict(list)
    for one in own:
        of_run[one.assignment, one.phase].append(one)
    together: dict[tuple[int, int], list[PhaseRun]] = defaultdict(list)
    for run in runs:
        # A file has no booklets: those that hold its answers say nothing of who sat when.
        of_file = person.source == Source.IMPORTED
        together[0 if of_file else run.assignment_id, run.phase.number].append(run)
    return [
        _sitting(held, [one for run in held for one in of_run[run.assignment_id, number]], others)
        for (_of, number), held in together.items()
    ]


def _sitting(runs: Sequence[PhaseRun], given: Sequence[Own], others: Others) -> Sitting:
    times = [one.seconds for one in given if one.seconds is not None]
    usual = [t for one in given if (t := others.usual_seconds(one.asked)) is not None]
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
    found = [_pace(own, others)]
    match person.study.kind:
        case QuestionKind.BEST_WORST:
            found += [_compliance(row), *_places(own), *_ordered(own)]
        case QuestionKind.RATING:
            found += [
                _compliance(row),
                *_sameness(own, others),
                *_rated_again(person, own),
            ]
        case QuestionKind.LABEL:
            found += [_compliance(row), *_sameness(own, others), _labelled_again(own)]
    if row.checks:
        found.append(
            Figure(
                _("Checks passed"),
                _("%(right)s of %(n)s") % {"right": row.checks.n_right, "n": row.checks.n},
                note=_("mean credit %(mean)s") % {"mean": decimal(row.checks.mean, 2)},
            )
        )
    return found


def _pace(own: Sequence[Own], others: Others) -> Figure:
    times = [one.seconds for one in own if one.seconds is not None]
    usual = [t for one in own if (t := others.usual_seconds(one.asked)) is not None]
    return Figure(
        _("Median seconds per question"),
        number(median(times) if times else None, 1),
        number(median(usual) if usual else None, 1),
        _("%(n)s minutes of use of the page") % {"n": decimal(sum(times) / 60, 1)}
        if times
        else _("no times are known"),
    )


def _compliance(row: people.PersonRow) -> Figure:
    """The figure of the table of people, and of how many questions it is."""
    if row.n_compared is None:
        return Figure(
            _("Agrees with the others"), row.agreement, note=_("the study was not scored since")
        )
    note = ngettext(
        "%(n)s question, when last scored", "%(n)s questions, when last scored", row.n_compared
    )
    return Figure(_("Agrees with the others"), row.agreement, note=note % {"n": row.n_compared})


def _places(own: Sequence[Own]) -> list[Figure]:
    known = [one for one in own if one.positions]
    if not known:
        return [Figure(_("Places on the screen"), "–", note=_("the order is not known"))]
    k, n = len(known[0].shown_order), len(known)
    found = []
    names = (
        (_("Most frequent place of the best"), _("Longest run of one place, best")),
        (_("Most frequent place of the worst"), _("Longest run of one place, worst")),
    )
    for on, (often, run) in enumerate(names):
        at = np.array([one.positions[on] for one in known if one.positions])
        counts = np.bincount(at, minlength=k)
        note = _("place %(place)s; counts %(counts)s") % {
            "place": int(counts.argmax()) + 1,
            "counts": " ".join(map(str, counts.tolist())),
        }
        found += [
            Figure(often, percent(counts.max() / n), percent(1 / k), note),
            Figure(run, str(longest_run(at)), str(usual_run(n=n, k=k)), _answers(n)),
        ]
    return found


def _ordered(own: Sequence[Own]) -> list[Figure]:
    """Self-agreement: pairs of items that the person ordered more than once."""
    whole = [one for one in own if one.best is not None and len(one.shown_order) > 2]
    if not whole:
        return []
    number_of = {
        item: n for n, item in enumerate(sorted({i for one in whole for i in one.shown_order}))
    }
    size = len(whole[0].shown_order)
    tuples: dict[frozenset[int], int] = {}
    for one in whole:
        tuples.setdefault(frozenset(number_of[i] for i in one.shown_order), len(tuples))
    answers = scoring.BestWorst(
        np.array([sorted(members) for members in tuples]).reshape(-1, size),
        np.array([tuples[frozenset(number_of[i] for i in one.shown_order)] for one in whole]),
        np.array([number_of[one.best] for one in whole if one.best is not None]),
        np.array([number_of[one.worst] for one in whole if one.worst is not None]),
        len(number_of),
    )
    _who, is_same = ordered_again(np.zeros(len(whole), dtype=np.int64), answers)
    return [
        Figure(
            _("Orders two items as before"),
            percent(float(is_same.mean())) if len(is_same) else "–",
            percent(0.5),
            ngettext("%(n)s pair ordered again", "%(n)s pairs ordered again", len(is_same))
            % {"n": len(is_same)},
        )
    ]


def _code(one: Own) -> object:
    return one.rating if one.rating is not None else one.chosen


def _said(one: Own, others: Others) -> Sequence[object]:
    if one.rating is not None:
        return others.ratings.get(one.asked, [])
    return others.chosen.get(one.asked, [])


def _sameness(own: Sequence[Own], others: Others) -> list[Figure]:
    """The most frequent answer, the longest run, and how often one is as the one before."""
    if not own:
        return []
    codes = [_code(one) for one in own]
    (most, n_most), *_rest = Counter(codes).most_common()
    by_others = [answer for one in own for answer in _said(one, others)]
    usual = by_others.count(most) / len(by_others) if by_others else None
    name = f"{most:g}" if isinstance(most, float) else ", ".join(map(str, most))  # type: ignore[call-overload]
    runs, same, chances = [0], [], []
    for _sitting, of_one in groupby(own, key=lambda one: (one.assignment, one.phase)):
        given = list(of_one)
        numbers = {code: n for n, code in enumerate(dict.fromkeys(map(_code, given)))}
        runs.append(longest_run(np.array([numbers[_code(one)] for one in given])))
        for before, after in pairwise(given):
            first, second = _said(before, others), _said(after, others)
            if first and second:
                same.append(_code(before) == _code(after))
                counts = Counter(second)
                chances.append(sum(counts[a] for a in first) / (len(first) * len(second)))
    return [
        Figure(_("Most frequent answer"), percent(n_most / len(codes)), percent(usual), name),
        Figure(_("Longest run of one answer"), str(max(runs)), note=_answers(len(own))),
        Figure(
            _("The same answer as just before"),
            percent(mean(same)) if same else "–",
            percent(mean(chances)) if chances else "–",
            _answers(len(same)),
        ),
    ]


def _first(own: Sequence[Own]) -> list[Own]:
    seen: dict[object, Own] = {}
    for one in own:
        seen.setdefault(one.asked, one)
    return list(seen.values())


def _asked_twice(own: Sequence[Own]) -> list[tuple[Own, Own]]:
    """Every answer to something that was asked before, beside the answer before."""
    before: dict[object, Own] = {}
    pairs = []
    for one in own:
        if earlier := before.get(one.asked):
            pairs.append((earlier, one))
        before[one.asked] = one
    return pairs


def _labelled_again(own: Sequence[Own]) -> Figure:
    """Self-agreement: what was asked twice."""
    pairs = _asked_twice(own)
    if not pairs:
        return _nothing_again()
    return Figure(
        _("Asked again: the same answer"),
        percent(mean(a.chosen == b.chosen for a, b in pairs)),
        note=_n_again(len(pairs)),
    )


def _rated_again(person: Annotator, own: Sequence[Own]) -> list[Figure]:
    """Self-agreement: what was asked twice here, and repeats of the earlier round."""
    here = [
        (a.rating, b.rating)
        for a, b in _asked_twice(own)
        if a.rating is not None and b.rating is not None
    ]
    again = {one.pk for _a, one in _asked_twice(own)}
    earlier = rating_repeats.rated_before(person, population_of(person))
    of_earlier_round = [
        (before, one.rating)
        for one in own
        if one.is_repeat and one.pk not in again and one.rating is not None
        if (before := _in_earlier_round(earlier, one)) is not None
    ]
    found = [
        *_apart(_("Asked again: mean distance from before"), here),
        *_apart(_("Asked again: mean distance from the earlier round"), of_earlier_round),
    ]
    return found or [_nothing_again()]


def _in_earlier_round(earlier: Mapping[str, Mapping[int, float]], one: Own) -> float | None:
    """Under the same condition, if the earlier round had it."""
    item = one.asked[2]
    of_conditions = [earlier.get(one.condition, {}), *earlier.values()]
    return next((of[item] for of in of_conditions if item in of), None) if item else None


def _apart(name: str, pairs: Sequence[tuple[float, float]]) -> list[Figure]:
    if not pairs:
        return []
    x, y = np.array(pairs, dtype=np.float64).T
    r = float(scoring.pearson(x, y))
    note = _n_again(len(pairs))
    if not np.isnan(r):
        note = _("%(n)s, Pearson %(r)s") % {"n": note, "r": number(r, 2)}
    return [Figure(name, decimal(float(np.abs(y - x).mean()), 2), note=note)]


def _nothing_again() -> Figure:
    return Figure(_("Asked again"), "–", note=_("nothing was asked twice"))


def _n_again(n: int) -> str:
    return ngettext("%(n)s asked again", "%(n)s asked again", n) % {"n": n}


def _items(n: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", n) % {"n": n}


def _answers(n: int) -> str:
    return ngettext("%(n)s answer", "%(n)s answers", n) % {"n": n}


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
        (place + 1, one.seconds, others.usual_seconds(one.asked))
        for place, one in enumerate(own)
        if one.seconds
    ]
    if not timed:
        return None
    title = _("Time per question")
    caption = _(
        "Seconds of use of the page for each question, in the order in which they were asked, on a"
        " scale of equal ratios. Dots: this person. Rings: the median of the others who were asked"
        " the same."
    )
    return Plot(
        "times",
        title,
        caption,
        charts_of_people.times(
            timed, title=title, x_label=_("question"), y_label=_("seconds"), description=caption
        ),
        [_("question"), _("seconds"), _("median seconds of the others")],
        [list(row) for row in timed],
        digits=1,
    )
