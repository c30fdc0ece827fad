"""What a platform is asked for once somebody has completed the work, such as credit."""

import logging

from django.db import transaction

from annotation.basics.errors import AnnotationError
from annotation.core.platforms import platform_of
from annotation.core.services.locks import lock_study
from annotation.crowds.services import intents
from annotation.models import Intent, Visit
from annotation.models.kinds import Outcome

logger = logging.getLogger("annotation.credits")


def plan_due() -> None:
    """Plan the credit of everybody who has completed the work, and has none on its way."""
    completed = Visit.objects.filter(
        state=Visit.State.ENDED,
        outcome=Outcome.COMPLETED,
        listing__study__dry_run=False,
        listing__study__erased_at=None,
        listing__options__credit_url__gt="",
        person__isnull=False,
    ).exclude(intents__kind=Intent.Kind.CREDIT)
    for pk in completed.order_by("pk").values_list("pk", flat=True):
        try:
            _plan(pk)
        except AnnotationError:
            continue  # such as a dry run that began meanwhile: it is planned after that
        except Exception:
            # One by one: what is wrong with a visit keeps nobody else from their credit.
            logger.exception("credit of visit %s", pk)


@transaction.atomic
def _plan(visit_id: int) -> None:
    visit = Visit.objects.select_related("listing", "person").get(pk=visit_id)
    assert visit.listing is not None  # the query looks through the listing
    lock_study(visit.listing.study_id)
    for planned in platform_of(visit.platform).plan_completed(visit):
        intents.plan(listing=visit.listing, planned=planned, visit=visit)
