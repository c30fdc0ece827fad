"""How often the range of the end of collection holds it, in simulated campaigns.

A campaign has so many places, which would be full after so many days at its first rate. It is
looked at when a share of its places is done, by the hours in which they were, as the live page
does. Who never gets there, and a campaign that never ends, counts as held by a range without end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from scoring.arrays import FloatArray
from scoring.pace import hours_to_go

PLACES = (40, 200, 1000)
DAYS = (1, 4, 14)
SHARES_DONE = (0.2, 0.5, 0.8)
# Rates are drawn until so many times the hours that the first rate takes.
HORIZON = 12
# Nobody can foresee a reminder: it was sent so many hours ago.
HOURS_AFTER = 3
# Forecasts that a share is told of.
MIN_FORECASTS = 20

Rate: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Campaign:
    """What a simulated campaign does.

    Parameters
    ----------
    half_life : float
        Of the rate, as a share of the hours that the first rate takes.
    day : {"", "sine", "office"}
        Rhythm: from a twentieth of the noon's rate to all of it, or ten hours and none.
    reminder : float
        How many times the usual rate comes on top just after a reminder.
    is_in_sittings : bool
        10 to 20 come within an hour.
    day_sd : float
        Coefficient of variation of whole days.
    """

    half_life: float = np.inf
    day: str = ""
    reminder: float = 0.0
    is_in_sittings: bool = False
    day_sd: float = 0.0


MODELS: Mapping[str, Campaign] = {
    "steady": Campaign(),
    **{f"wears off, half-life {h:.2g}": Campaign(half_life=h) for h in (1 / 3, 0.6, 1, 1.7, 3)},
    "day and night": Campaign(day="sine"),
    "ten hours a day": Campaign(day="office"),
    "wears off (1), day and night": Campaign(half_life=1, day="sine"),
    "reminder, twice as many more": Campaign(reminder=2),
    "reminder, four times as many more": Campaign(reminder=4),
    "sittings of 10 to 20": Campaign(is_in_sittings=True),
    "wears off (1), sittings": Campaign(half_life=1, is_in_sittings=True),
    "days differ by a half": Campaign(day_sd=0.5),
}


@dataclass(frozen=True)
class PaceCoverage:
    """Of the forecasts of one cell: shares that hold, that are without end, and are given."""

    held: float
    without_end: float
    given: float


def times_of(
    campaign: Campaign, n_places: int, hours: float, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """When places were done, from the beginning on, and when a reminder was sent (0: never)."""
    reminded = rng.random() * hours * 0.6 if campaign.reminder else 0.0
    begins = rng.random() * 24
    of_day = np.ones(int(HORIZON * hours / 24) + 2)
    if campaign.day_sd:
        shape = campaign.day_sd**-2
        of_day = rng.gamma(shape, 1 / shape, len(of_day))

    def relative(t: FloatArray) -> FloatArray:
        rate = of_day[(t // 24).astype(np.int64)] * 0.5 ** (t / hours / campaign.half_life)
        if campaign.day == "sine":
            rate = rate * (1 + 0.9 * np.sin(2 * np.pi * (t + begins) / 24))
        elif campaign.day == "office":
            rate = rate * np.where((t + begins) % 24 < 10, 2.4, 0.0)
        if campaign.reminder:
            after = np.maximum(t - reminded, 0)
            burst = np.exp(-after / min(0.1 * hours, 24))
            rate = rate * (1 + campaign.reminder * np.where(t > reminded, burst, 0))
        return np.asarray(rate)

    per_sitting = 15 if campaign.is_in_sittings else 1
    highest = max(2.4, 1 + campaign.reminder) * of_day.max()
    n = rng.poisson(highest * HORIZON * n_places / per_sitting)
    times = rng.random(n) * HORIZON * hours
    times = times[rng.random(n) * highest < relative(times)]
    if campaign.is_in_sittings:
        times = times.repeat(rng.integers(10, 21, len(times)))
        times = times + rng.random(len(times))
    return np.sort(times), reminded


def coverage_of_pace(
    campaign: Campaign,
    n_places: int,
    hours: float,
    share_done: float,
    *,
    n_studies: int,
    rng: np.random.Generator,
) -> PaceCoverage:
    """Simulate campaigns, look at each once, and count how often its end is in the range."""
    n_looked, held = 0, []
    without_end = 0
    for _study in range(n_studies):
        times, reminded = times_of(campaign, n_places, hours, rng)
        n_done = int(share_done * n_places)
        if len(times) < n_done:
            continue
        # Some minutes later, and not before the first hours after a reminder are over.
        now = max(times[n_done - 1], (reminded + HOURS_AFTER) if reminded else 0)
        now += 0.25 * rng.random()
        done = times[times <= now]
        if len(done) >= n_places:
            continue
        n_looked += 1
        # In the middle of its hour, as the live page knows it.
        ages = np.floor(now - done) + 0.5
        pace = hours_to_go(ages, n_left=n_places - len(done), began_hours_ago=now)
        if pace.reason:
            continue
        end = times[n_places - 1] - now if len(times) >= n_places else np.inf
        held.append(pace.low <= end <= pace.high)
        without_end += np.isinf(pace.high)
    n = len(held)
    if n < MIN_FORECASTS:
        return PaceCoverage(np.nan, np.nan, n / max(n_looked, 1))
    return PaceCoverage(float(np.mean(held)), without_end / n, n / n_looked)


def print_table(*, n_studies: int) -> None:
    """Print a line for each model and share that is done."""
    print("| model | done | holds, all | holds, least (places, days) | no end | forecasts |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, campaign in MODELS.items():
        for share in SHARES_DONE:
            cells = {
                (places, days): coverage_of_pace(
                    campaign,
                    places,
                    24.0 * days,
                    share,
                    n_studies=n_studies,
                    rng=np.random.default_rng([1, places, days]),
                )
                for places in PLACES
                for days in DAYS
            }
            told = {key: cell for key, cell in cells.items() if not np.isnan(cell.held)}
            if not told:
                print(f"| {name} | {share} | | | | 0 |")
                continue
            least = min(told, key=lambda key: told[key].held)
            print(
                f"| {name} | {share} | {np.mean([cell.held for cell in told.values()]):.3f} "
                f"| {told[least].held:.3f} {least} "
                f"| {np.mean([cell.without_end for cell in told.values()]):.2f} "
                f"| {np.mean([cell.given for cell in cells.values()]):.2f} |",
                flush=True,
            )
