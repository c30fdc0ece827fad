"""What every forecast of a study shares: its rows by number of answers, and its curve."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext

from annotation.basics import charts
from annotation.basics.numbers import percent
from annotation.basics.plot import Plot
from scoring.forecasts.best_worst import COVERAGE, Expected
from scoring.json_values import json_number

# Figures are computed for these numbers of answers; between them they hardly differ.
_STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50)


@dataclass(frozen=True)
class ForecastOptions:
    """What every forecast needs: how far it goes, which value is enough, and the time it takes."""

    # The largest number of answers to each question.
    up_to: int
    # The value of the plotted figure that is enough.
    enough: float
    # The time that a question takes.
    seconds: float


@dataclass(frozen=True)
class Work:
    """What one number of answers means to people."""

    n: int
    n_answers: int
    # All questions, including calibration and repeats.
    n_asked: int
    n_people: int


@dataclass(frozen=True)
class Row:
    """One number of answers: what it gives, and what it takes."""

    n: int
    # The mean over the simulated studies, and the range of 95 % of them; None if undefined.
    value: float | None
    low: float | None
    high: float | None
    # Of the simulated studies, those that do not reach what is required.
    share_below: float | None
    # Means of the other figures, in the order of their columns.
    others: Sequence[float | None]
    n_answers: int
    hours: float
    n_people: int
    is_chosen: bool
    is_enough: bool


@dataclass(frozen=True)
class Alternative:
    """What another design of tuples needs for the same expected reliability."""

    tuple_size: int
    factor: float
    n_tuples: int
    # Answers to each tuple, and to all; None if more than were asked about are needed.
    n_each: int | None
    n_answers: int | None
    hours: float | None
    is_chosen: bool
    is_shortest: bool = False


@dataclass(frozen=True)
class Words:
    """How a kind of study calls what is forecast."""

    # The headings of the column of numbers of answers, and of the plotted figure.
    per: str
    figure: str
    others: Sequence[str]
    plot_key: str
    plot_title: str
    plot_caption: str


@dataclass(frozen=True)
class Forecasted:
    """A study that was not begun, with its rows by number of answers."""

    words: Words
    rows: Sequence[Row]
    plot: Plot
    n_studies: int
    # The smallest number of answers with which the average study reaches what is required; None
    # if more than the largest are needed.
    enough: int | None
    questions_per_booklet: int
    minutes: float
    # What the noise means for two answers, and what else the forecast assumes.
    meaning: str
    caveat: str

    @property
    def enough_row(self) -> Row | None:
        return next((row for row in self.rows if row.is_enough), None)


def numbers_to_ask(up_to: int, chosen: int) -> list[int]:
    """For which numbers of answers a row is shown."""
    steps = {n for n in _STEPS if n <= up_to}
    return sorted(steps | {up_to} | ({chosen} if chosen <= up_to else set()))


def forecasted(
    options: ForecastOptions,
    *,
    words: Words,
    works: Sequence[Work],
    questions_per_booklet: int,
    chosen: int,
    expected: Expected,
    others: Sequence[Expected],
    enough: int | None,
    n_studies: int,
    meaning: str,
    caveat: str,
) -> Forecasted:
    """Rows and curve."""
    shares_below = expected.share_below(options.enough)
    rows = [
        Row(
            n=work.n,
            value=json_number(expected.mean[place]),
            low=json_number(expected.low[place]),
            high=json_number(expected.high[place]),
            share_below=json_number(shares_below[place]),
            others=[json_number(expectation.mean[place]) for expectation in others],
            n_answers=work.n_answers,
            hours=work.n_asked * options.seconds / 3600,
            n_people=work.n_people,
            is_chosen=work.n == chosen,
            is_enough=enough == work.n,
        )
        for place, work in enumerate(works)
    ]
    return Forecasted(
        words=words,
        rows=rows,
        plot=_plot(rows, options, words),
        n_studies=n_studies,
        enough=enough,
        questions_per_booklet=questions_per_booklet,
        minutes=questions_per_booklet * options.seconds / 60,
        meaning=meaning,
        caveat=caveat,
    )


def _plot(rows: Sequence[Row], options: ForecastOptions, words: Words) -> Plot:
    def line(name: str) -> list[tuple[float, float | None]]:
        return [(float(row.n), getattr(row, name)) for row in rows]

    ends = [(float(row.n), options.enough) for row in (rows[0], rows[-1])]
    outside = percent((100 - COVERAGE) / 200)
    svg = charts.lines(
        [
            (gettext("expected"), line("value")),
            (gettext("%(percent)s of studies are lower") % {"percent": outside}, line("low")),
            (gettext("required"), ends),
            (gettext("%(percent)s are higher") % {"percent": outside}, line("high")),
        ],
        title=words.plot_title,
        x_label=words.per,
        y_label=words.figure,
        description=words.plot_caption,
        y=(0.0, 1.0),
    )
    data: list[list[str | int | float | None]] = [
        [row.n, row.value, row.low, row.high] for row in rows
    ]
    header: list[str | Promise] = [words.per, gettext("expected"), gettext("from"), gettext("to")]
    return Plot(words.plot_key, words.plot_title, words.plot_caption, svg, header, data)
