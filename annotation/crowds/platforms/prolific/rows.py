"""What Prolific asks beside `intent_rows`: the person, and how late it shows what was done."""

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp
from annotation.core.platforms.errors import RefusedError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.intent_rows import NOT_DONE, UNKNOWN, visit_of, was_sent_within
from annotation.models import Intent


def person_of(intent: Intent) -> str:
    """As it was written down: the person may have withdrawn since, and is paid all the same."""
    visit = visit_of(intent)
    if written := str(intent.payload.get("person_id", "")):
        return written
    if visit.person is None or not visit.person.platform_id:
        raise RefusedError(_("The person's id for this submission is no longer stored."))
    return visit.person.platform_id


def not_found(intent: Intent) -> LookedUp:
    """What it means that something is not there."""
    return UNKNOWN if was_sent_within(intent, assumptions.PROLIFIC_SHOWS_LATE) else NOT_DONE
