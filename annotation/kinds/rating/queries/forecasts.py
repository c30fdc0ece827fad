"""What a rating study may be expected to find, before it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext

from annotation.basics.numbers import decimal
from annotation.basics.scale import Scale
from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import ImpossibleParametersError, RatingParameters
from annotation.kinds.queries.forecast_rows import (
    Forecasted,
    ForecastOptions,
    Words,
    Work,
    forecasted,
    numbers_to_ask,
)
from annotation.kinds.queries.noise_words import points_apart
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.models import Study
from scoring.forecasts.rating_noise import RatingNoise, RatingNoiseEstimate, estimate_rating_noise
from scoring.forecasts.ratings import rating_forecast
from scoring.ratings.ratings import number_names

# Simulating so many answers takes a second or two, for a study of labels, too.
_MAX_SIMULATED_ANSWERS = 4_000_000
_MIN_SIMULATED_STUDIES, _MAX_SIMULATED_STUDIES = 20, 200
_MAX_ANSWERS_PER_STUDY = 200_000
NOISES = (0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True)
class RatingForecastOptions(ForecastOptions):
    """What is supposed of a rating study, too."""

    noise: RatingNoise
    # What a pilot leaves open.
    draws: Sequence[RatingNoise] = ()


def forecast_of(study: Study, options: RatingForecastOptions) -> Forecasted:
    """Simulate studies of as many items on the study's scale.

    Raises ImpossibleParametersError if no number of ratings gives a design, ScaleError where
    the study has no scale.
    """
    scale = Scale.of(study.scale)
    design = study.design
    parameters = RatingParameters.of(design)
    works, per_booklet, n_items = works_of(study, parameters, options.up_to)
    prediction = rating_forecast(
        options.noise,
        draws=options.draws,
        n_units=n_items,
        low=float(scale.low),
        high=float(scale.high),
        step=float(scale.step),
        n_ratings=[work.n for work in works],
        n_studies=n_studies_of(n_items, works),
        rng=np.random.default_rng([design.seed, 1]),
    )
    [apart] = points_apart(
        scale, [options.noise.noise], spread=options.noise.spread, mean=options.noise.mean
    )
    assumption = gettext(
        "At this noise, two ratings of one item differ by %(apart)s points of the scale on "
        "average."
    )
    return forecasted(
        options,
        words=Words(
            per=gettext("ratings per item"),
            figure=gettext("reliability of the means, ICC(1,k)"),
            others=[
                gettext("Krippendorff's alpha of single ratings"),
                gettext("± of a mean (95 %), in points"),
            ],
            plot_key="reliability",
            plot_title=gettext("Expected reliability"),
            plot_caption=gettext(
                "ICC(1,k) of the mean ratings in %(n)s simulated studies of %(items)s "
                "items at noise %(noise)s. Dashed: range of 95 %% of these studies. "
                "Dotted: the reliability you require, %(enough)s."
            )
            % {
                "n": prediction.n_studies,
                "items": n_items,
                "noise": decimal(options.noise.noise, 2),
                "enough": decimal(options.enough, 2),
            },
        ),
        works=works,
        questions_per_booklet=per_booklet,
        chosen=parameters.ratings_per_item,
        expected=prediction.icc,
        others=[prediction.alpha, prediction.margin],
        enough=prediction.enough(options.enough),
        n_studies=prediction.n_studies,
        meaning=assumption % {"apart": apart},
        caveat=gettext(
            "Each simulated rating is the item's true value plus a normal error, "
            "rounded to the nearest possible rating. The true values follow a beta "
            "distribution. Differences between strict and lenient people are part of the error. "
            "The noise is the same in every phase."
        )
        + " "
        + (
            gettext(
                "The range includes that the pilot's people and its pools or items are a sample, "
                "and that the study will have other people, some of whom may answer at random. In "
                "simulations unlike this model, ranges from pilots with 8 or 30 people held at "
                "least 92 % of full studies with 30 people. If the items of a pool resembled one "
                "another, they held as few as 85 %."
            )
            if options.draws
            else gettext("The range ignores any error in the noise that you entered.")
        ),
    )


def noise_of(study: Study) -> RatingNoiseEstimate:
    """How noisy the counted ratings of an earlier study were, in its first phase."""
    read = read_ratings(study, "people")
    return estimate_rating_noise(
        read.phases[0].main,
        pool=number_names(read.items.clusters)[1],
        rng=np.random.default_rng(study.design.seed),
    )


def works_of(
    study: Study, parameters: RatingParameters, up_to: int
) -> tuple[list[Work], int, int]:
    """What each possible number of answers takes, questions a person, and items.

    Not every number fits an arrangement of people: those that do not are left out.
    """
    works, refused = [], None
    per_booklet = n_items = 0
    for n in numbers_to_ask(up_to, parameters.ratings_per_item):
        try:
            plan = rating_plans.plan(study, replace(parameters, ratings_per_item=n))
        except ImpossibleParametersError as error:
            refused = error
            continue
        n_asked = plan.n_ratings + plan.n_beside * plan.n_people * plan.n_phases
        works.append(Work(n, plan.n_ratings, n_asked, plan.n_people))
        per_booklet = max(per_booklet, plan.questions_max * plan.n_phases)
        n_items = plan.n_items
    if not works:
        assert refused is not None  # at least one number is asked about
        raise refused
    return works, per_booklet, n_items


def n_studies_of(n_items: int, works: Sequence[Work]) -> int:
    """How many studies are simulated: the larger they are, the fewer will do."""
    per_study = n_items * sum(work.n for work in works)
    if per_study > _MAX_ANSWERS_PER_STUDY:
        raise ImpossibleParametersError(
            _(
                "Simulating this many answers to %(n)s items takes too long. Choose "
                "fewer people per item."
            )
            % {"n": n_items}
        )
    return min(
        max(_MAX_SIMULATED_ANSWERS // per_study, _MIN_SIMULATED_STUDIES), _MAX_SIMULATED_STUDIES
    )
