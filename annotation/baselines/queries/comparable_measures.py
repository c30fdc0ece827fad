"""Which measures of a study a leaderboard can rank."""

from django.db.models import QuerySet

from annotation.baselines.services.specifications import WITH_MODELS
from annotation.models import Baseline, Study

_WITHIN_A_DIALOGUE = [
    key for key, measure in WITH_MODELS.items() if not measure.compares_over_items
]


def comparable(study: Study) -> QuerySet[Baseline]:
    """Those whose values compare over all items, as their definitions say."""
    return study.baselines.exclude(measure__in=_WITHIN_A_DIALOGUE)


def compares_over_items(baseline: Baseline) -> bool:
    """Whether the values of any two items compare; else those of one dialogue alone."""
    return baseline.measure not in _WITHIN_A_DIALOGUE
