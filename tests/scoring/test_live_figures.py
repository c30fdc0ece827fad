"""What a live page says of the pace: by hand, by repetition, by simulation."""

import numpy as np
import pytest

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
