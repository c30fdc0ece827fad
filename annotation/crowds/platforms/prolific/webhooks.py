"""Webhooks of Prolific: hints that something happened, signed; asking Prolific is what decides."""

import base64
import hmac
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.crowds.platforms.prolific.environments import Installation

SIGNATURE = "X-Prolific-Request-Signature"
SENT_AT = "X-Prolific-Request-Timestamp"
EVENT_ID = "X-Event-ID"
HAPPENED_AT = "X-Timestamp"
# How far the sender's clock may differ from ours; what is older was recorded and sent again.
WINDOW = timedelta(minutes=5)


class SignatureError(AnnotationError):
    """Nobody knows who sent this."""

    status = 403


def check_signature(installation: Installation, headers: Mapping[str, str], body: bytes) -> None:
    """Raises SignatureError unless Prolific signed the body, a moment ago."""
    secret = installation.webhook_secret
    sent_at = headers.get(SENT_AT, "")
    if not secret or not _is_recent(sent_at):
        raise _unsigned()
    wanted = base64.b64encode(hmac.digest(secret.encode(), sent_at.encode() + body, "sha256"))
    if not hmac.compare_digest(wanted, headers.get(SIGNATURE, "").encode()):
        raise _unsigned()


def _is_recent(sent_at: str) -> bool:
    # More digits are no time of this age, and a number that takes long to read.
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= 12):
        return False
    return abs(clock.now().timestamp() - int(sent_at)) <= WINDOW.total_seconds()


def _unsigned() -> SignatureError:
    return SignatureError(
        _("This request has no recent signature of Prolific, so it was ignored.")
    )


def told_of(body: Mapping[str, Any]) -> tuple[str, str]:
    """The type of an event and what it is about; empty if it does not say."""
    kind, about = body.get("event_type"), body.get("resource_id")
    return (kind if isinstance(kind, str) else "", about if isinstance(about, str) else "")
