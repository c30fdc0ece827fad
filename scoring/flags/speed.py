"""Speed: much faster than the others on the same questions."""

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.flags.findings import MIN_ANSWERS, Batch, Tested, adjusted
from scoring.flags.rarity import p_outlying


def speed(batch: Batch) -> Tested:
    rows = np.flatnonzero((batch.seconds > 0) & np.isfinite(batch.seconds))
    times = np.log(batch.seconds[rows])
    usual = median_of_others(times, batch.unit[rows])
    rows, relative = rows[~np.isnan(usual)], (times - usual)[~np.isnan(usual)]
    n = batch.n_of(rows)
    tested = np.flatnonzero(n >= MIN_ANSWERS)
    if len(tested) < 3:
        reason = f"fewer than three people gave {MIN_ANSWERS} timed answers that can be compared"
        return Tested(reason=reason)
    of_person = batch.person[rows]
    median = np.array([np.median(relative[of_person == who]) for who in tested])
    is_far = median < np.log(0.5)
    p = adjusted(p_outlying(median, is_far=is_far))
    flags = [
        batch.flag("speed", who, np.exp(value), 1.0, n=n[who], p=at)
        for who, value, at, far in zip(
            tested.tolist(), median.tolist(), p.tolist(), is_far.tolist(), strict=True
        )
        if far
    ]
    return Tested(len(tested), tuple(flags))


def median_of_others(values: FloatArray, group: IntArray) -> FloatArray:
    """Median of the other values of each one's group, shape (m,); nan if it is alone."""
    medians = np.full(len(values), np.nan)
    order = np.lexsort((values, group))
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        if len(rows) < 2:
            continue
        ranks, n_others = np.arange(len(rows)), len(rows) - 1
        # What stands at or behind its own place moves up by one when it is left out.
        low, high = (n_others - 1) // 2, n_others // 2
        in_order = values[rows]
        medians[rows] = (in_order[low + (low >= ranks)] + in_order[high + (high >= ranks)]) / 2
    return medians
