"""One e-mail when a phase opens, to whoever asked for it; then the address is forgotten."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from annotation import clock
from annotation.languages import spoken_for
from annotation.models import Assignment, PhaseRun

logger = logging.getLogger("annotation.reminders")

AT_ONCE = 100


def remember(*, run: PhaseRun, email: str, way_back: str) -> None:
    """Keep an address until the phase opens; an empty one takes the wish back."""
    PhaseRun.objects.filter(pk=run.pk, reminded_at=None).update(
        reminder_email=email, way_back=way_back if email else ""
    )


def send_due() -> int:
    """Send what is due, and forget each address once its message is on its way."""
    if not settings.EMAIL_HOST:
        return 0
    due = PhaseRun.objects.filter(opens_at__lte=clock.now(), reminded_at=None).exclude(
        reminder_email=""
    )
    return sum(_send(pk) for pk in due.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])


@transaction.atomic
def _send(pk: int) -> int:
    """Held meanwhile, so that two workers do not both write."""
    rows = PhaseRun.objects.filter(pk=pk, reminded_at=None).exclude(reminder_email="")
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(skip_locked=True, of=("self",))
    run = rows.select_related("assignment__annotator__study").first()
    if run is None:
        return 0
    if run.assignment.state in {Assignment.State.WAITING, Assignment.State.LAPSED}:
        try:
            _message(run).send()
        except (OSError, SMTPException):
            # Tried again at the next sweep; the log names no address.
            logger.exception("the reminder of run %s could not be sent", pk)
            return 0
    run.reminder_email = run.way_back = ""
    run.reminded_at = clock.now()
    run.save(update_fields=["reminder_email", "way_back", "reminded_at"])
    return 1


def _message(run: PhaseRun) -> EmailMessage:
    study = run.assignment.annotator.study
    with translation.override(spoken_for(study.language)):
        return EmailMessage(
            subject=_("The next part is open: %(study)s")
            % {"study": " ".join(study.title.split())},
            body=_(
                "The next part of “%(study)s” is open now. Please open your personal page in the"
                " browser in which you began, or type your code here:\n\n%(address)s\n\nYou asked"
                " for this message. Your address has been deleted now."
            )
            % {"study": study.title, "address": run.way_back},
            to=[run.reminder_email],
        )
