"""Bonuses: a batch of one is drawn up, its name is kept, and it is paid once.

Prolific pays a batch again when it is told so again. So nothing here tells it twice: after an
answer that is not clear, only what the submission was paid decides, however long that takes.
"""

from decimal import Decimal

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Again, Keep, LookedUp, LookUpResult, Sent
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.intent_rows import (
    NOT_DONE,
    UNKNOWN,
    standing_alike,
    submission_of,
    ticket_id_of,
)
from annotation.crowds.platforms.prolific.http import Client, id_of
from annotation.crowds.platforms.prolific.options import cents, from_cents
from annotation.crowds.platforms.prolific.submissions import bonuses_of
from annotation.crowds.platforms.values import is_money, is_number
from annotation.models import Intent


def pay(client: Client, intent: Intent, keep: Keep) -> Sent:
    key = submission_of(intent)
    if intent.pays <= 0 or not is_money(intent.pays):
        raise RefusedError(_("A bonus must be above 0 and have at most two decimals."))
    batch = intent.remote_id
    if batch:
        # The payment was put off before. Whether it was not made all the same costs one look.
        if n_more := _n_more(client, intent, key):
            # Or somebody paid as much by hand meanwhile: which of the two, a person sees there.
            _count_as_before(intent, (intent.alike_before or 0) + n_more)
            raise DoubtfulError(
                _("Prolific shows an equal bonus that may be this one, so it is not paid again.")
            )
    else:
        _read_payments_before(client, intent, key)
        batch, cost = _drawn_up(client, intent, key)
        keep(batch, cost)
        if not Intent.objects.filter(pk=intent.pk, remote_id=batch).exists():
            # Without it, nobody would know after a breakdown that it may have been paid.
            raise RefusedError(_("The bonus's name could not be stored, so nothing was paid."))
    try:
        client.change("POST", f"bulk-bonus-payments/{batch}/pay/", needs_body=False)
    except RefusedError as error:
        if intent.remote_id:
            # Of a batch that was put off: it may have been paid then, and be refused for that.
            raise DoubtfulError(error.said[0]) from error
        raise
    return Sent(remote_id=batch, answer={"batch": batch, "amount": str(intent.pays)})


def _drawn_up(client: Client, intent: Intent, key: str) -> tuple[str, Decimal | None]:
    """Its name, and what it will cost. Two that are not paid cost no more than one.

    By the submission and not by the person, who may have others.
    """
    body = {"study_id": ticket_id_of(intent), "csv_bonuses": f"{key},{intent.pays:.2f}\n"}
    try:
        answer = client.change("POST", "submissions/bonus-payments/", body)
        batch = id_of(answer)
    except DoubtfulError as error:
        raise UnavailableError(error.said[0]) from error
    total = answer.body.get("total_amount") if isinstance(answer.body, dict) else None
    return batch, from_cents(total) if is_number(total) else None


def again(intent: Intent) -> Again:
    """Before its batch has a name nothing was paid; from then on only looking tells."""
    return Again.NEVER if intent.remote_id else Again.HARMLESS


def look_up(client: Client, intent: Intent) -> LookedUp:
    if not intent.remote_id:
        # Its batch was not known, so it was not paid.
        return NOT_DONE
    try:
        is_seen = _n_more(client, intent, submission_of(intent)) > _n_others(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    return LookedUp(LookUpResult.DONE, Sent(remote_id=intent.remote_id)) if is_seen else UNKNOWN


def _read_payments_before(client: Client, intent: Intent, key: str) -> None:
    """Count the equal payments that are there already, made here or on Prolific's own page."""
    _count_as_before(intent, bonuses_of(client, key).count(cents(intent.pays)))


def _count_as_before(intent: Intent, n: int) -> None:
    intent.alike_before = n
    intent.save(update_fields=["alike_before"])


def _n_more(client: Client, intent: Intent, key: str) -> int:
    """How many equal payments there are now that were not shown before this one was made."""
    n_seen = bonuses_of(client, key).count(cents(intent.pays))
    return max(0, n_seen - (intent.alike_before or 0))


def _n_others(intent: Intent) -> int:
    """How many of these others of ours may be; those of long ago were shown before."""
    since = intent.first_sent_at or intent.planned_at
    return standing_alike(
        intent, pays=intent.pays, last_sent_at__gte=since - assumptions.PROLIFIC_PAYS_LATE
    ).count()
