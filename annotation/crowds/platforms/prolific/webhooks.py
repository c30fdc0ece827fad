"""Webhooks of Prolific: hints that something happened, signed; asking Prolific is what decides."""

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import DoubtfulError, RefusedError
from annotation.crowds.platforms.installations import not_set
from annotation.crowds.platforms.prolific.environments import Installation
from annotation.crowds.platforms.prolific.http import Client, id_of

SIGNATURE = "X-Prolific-Request-Signature"
SENT_AT = "X-Prolific-Request-Timestamp"
EVENT_ID = "X-Event-ID"
HAPPENED_AT = "X-Timestamp"
# In the answer to a subscription: it is confirmed with this.
HOOK_SECRET = "X-Hook-Secret"  # noqa: S105 - the name of a header
EVENT_TYPES = ("submission.status.change", "study.status.change", "study.progress.change")
# How far the sender's clock may differ from ours; what is older was recorded and sent again.
WINDOW = timedelta(minutes=5)


class SignatureError(AnnotationError):
    """Nobody knows who sent this."""

    status = 403


@dataclass(frozen=True)
class Subscription:
    """Prolific sends events of a type to an address of ours."""

    event_type: str
    target_url: str
    id: str


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


def subscribe(
    installation: Installation, *, event_type: str, target_url: str, workspace: str
) -> Subscription:
    """Have events of a type sent to an address, once; confirmed with what the answer says.

    Raises RefusedError, UnavailableError or DoubtfulError. Doing it again makes it anew.
    """
    if not installation.webhook_secret:
        # Nothing that is sent could be believed.
        raise RefusedError(not_set([installation.webhook_secret_name]))
    if urlsplit(target_url).scheme != "https" and not installation.is_local:
        raise RefusedError(_("The address for webhooks must begin with https://."))
    client = Client(installation)
    # One that was made before may never have been confirmed, and does not say so.
    subscriptions = client.pages("hooks/subscriptions/", workspace_id=workspace, is_enabled="true")
    for row in list(subscriptions):
        if (row.get("event_type"), row.get("target_url")) == (event_type, target_url):
            client.change("DELETE", f"hooks/subscriptions/{row.get('id')}/", needs_body=False)
    answer = client.change(
        "POST",
        "hooks/subscriptions/",
        {"event_type": event_type, "target_url": target_url, "workspace_id": workspace},
    )
    made = id_of(answer)
    if not (secret := answer.headers.get(HOOK_SECRET, "")):
        raise DoubtfulError(
            _("Prolific did not return the secret that confirms the subscription.")
        )
    client.change("POST", f"hooks/subscriptions/{made}/", {"secret": secret}, needs_body=False)
    return Subscription(event_type, target_url, made)


def told_of(body: Mapping[str, Any]) -> tuple[str, str]:
    """The type of an event and what it is about; empty if it does not say."""
    kind, about = body.get("event_type"), body.get("resource_id")
    return (kind if isinstance(kind, str) else "", about if isinstance(about, str) else "")
