"""Which measures of a study a leaderboard can rank."""

from django.db.models import QuerySet

from annotation.baselines.services.specifications import WITH_MODELS
from annotation.models import Baseline, Study

_WITHIN_A_DIALOGUE = [
    key for key, measure in WITH_MODELS.items() if not measure.compares_over_items
]


def comparable(study: Study) -> QuerySet[Baseline]:
    """The measures whose values can be compared over all items, by their definitions."""
    return study.baselines.exclude(measure__in=_WITHIN_A_DIALOGUE)


def compares_over_items(baseline: Baseline) -> bool:
    """Whether values can be compared over all items rather than within a dialogue only."""
    return baseline.measure not in _WITHIN_A_DIALOGUE
