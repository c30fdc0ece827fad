"""Which measures of a study a leaderboard can rank."""

from django.db.models import QuerySet

from annotation.models import Baseline, Study
from annotation.services.specifications import WITH_MODELS


def comparable(study: Study) -> QuerySet[Baseline]:
    """Those whose values compare over all items, as their definitions say."""
    others = [key for key, one in WITH_MODELS.items() if not one.compares_over_items]
    return study.baselines.exclude(measure__in=others)
