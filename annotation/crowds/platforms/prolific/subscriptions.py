"""Having Prolific send events to this server."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import DoubtfulError, RefusedError
from annotation.crowds.platforms.installations import not_set
from annotation.crowds.platforms.prolific.environments import Installation
from annotation.crowds.platforms.prolific.http import Client, id_of

# In the answer to a subscription: it is confirmed with this.
HOOK_SECRET = "X-Hook-Secret"  # noqa: S105 - the name of a header
EVENT_TYPES = ("submission.status.change", "study.status.change", "study.progress.change")


@dataclass(frozen=True)
class Subscription:
    """Prolific sends events of a type to an address of ours."""

    event_type: str
    target_url: str
    id: str


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
