"""What Prolific takes, by its published prices; its own figure is the one that decides."""

from decimal import Decimal

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import UnavailableError
from annotation.core.platforms.costs import CostLine, Estimate
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.platforms.prolific.options import Options, cents
from annotation.models import Listing

CENT = Decimal("0.01")


def fee(listing: Listing, amount: Decimal, *, is_bonus: bool = False) -> Decimal:
    """What Prolific takes for itself, with tax, when somebody receives an amount."""
    options = Options.of(listing.options)
    rates = assumptions.PROLIFIC_BONUS_FEES if is_bonus else assumptions.PROLIFIC_FEES
    # An account that is none of those that are known is taken for the dearest.
    rate = rates.get(options.pricing, max(rates.values()))
    share = _rounded(amount * rate)
    return share + _rounded(share * options.vat_percent / 100)


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, assumptions.PROLIFIC_ROUNDING)


def estimate(listing: Listing) -> Estimate:
    options = Options.of(listing.options)
    lines = [CostLine(_("Places"), listing.n_places, listing.reward, fee(listing, listing.reward))]
    expected = lines[0].total
    if options.screens_out:
        paid = options.screen_out_reward
        label = _("Screened out")
        lines.append(CostLine(label, options.screen_out_slots, paid, fee(listing, paid)))
    return Estimate(
        currency=listing.currency,
        lines=lines,
        worst=sum((line.total for line in lines), Decimal("0.00")),
        expected=expected,
        notes=[
            _(
                "Likeness computed this with a fee of %(fee)s %% and a tax of %(tax)s "
                "%% on the fee. Prolific's own figure decides."
            )
            % {
                "fee": _percent(assumptions.PROLIFIC_FEES.get(options.pricing, Decimal(0)) * 100),
                "tax": _percent(options.vat_percent),
            },
            *wage_notes(listing),
        ],
    )


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


def quote(listing: Listing, client: Client) -> Estimate:
    """Prolific's own figure. Raises UnavailableError."""
    options = Options.of(listing.options)
    lines = [_quoted(client, _("Places"), listing.n_places, listing.reward)]
    expected = lines[0].total
    if options.screens_out:
        label = _("Screened out")
        lines.append(_quoted(client, label, options.screen_out_slots, options.screen_out_reward))
    return Estimate(
        currency=listing.currency,
        lines=lines,
        worst=sum((line.total for line in lines), Decimal("0.00")),
        expected=expected,
        source="platform",
        notes=[
            _("From Prolific's own calculator, in the currency of your account."),
            *wage_notes(listing),
        ],
    )


def _quoted(client: Client, label: Said, n: int, each: Decimal) -> CostLine:
    body = {"reward": cents(each), "total_available_places": n}
    answer = client.compute("study-cost-calculator/", body)
    total = answer.get("total_cost") if isinstance(answer, dict) else None
    # Cents, which some of Prolific's answers write with a decimal point.
    if isinstance(total, bool) or not isinstance(total, int | float) or total != int(total):
        raise UnavailableError(_("Prolific's calculator returned no figure."))
    cost = Decimal(int(total)) / 100
    # One line as a whole: how Prolific rounds the fee of one place is not told.
    return CostLine(label, 1, n * each, cost - n * each)
