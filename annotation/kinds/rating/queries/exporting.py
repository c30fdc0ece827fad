"""What an export of a rating study reads: its tables, from the arrays and from the rows."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np

import scoring
from annotation.basics.cells import Cell, iso
from annotation.basics.scale import Scale
from annotation.core.queries.counted_answers import Population
from annotation.kinds.queries import adjudications
from annotation.kinds.queries.answer_records import (
    AnnotatorName,
    AnswerRecords,
    CountedAnswer,
    RepeatRecord,
    annotator_names,
    by_person,
    counted_answer,
)
from annotation.kinds.queries.study_facts import chosen_options
from annotation.kinds.rating.queries import repeats as rating_repeats
from annotation.kinds.rating.queries.answers import (
    CALIBRATION,
    MAIN,
    PhaseRatings,
    RatingAnswers,
    read_ratings,
)
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.kinds.scoring_options import ScoringOptions
from annotation.models import Design, Study
from annotation.models.kinds import QuestionKind
from scoring.arrays import FloatArray


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
    def options(self) -> ScoringOptions:
        """Of the latest result: its margin, and the test that it used."""
        options = chosen_options(self.design, self.population)
        return replace(options, test=self.figures.used_test(options.test))

    @cached_property
    def adjudicated(self) -> list[FloatArray]:
        """By phase: what an expert decided of each item; nan if nobody did."""
        return adjudications.ratings(self.read, self.population)

    @cached_property
    def finals(self) -> list[FloatArray]:
        """By phase: the value that an expert decided on, or else the mean."""
        return self.figures.finals(self.adjudicated)

    @cached_property
    def people(self) -> list[AnnotatorName]:
        """The annotators by number."""
        return annotator_names(self.study, self.read.annotator_pks)

    def answer(self, phase: PhaseRatings, row: int) -> Cell:
        """The rating in a row of a phase, as the scale writes it."""
        return self.rating(float(phase.all.value[row]))

    def rating(self, value: float) -> Cell:
        """The value as the scale writes it: whole numbers if all its values are whole."""
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


class RatingRecords(AnswerRecords):
    """Every stored rating of one population, in the order of storing; counts them by status."""

    KIND = QuestionKind.RATING

    def __init__(self, rated: RatedStudy, *, is_surplus_only: bool = False) -> None:
        super().__init__(rated, is_surplus_only=is_surplus_only)
        self.scale = rated.read.scale

    def answer(self, judgment: int, rating: float | None) -> Cell:
        assert rating is not None  # constraint judgment_rating_has_rating
        return written(self.scale, rating)


def has_times(phase: PhaseRatings) -> bool:
    """Whether the time of every rating is known: the command reads a column without gaps."""
    times = phase.main_and_repeats.thinking_ms
    return times is not None and not np.isnan(times).any()


class CalibrationRecord(NamedTuple):
    """A counted rating of a calibration block, beside what is expected."""

    rating: CountedAnswer
    expected: Cell
    deviation: Cell


def calibration_records(rated: RatedStudy) -> Iterator[CalibrationRecord]:
    """The counted ratings of the calibration blocks, phase by phase and person by person."""
    for phase in rated.read.phases:
        for row in by_person(phase, np.flatnonzero(phase.purpose == CALIBRATION)):
            expected = float(rated.read.items.expected[int(phase.all.unit[row])])
            yield CalibrationRecord(
                rating=counted_answer(rated, phase, row),
                expected=rated.rating(expected),
                # Both have at most three decimals.
                deviation=rated.rating(round(float(phase.all.value[row]) - expected, 3)),
            )


def repeat_records(rated: RatedStudy) -> Iterator[RepeatRecord]:
    """The counted repeats, each beside the same person's rating before."""
    earlier = rating_repeats.earlier_round(rated.study, rated.read, rated.population)
    for phase in rated.read.phases:
        repeats = rating_repeats.repeats_of(phase, earlier)
        place = {row: n for n, row in enumerate(repeats.rows.tolist())}
        for row in by_person(phase, repeats.rows):
            n = place[row]
            yield RepeatRecord(
                repeat=counted_answer(rated, phase, row),
                before=rated.rating(float(repeats.before[n])),
                n_between=int(repeats.distance[n]) if repeats.distance[n] >= 0 else None,
                before_in=repeats.origin(n),
                hours_between=known(repeats.hours[n]),
            )


# -- People -------------------------------------------------------------------------------------


class RaterRecord(NamedTuple):
    """How an annotator rates in one phase; None if a figure cannot be computed."""

    pseudonym: str
    source: str
    phase_number: int
    condition: str
    n: int
    mean: float | None
    sd: float | None
    lowest: float | None
    highest: float | None
    range_used: float | None
    share_at_ends: float | None
    drift: float | None
    pearson: float | None
    spearman: float | None
    # The number of items in both correlations.
    n_compared: int
    n_calibration: int
    bias: float | None
    stretch: float | None
    shift: float | None


def rater_records(rated: RatedStudy) -> Iterator[RaterRecord]:
    """How each annotator of counted ratings rates, phase by phase."""
    expected = rated.read.items.expected
    for phase in rated.read.phases:
        # People are compared by everything that they were asked, also items with known answers.
        is_of_person = np.isin(phase.purpose, (MAIN, CALIBRATION))
        both = phase.all.of_rows(is_of_person)
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
            name = rated.people[person]
            yield RaterRecord(
                pseudonym=name.pseudonym,
                source=name.source,
                phase_number=phase.number,
                condition=phase.phase.condition,
                n=int(use.n[person]),
                mean=known(use.mean[person]),
                sd=known(use.sd[person]),
                lowest=known(use.lowest[person]),
                highest=known(use.highest[person]),
                range_used=known(use.range_used[person]),
                share_at_ends=known(use.share_at_ends[person]),
                drift=known(use.drift[person]),
                pearson=known(raters.pearson[person]),
                spearman=known(raters.spearman[person]),
                n_compared=int(raters.n[person]),
                n_calibration=int(beside.n_calibration[person]),
                bias=known(beside.bias[person]),
                stretch=known(beside.stretch[person]),
                shift=known(beside.shift[person]),
            )


def json_list(values: Sequence[Cell]) -> str:
    return json.dumps(list(values), separators=(", ", ": "))
