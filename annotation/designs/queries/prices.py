"""What a forecast study costs, with the fees of each platform."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from django.utils.translation import gettext

from annotation.core.platforms import platform_of
from annotation.kinds.queries.forecast_rows import Forecasted, Row
from annotation.models import Listing, Study
from annotation.models.kinds import CrowdPlatform

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Cost:
    """The total costs on one platform, if everybody is paid."""

    name: str
    total: Decimal


@dataclass(frozen=True)
class PricedRow(Row):
    """A number of answers, and what it costs."""

    costs: Sequence[Cost]


@dataclass(frozen=True)
class PricedForecast(Forecasted):
    """A forecast, and what is paid."""

    rows: Sequence[PricedRow]
    # For one booklet.
    reward: Decimal


def priced(
    study: Study, forecast: Forecasted, *, seconds: float, wage: Decimal, currency: str
) -> PricedForecast:
    """The price for a wage per hour, if each question takes so many seconds."""
    # Not by way of the minutes: what is lost in a float would be rounded up to a cent.
    paid_seconds = forecast.questions_per_booklet * Decimal(str(seconds))
    reward = (wage * paid_seconds / 3600).quantize(CENT, ROUND_UP)
    rows = [
        PricedRow(
            **vars(row),
            costs=_costs(study, reward=reward, currency=currency, n_places=row.n_people),
        )
        for row in forecast.rows
    ]
    return PricedForecast(**{**vars(forecast), "rows": rows}, reward=reward)


def _costs(study: Study, *, reward: Decimal, currency: str, n_places: int) -> list[Cost]:
    """The costs with the fees of each platform, for its usual options."""
    costs = [Cost(gettext("without fees"), reward * n_places)]
    for key in (CrowdPlatform.PROLIFIC, CrowdPlatform.MTURK, CrowdPlatform.CONNECT):
        if key != CrowdPlatform.PROLIFIC and currency != "USD":
            continue  # they know no other
        listing = Listing(
            study=study,
            platform=key,
            n_places=n_places,
            reward=reward,
            currency=currency,
            minutes=1,
        )
        costs.append(Cost(str(key.label), platform_of(key).estimate(listing).worst))
    return costs
