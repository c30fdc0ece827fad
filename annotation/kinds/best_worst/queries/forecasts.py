"""What a best-worst study may be expected to find and to cost, before anybody answers it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.core.cache import cache
from django.utils.translation import gettext

from annotation.basics.numbers import decimal
from annotation.basics.sentences import sentence as _
from annotation.kinds.best_worst.queries import answers, plans
from annotation.kinds.best_worst.queries.drawing import drawn_tuples
from annotation.kinds.design_parameters import BestWorstParameters, ImpossibleParametersError
from annotation.kinds.queries.forecast_rows import (
    Forecasted,
    ForecastOptions,
    Words,
    Work,
    forecasted,
    numbers_to_ask,
)
from annotation.models import Design, Study
from scoring import Forecast, NoiseEstimate, estimate_noise, forecast
from scoring.arrays import FloatArray, IntArray
from scoring.forecasts.best_worst import Simulate
from scoring.forecasts.latents import UNIFORM, Latents
from scoring.forecasts.noise import PilotShape

# Simulating so many answers takes a few seconds. The larger a study, the less its figures differ
# between simulations, so fewer simulated studies are enough.
_MAX_SIMULATED_ANSWERS = 2_000_000
_MIN_SIMULATED_STUDIES, _MAX_SIMULATED_STUDIES = 20, 200
# Simulated answers of one study, over all numbers of answers that are asked about.
_MAX_ANSWERS_PER_STUDY = 1_000_000
# Drawing more tuples takes too long for a page.
MAX_DRAWN_TUPLES = 5_000
# Noises that are described by how often two people agree.
EXAMPLES = (0.1, 0.3, 0.6, 1.0)


@dataclass(frozen=True)
class TupleForecastOptions(ForecastOptions):
    """What is supposed of a best-worst study, too."""

    parameters: BestWorstParameters
    # Several: those that a pilot leaves open.
    noise: float | FloatArray
    # That of the pilot itself.
    estimated: float | None = None
    latents: Latents = UNIFORM
    # How people answer; None: they pick a best and a worst.
    simulate: Simulate | None = None


def forecast_of(study: Study, options: TupleForecastOptions) -> Forecasted:
    """Simulate studies on the design's own tuples.

    Raises ImpossibleParametersError if the numbers give no design, or one that has to be made
    first because drawing its tuples takes long.
    """
    parameters = options.parameters
    counted = plans.plan(study, parameters)
    tuples, n_items = _tuples(study, parameters, counted)
    chosen = parameters.annotations_per_tuple
    numbers = numbers_to_ask(options.up_to, chosen)
    prediction = _simulated(tuples, n_items, options, numbers, study.design.seed)
    return forecasted(
        options,
        words=_words(options, prediction),
        works=[
            Work(n, counted.n_tuples * n, counted.n_tuples * n, counted.n_booklets * n)
            for n in numbers
        ],
        questions_per_booklet=counted.questions_per_booklet,
        chosen=chosen,
        expected=prediction.pearson,
        others=[],
        enough=prediction.enough(options.enough),
        n_studies=prediction.n_studies,
        meaning="",
        caveat=" ".join(_caveats(is_of_pilot=np.size(options.noise) > 1)),
    )


def _caveats(*, is_of_pilot: bool) -> list[str]:
    """What the simulation leaves out, and how often its range held."""
    model = gettext(
        "The simulation gives each item one true score. Each person sees this score plus the "
        "noise times a standard Gumbel error. The simulation does not model differences in "
        "taste, but noise estimated from the answers of a study includes all differences "
        "between people."
    )
    if not is_of_pilot:
        return [model, gettext("The range ignores any error in the noise that you entered.")]
    return [
        model,
        # `python -m benchmarks.coverage forecasts` prints those of full studies with 30 people,
        # docs/statistics.md has those with 8.
        gettext(
            "In simulations unlike this model, ranges from pilots with 8 or 30 people held at "
            "least 92 % of full studies with 30 people. With only 8 people in the full study "
            "after a pilot of 30, they held as few as 82 %."
        ),
    ]


def noise_of(study: Study, read: answers.Answers, shape: PilotShape = "pilot") -> NoiseEstimate:
    """How noisy the counted answers of an earlier study were."""
    rng = np.random.default_rng(study.design.seed)
    return estimate_noise(read.best_worst, shape=shape, rng=rng)


def shape_name(latents: Latents) -> str:
    """The shape of the true scores, in words."""
    a = latents.concentration
    if np.isinf(a):
        return gettext("normal")
    if a > 1:
        return gettext("between uniform and normal")
    return gettext("uniform") if a == 1 else gettext("bimodal")


def _tuples(
    study: Study, parameters: BestWorstParameters, counted: plans.Plan
) -> tuple[IntArray, int]:
    """The tuples of the design if it has these numbers; if not, newly drawn ones."""
    design: Design = study.design
    made = BestWorstParameters.of(design)
    if design.is_made and (made.tuple_size, made.factor) == (
        parameters.tuple_size,
        parameters.factor,
    ):
        table = answers.tuple_table(design)
        return table.tuples, len(table.item_pks)
    if counted.n_tuples > MAX_DRAWN_TUPLES:
        raise ImpossibleParametersError(
            _(
                "These numbers give %(n)s tuples, and drawing more than %(most)s "
                "takes long. Make the design first; the planner then uses its tuples."
            )
            % {"n": counted.n_tuples, "most": MAX_DRAWN_TUPLES}
        )
    return drawn_tuples(study, parameters, seed=design.seed)


def _simulated(
    tuples: IntArray,
    n_items: int,
    options: TupleForecastOptions,
    numbers: Sequence[int],
    seed: int,
) -> Forecast:
    """The forecast, cached because its plot may be asked for as a file, too."""
    per_study = len(tuples) * sum(numbers)
    if per_study > _MAX_ANSWERS_PER_STUDY:
        raise ImpossibleParametersError(
            _(
                "Simulating this many answers to %(n)s tuples takes too long. Choose "
                "fewer people per tuple."
            )
            % {"n": len(tuples)}
        )
    n_studies = min(
        max(_MAX_SIMULATED_ANSWERS // per_study, _MIN_SIMULATED_STUDIES), _MAX_SIMULATED_STUDIES
    )
    simulate = options.simulate
    noise = np.atleast_1d(options.noise)
    how = simulate.__name__ if simulate else "best_worst"  # type: ignore[attr-defined]
    inputs = (
        f"{how} {tuples.shape} {n_items} {options.latents} {options.estimated} {list(numbers)}"
        f" {seed} {n_studies}"
    )
    arrays = tuples.tobytes() + noise.tobytes()
    key = "forecast-" + hashlib.sha256(arrays + inputs.encode()).hexdigest()
    prediction: Forecast | None = cache.get(key)
    if prediction is None:
        prediction = forecast(
            tuples,
            n_items=n_items,
            noise=noise,
            estimated=options.estimated,
            n_answers=numbers,
            n_studies=n_studies,
            latents=options.latents,
            simulate=simulate,
            rng=np.random.default_rng([seed, 1]),
        )
        cache.set(key, prediction, 3600)
    return prediction


def _words(options: TupleForecastOptions, prediction: Forecast) -> Words:
    caption = gettext(
        "Mean Pearson correlation of the scores from random halves of the answers, in "
        "%(n)s simulated studies at noise %(noise)s. Dashed: range of 95 %% of these "
        "studies. Dotted: the reliability you require, %(enough)s."
    ) % {
        "n": prediction.n_studies,
        "noise": decimal(prediction.noise, 2),
        "enough": decimal(options.enough, 2),
    }
    shape = gettext("Shape of the true scores: %(shape)s.") % {
        "shape": shape_name(prediction.latents)
    }
    sentences = [caption, shape]
    if np.size(options.noise) > 1:
        sentences.append(
            gettext("The noise differs between these studies as much as the pilot leaves open.")
        )
    return Words(
        per=gettext("answers per tuple"),
        figure=gettext("split-half reliability (Pearson)"),
        others=[],
        plot_key="split-half",
        plot_title=gettext("Expected split-half reliability (Pearson)"),
        plot_caption=" ".join(sentences),
    )
