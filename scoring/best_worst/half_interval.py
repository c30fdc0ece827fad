"""Interval of split-half reliability: what it might have been with other people and items.

`SplitHalf.low` and `.high` tell how much one split differs from another. Here each person is left
out in turn, and each pool of items, or each item where there are few pools.

Symbols: g units (pools or items); p people; a x b blocks; q splits; n items; m judgments.
"""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.counting import share
from scoring.best_worst.half_draws import Parts
from scoring.best_worst.halves import check_rule, drawn_halves, why_no_halves
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.pools import check_pools
from scoring.correlation import spearman
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    JackknifeInterval,
    block_variance,
    numbered,
    one_way_variance,
    sampled,
)

# More people, or units, are left out in groups of about one size: in so many of them that their
# number times that of the items is about MAX_CELLS, within these bounds.
MIN_GROUPS, MAX_GROUPS, MAX_CELLS = 30, 100, 250_000
# Few splits add their own chance to the interval, which widens it; in large studies they are many
# answers each, and add little.
MIN_SPLITS, MAX_SPLITS, MAX_SPLIT_ANSWERS = 5, 20, 600_000


def half_interval(
    answers: BestWorst, *, pool: IntArray, n_splits: int | None = None, rng: np.random.Generator
) -> JackknifeInterval:
    """Interval of the split-half reliability (Spearman, rule "random").

    Parameters
    ----------
    answers : BestWorst
        m judgments.
    pool : int array, shape (n_items,)
        Pool of each item. Where there are few pools, items are left out instead.
    n_splits : int, optional
        Splits over which the correlation is averaged; by default 20, of large studies down to 5.
    rng : numpy Generator
        Source of the splits.

    Raises
    ------
    ValueError
        If `pool` does not name a pool for each item.

    References
    ----------
    [KM2017], [Miller1974], [CameronGelbachMiller2011] in docs/references.md
    """
    check_rule(answers, "random")
    pool = np.asarray(pool)
    check_pools(pool, answers.n_items)
    # What nobody was shown yet changes nothing if it is left out: it does not count.
    shown = answers.shown_items()
    sample = sampled(
        unit="items",
        n_units=len(shown),
        n_items=len(shown),
        n_pools=len(np.unique(pool[shown])),
        annotator=answers.annotator,
    )
    if reason := why_no_halves(answers, "random") or sample.reason:
        return sample.nothing(reason)
    unit = np.full(answers.n_items, -1)
    labels = pool[shown] if sample.left_out == "pools" else shown
    unit[shown] = numbered(labels, max_groups=_max_groups(len(shown)))
    if n_splits is None:
        affordable = MAX_SPLIT_ANSWERS // answers.n_judgments
        n_splits = min(max(affordable, MIN_SPLITS), MAX_SPLITS)
    left_out = correlations_without(
        *drawn_halves(answers, n_splits=n_splits, rng=rng),
        unit,
        with_people=sample.is_over_people,
    )
    of_units = one_way_variance(left_out.units)
    if left_out.people is None or left_out.blocks is None:
        return sample.interval(left_out.value, of_units, lowest=-1.0)
    of_people, of_blocks = one_way_variance(left_out.people), block_variance(left_out.blocks)
    return sample.interval(left_out.value, of_units, of_people, of_blocks, lowest=-1.0)


@dataclass(frozen=True, eq=False)
class LeftOutHalves:
    """The correlation of two halves, the mean over splits, with all answers and without some.

    Parameters
    ----------
    value : float
        With all answers.
    units : float array, shape (g,)
        Without each unit in turn.
    people : float array, shape (p,), or None
        Without each person, or group of people, in turn.
    blocks : float array, shape (a, b), or None
        Without what each group of people says of each group of units.
    """

    value: float
    units: FloatArray
    people: FloatArray | None = None
    blocks: FloatArray | None = None


