"""One e-mail when a phase opens, to the person who asked for it; then the address is forgotten.

A message is sent outside any transaction: a mail server that takes its time must not keep others
from saving. Who sends it has claimed it before, so that two workers do not both write.
"""

import logging
import time
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.languages import spoken_for
from annotation.basics.sentences import sentence as _
from annotation.core.services import wiping
from annotation.models import Assignment, PhaseRun, Study

logger = logging.getLogger("annotation.reminders")

AT_ONCE = 100
# One sweep occupies a worker no longer than this, and comes again a minute later.
MAX_SWEEP_SECONDS = 30
# What was claimed and neither sent nor given up in this time is tried again.
CLAIM = timedelta(minutes=10)
# Nobody is reminded so long after the opening: the address goes without a message.
GIVE_UP = timedelta(days=2)


@transaction.atomic
def remember(*, run: PhaseRun, email: str, way_back: str) -> None:
    """Keep an address until the phase opens; an empty one takes the wish back."""
    if email and not settings.EMAIL_HOST:
        raise StateError(_("This site does not send reminders. Please note the time yourself."))
    # A person who withdraws at the same time holds this, and is not written to afterwards.
    held = Assignment.objects.select_for_update(no_key=True).get(pk=run.assignment_id)
    if held.state != Assignment.State.WAITING:
        return
    PhaseRun.objects.filter(pk=run.pk, reminded_at=None).update(
        reminder_email=email, way_back=way_back if email else ""
    )
    if not email:
        transaction.on_commit(wiping.wipe)


def send_due() -> int:
    """Send what is due, and forget each address once its message is on its way."""
    if not settings.EMAIL_HOST:
        return 0
    until = time.monotonic() + MAX_SWEEP_SECONDS
    # Claimed before the clock was put back: the claim runs from now on.
    claimed_ahead = PhaseRun.objects.filter(reminding_since__gt=clock.latest())
    claimed_ahead.update(reminding_since=clock.shared_now())
    n_sent = 0
    for pk in _due().order_by("pk").values_list("pk", flat=True)[:AT_ONCE]:
        if time.monotonic() > until:
            break
        if not _due().filter(pk=pk).update(reminding_since=clock.shared_now()):
            continue  # another worker has it
        run = PhaseRun.objects.select_related("assignment__annotator__study").get(pk=pk)
        if _is_wanted(run):
            try:
                _message(run).send()
            except SMTPResponseException as error:
                logger.warning("reminder of run %s: the server says %s", pk, error.smtp_code)
                if error.smtp_code < 500:
                    continue  # tried again when the claim has run out
            except SMTPException as error:
                # The log never gets the message of an error: it quotes the address.
                logger.warning("reminder of run %s: %s", pk, type(error).__name__)
                if _is_temporary(error):
                    continue
            except OSError as error:
                logger.warning("reminder of run %s: %s", pk, type(error).__name__)
                PhaseRun.objects.filter(pk=pk).update(reminding_since=None)
                break  # nobody answers: the others would fail as well
            except Exception as error:  # noqa: BLE001 - one strange address must not silence all
                logger.warning("reminder of run %s: %s", pk, type(error).__name__)
            else:
                n_sent += 1
        _forget(pk)
    return n_sent


def forget_over() -> int:
    """Forget addresses that nobody will be written to any more; return how many.

    Also if no mail is sent from here (any more): nothing else would come by to forget them.
    """
    now = clock.shared_now()
    is_over = (
        Q(opens_at__lt=now - GIVE_UP)
        | Q(closes_at__lt=now)
        | Q(assignment__annotator__study__state=Study.State.FINISHED)
        | Q(assignment__state__in=(Assignment.State.SUBMITTED, Assignment.State.WITHDRAWN))
    )
    runs = PhaseRun.objects.exclude(reminder_email="", way_back="").filter(is_over)
    pks = list(runs.order_by("pk").values_list("pk", flat=True)[:1000])
    if pks:
        PhaseRun.objects.filter(pk__in=pks).update(reminder_email="", way_back="")
        wiping.wipe()
    return len(pks)


def _due() -> QuerySet[PhaseRun]:
    now = clock.shared_now()
    is_free = Q(reminding_since=None) | Q(reminding_since__lt=now - CLAIM)
    return PhaseRun.objects.filter(is_free, opens_at__lte=now, reminded_at=None).exclude(
        reminder_email=""
    )


def _is_wanted(run: PhaseRun) -> bool:
    """Whether somebody still waits, in a study that still takes answers, and not for long."""
    assignment = run.assignment
    return (
        assignment.state in {Assignment.State.WAITING, Assignment.State.LAPSED}
        and assignment.annotator.study.takes_answers
        and clock.shared_now() < run.opens_at + GIVE_UP
    )


def _is_temporary(error: Exception) -> bool:
    """Whether trying again may help: of several recipients' codes each would have to be 4xx."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code < 500 for code, _said in error.recipients.values())
    return True


def _forget(pk: int) -> None:
    PhaseRun.objects.filter(pk=pk).update(
        reminder_email="", way_back="", reminded_at=clock.shared_now(), reminding_since=None
    )
    wiping.wipe()


def _message(run: PhaseRun) -> EmailMessage:
    study = run.assignment.annotator.study
    with translation.override(spoken_for(study.language)):
        return EmailMessage(
            subject=gettext("The next part is open: %(study)s")
            % {"study": " ".join(study.title.split())},
            body=gettext(
                "The next part of “%(study)s” is open now. Please open your personal "
                "page in the browser you used before, or enter your code here:\n\n"
                "%(address)s\n\nYou asked for this message. We have now deleted your "
                "address."
            )
            % {"study": study.title, "address": run.way_back},
            to=[run.reminder_email],
        )
