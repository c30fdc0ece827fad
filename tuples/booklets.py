"""Compose booklets: which questions one annotator answers, and on which screens.

Every tuple is asked in exactly one booklet. Tuples are dealt like cards, sorted by stratum and
within it by pool, one to each screen in turn; screens belong to the booklets in turn as well.
So each screen holds every stratum in the same numbers, give or take one, and the tuples of a
pool, which follow one another, go to different screens and as many booklets as there are. What
the deal leaves undone (where it starts over, and where pools run across strata) swaps within a
stratum put right, and more such swaps, each breaking nothing, mix the booklets.

Symbols: t tuples, q questions a screen.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shell.messages import Message, ngettext
from shell.messages import message as _
from tuples.arrays import IntArray

# Two tuples of a pool on one screen weigh more than any crowding of a booklet.
SAME_SCREEN = 1_000_000
# Partners tried in a row for a tuple out of place, and exchanges tried in all.
PARTNERS = 100
EXCHANGES, EXCHANGES_PER_TUPLE = 20_000, 20


@dataclass(frozen=True)
class Booklets:
    """Where each tuple is asked.

    Attributes
    ----------
    booklet : int array, shape (t,)
        Booklet of each tuple, 0..n_booklets-1.
    screen : int array, shape (t,)
        Screen within the booklet, from 0.
    position : int array, shape (t,)
        Place on the screen, from 0.
    notes : tuple of Message
        Sentences about what is not even, and why.
    """

    booklet: IntArray
    screen: IntArray
    position: IntArray
    notes: tuple[Message, ...]


def compose_booklets(
    pool: IntArray,
    stratum: IntArray,
    *,
    questions_per_screen: int,
    screens_per_booklet: int,
    seed: int,
    stratum_names: Sequence[str] | None = None,
) -> Booklets:
    """Deal tuples to screens and booklets.

    There are ceil(t / q) screens, and ceil(screens / screens_per_booklet) booklets. Screens differ
    by at most one question, booklets by at most one screen: rather all a little short than the
    last one almost empty. Each screen has floor or ceil of its share of each stratum. No screen
    shows two tuples of a pool where swaps can avoid it, and a pool's tuples are spread over as
    many booklets as possible.

    Parameters
    ----------
    pool : int array, shape (t,)
        Pool of each tuple; any whole numbers.
    stratum : int array, shape (t,)
        What a screen mixes, such as the number of turns; all equal if there is nothing to mix.
    questions_per_screen : int
        q, the most questions on a screen.
    screens_per_booklet : int
        The most screens in a booklet.
    seed : int
        Not negative. The same seed gives the same booklets.
    stratum_names : sequence of str, optional
        What the notes call stratum s: `stratum_names[s]`. Without them, its number.

    Raises
    ------
    ValueError
        If there are no tuples, the arrays differ in length, a number is out of range, or a
        stratum has no name among those given.
    """
    if pool.ndim != 1 or pool.shape != stratum.shape:
        raise ValueError(
            f"pool and stratum must name one number a tuple, but have the shapes {pool.shape} "
            f"and {stratum.shape}"
        )
    if not len(pool):
        raise ValueError("there are no tuples to put into booklets")
    for name, value in (
        ("questions_per_screen", questions_per_screen),
        ("screens_per_booklet", screens_per_booklet),
    ):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, but is {value}")
    if seed < 0:
        raise ValueError(f"the seed must not be negative, but is {seed}")
    if stratum_names is not None:
        for value in (int(stratum.min()), int(stratum.max())):
            if not 0 <= value < len(stratum_names):
                raise ValueError(f"stratum {value} is none of the {len(stratum_names)} named")

    rng = np.random.Generator(np.random.PCG64(seed))
    pools = np.unique(pool, return_inverse=True)[1].astype(np.int64)
    values, strata = np.unique(stratum, return_inverse=True)
    names = [
        str(value) if stratum_names is None else stratum_names[value] for value in values.tolist()
    ]
    n_screens = -(-len(pool) // questions_per_screen)
    n_booklets = -(-n_screens // screens_per_booklet)

    # Screen s belongs to booklet s mod n_booklets until the numbers are drawn anew at the end.
    screen_of = _deal(pools, strata, n_screens, rng)
    _spread(screen_of, pools, strata, n_booklets, rng)

    notes = (
        *_notes_on_sizes(screen_of, n_booklets, questions_per_screen, screens_per_booklet),
        *_notes_on_strata(screen_of, strata, names, n_screens),
        *_notes_on_pools(screen_of, pools, n_booklets),
    )
    booklet, screen = _renumbered(screen_of, n_screens, n_booklets, rng)
    return Booklets(booklet, screen, _drawn_positions(screen_of, rng), notes)


def _deal(pools: IntArray, strata: IntArray, n_screens: int, rng: np.random.Generator) -> IntArray:
    """Deal the tuples, sorted by stratum and pool, to one screen after the other."""
    # Pools come in another order in each stratum: in the same one, the two tuples of a screen
    # would be of one pool throughout.
    order_of_strata = rng.permutation(int(strata.max()) + 1)
    hands = []
    for chosen in order_of_strata.tolist():
        hand = rng.permutation(np.flatnonzero(strata == chosen))
        rank_of_pool = rng.permutation(int(pools.max()) + 1)
        hands.append(hand[np.argsort(rank_of_pool[pools[hand]], kind="stable")])
    screen_of = np.empty(len(pools), dtype=np.int64)
    screen_of[np.concatenate(hands)] = np.arange(len(pools)) % n_screens
    return screen_of


def _spread(
    screen_of: IntArray,
    pools: IntArray,
    strata: IntArray,
    n_booklets: int,
    rng: np.random.Generator,
) -> None:
    """Exchange tuples of a stratum between screens, in place: first to repair, then to mix."""
    table = _Table(screen_of.tolist(), pools.tolist(), n_booklets)
    members = [np.flatnonzero(strata == s) for s in range(int(strata.max()) + 1)]
    stratum_of = strata.tolist()
    left = EXCHANGES + EXCHANGES_PER_TUPLE * len(pools)
    while left > 0 and (crowded := table.crowded()):
        for a in crowded:
            others = members[stratum_of[a]]
            for b in others[rng.integers(len(others), size=PARTNERS)].tolist():
                left -= 1
                if table.exchange(a, b) < 0:
                    break
    for others in members:
        for a, b in zip(others.tolist(), rng.permutation(others).tolist(), strict=True):
            table.exchange(a, b)
    screen_of[:] = table.screen_of


class _Table:
    """Tuples on screens, and how often a pool is on each screen and in each booklet."""

    def __init__(self, screen_of: list[int], pool_of: list[int], n_booklets: int) -> None:
        self.screen_of = screen_of
        self._pool_of = pool_of
        self._n_booklets = n_booklets
        self._on_screen = Counter(zip(screen_of, pool_of, strict=True))
        self._in_booklet = Counter(
            (screen % n_booklets, pool) for screen, pool in zip(screen_of, pool_of, strict=True)
        )
        self._size_of_pool = Counter(pool_of)
        self._size_of_booklet = Counter(screen % n_booklets for screen in screen_of)
        self._n_screens = len(set(screen_of))

    def crowded(self) -> list[int]:
        """Return the tuples on a screen or in a booklet with too many of their pool."""
        crowded = []
        for a, (screen, pool) in enumerate(zip(self.screen_of, self._pool_of, strict=True)):
            booklet = screen % self._n_booklets
            number = self._size_of_pool[pool]
            # An even share, rounded up, is no crowd; a booklet's share grows with its size.
            share = -(-number * self._size_of_booklet[booklet] // len(self._pool_of))
            if (
                self._on_screen[screen, pool] > -(-number // self._n_screens)
                or self._in_booklet[booklet, pool] > share
            ):
                crowded.append(a)
        return crowded

    def exchange(self, a: int, b: int) -> int:
        """Exchange two tuples unless that makes it worse; return the change in cost."""
        here, there = self.screen_of[a], self.screen_of[b]
        p, q = self._pool_of[a], self._pool_of[b]
        if here == there or p == q:
            return 0
        change = SAME_SCREEN * (
            self._on_screen[there, p] - (self._on_screen[here, p] - 1)
            + self._on_screen[here, q] - (self._on_screen[there, q] - 1)
        )  # fmt: skip
        here_booklet, there_booklet = here % self._n_booklets, there % self._n_booklets
        if here_booklet != there_booklet:
            change += (
                self._in_booklet[there_booklet, p] - (self._in_booklet[here_booklet, p] - 1)
                + self._in_booklet[here_booklet, q] - (self._in_booklet[there_booklet, q] - 1)
            )  # fmt: skip
        if change <= 0:
            self.screen_of[a], self.screen_of[b] = there, here
            for pool, left, entered in ((p, here, there), (q, there, here)):
                self._on_screen[left, pool] -= 1
                self._on_screen[entered, pool] += 1
                self._in_booklet[left % self._n_booklets, pool] -= 1
                self._in_booklet[entered % self._n_booklets, pool] += 1
        return change


def _renumbered(
    screen_of: IntArray, n_screens: int, n_booklets: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw the numbers of the booklets, and the order of the screens in each."""
    screens = rng.permutation(n_screens)
    booklet_of_screen = rng.permutation(n_booklets)[screens % n_booklets]
    # Sorting by booklet keeps the drawn order within it; count from its first screen.
    screens = screens[np.argsort(booklet_of_screen, kind="stable")]
    in_order = np.sort(booklet_of_screen)
    booklet = np.empty(n_screens, dtype=np.int64)
    within = np.empty(n_screens, dtype=np.int64)
    booklet[screens] = in_order
    within[screens] = np.arange(n_screens) - np.searchsorted(in_order, in_order)
    return booklet[screen_of], within[screen_of]


