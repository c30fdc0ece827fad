"""What a platform is asked for once somebody has completed the work, such as credit."""

import logging

from django.db import transaction
from django.db.models import QuerySet

from annotation.basics.errors import AnnotationError
from annotation.core.platforms import platform_of
from annotation.core.services.locks import lock_study
from annotation.crowds.services import intents
from annotation.models import Intent, Visit
from annotation.models.kinds import Outcome

logger = logging.getLogger("annotation.credits")


def plan_due() -> None:
    """Plan the credit of everybody who has completed the work, once; in a dry run of nobody."""
    due = Visit.objects.filter(
        outcome=Outcome.COMPLETED,
        person__isnull=False,
        listing__study__dry_run=False,
        listing__options__credit_url__gt="",
    ).exclude(intents__kind=Intent.Kind.CREDIT)
    for pk, study in due.order_by("pk").values_list("pk", "listing__study"):
        try:
            _plan(due.filter(pk=pk), study)
        except AnnotationError:
            continue  # such as a dry run that began meanwhile: it is planned after that
        except Exception:
            # One by one: what is wrong with a visit keeps nobody else from their credit.
            logger.exception("credit of visit %s", pk)


@transaction.atomic
def _plan(due: QuerySet[Visit], study_id: int) -> None:
    lock_study(study_id)
    # Looked for again: somebody may have erased the person meanwhile.
    for visit in due.select_related("listing", "person"):
        assert visit.listing is not None  # the query looks through the listing
        for planned in platform_of(visit.platform).plan_completed(visit):
            intents.plan(listing=visit.listing, planned=planned, visit=visit)
