"""What a best-worst study may be expected to find and to cost, before anybody answers it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

import numpy as np
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Case, Exists, OuterRef, When
from django.utils.translation import gettext

from annotation import charts
from annotation.models import Design, Judgment, Listing, Study
from annotation.models.kinds import CrowdPlatform, QuestionKind
from annotation.numbers import decimal
from annotation.platforms import platform_of
from annotation.queries import answers, plans
from annotation.queries.plots import Plot
from annotation.sentences import sentence as _
from annotation.services.designs import ImpossibleParametersError, Parameters, drawn_tuples
from scoring import Forecast, NoiseEstimate, estimate_noise, expected_agreement, forecast
from scoring.arrays import IntArray
from scoring.json_values import json_number

# So many simulated answers take a few seconds; the larger a study, the less its figures differ
# from one to the next, so the fewer simulated ones will do.
_MOST_ANSWERS = 2_000_000
_FEWEST_STUDIES, _MOST_STUDIES = 20, 200
# Simulated answers of one study, over all numbers of answers that are asked about.
_MOST_OF_A_STUDY = 1_000_000
# Beyond, drawing the tuples takes too long for a page.
MOST_DRAWN = 5_000
# Numbers of answers whose figures are computed: the others would hardly be told apart.
_STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50)
CENT = Decimal("0.01")
# Noises that are described by how often two people agree.
EXAMPLES = (0.1, 0.3, 0.6, 1.0)


@dataclass(frozen=True)
class Asked:
    """What is known or supposed of a study that is to be forecast."""

    parameters: Parameters
    noise: float
    # Answers a tuple, at most.
    up_to: int
    # The split-half that is enough.
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
class Row:
    """One number of answers a tuple: what it gives, and what it takes."""

    n: int
    # Mean over the simulated studies, and the range that holds 95 % of them; None where undefined.
    split_half: float | None
    low: float | None
    high: float | None
    n_answers: int
    hours: float
    n_people: int
    costs: Sequence[Cost]
    is_chosen: bool
    is_enough: bool


@dataclass(frozen=True)
class Forecasted:
    """A study that was not begun, with its rows by number of answers."""

    plan: plans.Plan
    rows: Sequence[Row]
    plot: Plot
    n_studies: int
    # Of two people at this noise: how often they pick the same item of a tuple.
    agreement_percent: float
    examples: Sequence[tuple[float, float]]
    # Fewest answers a tuple that are enough; None: more than were asked about.
    enough: int | None
    minutes: float
    reward: Decimal


def forecast_of(study: Study, asked: Asked) -> Forecasted:
    """Simulate studies on the design's own tuples.

    Raises ImpossibleParametersError where the numbers give no design, or one that has to be made
    first because drawing its tuples takes long.
    """
    parameters = asked.parameters
    counted = plans.plan(study, parameters)
    tuples, n_items = _tuples(study, parameters, counted)
    steps = [n for n in _STEPS if n <= asked.up_to]
    chosen = parameters.annotations_per_tuple
    numbers = sorted({*steps, asked.up_to} | ({chosen} if chosen <= asked.up_to else set()))
    found = _simulated(tuples, n_items, asked.noise, numbers, study.design.seed)
    noises = np.array(sorted({*EXAMPLES, asked.noise}))
    agreements = expected_agreement(tuples, noises, rng=np.random.default_rng(study.design.seed))
    agreeing = dict(zip(noises.tolist(), agreements.tolist(), strict=True))
    minutes = counted.questions_per_booklet * asked.seconds / 60
    # Not by way of the minutes: what is lost in a float would be rounded up to a cent.
    paid_seconds = counted.questions_per_booklet * Decimal(str(asked.seconds))
    reward = (asked.wage * paid_seconds / 3600).quantize(CENT, ROUND_UP)
    enough = found.enough(asked.enough)
    rows = [
        Row(
            n=n,
            split_half=json_number(found.pearson.mean[place]),
            low=json_number(found.pearson.low[place]),
            high=json_number(found.pearson.high[place]),
            n_answers=counted.n_tuples * n,
            hours=counted.n_tuples * n * asked.seconds / 3600,
            n_people=counted.n_booklets * n,
            costs=_costs(study, asked, reward=reward, n_places=counted.n_booklets * n),
            is_chosen=n == chosen,
            is_enough=enough == n,
        )
        for place, n in enumerate(numbers)
    ]
    return Forecasted(
        plan=counted,
        rows=rows,
        plot=_plot(rows, asked, found),
        n_studies=found.n_studies,
        agreement_percent=100 * agreeing[asked.noise],
        examples=[(noise, 100 * agreeing[noise]) for noise in EXAMPLES],
        enough=enough,
        minutes=minutes,
        reward=reward,
    )


def studies_with_answers(user: User, *, besides: Study) -> list[Study]:
    """Best-worst studies that the user may see and that people have answered.

    The pilots of the study that is planned come first, then the latest.
    """
    answered = Judgment.objects.filter(
        assignment__annotator__study=OuterRef("pk"),
        assignment__annotator__source__in=answers.SOURCES["people"],
    )
    found = Study.objects.seen_by(user).filter(Exists(answered), kind=QuestionKind.BEST_WORST)
    is_pilot = Case(When(pilot_of=besides, then=0), default=1)
    return list(found.order_by(is_pilot, "-pk")[:100])


def noise_of(study: Study) -> NoiseEstimate:
    """How noisy the counted answers of an earlier study were."""
    best_worst = answers.answers_arrays(study.design, "people").best_worst
    return estimate_noise(best_worst, rng=np.random.default_rng(study.design.seed))


def _tuples(study: Study, parameters: Parameters, counted: plans.Plan) -> tuple[IntArray, int]:
    """Those of the design if it was made of these numbers, else as they would be drawn."""
    design: Design = study.design
    made = Parameters.of(design)
    if design.is_made and (made.tuple_size, made.factor) == (
        parameters.tuple_size,
        parameters.factor,
    ):
        table = answers.tuple_table(design)
        return table.tuples, len(table.item_pks)
    if counted.n_tuples > MOST_DRAWN:
        raise ImpossibleParametersError(
            _(
                "These numbers give %(n)s tuples; to draw more than %(most)s takes long. Make the"
                " design of them first, then its tuples are used."
            )
            % {"n": counted.n_tuples, "most": MOST_DRAWN}
        )
    return drawn_tuples(study, parameters, seed=design.seed)


def _simulated(
    tuples: IntArray, n_items: int, noise: float, numbers: Sequence[int], seed: int
) -> Forecast:
    """The forecast, kept for whoever asks for its plot as a file."""
    per_study = len(tuples) * sum(numbers)
    if per_study > _MOST_OF_A_STUDY:
        raise ImpossibleParametersError(
            _(
                "So many answers to %(n)s tuples take too long to simulate for a page. Ask for"
                " fewer people per tuple."
            )
            % {"n": len(tuples)}
        )
    n_studies = min(max(_MOST_ANSWERS // per_study, _FEWEST_STUDIES), _MOST_STUDIES)
    told = f"{tuples.shape} {n_items} {noise} {list(numbers)} {seed} {n_studies}".encode()
    key = "forecast-" + hashlib.sha256(tuples.tobytes() + told).hexdigest()
    kept: Forecast | None = cache.get(key)
    if kept is None:
        kept = forecast(
            tuples,
            n_items=n_items,
            noise=noise,
            n_answers=numbers,
            n_studies=n_studies,
            rng=np.random.default_rng([seed, 1]),
        )
        cache.set(key, kept, 3600)
    return kept


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


def _plot(rows: Sequence[Row], asked: Asked, found: Forecast) -> Plot:
    title = gettext("Split-half reliability to be expected")
    caption = gettext(
        "Mean Pearson correlation of the scores from random halves of the answers, in %(n)s"
        " studies simulated on the design’s own tuples at noise %(noise)s. Dashed: what 95 %% of"
        " them lie between. Below the dotted line of %(enough)s it is not enough."
    ) % {
        "n": found.n_studies,
        "noise": decimal(asked.noise, 2),
        "enough": decimal(asked.enough, 2),
    }

    def line(name: str) -> list[tuple[float, float | None]]:
        return [(float(row.n), getattr(row, name)) for row in rows]

    ends = [(float(row.n), asked.enough) for row in (rows[0], rows[-1])]
    svg = charts.lines(
        [
            (gettext("expected"), line("split_half")),
            (gettext("95 % of studies: from"), line("low")),
            (gettext("enough"), ends),
            (gettext("95 % of studies: to"), line("high")),
        ],
        title=title,
        x_label=gettext("answers per tuple"),
        y_label=gettext("split-half reliability"),
        description=caption,
        y=(0.0, 1.0),
    )
    data: list[list[str | int | float | None]] = [
        [row.n, row.split_half, row.low, row.high] for row in rows
    ]
    header = [gettext("answers per tuple"), gettext("expected"), gettext("from"), gettext("to")]
    return Plot("split-half", title, caption, svg, [*header], data)
