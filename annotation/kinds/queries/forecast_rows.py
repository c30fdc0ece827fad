"""What every forecast of a study shares: its rows by number of answers, its costs, its curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from django.contrib.auth.models import User
from django.db.models import Case, Exists, OuterRef, When
from django.utils.functional import Promise
from django.utils.translation import gettext

from annotation.basics import charts
from annotation.basics.plot import Plot
from annotation.core.platforms import platform_of
from annotation.core.queries import counted_answers
from annotation.models import Judgment, Listing, Study
from annotation.models.kinds import CrowdPlatform
from scoring.forecasts.best_worst import Expected
from scoring.json_values import json_number

CENT = Decimal("0.01")
# Numbers of answers whose figures are computed: the others would hardly be told apart.
_STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50)


@dataclass(frozen=True)
class Asked:
    """What the forecast of any study is told: how far it goes, what is enough, what is paid."""

    # Answers to each question, at most.
    up_to: int
    # Of the figure that the curve shows.
    enough: float
    seconds: float
    wage: Decimal
    currency: str


@dataclass(frozen=True)
class Cost:
    """What one platform takes for it in all, if everybody is paid."""

    name: str
    total: Decimal


@dataclass(frozen=True)
class Work:
    """What one number of answers means to people."""

    n: int
    n_answers: int
    # With what is asked beside: calibration, repeats.
    n_asked: int
    n_people: int


@dataclass(frozen=True)
class Row:
    """One number of answers: what it gives, and what it takes."""

    n: int
    # Mean over the simulated studies, and the range that holds 95 % of them; None where undefined.
    value: float | None
    low: float | None
    high: float | None
    # Means of the other figures, in the order of their columns.
    others: Sequence[float | None]
    n_answers: int
    hours: float
    n_people: int
    costs: Sequence[Cost]
    is_chosen: bool
    is_enough: bool


@dataclass(frozen=True)
class Words:
    """How a kind of study calls what is forecast."""

    # The column of numbers of answers, and that of the figure that the curve shows.
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
    # Fewest answers that are enough; None: more than were asked about.
    enough: int | None
    questions_per_booklet: int
    minutes: float
    reward: Decimal
    # What was supposed, in sentences.
    meanings: Sequence[str]
    caveat: str


def numbers_to_ask(up_to: int, chosen: int) -> list[int]:
    """For which numbers of answers a row is shown."""
    steps = {n for n in _STEPS if n <= up_to}
    return sorted(steps | {up_to} | ({chosen} if chosen <= up_to else set()))


def forecasted(
    study: Study,
    asked: Asked,
    *,
    words: Words,
    works: Sequence[Work],
    questions_per_booklet: int,
    chosen: int,
    expected: Expected,
    others: Sequence[Expected],
    enough: int | None,
    n_studies: int,
    meanings: Sequence[str],
    caveat: str,
) -> Forecasted:
    """Rows and curve, with what they cost."""
    # Not by way of the minutes: what is lost in a float would be rounded up to a cent.
    paid_seconds = questions_per_booklet * Decimal(str(asked.seconds))
    reward = (asked.wage * paid_seconds / 3600).quantize(CENT, ROUND_UP)
    rows = [
        Row(
            n=work.n,
            value=json_number(expected.mean[place]),
            low=json_number(expected.low[place]),
            high=json_number(expected.high[place]),
            others=[json_number(one.mean[place]) for one in others],
            n_answers=work.n_answers,
            hours=work.n_asked * asked.seconds / 3600,
            n_people=work.n_people,
            costs=_costs(study, asked, reward=reward, n_places=work.n_people),
            is_chosen=work.n == chosen,
            is_enough=enough == work.n,
        )
        for place, work in enumerate(works)
    ]
    return Forecasted(
        words=words,
        rows=rows,
        plot=_plot(rows, asked, words),
        n_studies=n_studies,
        enough=enough,
        questions_per_booklet=questions_per_booklet,
        minutes=questions_per_booklet * asked.seconds / 60,
        reward=reward,
        meanings=meanings,
        caveat=caveat,
    )


def studies_with_answers(user: User, *, besides: Study) -> list[Study]:
    """Studies of the same kind that the user may see and that people have answered.

    The pilots of the study that is planned come first, then the latest.
    """
    answered = Judgment.objects.filter(
        assignment__annotator__study=OuterRef("pk"),
        assignment__annotator__source__in=counted_answers.SOURCES["people"],
    )
    found = Study.objects.seen_by(user).filter(Exists(answered), kind=besides.kind)
    is_pilot = Case(When(pilot_of=besides, then=0), default=1)
    return list(found.order_by(is_pilot, "-pk")[:100])


def _costs(study: Study, asked: Asked, *, reward: Decimal, n_places: int) -> list[Cost]:
    """With each platform's fees, by its usual options."""
    found = [Cost(gettext("without fees"), reward * n_places)]
    for key in (CrowdPlatform.PROLIFIC, CrowdPlatform.MTURK):
        if key == CrowdPlatform.MTURK and asked.currency != "USD":
            continue  # it knows no other
        listing = Listing(
            study=study,
            platform=key,
            n_places=n_places,
            reward=reward,
            currency=asked.currency,
            minutes=1,
        )
        found.append(Cost(str(key.label), platform_of(key).estimate(listing).worst))
    return found


def _plot(rows: Sequence[Row], asked: Asked, words: Words) -> Plot:
    def line(name: str) -> list[tuple[float, float | None]]:
        return [(float(row.n), getattr(row, name)) for row in rows]

    ends = [(float(row.n), asked.enough) for row in (rows[0], rows[-1])]
    svg = charts.lines(
        [
            (gettext("expected"), line("value")),
            (gettext("95 % of studies: from"), line("low")),
            (gettext("enough"), ends),
            (gettext("95 % of studies: to"), line("high")),
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
