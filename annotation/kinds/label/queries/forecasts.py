"""What a study of labels may be expected to find, before it begins."""

from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from annotation.basics.categories import Categories
from annotation.basics.numbers import decimal, percent
from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import ImpossibleParametersError, RatingParameters
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.queries.forecast_rows import Forecasted, ForecastOptions, Words, forecasted
from annotation.kinds.queries.noise_words import same_label
from annotation.kinds.rating.queries.forecasts import n_studies_of, works_of
from annotation.models import Study
from scoring.arrays import FloatArray
from scoring.forecasts.labels import LabelErrorEstimate, estimate_label_error, label_forecast
from scoring.ratings.ratings import number_names

ERRORS = (0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True)
class LabelForecastOptions(ForecastOptions):
    """What is supposed of a study of labels, too."""

    # Several: those that a pilot leaves open.
    error: float | FloatArray
    # The share of the pilot itself.
    estimated: float | None = None
    # How frequent the categories are, (c,), or in each of these errors, (d, c); None: equally.
    shares: FloatArray | None = None


def forecast_of(study: Study, options: LabelForecastOptions) -> Forecasted:
    """Simulate studies of as many items with the study's categories.

    Raises ImpossibleParametersError if no number of labels gives a design, or several
    categories may be chosen; CategoriesError where the study has no categories.
    """
    categories = Categories.of(study.categories)
    c = len(categories.names)
    if categories.is_several:
        raise ImpossibleParametersError(
            _("Likeness cannot forecast studies in which people can choose several categories.")
        )
    if not 0 <= np.median(options.error) <= (c - 1) / c:
        raise ImpossibleParametersError(
            _(
                "With %(n)s categories, guessing gives a share of errors of %(share)s. "
                "Choose at most this."
            )
            % {"n": c, "share": decimal((c - 1) / c, 2)}
        )
    shares = np.full(c, 1 / c) if options.shares is None else options.shares
    design = study.design
    parameters = RatingParameters.of(design)
    works, per_booklet, n_items = works_of(study, parameters, options.up_to)
    prediction = label_forecast(
        shares,
        error=options.error,
        estimated=options.estimated,
        n_units=n_items,
        n_labels=[work.n for work in works],
        n_studies=n_studies_of(n_items, works),
        rng=np.random.default_rng([design.seed, 1]),
    )

    def agreeing(error: float) -> str:
        return percent(same_label(error, c), 0)

    of_pilot = gettext(
        "The share of errors differs between these studies as much as the pilot leaves open."
    )
    # `python -m benchmarks.coverage forecasts --statistics alpha` prints these figures.
    held = gettext(
        "In simulations unlike this model, ranges from pilots with 8 or 30 people held at least "
        "92 % of full studies with 30 people. If the items of a pool resembled one another, they "
        "held as few as 89 %."
    )
    assumption = gettext(
        "At this share of errors, two people choose the same category in %(percent)s of cases."
    )
    return forecasted(
        options,
        words=Words(
            per=gettext("labels per item"),
            figure=gettext("items with the correct label"),
            others=[gettext("Krippendorff's alpha, nominal")],
            plot_key="reliability",
            plot_title=gettext("Expected share of right labels"),
            plot_caption=gettext(
                "Share of items whose most frequent label is right, in %(n)s "
                "simulated studies of %(items)s items with %(error)s errors. Dashed: "
                "range of 95 %% of these studies. Dotted: the share you require, "
                "%(enough)s."
            )
            % {
                "n": prediction.n_studies,
                "items": n_items,
                "error": decimal(prediction.error, 2),
                "enough": decimal(options.enough, 2),
            }
            + (f" {of_pilot}" if np.size(options.error) > 1 else ""),
        ),
        works=works,
        questions_per_booklet=per_booklet,
        chosen=parameters.ratings_per_item,
        expected=prediction.right,
        others=[prediction.alpha],
        enough=prediction.enough(options.enough),
        n_studies=prediction.n_studies,
        meaning=assumption % {"percent": agreeing(prediction.error)},
        caveat=gettext(
            "The simulation assumes that every item belongs to one category. A wrong "
            "answer is any other category, each equally likely. Ties count as wrong."
        )
        + (f" {held}" if np.size(options.error) > 1 else ""),
    )


def error_of(study: Study) -> LabelErrorEstimate:
    """How often people erred in the first phase of an earlier study."""
    read = read_labels(study, "people")
    return estimate_label_error(
        read.phases[0].main,
        pool=number_names(read.items.clusters)[1],
        rng=np.random.default_rng(study.design.seed),
    )
