"""Bonuses: a batch of one is drawn up, its name is kept, and it is paid once.

Prolific pays a batch again when it is told so again. So nothing here tells it twice: after an
answer that is not clear, only what the submission was paid decides, however long that takes.
"""

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import (
    Again,
    DoubtfulError,
    Keep,
    LookedUp,
    LookUpResult,
    RefusedError,
    Sent,
    UnavailableError,
)
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.platforms.prolific.options import cents, is_money
from annotation.crowds.platforms.prolific.rows import (
    NOT_DONE,
    UNKNOWN,
    standing_alike,
    study_of,
    submission_of,
)
from annotation.crowds.platforms.prolific.submissions import bonuses_of
from annotation.models import Intent


def pay(client: Client, intent: Intent, keep: Keep) -> Sent:
    key = submission_of(intent)
    if intent.pays <= 0 or not is_money(intent.pays):
        raise RefusedError(_("A bonus must be above 0 and have at most two decimals."))
    batch = intent.remote_id
    if batch:
        # The payment was put off before. Whether it was not made all the same costs one look.
        if _is_seen(client, intent, key):
            return Sent(remote_id=batch)
    else:
        batch = _drawn_up(client, intent, key)
        keep(batch)
        if not Intent.objects.filter(pk=intent.pk, remote_id=batch).exists():
            # Without it, nobody would know after a breakdown that it may have been paid.
            raise RefusedError(_("The bonus’s name could not be stored, so nothing was paid."))
    client.change("POST", f"bulk-bonus-payments/{batch}/pay/", needs_body=False)
    return Sent(remote_id=batch, answer={"batch": batch, "amount": str(intent.pays)})


def _drawn_up(client: Client, intent: Intent, key: str) -> str:
    """By the submission and not by the person, who may have others. Two cost no more than one."""
    body = {"study_id": study_of(intent), "csv_bonuses": f"{key},{intent.pays:.2f}\n"}
    try:
        return client.change("POST", "submissions/bonus-payments/", body).id()
    except DoubtfulError as error:
        raise UnavailableError(error.said[0]) from error


def again(intent: Intent) -> Again:
    """Before its batch has a name nothing was paid; from then on only looking tells."""
    return Again.NEVER if intent.remote_id else Again.HARMLESS


def look_up(client: Client, intent: Intent) -> LookedUp:
    if not intent.remote_id:
        # Its batch was not known, so it was not paid.
        return NOT_DONE
    try:
        is_seen = _is_seen(client, intent, submission_of(intent))
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    return LookedUp(LookUpResult.DONE, Sent(remote_id=intent.remote_id)) if is_seen else UNKNOWN


def _is_seen(client: Client, intent: Intent, key: str) -> bool:
    """Whether there is one payment of the amount more than the others of it may have made."""
    n_seen = bonuses_of(client, key).count(cents(intent.pays))
    return n_seen > standing_alike(intent, pays=intent.pays)
