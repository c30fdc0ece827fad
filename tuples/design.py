"""Make the tuples of a best-worst study.

Every item is shown equally often (the numbers differ by at most one), no tuple is made twice, and
pairs meet as evenly as can be had: where there are enough pairs, none meets twice. The work is
done in four steps: tuples are cut from random permutations of the pool; swaps between tuples even
out the pairs; where pairs are too dense for that to finish, a cyclic design is tried; whatever is
still unconnected is joined. More than half of all possible tuples are made by leaving out a
design of the others, which evens out exactly as well.

Symbols: n items in the pool, k items a tuple (its size), t tuples.

References
----------
[KM2016], [KM2017], [Louviere2015] in docs/references.md
"""

import hashlib
import math
from decimal import Decimal
from itertools import combinations

import numpy as np

from shell.messages import Message, Value, ngettext
from shell.messages import message as _
from tuples.arrays import IntArray
from tuples.balance import appearances, sum_of_squares_bound, sum_of_squares_bound_for
from tuples.connection import join_components
from tuples.cyclic import cyclic_tuples
from tuples.swaps import SwapSearch

# The swap search holds about 1.5 kB a tuple.
MAX_TUPLES = 1_000_000

# Proposals of the swap search: enough at first for every pool whose pairs are not dense, and
# later for what is left of the others. More was found to gain next to nothing.
FIRST_MOVES, FIRST_MOVES_PER_TUPLE = 20_000, 20
CYCLIC_MOVES = 60_000
LAST_MOVES, LAST_MOVES_PER_TUPLE = 200_000, 20
# Without a gain for so long, a few tuples have been exchanged in all ways there are: there are
# about (t k)^2 / 2, and the bound is out of reach.
PATIENCE, PATIENCE_PER_PAIR_OF_PLACES = 20_000, 4


