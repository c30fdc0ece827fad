"""What a message of an alert says, and how it goes out.

`prepared` reads what it needs from the database; what it returns needs none, so that many messages
can be on their way at once, in threads that hold no connection and wait for no writer.
"""

import hashlib
import hmac
import json
from collections.abc import Callable
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from annotation.basics import clock, webhook_client
from annotation.basics.errors import AnnotationError
from annotation.basics.public_addresses import Target, target_of
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import mail_problems
from annotation.models import AlertChannel, AlertDelivery
from annotation.monitoring.queries import alerts
from annotation.monitoring.services import alert_channels

SIGNATURE = "Likeness-Signature"


class NeverError(AnnotationError):
    """Trying again would not help."""


def prepared(delivery: AlertDelivery) -> Callable[[], None]:
    """The sending itself: returns when the receiver has it, else raises an AnnotationError."""
    return _PREPARED[delivery.channel.kind](delivery)


def _words(delivery: AlertDelivery) -> str:
    if delivery.alert is None:
        return gettext("This is a test. Alerts of this study arrive here.")
    return str(alerts.said(delivery.alert))


def _page(delivery: AlertDelivery) -> str:
    """The study's page, where the operator has said by which address people come."""
    address = reverse("admin:annotation_study_alerts", args=[delivery.channel.study_id])
    return f"{settings.PUBLIC_URL}{address}" if settings.PUBLIC_URL else ""


def _by_email(delivery: AlertDelivery) -> Callable[[], None]:
    message = _email(delivery)
    return lambda: _send_email(message)


def _email(delivery: AlertDelivery) -> EmailMessage:
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
        raise AnnotationError(_("This server has no mail server (EMAIL_HOST)."))
    with translation.override(channel.language):
        title = " ".join(study.title.split())
        page = _page(delivery)
        return EmailMessage(
            subject=f"Likeness: {title}",
            body="\n\n".join(
                filter(
                    None,
                    (
                        _words(delivery),
                        gettext("Study: %(study)s") % {"study": title},
                        page,
                        gettext(
                            "You receive this because the study's alerts are sent to you. You can "
                            "switch them off on its page “Alerts”."
                        ),
                    ),
                )
            ),
            to=[address],
            # The same in every try, so that a mail program can show two as one.
            headers={"Message-ID": f"<{delivery.pk}@likeness>"},
        )


def _send_email(message: EmailMessage) -> None:
    message.connection = connection = get_connection()
    try:
        message.send()
    except SMTPResponseException as error:
        raise _refused(error.smtp_code, mail_problems.of_server(error)) from error
    except SMTPRecipientsRefused as error:
        code = max(code for code, _said in error.recipients.values())
        sentence = _("The mail server refused the message with the code %(code)s.") % {
            "code": code
        }
        raise _refused(code, sentence) from error
    except (SMTPException, OSError) as error:
        raise AnnotationError(mail_problems.of_server(error)) from error
    finally:
        # Of a login that was refused Django leaves it open.
        connection.close()


def _refused(code: int, sentence: Said) -> AnnotationError:
    """Of a code from 500 on the server itself says that trying again is of no use."""
    return NeverError(sentence) if code >= 500 else AnnotationError(sentence)


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


def _by_webhook(delivery: AlertDelivery) -> Callable[[], None]:
    channel = delivery.channel
    made_by = channel.created_by
    if made_by is not None and not alert_channels.sees(made_by, channel.study):
        # Else they would be told of the study for ever, wherever they let it be sent.
        raise NeverError(
            _("%(name)s does not share this study any more.") % {"name": made_by.get_username()}
        )
    body = payload(delivery)
    target = target_of(channel.url, allowed=settings.WEBHOOK_ORIGINS)
    secret = alert_channels.secret_of(channel)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Likeness/{settings.VERSION}",
        SIGNATURE: signature(secret, body, int(clock.now().timestamp())),
    }
    return lambda: _post(target, body, headers)


def _post(target: Target, body: bytes, headers: dict[str, str]) -> None:
    status = webhook_client.post(target, body=body, headers=headers)
    if 300 <= status < 400:
        raise webhook_client.NotDeliveredError(
            _(
                "The recipient answered with a redirect (%(code)s), which Likeness "
                "does not follow. Enter the final address."
            )
            % {"code": status}
        )
    if not 200 <= status < 300:
        raise webhook_client.NotDeliveredError(
            _("The recipient answered with the code %(code)s.") % {"code": status}
        )


# How a message to each kind of channel goes out.
_PREPARED: dict[str, Callable[[AlertDelivery], Callable[[], None]]] = {
    AlertChannel.Kind.EMAIL: _by_email,
    AlertChannel.Kind.WEBHOOK: _by_webhook,
}
