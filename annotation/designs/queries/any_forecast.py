"""The forecast of whatever kind of study was asked about."""

from annotation.kinds.best_worst.queries import forecasts
from annotation.kinds.best_worst.queries.forecasts import AskedOfTuples
from annotation.kinds.queries.forecast_rows import Forecasted
from annotation.kinds.rating.queries import forecasts as pair_forecasts
from annotation.kinds.rating.queries.forecasts import AskedOfLabels, AskedOfRatings
from annotation.models import Study


def forecast_of(study: Study, asked: AskedOfTuples | AskedOfRatings | AskedOfLabels) -> Forecasted:
    """Raises AnnotationError where the numbers give no study that could be simulated."""
    if isinstance(asked, AskedOfRatings):
        return pair_forecasts.forecast_of_ratings(study, asked)
    if isinstance(asked, AskedOfLabels):
        return pair_forecasts.forecast_of_labels(study, asked)
    return forecasts.forecast_of(study, asked)
