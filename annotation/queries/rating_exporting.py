"""What an export of a rating study reads: its tables, from the arrays and from the rows."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import numpy as np

import scoring
from annotation.models import Annotator, Assignment, Design, Study
from annotation.models.kinds import QuestionKind
from annotation.queries import adjudications, rating_phases, rating_repeats
from annotation.queries.answer_rows import AnsweredStudy, AnswerRows
from annotation.queries.answers import Population
from annotation.queries.exporting import Cell, iso, status_of
from annotation.queries.rating_answers import (
    CALIBRATION,
    MAIN,
    PhaseRatings,
    RatingAnswers,
    drawn_pools,
    read_ratings,
)
from annotation.queries.rating_items import ItemFigures
from annotation.scale import Scale
from scoring.arrays import FloatArray, IntArray

_CHUNK = 2000


@dataclass(frozen=True, eq=False)
class RatedStudy:
    """One population's ratings, read once for all tables."""

    study: Study
    design: Design
    population: Population
    read: RatingAnswers

    @classmethod
    def of(cls, study: Study, design: Design, population: Population) -> "RatedStudy":
        return cls(study, design, population, read_ratings(design, population))

    @cached_property
    def figures(self) -> ItemFigures:
        return ItemFigures(self.read)

    @cached_property
    def adjudicated(self) -> list[FloatArray]:
        """By phase: what an expert decided of each item; nan where nobody did."""
        return adjudications.ratings(self.read, self.population)

    @cached_property
    def finals(self) -> list[FloatArray]:
        """By phase: the value that an expert decided on, or else the mean."""
        return self.figures.finals(self.adjudicated)

    @cached_property
    def pseudonyms(self) -> list[str]:
        """Of each annotator, by number."""
        names = dict(
            Annotator.objects.filter(study=self.study).values_list("pk", "pseudonym").iterator()
        )
        return [names[pk] for pk in self.read.annotator_pks]

    def rating(self, value: float) -> Cell:
        """As the scale writes it: whole numbers of a scale of whole numbers."""
        return written(self.read.scale, value)


def written(scale: Scale, value: float) -> Cell:
    if np.isnan(value):
        return None
    return int(value) if scale.decimals == 0 and float(value).is_integer() else float(value)


def known(value: float) -> float | None:
    """None in place of nan."""
    return None if np.isnan(value) else float(value)


def moment(seconds: float) -> str | None:
    return None if np.isnan(seconds) else iso(datetime.fromtimestamp(seconds, UTC))


# -- Answers ------------------------------------------------------------------------------------


class RatingRows(AnswerRows):
    """Every stored rating of one population, in the order of storing; counts them by status."""

    KIND = QuestionKind.RATING

    def __init__(self, of: RatedStudy, *, is_surplus_only: bool = False) -> None:
        super().__init__(of, is_surplus_only=is_surplus_only)
        self.scale = of.read.scale

    def said(self, judgment: int, rating: float | None) -> Cell:
        assert rating is not None  # constraint judgment_rating_has_rating
        return written(self.scale, rating)


def has_times(phase: PhaseRatings) -> bool:
    """Whether the time of every rating is known: the command reads a column without gaps."""
    times = phase.main_and_repeats.thinking_ms
    return times is not None and not np.isnan(times).any()


def has_pools(of: RatedStudy, phase: PhaseRatings) -> bool:
    """Whether alpha's interval draws whole pools, which the command learns from a column."""
    return drawn_pools(phase, of.read.items) is not None


def command_rows(of: RatedStudy, phase: PhaseRatings) -> Iterator[Sequence[Cell]]:
    """What `python -m scoring ratings` reads, in the order in which the page computes."""
    batch = phase.main_and_repeats
    assert batch.order is not None  # read_ratings always numbers them
    assert batch.thinking_ms is not None  # and has their times, if only nan
    with_times, with_pools = has_times(phase), has_pools(of, phase)
    for person, unit, value, order, ms in zip(
        batch.annotator.tolist(),
        batch.unit.tolist(),
        batch.value.tolist(),
        batch.order.tolist(),
        batch.thinking_ms.tolist(),
        strict=True,
    ):
        yield (
            of.pseudonyms[person],
            of.read.items.keys[unit],
            of.rating(value),
            order,
            *([int(ms)] if with_times else []),
            0,
            *([of.read.items.pools[unit]] if with_pools else []),
        )


def block_rows(of: RatedStudy) -> Iterator[Sequence[Cell]]:
    """The counted ratings of the calibration blocks, beside what is expected."""
    items = of.read.items
    for phase in of.read.phases:
        rows = np.flatnonzero(phase.purpose == CALIBRATION)
        for row in _by_person(phase, rows):
            unit, value = int(phase.all.unit[row]), float(phase.all.value[row])
            yield (
                *_who(of, phase, row),
                items.keys[unit],
                of.rating(items.expected[unit]),
                of.rating(value),
                # Both have at most three decimals.
                of.rating(round(value - float(items.expected[unit]), 3)),
                *_when(phase, row),
            )