def correlations_without(
    answers: BestWorst, half_a: Parts, unit: IntArray, *, with_people: bool
) -> LeftOutHalves:
    """Correlate the halves' scores without each unit, person and block in turn.

    Who is left out is missing from the half that they are in: the other answers stay where they
    are.

    Parameters
    ----------
    answers : BestWorst
        m judgments, which name people if these are left out.
    half_a : int array, shape (m, q)
        1 for each judgment in half A, else 0.
    unit : int array, shape (n_items,)
        Unit of each item, 0..g-1; -1 of one that no judgment shows.
    with_people : bool
        Whether people and blocks are left out.

    Returns
    -------
    LeftOutHalves
        nan where no split has a correlation.
    """
    # Items that nobody was shown would cost time and memory, and change nothing.
    items = np.flatnonzero(unit >= 0)
    place = np.full(answers.n_items, -1)
    place[items] = np.arange(len(items))
    unit = unit[items]
    n, g = len(items), int(unit.max()) + 1
    person = np.zeros(answers.n_judgments, dtype=np.int64)
    if with_people and answers.annotator is not None:
        person = numbered(answers.annotator, max_groups=_max_groups(n))
    p = int(person.max()) + 1
    row_of_person, column_of_unit = (
        numbered(np.arange(size), max_groups=MAX_BLOCK_GROUPS) for size in (p, g)
    )
    column = column_of_unit[unit]
    a, b = int(row_of_person.max()) + 1, int(column_of_unit.max()) + 1
    is_unit, is_column = (
        np.arange(size)[:, None] == number for size, number in ((g, unit), (b, column))
    )
    picked, points = answers.picks()
    picked, shown = place[picked], place[answers.shown()]

    def correlations(is_in_a: IntArray) -> FloatArray:
        """Without nothing, the units, the people, the blocks, one after the other."""
        scores = []
        for half in (1, 0):
            rows = np.flatnonzero(is_in_a == half)
            net = _by_person(person[rows], picked[rows], points[rows], shape=(p, n))
            appearances = _by_person(person[rows], shown[rows], None, shape=(p, n))
            all_net, all_appearances = net.sum(axis=0), appearances.sum(axis=0)
            whole = share(all_net, all_appearances)
            parts = [whole[None], np.where(is_unit, np.nan, whole)]
            if with_people:
                parts.append(share(all_net - net, all_appearances - appearances))
                for row in range(a):
                    of_row = row_of_person == row
                    fewer = all_net - is_column * net[of_row].sum(axis=0)
                    rest = all_appearances - is_column * appearances[of_row].sum(axis=0)
                    parts.append(share(fewer, rest))
            scores.append(np.concatenate(parts))
        return spearman(*scores)

    values = np.stack([correlations(is_in_a) for is_in_a in half_a.T])
    # Each is averaged over the splits that have a correlation in it.
    means = np.full(values.shape[1], np.nan)
    is_known = ~np.isnan(values)
    n_known = is_known.sum(axis=0)
    np.divide(np.where(is_known, values, 0).sum(axis=0), n_known, out=means, where=n_known > 0)
    if not with_people:
        return LeftOutHalves(float(means[0]), means[1:])
    return LeftOutHalves(
        float(means[0]),
        means[1 : 1 + g],
        means[1 + g : 1 + g + p],
        means[1 + g + p :].reshape(a, b),
    )


def _max_groups(n_items: int) -> int:
    return max(MIN_GROUPS, min(MAX_GROUPS, MAX_CELLS // n_items))


def _by_person(
    person: IntArray, items: IntArray, weights: IntArray | None, *, shape: tuple[int, int]
) -> IntArray:
    """Sum the weights, or count, for each person and item; items have shape (m, c)."""
    cells = (person[:, None] * shape[1] + items).ravel()
    sums = np.bincount(
        cells, None if weights is None else weights.ravel(), minlength=shape[0] * shape[1]
    )
    return sums.astype(np.int64).reshape(shape)
