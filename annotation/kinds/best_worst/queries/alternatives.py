"""What tuples of other sizes, or more or fewer of them, take for the same reliability."""

from dataclasses import replace
from itertools import product

import numpy as np

from annotation.kinds.best_worst.queries import plans
from annotation.kinds.best_worst.queries.drawing import drawn_tuples
from annotation.kinds.best_worst.queries.forecasts import MAX_DRAWN_TUPLES, TupleForecastOptions
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.kinds.queries.forecast_rows import Alternative, numbers_to_ask
from annotation.models import Study
from scoring import forecast

_SIZES, _FACTORS = (3, 4, 5, 6), (1.0, 1.5, 2.0, 3.0)
# Means over so few studies are within .01 of those over many: the larger a study, the less it
# differs from others. A few hundred thousand answers of each design are simulated in a second.
_MIN_STUDIES, _MAX_STUDIES, _MAX_SIMULATED_ANSWERS = 2, 40, 400_000


def alternatives_to(study: Study, options: TupleForecastOptions) -> list[Alternative]:
    """What designs with other tuples need for the same expected reliability.

    Those that these items do not allow are left out, and those whose tuples take long to draw.
    """
    chosen = options.parameters
    designs: list[Alternative] = []
    for size, factor in sorted({*product(_SIZES, _FACTORS), (chosen.tuple_size, chosen.factor)}):
        parameters = replace(chosen, tuple_size=size, factor=factor)
        try:
            n_tuples = plans.plan(study, parameters).n_tuples
            if n_tuples > MAX_DRAWN_TUPLES:
                continue
            n_each = _enough(study, replace(options, parameters=parameters))
        except ImpossibleParametersError:
            continue
        # Whoever sees more items reads longer, in proportion.
        seconds = options.seconds * size / chosen.tuple_size
        n_answers = None if n_each is None else n_each * n_tuples
        designs.append(
            Alternative(
                tuple_size=size,
                factor=factor,
                n_tuples=n_tuples,
                n_each=n_each,
                n_answers=n_answers,
                hours=None if n_answers is None else n_answers * seconds / 3600,
                is_chosen=(size, factor) == (chosen.tuple_size, chosen.factor),
            )
        )
    shortest = min((design.hours for design in designs if design.hours), default=0.0)
    if all(design.hours == shortest for design in designs):
        # None is worth pointing out.
        return designs
    return [replace(design, is_shortest=design.hours == shortest) for design in designs]


def _enough(study: Study, options: TupleForecastOptions) -> int | None:
    """Fewest answers a tuple that are enough on average; None if more than are asked about."""
    seed = study.design.seed
    tuples, n_items = drawn_tuples(study, options.parameters, seed=seed)
    numbers = numbers_to_ask(options.up_to, chosen=1)
    affordable = _MAX_SIMULATED_ANSWERS // (len(tuples) * sum(numbers))
    prediction = forecast(
        tuples,
        n_items=n_items,
        noise=options.noise,
        n_answers=numbers,
        n_studies=min(max(affordable, _MIN_STUDIES), _MAX_STUDIES),
        latents=options.latents,
        simulate=options.simulate,
        rng=np.random.default_rng([seed, 2]),
    )
    return prediction.enough(options.enough)