def repeat_rows(of: RatedStudy) -> Iterator[Sequence[Cell]]:
    """The counted repeats, each beside the same person's rating before."""
    earlier = rating_repeats.earlier_round(of.study, of.read, of.population)
    for phase in of.read.phases:
        repeats = rating_repeats.repeats_of(phase, earlier)
        place = {row: n for n, row in enumerate(repeats.rows.tolist())}
        for row in _by_person(phase, repeats.rows):
            n = place[row]
            yield (
                *_who(of, phase, row),
                of.read.items.keys[int(phase.all.unit[row])],
                of.rating(float(phase.all.value[row])),
                of.rating(float(repeats.before[n])),
                repeats.origin(n),
                int(repeats.distance[n]) if repeats.distance[n] >= 0 else None,
                known(repeats.hours[n]),
                *_when(phase, row),
            )


def _by_person(phase: PhaseRatings, rows: IntArray) -> list[int]:
    of = phase.all
    assert of.order is not None  # read_ratings always numbers them
    in_order: list[int] = rows[np.lexsort((of.order[rows], of.annotator[rows]))].tolist()
    return in_order


def _who(of: RatedStudy, phase: PhaseRatings, row: int) -> tuple[Cell, ...]:
    person = of.pseudonyms[int(phase.all.annotator[row])]
    return person, phase.number, phase.phase.condition


def _when(phase: PhaseRatings, row: int) -> tuple[Cell, ...]:
    of = phase.all
    assert of.order is not None  # read_ratings always numbers them
    assert of.thinking_ms is not None  # and has their times, if only nan
    ms = of.thinking_ms[row]
    order = int(of.order[row])
    return order, None if np.isnan(ms) else int(ms), moment(float(phase.answered_at[row]))


# -- People -------------------------------------------------------------------------------------


def annotator_rows(of: RatedStudy) -> Iterator[Sequence[Cell]]:
    """How each annotator of counted ratings rates, phase by phase."""
    sources = dict(
        Annotator.objects.filter(study=of.study).values_list("pseudonym", "source").iterator()
    )
    expected = of.read.items.expected
    for phase in of.read.phases:
        # What everybody was asked, known ratings or not, is what they are compared by.
        is_of_person = np.isin(phase.purpose, (MAIN, CALIBRATION))
        both = phase.all.of_ratings(is_of_person)
        in_calibration = phase.purpose[is_of_person] == CALIBRATION
        has_expected = not np.isnan(expected[both.unit[in_calibration]]).all()
        beside = scoring.annotator_effects(
            both,
            in_calibration=in_calibration,
            expected=expected if has_expected and in_calibration.any() else None,
        )
        use = scoring.annotator_effects(phase.main)
        raters = scoring.raters_against_others(phase.main)
        for person in np.flatnonzero(beside.n).tolist():
            name = of.pseudonyms[person]
            yield (
                name,
                sources[name],
                phase.number,
                phase.phase.condition,
                int(use.n[person]),
                *_figures(person, use.mean, use.sd, use.lowest, use.highest),
                *_figures(person, use.range_used, use.share_at_ends, use.drift),
                *_figures(person, raters.pearson, raters.spearman),
                int(raters.n[person]),
                int(beside.n_calibration[person]),
                *_figures(person, beside.bias, beside.stretch, beside.shift),
            )


def _figures(person: int, *arrays: FloatArray) -> list[float | None]:
    return [known(array[person]) for array in arrays]


def phase_rows(of: AnsweredStudy) -> Iterator[Sequence[Cell]]:
    """Everybody's way through the phases, but that of people who withdrew."""
    for one in rating_phases.phase_runs(of.design, of.population):
        run, assignment = one.run, one.run.assignment
        if assignment.state == Assignment.State.WITHDRAWN:
            continue
        delay = run.phase.delay
        yield (
            assignment.annotator.pseudonym,
            assignment.annotator.source,
            assignment.booklet.number,
            run.phase.number,
            run.phase.condition,
            iso(run.opens_at),
            iso(run.closes_at),
            iso(one.began_at),
            iso(run.completed_at),
            one.gap_hours,
            None if delay is None else delay.total_seconds() / 3600,
            "yes" if one.is_opened_early else "no",
            run.reason,
            status_of(one.status, is_excluded=one.is_excluded),
        )


def json_list(values: Sequence[Cell]) -> str:
    return json.dumps(list(values), separators=(", ", ": "))
