"""Messages of alerts: sent at least once, tried again for a day, then given up where all can see.

A message is claimed by moving its next try ahead, and sent outside any transaction. Who is killed
between sending and storing that has sent it: it goes out once more, with the same id, by which the
receiver knows it.
"""

import hashlib
import hmac
import json
import logging
import time
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from annotation import clock, webhook_client
from annotation.errors import AnnotationError
from annotation.models import AlertChannel, AlertDelivery
from annotation.public_addresses import target_of
from annotation.queries import alerts
from annotation.sentences import Said, stored
from annotation.sentences import sentence as _
from annotation.services import alert_channels

logger = logging.getLogger("annotation.alerts")

AT_ONCE = 50
# One sweep occupies a worker no longer than this and one message, and comes again soon.
LONGEST_SWEEP_SECONDS = 30
# What was claimed and not stored in this time is sent again.
CLAIM = timedelta(minutes=5)
GIVE_UP = timedelta(days=1)
# Minutes from one try to the next; the last one counts for all that follow.
PAUSES = (1, 5, 15, 60, 240)
SIGNATURE = "Likeness-Signature"


class NeverError(AnnotationError):
    """Trying again would not help."""


def send_due() -> int:
    """Send what is due; one channel that fails does not keep the others waiting."""
    until = time.monotonic() + LONGEST_SWEEP_SECONDS
    due = AlertDelivery.objects.filter(
        state=AlertDelivery.State.WAITING, next_try_at__lte=clock.now(), channel__is_on=True
    )
    failing: set[int] = set()
    n_sent = 0
    rows = due.order_by("next_try_at", "pk").values_list("pk", "channel_id")
    for pk, channel_id in rows[:AT_ONCE]:
        if time.monotonic() > until:
            break
        if channel_id in failing:
            continue
        if not due.filter(pk=pk).update(
            next_try_at=clock.now() + CLAIM, attempts=F("attempts") + 1
        ):
            continue  # somebody else has it
        found = AlertDelivery.objects.select_related(
            "channel__study", "channel__user", "channel__created_by", "alert"
        ).get(pk=pk)
        if found.attempts > 1 and clock.now() > found.created_at + GIVE_UP:
            # Nobody is told of yesterday's worries as if they were today's.
            _give_up(found, found.error or _("It could not be sent for a day."))
        elif _try(found):
            n_sent += 1
        else:
            failing.add(channel_id)
    return n_sent


def _try(delivery: AlertDelivery) -> bool:
    channel = delivery.channel
    try:
        if channel.kind == AlertChannel.Kind.EMAIL:
            _send_email(delivery)
        else:
            _send_webhook(delivery)
    except NeverError as error:
        _give_up(delivery, error.said[0])
    except AnnotationError as error:
        _try_later(delivery, error.said[0])
    else:
        AlertDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
            state=AlertDelivery.State.SENT, sent_at=clock.now(), error=""
        )
        return True
    return False


def _try_later(delivery: AlertDelivery, why: Said) -> None:
    now = clock.now()
    pause = timedelta(minutes=PAUSES[min(delivery.attempts, len(PAUSES)) - 1])
    if now + pause > delivery.created_at + GIVE_UP:
        _give_up(delivery, why)
        return
    AlertDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
        next_try_at=now + pause, error=stored(why)
    )


def _give_up(delivery: AlertDelivery, why: Said) -> None:
    # No address in the log: who may see the study sees the reason on its page.
    logger.warning("message %s was given up after %s tries", delivery.pk, delivery.attempts)
    AlertDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
        state=AlertDelivery.State.GIVEN_UP, error=why if why == delivery.error else stored(why)
    )


def _words(delivery: AlertDelivery) -> str:
    if delivery.alert is None:
        return gettext("This is a test: alerts of this study arrive here.")
    return str(alerts.said(delivery.alert))


