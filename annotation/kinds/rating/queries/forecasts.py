"""What a study of ratings or of labels may be expected to find and to cost, before it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext

from annotation.basics.categories import Categories
from annotation.basics.numbers import decimal
from annotation.basics.scale import Scale
from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import ImpossibleParametersError, RatingParameters
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.queries.forecast_rows import (
    Asked,
    Forecasted,
    Words,
    Work,
    forecasted,
    numbers_to_ask,
)
from annotation.kinds.queries.noise_words import points_apart, same_label
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.models import Study
from scoring.forecasts.labels import LabelErrorEstimate, estimate_label_error, label_forecast
from scoring.forecasts.ratings import (
    RatingNoise,
    RatingNoiseEstimate,
    estimate_rating_noise,
    rating_forecast,
)

# Simulated answers: so many take a second or two.
_MOST_ANSWERS = 4_000_000
_FEWEST_STUDIES, _MOST_STUDIES = 20, 200
_MOST_OF_A_STUDY = 200_000
NOISES = (0.05, 0.1, 0.2, 0.3)
ERRORS = (0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True)
class AskedOfRatings(Asked):
    """What is supposed of a rating study, too."""

    noise: RatingNoise


@dataclass(frozen=True)
class AskedOfLabels(Asked):
    """What is supposed of a study of labels, too."""

    error: float
    # How frequent the categories are; None: all alike.
    shares: Sequence[float] | None = None


def forecast_of_ratings(study: Study, asked: AskedOfRatings) -> Forecasted:
    """Simulate studies of as many items on the study's scale.

    Raises ImpossibleParametersError where no number of ratings gives a design, ScaleError where
    the study has no scale.
    """
    scale = Scale.of(study.scale)
    parameters = RatingParameters.of(study.design)
    works, per_booklet, n_items = _works(study, parameters, asked.up_to)
    found = rating_forecast(
        asked.noise,
        n_units=n_items,
        low=float(scale.low),
        high=float(scale.high),
        step=float(scale.step),
        n_ratings=[work.n for work in works],
        n_studies=_n_studies(n_items, works),
        rng=np.random.default_rng([study.design.seed, 1]),
    )
    apart, *apart_at = points_apart(
        scale, (asked.noise.noise, *NOISES), spread=asked.noise.spread, mean=asked.noise.mean
    )
    said = gettext(
        "At the noise above, two ratings of one item are %(apart)s points of the scale apart on"
        " average."
    )
    example = gettext("Noise %(noise)s: %(apart)s points")
    return forecasted(
        study,
        asked,
        words=Words(
            per=gettext("ratings per item"),
            figure=gettext("reliability of the means, ICC(1,k)"),
            others=[gettext("α of single ratings"), gettext("± of a mean (95 %)")],
            plot_key="reliability",
            plot_title=gettext("Reliability to be expected"),
            plot_caption=gettext(
                "ICC(1,k) of the mean ratings in %(n)s simulated studies of %(items)s items, at"
                " noise %(noise)s. Dashed: what 95 %% of them lie between. Below the dotted line"
                " of %(enough)s it is not enough."
            )
            % {
                "n": found.n_studies,
                "items": n_items,
                "noise": decimal(asked.noise.noise, 2),
                "enough": decimal(asked.enough, 2),
            },
        ),
        works=works,
        questions_per_booklet=per_booklet,
        chosen=parameters.ratings_per_item,
        expected=found.icc,
        others=[found.alpha, found.margin],
        enough=found.enough(asked.enough),
        n_studies=found.n_studies,
        meanings=[
            said % {"apart": apart},
            *(
                example % {"noise": decimal(one, 2), "apart": at}
                for one, at in zip(NOISES, apart_at, strict=True)
            ),
        ],
        caveat=gettext(
            "Every rating is the item’s true value plus a normal error, put on the nearest point"
            " of the scale; the true values lie around a mean (beta distribution). That some"
            " people are stricter than others is part of the error. Two phases are taken to be"
            " equally noisy."
        ),
    )


def forecast_of_labels(study: Study, asked: AskedOfLabels) -> Forecasted:
    """Simulate studies of as many items with the study's categories.

    Raises ImpossibleParametersError where no number of labels gives a design, or several
    categories may be chosen; CategoriesError where the study has no categories.
    """
    categories = Categories.of(study.categories)
    c = len(categories.names)
    if categories.is_several:
        raise ImpossibleParametersError(
            _("Where people may choose several categories, nothing can be forecast yet.")
        )
    if not 0 <= asked.error <= (c - 1) / c:
        raise ImpossibleParametersError(
            _("Of %(n)s categories chance alone gives %(share)s errors: name at most as many.")
            % {"n": c, "share": decimal((c - 1) / c, 2)}
        )
    shares = np.full(c, 1 / c) if asked.shares is None else np.asarray(asked.shares)
    parameters = RatingParameters.of(study.design)
    works, per_booklet, n_items = _works(study, parameters, asked.up_to)
    found = label_forecast(
        shares,
        error=asked.error,
        n_units=n_items,
        n_labels=[work.n for work in works],
        n_studies=_n_studies(n_items, works),
        rng=np.random.default_rng([study.design.seed, 1]),
    )

    def agreeing(error: float) -> str:
        return decimal(100 * same_label(error, c), 0)

    said = gettext(
        "At the share of errors above, two people choose the same category in %(percent)s %% of"
        " the cases."
    )
    example = gettext("Errors %(error)s: %(percent)s %%")
    return forecasted(
        study,
        asked,
        words=Words(
            per=gettext("labels per item"),
            figure=gettext("items whose label is right"),
            others=[gettext("α (nominal)")],
            plot_key="reliability",
            plot_title=gettext("Right labels to be expected"),
            plot_caption=gettext(
                "Share of the items whose most frequent label is right, in %(n)s simulated"
                " studies of %(items)s items with %(error)s errors. Dashed: what 95 %% of them"
                " lie between. Below the dotted line of %(enough)s it is not enough."
            )
            % {
                "n": found.n_studies,
                "items": n_items,
                "error": decimal(asked.error, 2),
                "enough": decimal(asked.enough, 2),
            },
        ),
        works=works,
        questions_per_booklet=per_booklet,
        chosen=parameters.ratings_per_item,
        expected=found.right,
        others=[found.alpha],
        enough=found.enough(asked.enough),
        n_studies=found.n_studies,
        meanings=[
            said % {"percent": agreeing(asked.error)},
            *(
                example % {"error": decimal(one, 2), "percent": agreeing(one)}
                for one in ERRORS
                if one <= (c - 1) / c
            ),
        ],
        caveat=gettext(
            "Every item is taken to belong to one category; whoever errs names any of the others,"
            " each as likely. A tie is not right."
        ),
    )


def noise_of_ratings(study: Study) -> RatingNoiseEstimate:
    """How noisy the counted ratings of an earlier study were, in its first phase."""
    rng = np.random.default_rng(study.design.seed)
    return estimate_rating_noise(read_ratings(study, "people").phases[0].main, rng=rng)


def error_of_labels(study: Study) -> LabelErrorEstimate:
    """How often people erred in the first phase of an earlier study."""
    rng = np.random.default_rng(study.design.seed)
    return estimate_label_error(read_labels(study, "people").phases[0].main, rng=rng)


def _works(study: Study, parameters: RatingParameters, up_to: int) -> tuple[list[Work], int, int]:
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


def _n_studies(n_items: int, works: Sequence[Work]) -> int:
    per_study = n_items * sum(work.n for work in works)
    if per_study > _MOST_OF_A_STUDY:
        raise ImpossibleParametersError(
            _(
                "So many answers to %(n)s items take too long to simulate for a page. Ask for"
                " fewer people per item."
            )
            % {"n": n_items}
        )
    return min(max(_MOST_ANSWERS // per_study, _FEWEST_STUDIES), _MOST_STUDIES)
