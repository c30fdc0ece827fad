"""What a platform can do, so that no page and no service asks which one it is."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """What a platform can do, so that no page asks which one it is.

    Parameters
    ----------
    is_paid : bool
        Money is spent through it, so prices, caps and intents apply.
    is_framed : bool
        It shows our pages inside its own.
    has_preview : bool
        People look before they accept; that must have no side effects.
    shows_submissions : bool
        It tells us what was handed in, so a visit that it never shows is not believed.
    can_pause, can_reject, can_ask_return, can_message : bool
    can_overturn : bool
        A rejection can be taken back.
    approves_together : bool
        Many approvals are taken in one call.
    shows_messages : bool
        It can be asked for the messages with a person, and for those that nobody has read.
    takes_late_work : bool
        Somebody who ran out of time may still hand in, unless another person has the place.
    bonus_is_silent : bool
        A bonus has no words with it: what the person shall read is a message of its own.
    bonuses_one_by_one : bool
        A bonus is refused while another one of the account is being paid.
    has_people_filters : bool
        It publishes filters of people, from which a researcher picks for a listing.
    returns_receipts : bool
        What was handed in holds the receipt of our last page, as its field `RECEIPT`.
    reason_length : int
        So many characters a rejection must give as its reason, at least.
    rejection_categories : sequence of str
        One of which a rejection names; none: it names none.
    """

    is_paid: bool = False
    is_framed: bool = False
    has_preview: bool = False
    shows_submissions: bool = False
    can_pause: bool = False
    can_reject: bool = False
    can_overturn: bool = False
    can_ask_return: bool = False
    can_message: bool = False
    shows_messages: bool = False
    can_compensate: bool = False
    approves_together: bool = False
    takes_late_work: bool = False
    bonus_is_silent: bool = False
    bonuses_one_by_one: bool = False
    has_people_filters: bool = False
    returns_receipts: bool = False
    reason_length: int = 1
    rejection_categories: Sequence[str] = ()
