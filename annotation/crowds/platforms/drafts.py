"""Publishing in steps, where a platform has drafts: each step an intent, in numbered attempts."""

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import RefusedError
from annotation.models import Intent
from annotation.models.crowds import IntentQuerySet


def numbered(step: str, before: IntentQuerySet) -> str:
    """Another one if the first came to nothing: what was refused is asked for anew."""
    came_to_nothing = (Intent.State.REFUSED, Intent.State.GIVEN_UP)
    n = before.filter(payload__step="publish", state__in=came_to_nothing).count()
    return f"{step}{n + 1}"


def draft_of(intent: Intent) -> Intent:
    """The draft that a publication is about. Raises RefusedError."""
    prefix, _step, n = intent.reason_code.rpartition("publish")
    draft = intent.listing.intents.filter(
        kind=Intent.Kind.PUBLISH,
        reason_code=f"{prefix}draft{n}",
        state=Intent.State.CONFIRMED,
    ).first()
    if draft is None or not draft.remote_id:
        raise RefusedError(_("There is no draft on the platform to publish."))
    return draft


def mark(intent: Intent) -> str:
    """By which a draft is found again, in a name that only the researcher sees."""
    return f"[{intent.reference}]"
