"""Orders as arrays: an answer that puts all items of a tuple in order.

The first item of an order is its best and the last its worst, so a batch of orders is also one of
best-worst answers, and whatever is computed of those (pools, halves, flags) takes orders too.

Symbols: t tuples of k items; m judgments; n_items items, as in scoring.best_worst.judgments.
"""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray, read_only, whole_numbers
from scoring.best_worst.choice_moments import order_moments
from scoring.best_worst.counting import share
from scoring.best_worst.judgments import BestWorst


@dataclass(frozen=True, eq=False)
class Orders(BestWorst):
    """A batch of orders; make one with `orders_of`.

    Parameters
    ----------
    order : int array, shape (m, k)
        Items of each judgment's tuple, from the first place to the last.
    """

    order: IntArray = field(kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", whole_numbers(self.order, "order"))
        super().__post_init__()
        _check_order(self.shown(), self.order)
        if (self.order[:, 0] != self.best).any() or (self.order[:, -1] != self.worst).any():
            raise ValueError("best and worst are the first and the last item of each order")

    def picks(self) -> tuple[IntArray, IntArray]:
        """Items of each order and their points: the items below each less those above it."""
        k = self.tuple_size
        return self.order, np.tile(np.arange(k - 1, -k, -2), (self.n_judgments, 1))

    def slot_points(self) -> IntArray:
        """Points that each order gives to the item of each slot, shape (m, k)."""
        points: IntArray = self.tuple_size + 1 - 2 * self.places()
        return points

    def point_moments(self, utilities: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean (t, k) and covariance (t, k, k) of an order's points, by utilities (t, k)."""
        return order_moments(utilities)

    def pairs_in_order(self) -> tuple[IntArray, IntArray]:
        """Slots of the higher and of the lower item of all k (k - 1) / 2 pairs."""
        slots = np.argsort(self.places(), axis=1)
        higher, lower = np.triu_indices(self.tuple_size, 1)
        return slots[:, higher], slots[:, lower]

    @property
    def orders_all_items(self) -> bool:
        """Always, also of two items."""
        return True

    @property
    def most_points(self) -> int:
        """Points of the first item, k - 1."""
        return self.tuple_size - 1

    def places(self) -> IntArray:
        """Place of each slot's item in the order, 1 to k, shape (m, k)."""
        by_item = np.argsort(self.order, axis=1)
        of_slot = np.argsort(np.argsort(self.shown(), axis=1), axis=1)
        places: IntArray = np.take_along_axis(by_item, of_slot, axis=1) + 1
        return places

    def _part(self, tuples: IntArray, tuple_number: IntArray, rows: BoolArray | IntArray) -> Self:
        part = super()._part(tuples, tuple_number, rows)
        object.__setattr__(part, "order", read_only(self.order[rows]))
        return part


@dataclass(frozen=True, eq=False)
class MeanRanks:
    """Where people put each item on average.

    Parameters
    ----------
    n_answers : int array, shape (n_items,)
        Orders that hold the item.
    mean : float array, shape (n_items,)
        Mean rank, from 1 to k; nan for an item that no order holds.
    sd : float array, shape (n_items,)
        Standard deviation of its places, n - 1 in the denominator; nan below two orders.
    tuple_size : int
        k.
    """

    n_answers: IntArray
    mean: FloatArray
    sd: FloatArray
    tuple_size: int

    @property
    def standard_error(self) -> FloatArray:
        """Of the mean, shape (n_items,), orders taken as independent; nan below two orders."""
        return share(self.sd, np.sqrt(self.n_answers))

    def scores(self) -> FloatArray:
        """The mean ranks from -1, always last, to 1, always first; nan if there is none.

        With two items this is the counting score of best-worst scaling.
        """
        k = self.tuple_size
        return (k + 1 - 2 * self.mean) / (k - 1)


def orders_of(
    tuples: npt.ArrayLike,
    tuple_number: npt.ArrayLike,
    order: npt.ArrayLike,
    *,
    n_items: int,
    annotator: npt.ArrayLike | None = None,
) -> Orders:
    """Make a batch of orders.

    Parameters
    ----------
    tuples : int array, shape (t, k), k >= 2
        Items of each tuple; no two tuples hold the same set.
    tuple_number : int array, shape (m,)
        Tuple that each judgment puts in order, 0..t-1.
    order : int array, shape (m, k)
        Its items from the first place to the last.
    n_items : int
        Number of items, including those that no tuple shows.
    annotator : int array, shape (m,), optional
        Number of the person who gave each judgment.

    Raises
    ------
    ValueError
        If the arrays do not fit together, or an order is not of exactly the items of its tuple.
    """
    shown, given = whole_numbers(tuples, "tuples"), whole_numbers(order, "order")
    if given.ndim != 2 or given.shape[1] != shown.shape[1]:
        raise ValueError(
            f"order has shape {given.shape}, but each judgment orders {shown.shape[1]} items"
        )
    return Orders(
        shown,
        whole_numbers(tuple_number, "tuple_number"),
        given[:, 0],
        given[:, -1],
        n_items,
        None if annotator is None else whole_numbers(annotator, "annotator"),
        order=given,
    )


def mean_ranks(answers: Orders) -> MeanRanks:
    """Average the places of each item over all orders that hold it.

    Items of different pools were never compared, so their places do not tell which is better.
    """
    n, k = answers.n_items, answers.tuple_size
    items = answers.order.ravel()
    places = np.tile(np.arange(1.0, k + 1), answers.n_judgments)
    n_answers = np.bincount(items, minlength=n)
    mean = share(np.bincount(items, places, minlength=n), n_answers)
    squares = np.bincount(items, (places - mean[items]) ** 2, minlength=n)
    sd = np.full(n, np.nan)
    np.divide(squares, n_answers - 1, out=sd, where=n_answers > 1)
    return MeanRanks(n_answers, mean, np.sqrt(sd), k)


def _check_order(shown: IntArray, order: IntArray) -> None:
    if order.shape != shown.shape:
        raise ValueError(f"order has shape {order.shape}, but the tuples {shown.shape}")
    if (other := (np.sort(order, axis=1) != np.sort(shown, axis=1)).any(axis=1)).any():
        j = int(other.argmax())
        raise ValueError(
            f"judgment {j} does not put the items of its tuple in order:"
            f" {', '.join(map(str, order[j]))} instead of {', '.join(map(str, shown[j]))}"
        )


def simulated_orders(
    tuples: IntArray, latent: FloatArray, *, noise: float, n_answers: int, rng: np.random.Generator
) -> Orders:
    """Orders of simulated people, who see each item with `noise` times a Gumbel deviate.

    Parameters
    ----------
    tuples : int array, shape (t, k)
        Items of each tuple.
    latent : float array, shape (n_items,)
        What all people share.
    noise : float
        At least 0; infinite: orders at random.
    n_answers : int
        Orders of each tuple: all tuples once, then all of them again, and so on.
    rng : numpy Generator
        Source of the deviates.
    """
    numbers = np.tile(np.arange(len(tuples)), n_answers)
    shown = tuples[numbers]
    seen = rng.gumbel(size=shown.shape)
    if np.isfinite(noise):
        seen = latent[shown] + noise * seen
    order = np.take_along_axis(shown, np.argsort(-seen, axis=1), axis=1)
    return orders_of(tuples, numbers, order, n_items=len(latent))