def _drawn_positions(screen_of: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw the order of the questions on each screen."""
    order = rng.permutation(len(screen_of))
    order = order[np.argsort(screen_of[order], kind="stable")]
    in_order = screen_of[order]
    position = np.empty(len(screen_of), dtype=np.int64)
    position[order] = np.arange(len(order)) - np.searchsorted(in_order, in_order)
    return position


def _notes_on_sizes(
    screen_of: IntArray, n_booklets: int, questions_per_screen: int, screens_per_booklet: int
) -> list[Message]:
    notes = []
    sizes = np.bincount(screen_of)
    if short := int((sizes < questions_per_screen).sum()):
        notes.append(
            ngettext(
                "%(n)s of %(screens)s screens has fewer than %(size)s questions (at least "
                "%(least)s), because %(tuples)s tuples do not fill %(screens)s screens.",
                "%(n)s of %(screens)s screens have fewer than %(size)s questions (at least "
                "%(least)s), because %(tuples)s tuples do not fill %(screens)s screens.",
                "n",
                n=short,
                screens=len(sizes),
                size=questions_per_screen,
                least=int(sizes.min()),
                tuples=len(screen_of),
            )
        )
    screens = np.bincount(np.arange(len(sizes)) % n_booklets)
    if short := int((screens < screens_per_booklet).sum()):
        notes.append(
            ngettext(
                "%(n)s of %(booklets)s booklets has fewer than %(size)s screens (at least "
                "%(least)s), because %(screens)s screens do not fill %(booklets)s booklets.",
                "%(n)s of %(booklets)s booklets have fewer than %(size)s screens (at least "
                "%(least)s), because %(screens)s screens do not fill %(booklets)s booklets.",
                "n",
                n=short,
                booklets=n_booklets,
                size=screens_per_booklet,
                least=int(screens.min()),
                screens=len(sizes),
            )
        )
    return notes


def _notes_on_strata(
    screen_of: IntArray, strata: IntArray, names: Sequence[str], n_screens: int
) -> list[Message]:
    """Say of each stratum that does not come out even on how many screens it has how many."""
    if len(names) == 1:
        return []  # nothing is mixed, and the sizes of the screens are said already
    notes = []
    for s, name in enumerate(names):
        per_screen = np.bincount(screen_of[strata == s], minlength=n_screens)
        numbers, screens = np.unique(per_screen, return_counts=True)
        if len(numbers) > 1:
            (few, many), (with_few, with_many) = numbers.tolist(), screens.tolist()
            notes.append(
                _(
                    "Stratum %(stratum)s has %(tuples)s tuples for %(screens)s screens: "
                    "%(with_few)s screens have %(few)s and %(with_many)s have %(many)s.",
                    stratum=name,
                    tuples=int(per_screen.sum()),
                    screens=n_screens,
                    few=few,
                    with_few=with_few,
                    many=many,
                    with_many=with_many,
                )
            )
    return notes


def _notes_on_pools(screen_of: IntArray, pools: IntArray, n_booklets: int) -> list[Message]:
    notes = []
    largest = int(np.bincount(pools).max())
    most = _most_together(screen_of, pools)
    if most > 1:
        shared = np.unique(np.stack([screen_of, pools]), axis=1, return_counts=True)
        n_shared = len(np.unique(shared[0][0, shared[1] > 1]))
        notes.append(
            ngettext(
                "The largest pool has %(tuples)s tuples (screens: %(screens)s), so %(n)s screen"
                " shows up to %(most)s tuples of the same pool.",
                "The largest pool has %(tuples)s tuples (screens: %(screens)s), so %(n)s screens"
                " show up to %(most)s tuples of the same pool.",
                "n",
                n=n_shared,
                most=most,
                tuples=largest,
                screens=int(screen_of.max()) + 1,
            )
        )
    most = _most_together(screen_of % n_booklets, pools)
    if most > 1:
        notes.append(
            ngettext(
                "The largest pool has %(tuples)s tuples for %(n)s booklet, so it contains up to"
                " %(most)s tuples of the same pool.",
                "The largest pool has %(tuples)s tuples for %(n)s booklets, so a booklet contains"
                " up to %(most)s tuples of the same pool.",
                "n",
                most=most,
                tuples=largest,
                n=n_booklets,
            )
        )
    return notes


def _most_together(groups: IntArray, pools: IntArray) -> int:
    """Return the most tuples of one pool in one group."""
    together = np.unique(np.stack([groups, pools]), axis=1, return_counts=True)[1]
    return int(together.max())