class ImpossibleDesignError(ValueError):
    """No design answers the request; the message says why and names the nearest that exist."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def make_tuples(n_items: int, *, size: int = 4, factor: float = 2, seed: int) -> IntArray:
    """Draw distinct tuples that show all items, and as far as possible all pairs, equally often.

    Parameters
    ----------
    n_items : int
        Size of the pool; at least `size`.
    size : int
        Items in a tuple, k; at least 2.
    factor : float
        Tuples for each item: t = factor * n_items, rounded to the nearest whole number (halves
        up). Twice as many tuples as items is what [KM2016] found to be enough.
    seed : int
        Not negative. The same seed gives the same tuples on every machine with the same version
        of numpy; whoever needs them later stores the tuples.

    Returns
    -------
    int array, shape (t, k)
        Items of each tuple, numbered 0..n_items-1. The order of the tuples and that of the items
        in each of them are drawn too. Appearances differ by at most one; no two rows hold the
        same set; the comparison graph is connected if t (k - 1) >= n - 1.

    Raises
    ------
    ImpossibleDesignError
        If the pool is smaller than a tuple, a tuple would hold fewer than two items, the factor
        gives no tuple, or there are fewer distinct tuples than it asks for.
    ValueError
        If the seed is negative.
    """
    if seed < 0:
        raise ValueError(f"the seed must not be negative, but is {seed}")
    n_tuples = count_tuples(n_items, size, factor)
    rng = np.random.Generator(np.random.PCG64(seed))
    n_possible = math.comb(n_items, size)
    if 2 * n_tuples > n_possible:
        tuples = _all_but(n_items, size, n_possible - n_tuples, rng)
    else:
        tuples = _few(n_items, size, n_tuples, rng)
    return rng.permuted(rng.permutation(tuples), axis=1)


def pool_seed(seed: int, pool: str | int) -> int:
    """Derive the seed of one pool from the seed of the design.

    The first eight bytes (big-endian) of the SHA-256 of the seed and the pool, joined by a
    colon in UTF-8. A pool keeps its seed whatever other pools the study has, and in whichever
    order they come. Pool 7 and pool "7" are the same.

    Parameters
    ----------
    seed : int
        Seed of the design.
    pool : str or int
        Key of the pool, unique within the study.

    Returns
    -------
    int
        In 0..2**64-1.
    """
    digest = hashlib.sha256(f"{seed}:{pool}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def count_tuples(n_items: int, size: int, factor: float) -> int:
    """Turn the factor into a number of tuples, t = factor * n, rounded as `make_tuples` says.

    Raises
    ------
    ImpossibleDesignError
        As `make_tuples`, which draws them; this only counts.
    """
    if size < 2:
        raise ImpossibleDesignError(
            _(
                "tuples of %(size)s leave nothing to choose between: use a size of at least 2",
                size=size,
            )
        )
    if n_items < size:
        raise ImpossibleDesignError(_too_few(n_items, size))
    if not math.isfinite(factor) or factor <= 0:
        raise ImpossibleDesignError(
            _(
                "the factor must be a number above 0, but is %(factor)s: 2 is usual",
                factor=float(factor),
            )
        )
    # The product is compared before it is rounded: a factor of 1e300 has no use for its digits.
    wanted = factor * n_items
    if wanted < 0.5:
        raise ImpossibleDesignError(
            ngettext(
                "factor %(factor)s asks for less than one tuple of %(n)s item: use a factor of at"
                " least %(least)s",
                "factor %(factor)s asks for less than one tuple of %(n)s items: use a factor of at"
                " least %(least)s",
                "n",
                factor=float(factor),
                n=n_items,
                least=_factor_for(1, n_items),
            )
        )
    n_possible = math.comb(n_items, size)
    if wanted + 0.5 >= n_possible + 1:
        raise ImpossibleDesignError(_too_many(n_items, size, factor, n_possible))
    if wanted + 0.5 >= MAX_TUPLES + 1:
        raise ImpossibleDesignError(
            _(
                "factor %(factor)s asks for %(wanted)s tuples, more than the %(most)s that are"
                " made at once: use a factor of at most %(limit)s",
                factor=float(factor),
                wanted=round(wanted),
                most=MAX_TUPLES,
                limit=_factor_for(MAX_TUPLES, n_items),
            )
        )
    return math.floor(wanted + 0.5)


def min_items(size: int, factor: float) -> int:
    """Size of the smallest pool that has as many distinct tuples as the factor asks for.

    Parameters
    ----------
    size : int
        Items in a tuple, k; at least 2.
    factor : float
        Tuples for each item; above 0.

    Raises
    ------
    ValueError
        If the size or the factor is out of range.
    """
    if size < 2 or not 0 < factor < math.inf:
        raise ValueError(f"there are no tuples of {size} with factor {factor:g}")
    n_items = size
    # As in `count_tuples`; with more items there are more tuples for each of them.
    while factor * n_items + 0.5 >= math.comb(n_items, size) + 1:
        n_items += 1
    return n_items


def max_factor(n_items: int, size: int) -> Decimal:
    """The factor that gives all distinct tuples of a pool; `n_items` is at least `size`."""
    return _factor_for(math.comb(n_items, size), n_items)


def _too_few(n_items: int, size: int) -> Message:
    if n_items > 1:
        return ngettext(
            "%(n)s item cannot fill a tuple of %(size)s: use tuples of at most %(most)s, or add"
            " items",
            "%(n)s items cannot fill a tuple of %(size)s: use tuples of at most %(most)s, or add"
            " items",
            "n",
            n=n_items,
            size=size,
            most=n_items,
        )
    return ngettext(
        "%(n)s item cannot fill a tuple of %(size)s: add items",
        "%(n)s items cannot fill a tuple of %(size)s: add items",
        "n",
        n=n_items,
        size=size,
    )


def _too_many(n_items: int, size: int, factor: float, n_possible: int) -> Message:
    wanted = factor * n_items
    others = [
        other
        for other in range(2, min(n_items, 9))
        if other != size and math.comb(n_items, other) + 1 > wanted + 0.5
    ]
    values: dict[str, Value] = {
        "items": n_items,
        "n": n_possible,
        "size": size,
        "factor": float(factor),
        "wanted": math.floor(wanted + 0.5) if wanted < 1e15 else f"{wanted:.3g}",
        "limit": _factor_for(n_possible, n_items),
    }
    if not others:
        return ngettext(
            "%(items)s items give only %(n)s distinct tuple of %(size)s, but factor %(factor)s"
            " asks for %(wanted)s: use factor %(limit)s",
            "%(items)s items give only %(n)s distinct tuples of %(size)s, but factor %(factor)s"
            " asks for %(wanted)s: use factor %(limit)s",
            "n",
            **values,
        )
    nearest = min(others, key=lambda other: (abs(other - size), other))
    return ngettext(
        "%(items)s items give only %(n)s distinct tuple of %(size)s, but factor %(factor)s asks"
        " for %(wanted)s: use factor %(limit)s, or tuples of %(other)s (%(possible)s exist)",
        "%(items)s items give only %(n)s distinct tuples of %(size)s, but factor %(factor)s asks"
        " for %(wanted)s: use factor %(limit)s, or tuples of %(other)s (%(possible)s exist)",
        "n",
        **values,
        other=nearest,
        possible=math.comb(n_items, nearest),
    )


def _factor_for(n_tuples: int, n_items: int) -> Decimal:
    """The factor that gives so many tuples, with as few digits as do."""
    for digits in range(1, 17):
        factor = float(f"{n_tuples / n_items:.{digits}g}")
        if math.floor(factor * n_items + 0.5) == n_tuples:
            break
    return Decimal(f"{factor:.16g}")


def _all_but(n_items: int, size: int, n_left_out: int, rng: np.random.Generator) -> IntArray:
    """Make all tuples but a few.

    All tuples together show items and pairs exactly equally often, so the design varies as
    little as the tuples left out.
    """
    everything = combinations(range(n_items), size)
    if n_left_out == 0:
        return np.array(list(everything), dtype=np.int64)
    left_out = set(map(tuple, np.sort(_few(n_items, size, n_left_out, rng), axis=1).tolist()))
    return np.array([members for members in everything if members not in left_out], dtype=np.int64)


def _few(n_items: int, size: int, n_tuples: int, rng: np.random.Generator) -> IntArray:
    """Make at most half of all tuples."""
    tuples = cut_from_permutations(n_items, size, n_tuples, rng)
    tuples = _without_duplicates(tuples, n_items, rng)

    bound = sum_of_squares_bound(n_items, size, n_tuples)
    goal = max(bound, sum_of_squares_bound_for(appearances(tuples, n_items=n_items), size=size))
    n_pairs_shown = n_tuples * math.comb(size, 2)
    only_repeated = n_pairs_shown <= math.comb(n_items, 2)
    search = SwapSearch(tuples, n_items=n_items)
    n_moves = FIRST_MOVES + FIRST_MOVES_PER_TUPLE * n_tuples
    patience = PATIENCE + PATIENCE_PER_PAIR_OF_PLACES * (n_tuples * size) ** 2
    search.run(goal=goal, n_moves=n_moves, patience=patience, only_repeated=only_repeated, rng=rng)
    if search.sum_of_squares > goal and n_tuples % n_items == 0:
        shifted = cyclic_tuples(
            n_items, size=size, n_bases=n_tuples // n_items, n_moves=CYCLIC_MOVES, rng=rng
        )
        if shifted is not None:
            # The circle is the construction's, not the researcher's: number it at random.
            relabelled = SwapSearch(rng.permutation(n_items)[shifted], n_items=n_items)
            if relabelled.sum_of_squares < search.sum_of_squares:
                search = relabelled
    n_moves = LAST_MOVES + LAST_MOVES_PER_TUPLE * n_tuples
    search.run(goal=goal, n_moves=n_moves, patience=patience, only_repeated=only_repeated, rng=rng)
    return join_components(search.tuples(), n_items=n_items)


def cut_from_permutations(
    n_items: int, size: int, n_tuples: int, rng: np.random.Generator
) -> IntArray:
    """Lay random permutations end to end and cut them into tuples.

    A tuple that runs across a seam takes its later members from those it does not hold yet, so
    none shows an item twice. Some tuples may be equal.
    """
    places = np.empty(n_tuples * size, dtype=np.int64)
    filled = 0
    while filled < len(places):
        order = rng.permutation(n_items)
        if begun := filled % size:
            fitting = np.flatnonzero(~np.isin(order, places[filled - begun : filled]))
            first = fitting[: size - begun]
            order = np.concatenate([order[first], np.delete(order, first)])
        order = order[: len(places) - filled]
        places[filled : filled + len(order)] = order
        filled += len(order)
    return places.reshape(n_tuples, size)


def _without_duplicates(tuples: IntArray, n_items: int, rng: np.random.Generator) -> IntArray:
    """Replace every tuple that occurred before, then even out the appearances again.

    At most half of the tuples there are may be asked for, so that a random one is free every
    other time.
    """
    n_tuples, size = tuples.shape
    keys: list[tuple[int, ...]] = [tuple(members) for members in np.sort(tuples, axis=1).tolist()]
    used = set(keys)
    if len(used) == n_tuples:
        return tuples

    seen: set[tuple[int, ...]] = set()
    for a, key in enumerate(keys):
        fresh = key
        while fresh in seen or (fresh != key and fresh in used):
            fresh = tuple(sorted(rng.permutation(n_items)[:size].tolist()))
        keys[a] = fresh
        seen.add(fresh)
    _even_out(keys, appearances(np.array(keys), n_items=n_items).tolist())
    return np.array(keys, dtype=np.int64)


def _even_out(keys: list[tuple[int, ...]], counts: list[int]) -> None:
    """Change members until the appearances differ by at most one, keeping the tuples distinct.

    If x appears at least twice more often than y, more tuples hold x without y than y without x,
    hence one of them can take y for x without becoming equal to another: each round succeeds.
    """
    used = set(keys)
    while max(counts) - min(counts) > 1:
        x, y = counts.index(max(counts)), counts.index(min(counts))
        for a, key in enumerate(keys):
            changed = tuple(sorted(y if z == x else z for z in key))
            if x in key and y not in key and changed not in used:
                used.remove(key)
                used.add(changed)
                keys[a] = changed
                counts[x] -= 1
                counts[y] += 1
                break
