"""What Connect takes, by its published prices; its own figure is the one that decides."""

from contextlib import suppress
from decimal import Decimal
from typing import Any

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.costs import CostLine, Estimate
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.connect.http import Client
from annotation.crowds.platforms.connect.options import Options
from annotation.crowds.platforms.values import CENT, is_number
from annotation.models import Intent, Listing

_MAX_SUM, _HAIR = 10**9, Decimal("0.000001")


def fee(listing: Listing, amount: Decimal) -> Decimal:
    """What Connect takes for itself when somebody receives an amount."""
    rates = assumptions.CONNECT_FEES
    # An account that is none of those that are known is taken for the dearest.
    rate = rates.get(Options.of(listing.options).pricing, max(rates.values()))
    return (amount * rate).quantize(CENT, assumptions.CONNECT_FEE_ROUNDING)


def estimate(listing: Listing) -> Estimate:
    """By Connect's own price of this very offer, where it was asked for; else by our own sums."""
    quoted = listing.quote.get(_terms(listing))
    own = CostLine(_("Places"), listing.n_places, listing.reward, fee(listing, listing.reward))
    if quoted:
        cost = Decimal(quoted["cost"])
        each_fee = (cost / listing.n_places).quantize(CENT) - listing.reward
        lines = [CostLine(own.label, own.n, own.each, each_fee, quoted=cost)]
        notes = _balance_notes(listing, cost, quoted["available"])
    else:
        lines, notes = (
            [own],
            [_("This is Likeness's own estimate. Connect determines the actual cost.")],
        )
    worst = lines[0].total
    return Estimate(
        currency=listing.currency,
        lines=lines,
        worst=worst,
        expected=worst,
        source="platform" if quoted else "own",
        notes=[*notes, *_wage_notes(listing)],
    )


def _terms(listing: Listing) -> str:
    return f"{listing.n_places} × {listing.reward}"


def _balance_notes(listing: Listing, cost: Decimal, available: str | None) -> list[Said]:
    if available is None or Decimal(available) >= cost:
        return []
    return [
        _(
            "Only %(available)s %(currency)s are available in your account on Connect: add "
            "money there first."
        )
        % {"available": Decimal(available), "currency": listing.currency}
    ]


def _wage_notes(listing: Listing) -> list[Said]:
    least = assumptions.CONNECT_MIN_PER_HOUR
    if not listing.minutes or listing.reward * 60 >= least * listing.minutes:
        return []
    return [
        _(
            "This is below Connect's minimum of %(least)s %(currency)s an hour: pay at least "
            "%(reward)s %(currency)s for %(minutes)s minutes."
        )
        % {
            "least": least,
            "currency": listing.currency,
            "reward": (least * listing.minutes / 60).quantize(CENT, "ROUND_UP"),
            "minutes": listing.minutes,
        }
    ]


def quote(listing: Listing, client: Client) -> dict[str, Any]:
    """Connect's own price, by what is offered, and the balance where it is told.

    Raises UnavailableError if there is no price.
    """
    body = {
        "estimatedTimeInMinutes": listing.minutes,
        "participants": listing.n_places,
        "payment": float(listing.reward),
    }
    cost = money_in(client.compute("demographics/feasibility", body), "totalProjectCost")
    if cost is None:
        raise UnavailableError(_("Connect returned no price for this offer."))
    available = None
    with suppress(UnavailableError):
        available = money_in(client.get("account"), "accountBalance")
    return {
        _terms(listing): {
            "cost": str(cost),
            "available": None if available is None else str(available),
        }
    }


def money_in(fields: Any, name: str) -> Decimal | None:
    """A sum in US dollars, which JSON writes as a number; None: there is none to the cent."""
    value = fields.get(name) if isinstance(fields, dict) else None
    if not is_number(value) or not abs(value) < _MAX_SUM:
        return None
    amount = Decimal(str(value))
    # A sum of binary fractions may be a hair beside its cents.
    in_cents = amount.quantize(CENT)
    return in_cents if abs(in_cents - amount) < _HAIR else None


def refuse_dearer(intent: Intent, fields: Any) -> None:
    """Connect's own figure decides: no more is spent than was agreed to."""
    cost = money_in(fields, "totalCost")
    if cost is None:
        raise RefusedError(
            _("Connect does not say what the project costs, so Likeness does not publish it.")
        )
    if cost > intent.commits:
        listing = intent.listing
        raise RefusedError(
            _(
                "According to Connect, this costs %(theirs)s %(currency)s, but you agreed to "
                "%(ours)s. Check the fee of your account in the listing, then publish again."
            )
            % {"theirs": cost, "ours": intent.commits, "currency": listing.currency}
        )
