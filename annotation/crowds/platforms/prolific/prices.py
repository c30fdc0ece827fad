"""What Prolific takes, by its published prices; its own figure is the one that decides."""

from contextlib import suppress
from decimal import Decimal
from typing import Any

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.costs import CostLine, Estimate
from annotation.core.platforms.errors import UnavailableError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.platforms.prolific.options import Options, cents, from_cents
from annotation.crowds.platforms.values import CENT, is_number
from annotation.models import Listing


def fee(listing: Listing, amount: Decimal, *, is_bonus: bool = False) -> Decimal:
    """What Prolific takes for itself, with tax, when somebody receives an amount."""
    options = Options.of(listing.options)
    rates = assumptions.PROLIFIC_BONUS_FEES if is_bonus else assumptions.PROLIFIC_FEES
    # An account that is none of those that are known is taken for the dearest.
    rate = rates.get(options.pricing, max(rates.values()))
    share = _rounded(amount * rate)
    return share + _rounded(share * options.vat_percent / 100)


# Among the prices of a listing, by what is offered: what its studies cost at least.
_LEAST = "at least"


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, assumptions.PROLIFIC_ROUNDING)


def estimate(listing: Listing) -> Estimate:
    """By Prolific's own price of this very offer, where it was asked for; else by our own sums."""
    offers = _offers(listing)
    costs = _quoted_costs(listing)
    if costs:
        # Only the sum is exact: how Prolific rounds the fee of one place is not told.
        lines = [
            CostLine(label, n, each, _rounded(cost / n) - each, quoted=cost)
            for (label, n, each), cost in zip(offers, costs, strict=True)
        ]
        notes = _balance_notes(listing, sum(costs, Decimal(0)))
    else:
        lines = [CostLine(label, n, each, fee(listing, each)) for label, n, each in offers]
        options = Options.of(listing.options)
        share = assumptions.PROLIFIC_FEES.get(options.pricing, Decimal(0)) * 100
        notes = [
            _(
                "This is Likeness's own estimate, with a fee of %(fee)s %% and a tax of %(tax)s "
                "%% on the fee. Prolific determines the actual cost."
            )
            % {"fee": _percent(share), "tax": _percent(options.vat_percent)}
        ]
    return Estimate(
        currency=listing.currency,
        lines=lines,
        worst=sum((line.total for line in lines), Decimal("0.00")),
        expected=lines[0].total,
        source="platform" if costs else "own",
        notes=[*notes, *wage_notes(listing)],
    )


def _offers(listing: Listing) -> list[tuple[Said, int, Decimal]]:
    """What people may be paid: as what, how many, and how much each."""
    options = Options.of(listing.options)
    offers: list[tuple[Said, int, Decimal]] = [(_("Places"), listing.n_places, listing.reward)]
    if options.screens_out:
        offers.append((_("Screened out"), options.screen_out_slots, options.screen_out_reward))
    return offers


def _terms(listing: Listing) -> str:
    return ", ".join(f"{n} × {each}" for _label, n, each in _offers(listing))


def _quoted_costs(listing: Listing) -> list[Decimal]:
    quoted = listing.quote.get(_terms(listing), {"costs": []})
    costs = [Decimal(cost) for cost in quoted["costs"]]
    if costs:
        # Of a study that was more than the calculator says, as one with a special sample.
        least = Decimal(listing.quote.get(_LEAST, {}).get(_terms(listing), "0"))
        costs[0] += max(Decimal(0), least - sum(costs))
    return costs


def keep_least(listing: Listing, figure: Decimal) -> None:
    """Have the next estimate of this offer be no less than what Prolific asked for its study."""
    listing.quote[_LEAST] = listing.quote.get(_LEAST, {}) | {_terms(listing): str(figure)}
    Listing.objects.filter(pk=listing.pk).update(quote=listing.quote)


def _balance_notes(listing: Listing, worst: Decimal) -> list[Said]:
    if (text := listing.quote[_terms(listing)]["available"]) is None:
        return []
    available = Decimal(text)
    values = {"available": available, "currency": listing.currency}
    if available < worst:
        return [
            _(
                "Only %(available)s %(currency)s are available in your account on Prolific: add "
                "money there first."
            )
            % values
        ]
    return [_("Available in your account on Prolific: %(available)s %(currency)s.") % values]


def obstacles(listing: Listing) -> list[Said]:
    """Why Prolific would not take the offer, as far as its account is known."""
    theirs = listing.quote.get(_terms(listing), {}).get("currency")
    return [] if theirs in {None, listing.currency} else [other_currency(theirs, listing.currency)]


def other_currency(theirs: str, ours: str) -> Said:
    sentence = _("Your account on Prolific pays in %(theirs)s, but the listing in %(ours)s.")
    return sentence % {"theirs": theirs, "ours": ours}


def _percent(share: Decimal) -> str:
    return f"{share:f}".rstrip("0").rstrip(".") if "." in f"{share:f}" else f"{share:f}"


def wage_notes(listing: Listing) -> list[Said]:
    """Whether the reward is enough for the expected time."""
    least = assumptions.PROLIFIC_MIN_PER_HOUR.get(listing.currency)
    if least is None or not listing.minutes:
        return []
    hourly = _rounded(listing.reward * 60 / listing.minutes)
    advised = assumptions.PROLIFIC_ADVISED_PER_HOUR[listing.currency]
    values = {
        "hourly": hourly,
        "least": least,
        "advised": advised,
        "currency": listing.currency,
        "minutes": listing.minutes,
        "reward": (least * listing.minutes / 60).quantize(CENT, "ROUND_UP"),
    }
    if hourly < least:
        return [
            _(
                "%(hourly)s %(currency)s an hour is below Prolific's minimum of "
                "%(least)s: pay at least %(reward)s %(currency)s for %(minutes)s "
                "minutes. Prolific goes by the median time, and may ask you to pay "
                "more later."
            )
            % values
        ]
    if hourly < advised:
        return [
            _(
                "%(hourly)s %(currency)s an hour is above Prolific's minimum of "
                "%(least)s, but below the recommended %(advised)s."
            )
            % values
        ]
    return []


def quote(listing: Listing, client: Client) -> dict[str, Any]:
    """Prolific's own price, by what is offered, with currency and balance where they are told.

    Raises UnavailableError if there is no price.
    """
    workspace = Options.of(listing.options).workspace
    # A workspace has money of its own.
    wallet_path = f"workspaces/{workspace}/balance/" if workspace else "users/me/"
    quoted: dict[str, Any] = {
        "costs": [str(cost) for cost in costs_of(listing, client)],
        "currency": None,
        "available": None,
    }
    with suppress(UnavailableError):
        wallet = client.get(wallet_path)
        if isinstance(wallet, dict):
            currency, available = wallet.get("currency_code"), wallet.get("available_balance")
            quoted["currency"] = currency if isinstance(currency, str) else None
            quoted["available"] = str(from_cents(available)) if is_number(available) else None
    return {_terms(listing): quoted}


def costs_of(listing: Listing, client: Client) -> list[Decimal]:
    """By Prolific's calculator: of the places, and of those who are screened out."""
    return [_cost(client, n, each) for _label, n, each in _offers(listing)]


def _cost(client: Client, n: int, each: Decimal) -> Decimal:
    body = {"reward": cents(each), "total_available_places": n}
    answer = client.compute("study-cost-calculator/", body)
    total = answer.get("total_cost") if isinstance(answer, dict) else None
    # Cents, which some of Prolific's answers write with a decimal point.
    if not is_number(total) or total != int(total):
        raise UnavailableError(_("Prolific's calculator returned no figure."))
    return from_cents(total)
