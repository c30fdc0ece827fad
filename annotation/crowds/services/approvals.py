"""Approving everybody who passed the checks: by one click, or some days after they handed in."""

import logging
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.crowds.queries.listings import clear_to_approve
from annotation.crowds.services import decisions
from annotation.models import Intent, Listing, Visit

logger = logging.getLogger("annotation.approvals")

# Of a listing's options: after so many days.
AFTER_DAYS = "approve_after_days"


@transaction.atomic
def approve_passed(*, visit: Visit, by: User | None) -> Intent | None:
    """Approve a visit if nothing speaks against it by now; `by` None: by the listing's rule."""
    if visit.listing:
        lock_study(visit.listing.study_id)
    if not Visit.objects.filter(clear_to_approve(), pk=visit.pk).exists():
        raise StateError(_("This visit has changed in the meantime. Look at it again."))
    return decisions.approve(visit=visit, by=by)


def approve_due() -> None:
    """Approve who passed the checks and has waited as long as the listing says."""
    now = clock.shared_now()
    listings = Listing.objects.exclude(state=Listing.State.DRAFT).filter(
        options__has_key=AFTER_DAYS, study__dry_run=False, study__erased_at=None
    )
    for listing in listings.order_by("pk"):
        since = now - timedelta(days=int(listing.options[AFTER_DAYS]))
        due = listing.visits.filter(clear_to_approve(), submitted_at__lte=since)
        for visit in due.order_by("submitted_at", "pk"):
            try:
                approve_passed(visit=visit, by=None)
            except AnnotationError:
                continue  # such as beyond the cap: it waits for a person
            except Exception:
                # One by one: what is wrong with a visit keeps nobody else from being paid.
                logger.exception("approval of visit %s", visit.pk)
