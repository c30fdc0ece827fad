"""The part of a visit's page with the messages to and from its person."""

from typing import Any

from django.contrib.auth.models import User
from django.forms import Form

from annotation.basics.sentences import sentence as _
from annotation.core.pages.navigation import Text
from annotation.core.platforms import platform_of
from annotation.crowds.forms.messages import MessageForm
from annotation.crowds.services import messages as services
from annotation.models import Intent, Visit

__all__ = ["MessageForm", "section", "send"]


def section(row: Visit, form: Form) -> dict[str, Any]:
    """Nothing where the platform has no messages."""
    capabilities = platform_of(row.platform).capabilities
    if not capabilities.can_message or row.person is None or row.listing is None:
        return {}
    if row.listing.study.dry_run:
        return {"message": form}
    read = services.conversation(row) if capabilities.shows_messages else None
    number = row.intents.filter(kind=Intent.Kind.MESSAGE).count() + 1
    return {"message": form, "message_number": number, "conversation": read}


def send(row: Visit, by: User, given: dict[str, Any]) -> Text:
    services.send(visit=row, by=by, **given)
    return _("The message is on its way.")