def _page(delivery: AlertDelivery) -> str:
    """The study's page, where the operator has said by which address people come."""
    address = reverse("admin:annotation_study_alerts", args=[delivery.channel.study_id])
    return f"{settings.PUBLIC_URL}{address}" if settings.PUBLIC_URL else ""


def _send_email(delivery: AlertDelivery) -> None:
    channel = delivery.channel
    user, study = channel.user, channel.study
    assert user is not None  # the database holds it
    if not alert_channels.sees(user, study):
        raise NeverError(
            _("%(name)s does not share this study any more.") % {"name": user.get_username()}
        )
    address = alert_channels.address_of(user)
    if address is None:
        raise NeverError(
            _("The account “%(name)s” has no e-mail address.") % {"name": user.get_username()}
        )
    if not settings.EMAIL_HOST:
        raise AnnotationError(_("No mail server is set here (EMAIL_HOST)."))
    with translation.override(channel.language):
        title = " ".join(study.title.split())
        page = _page(delivery)
        message = EmailMessage(
            subject=f"Likeness: {title}",
            body="\n\n".join(
                filter(
                    None,
                    (
                        _words(delivery),
                        gettext("Study: %(study)s") % {"study": title},
                        page,
                        gettext(
                            "You receive this because alerts of the study are sent to you. On its"
                            " page “Alerts” you switch them off."
                        ),
                    ),
                )
            ),
            to=[address],
            # The same in every try, so that a mail program can show two as one.
            headers={"Message-ID": f"<{delivery.pk}@likeness>"},
        )
    try:
        message.send()
    except SMTPResponseException as error:
        raise _refused(error.smtp_code) from error
    except SMTPRecipientsRefused as error:
        raise _refused(max(code for code, _said in error.recipients.values())) from error
    except (SMTPException, OSError) as error:
        raise AnnotationError(_("The mail server cannot be reached.")) from error


def _refused(code: int) -> AnnotationError:
    """Of a code from 500 on the server itself says that trying again is of no use."""
    kind = NeverError if code >= 500 else AnnotationError
    return kind(_("The mail server refused it with the code %(code)s.") % {"code": code})


def payload(delivery: AlertDelivery) -> bytes:
    """What a webhook receives: the same bytes in every try, as long as nothing is renamed."""
    alert, study = delivery.alert, delivery.channel.study
    with translation.override(delivery.channel.language):
        data = {
            "id": str(delivery.pk),
            "kind": alert.kind if alert else "test",
            "subject": alert.subject if alert else "",
            "study": {"slug": study.slug, "title": study.title},
            "raised_at": (alert.raised_at if alert else delivery.created_at).isoformat(),
            "figures": alert.figures if alert else {},
            "message": _words(delivery),
            "page": _page(delivery),
        }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def signature(secret: str, body: bytes, at: int) -> str:
    """`t=…,v1=…`: an HMAC over the time and the body, so that an old message is known as old."""
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
    return f"t={at},v1={signed.hexdigest()}"


def _send_webhook(delivery: AlertDelivery) -> None:
    channel = delivery.channel
    made_by = channel.created_by
    if made_by is not None and not alert_channels.sees(made_by, channel.study):
        # Else they would be told of the study for ever, wherever they let it be sent.
        raise NeverError(
            _("%(name)s does not share this study any more.") % {"name": made_by.get_username()}
        )
    body = payload(delivery)
    target = target_of(channel.url, allowed=settings.WEBHOOK_ORIGINS)
    status = webhook_client.post(
        target,
        body=body,
        headers={
            "Content-Type": "application/json",
            "User-Agent": f"Likeness/{settings.VERSION}",
            SIGNATURE: signature(channel.secret, body, int(clock.now().timestamp())),
        },
    )
    if 300 <= status < 400:
        raise webhook_client.NotDeliveredError(
            _(
                "The receiver answered with a redirection (%(code)s), which is not followed: enter"
                " the address itself."
            )
            % {"code": status}
        )
    if not 200 <= status < 300:
        raise webhook_client.NotDeliveredError(
            _("The receiver answered with the code %(code)s.") % {"code": status}
        )
