"""How long personal data are kept after a study has closed."""

from django.conf import settings

from annotation.models import Study


def days_of(study: Study) -> int:
    """After so many days; 0: nothing goes by itself."""
    days = study.retention_days or settings.RETENTION_DAYS
    return min(days, settings.RETENTION_MAX_DAYS)
