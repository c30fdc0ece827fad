"""How long it takes until so much more is done, if it goes on as it went lately.

What is done comes at random with an unknown rate: after k events in w hours, the time until R more
have come is distributed as w R / k times F with 2 R and 2 k degrees of freedom. That holds what is
unknown of the rate and what is left to chance. It does not hold that people come in waves, so the
pace of several windows is asked, and the range reaches from the earliest to the latest of them.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray

# Hours looked back: a day holds the night, and a week the days when nobody works.
WINDOWS = (24.0, 168.0, float("inf"))
# Of fewer events nothing is foretold.
MIN_ANSWERS = 5
_TAIL = 0.025


@dataclass(frozen=True)
class Pace:
    """Hours until all is done: a 95 % interval at the pace of the windows, or why there is none.

    Parameters
    ----------
    low, high : float
        Hours from now; nan if there is a reason.
    rate : float
        Events an hour over the latest window.
    reason : {"", "few", "stalled"}
        Too few events yet, or none in the last day.
    """

    low: float
    high: float
    rate: float
    reason: str = ""


def hours_to_go(hours_ago: FloatArray, *, n_left: int, began_hours_ago: float) -> Pace:
    """Tell when `n_left` more events will have come.

    Parameters
    ----------
    hours_ago : float array, shape (n,)
        How long ago each event was, at least 0.
    n_left : int
        Events that are still to come, at least 1.
    began_hours_ago : float
        Since when they could come.

    Raises
    ------
    ValueError
        If nothing is left to come.
    """
    from scipy.special import fdtri  # noqa: PLC0415 - importing scoring loads numpy only

    if n_left < 1:
        raise ValueError(f"n_left must be at least 1, not {n_left}")
    nothing = float("nan")
    lows, highs, rate = [], [], nothing
    for window in WINDOWS:
        # Less than an hour says nothing of a day.
        hours = max(min(window, began_hours_ago), 1.0)
        k = int((hours_ago <= hours).sum())
        if window == WINDOWS[0]:
            rate = k / hours
            if not k and len(hours_ago):
                return Pace(nothing, nothing, rate, "stalled")
        if k:
            scale = hours * n_left / k
            lows.append(scale * float(fdtri(2 * n_left, 2 * k, _TAIL)))
            highs.append(scale * float(fdtri(2 * n_left, 2 * k, 1 - _TAIL)))
    if len(hours_ago) < MIN_ANSWERS:
        return Pace(nothing, nothing, rate, "few")
    return Pace(float(np.min(lows)), float(np.max(highs)), rate)
