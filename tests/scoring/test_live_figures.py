"""What a live page says of the pace: by hand, by repetition, by simulation."""

import numpy as np
import pytest

from benchmarks.coverage.pace import MODELS, coverage_of_pace
from scoring.pace import hours_to_go

# -- the end ------------------------------------------------------------------------------------


def test_the_range_of_the_end_covers_it() -> None:
    """A steady stream of completions: the moment of the last one is in the range, mostly."""
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        times = np.cumsum(rng.exponential(1 / 3, 60))
        done = times[:40]
        pace = hours_to_go(done[-1] - done, n_left=20, began_hours_ago=float(done[-1]))
        inside += pace.low <= times[-1] - done[-1] <= pace.high

    assert inside >= 180


def test_the_end_cannot_be_told_of_few_or_of_none_lately() -> None:
    few = hours_to_go(np.array([1.0, 2.0]), n_left=9, began_hours_ago=3.0)
    stalled = hours_to_go(np.full(50, 30.0), n_left=9, began_hours_ago=60.0)

    assert (few.reason, stalled.reason) == ("few", "stalled")
    assert np.isnan([few.low, few.high, stalled.low, stalled.high]).all()
    with pytest.raises(ValueError, match="n_left must be at least 1, not 0"):
        hours_to_go(np.array([1.0]), n_left=0, began_hours_ago=3.0)


def test_a_slower_day_widens_the_range() -> None:
    steady = np.arange(0.5, 168, 1.0)
    slow = steady[(steady > 24) | (steady % 6 < 1)]

    as_before = hours_to_go(steady, n_left=50, began_hours_ago=168.0)
    slower = hours_to_go(slow, n_left=50, began_hours_ago=168.0)

    assert slower.low < as_before.low * 1.4
    assert slower.high > as_before.high * 2


def test_sittings_of_many_are_few_events() -> None:
    """Sixty at once tell no more of what is to come than one."""
    ages = np.repeat([2.0, 20.0, 47.0], 20)

    assert hours_to_go(ages, n_left=60, began_hours_ago=60.0).reason == "few"


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("steady", 54),
        ("wears off, half-life 0.6", 54),
        ("wears off, half-life 1", 54),
        ("day and night", 54),
        ("reminder, twice as many more", 51),
        ("sittings of 10 to 20", 54),
    ],
)
def test_the_range_holds_the_end_of_campaigns_of_all_kinds(model: str, least: int) -> None:
    """Of sixty: 1,000 places in four days, of which half are done."""
    rng = np.random.default_rng(1)

    cell = coverage_of_pace(MODELS[model], 1000, 96.0, 0.5, n_studies=60, rng=rng)

    assert cell.given == 1
    assert cell.held >= least / 60


def test_a_campaign_that_wears_off_may_never_end() -> None:
    """Half as many each day: about 700 in all."""
    hours = np.arange(0, 96, 1.0)
    rate = 20 * 0.5 ** (hours / 24)
    ages = np.repeat(96 - hours - 0.5, rate.round().astype(int))

    pace = hours_to_go(ages, n_left=200, began_hours_ago=96.0)

    assert np.isinf(pace.high)


def test_a_steady_campaign_has_an_end() -> None:
    """Two an hour for ten days: forty are there after some twenty hours."""
    pace = hours_to_go(np.arange(0.25, 240, 0.5), n_left=40, began_hours_ago=240.0)

    assert 10 < pace.low < 20 < pace.high < 40


def test_nights_without_anybody_are_waited_for() -> None:
    """Ten an hour from noon to midnight: at midnight fifty take until the afternoon."""
    ages = np.repeat(np.concatenate([np.arange(12) + 0.5 + 24 * day for day in range(6)]), 10)

    pace = hours_to_go(ages, n_left=50, began_hours_ago=144.0)

    assert 10 < pace.low < 17 < pace.high < 24


def test_events_of_a_clock_that_is_ahead_are_events_of_now() -> None:
    hours = np.linspace(0.5, 9.5, 40)
    ahead = np.r_[-0.1, hours]

    pace = hours_to_go(ahead, n_left=10, began_hours_ago=10.0)

    assert pace == hours_to_go(np.maximum(ahead, 0.0), n_left=10, began_hours_ago=10.0)
