"""The forecast of whatever kind of study was asked about."""

from annotation.models import Study
from annotation.queries import forecasts, pair_forecasts
from annotation.queries.forecast_rows import Forecasted
from annotation.queries.forecasts import AskedOfTuples
from annotation.queries.pair_forecasts import AskedOfLabels, AskedOfRatings


def forecast_of(study: Study, asked: AskedOfTuples | AskedOfRatings | AskedOfLabels) -> Forecasted:
    """Raises AnnotationError where the numbers give no study that could be simulated."""
    if isinstance(asked, AskedOfRatings):
        return pair_forecasts.forecast_of_ratings(study, asked)
    if isinstance(asked, AskedOfLabels):
        return pair_forecasts.forecast_of_labels(study, asked)
    return forecasts.forecast_of(study, asked)
