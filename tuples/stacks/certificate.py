"""Certify stacks: what is true of them, in figures and in plain English.

Symbols: v validators, t tuples of c pairs, q ratings of each pair, as in tuples.stacks.drawing.
"""

import math
from dataclasses import asdict, dataclass
from decimal import Decimal

import numpy as np

from tuples.arrays import FloatArray, IntArray
from tuples.balance import pair_counts
from tuples.stacks.drawing import NOBODY, Arrangement, Stacks

# Pairs of tuples looked at together.
CELLS_AT_ONCE = 2**22


@dataclass(frozen=True, kw_only=True)
class StackCertificate:
    """What is true of the stacks of all teams.

    Attributes
    ----------
    arrangement : {"free", "grouped"}
    n_validators, n_teams, n_tuples, pairs_per_tuple, ratings_per_pair : int
        Validators and tuples of all teams together; c, of the largest tuple, and q.
    n_stacks, n_ratings : int
        t c, and t c q, where all tuples have c pairs.
    load_min, load_max : int
        Least and greatest number of ratings of a validator.
    n_conflicts : int
        How often a validator rates a second pair of one tuple.
    n_divided_groups : int or None
        How often a group that rates one pair of a tuple does not rate each pair once; None where
        stacks are free.
    n_repeated_stacks : int
        Stacks with the same validators as an earlier one.
    n_equal_pairs : int
        Pairs of stacks with the same validators.
    n_equal_pairs_expected : float
        Their mean over random draws with the same validators, or groups, taking part in each
        tuple; nan if tuples differ in size.
    together_min, together_max : int
        Least and greatest number of stacks that two validators of one team share.
    together_mean : float
        Mean over all pairs of validators of one team; nan for teams of one.
    pair_deviation : float
        Greatest difference between how often a validator rates one of the c pairs, such as A, and
        its share of their ratings.
    """

    arrangement: Arrangement
    n_validators: int
    n_teams: int
    n_tuples: int
    pairs_per_tuple: int
    ratings_per_pair: int
    n_stacks: int
    n_ratings: int
    load_min: int
    load_max: int
    n_conflicts: int
    n_divided_groups: int | None
    n_repeated_stacks: int
    n_equal_pairs: int
    n_equal_pairs_expected: float
    together_min: int
    together_max: int
    together_mean: float
    pair_deviation: float

    def as_dict(self) -> dict[str, object]:
        """Return all figures as JSON knows them; what is undefined is None."""
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(self).items()
        }

    def sentences(self) -> list[str]:
        """Say it in plain English, one statement each."""
        return [
            self._about_numbers(),
            self._about_load(),
            self._about_conflicts(),
            *self._about_groups(),
            self._about_repetition(),
            *self._about_company(),
            f"How often a validator rates one of the {self.pairs_per_tuple} pairs is at most "
            f"{self.pair_deviation:.4g} off an even share.",
        ]

    def _about_numbers(self) -> str:
        teams = "" if self.n_teams == 1 else f" in {self.n_teams:,} teams"
        up_to = "" if self.n_stacks == self.n_tuples * self.pairs_per_tuple else "up to "
        return (
            f"{_counted(self.n_stacks, 'stack')} of {_counted(self.ratings_per_pair, 'rating')}, "
            f"{up_to}{self.pairs_per_tuple} for each of {_counted(self.n_tuples, 'tuple')}, from "
            f"{_counted(self.n_validators, 'validator')}{teams}."
        )

    def _about_load(self) -> str:
        if self.load_min == self.load_max:
            return f"Every validator gives {_counted(self.load_min, 'rating')}."
        return f"Every validator gives {self.load_min:,} to {self.load_max:,} ratings."

    def _about_conflicts(self) -> str:
        if self.n_conflicts == 0:
            return "Nobody rates two pairs of one tuple."
        times = "once" if self.n_conflicts == 1 else f"{self.n_conflicts:,} times"
        return f"Validators rate a second pair of a tuple {times}."

    def _about_groups(self) -> list[str]:
        if self.n_divided_groups is None:
            return []
        if self.n_divided_groups == 0:
            return ["A group that rates a tuple rates each of its pairs once."]
        times = "Once" if self.n_divided_groups == 1 else f"{self.n_divided_groups:,} times"
        return [f"{times} a group does not rate each pair of a tuple once."]

    def _about_repetition(self) -> str:
        expected = ""
        if not math.isnan(self.n_equal_pairs_expected):
            # Two digits that mean something, and never written with an exponent.
            number = format(Decimal(f"{self.n_equal_pairs_expected:.2g}"), ",f")
            expected = f"; a random draw has {number} such pairs on average"
        if self.n_equal_pairs == 0:
            return f"No two stacks have the same validators{expected}."
        have = "has" if self.n_equal_pairs == 1 else "have"
        repeat = "repeats" if self.n_repeated_stacks == 1 else "repeat"
        return (
            f"{_counted(self.n_equal_pairs, 'pair')} of stacks {have} the same validators, "
            f"{self.n_repeated_stacks:,} {repeat} an earlier one{expected}."
        )

    def _about_company(self) -> list[str]:
        if math.isnan(self.together_mean):
            return []
        return [
            f"Two validators of a team share {self.together_min:,} to {self.together_max:,} "
            f"stacks, {self.together_mean:.4g} on average."
        ]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def certify_stacks(stacks: Stacks) -> StackCertificate:
    """Measure stacks, whoever drew them.

    Parameters
    ----------
    stacks : Stacks
        Each with at least one tuple.

    Raises
    ------
    ValueError
        If there is no stack, a validator has a number out of range, or is twice in a stack.
    """
    validators = np.sort(stacks.validators, axis=-1)
    _check(validators, stacks)
    n_tuples, n_pairs, n_ratings = validators.shape
    n_validators = stacks.n_validators
    _, pair = np.nonzero(exists := validators[..., -1] >= 0)
    of_stacks = validators[exists]
    _, how_often = np.unique(of_stacks, axis=0, return_counts=True)

    load = np.bincount(of_stacks.ravel(), minlength=n_validators)
    codes = of_stacks * n_pairs + pair[:, None]
    by_pair = np.bincount(codes.ravel(), minlength=n_validators * n_pairs)
    share = np.bincount(pair, minlength=n_pairs) / len(pair)
    off = by_pair.reshape(n_validators, n_pairs) - load[:, None] * share

    in_order = np.sort(validators.reshape(n_tuples, -1), axis=1)
    again = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)
    n_teams = int(stacks.team.max()) + 1
    company = _company(of_stacks, n_validators, n_teams)
    return StackCertificate(
        arrangement=stacks.arrangement,
        n_validators=n_validators,
        n_teams=n_teams,
        n_tuples=n_tuples,
        pairs_per_tuple=n_pairs,
        ratings_per_pair=n_ratings,
        n_stacks=len(of_stacks),
        n_ratings=of_stacks.size,
        load_min=int(load.min()),
        load_max=int(load.max()),
        n_conflicts=int(again.sum()),
        n_divided_groups=None if stacks.group is None else _divided(validators, stacks.group),
        n_repeated_stacks=len(of_stacks) - len(how_often),
        n_equal_pairs=int((how_often * (how_often - 1) // 2).sum()),
        n_equal_pairs_expected=_expected(stacks) if exists.all() else math.nan,
        together_min=company[0],
        together_max=company[1],
        together_mean=company[2],
        pair_deviation=float(np.abs(off).max()),
    )


def _check(validators: IntArray, stacks: Stacks) -> None:
    if validators.ndim != 3 or validators.size == 0 or stacks.team.shape != validators.shape[:1]:
        raise ValueError(
            "stacks must have the shape (t, c, q), none of them 0, with one team for each tuple, "
            f"not {validators.shape} and {stacks.team.shape}"
        )
    absent = (validators == NOBODY).all(axis=2)
    if absent.all(axis=1).any() or (absent.any() and stacks.group is not None):
        raise ValueError("every tuple must have a pair, and where groups divide it, all of them")
    outside = (validators < 0) | (validators >= stacks.n_validators)
    outside &= ~absent[..., None]
    if (broken := outside.any(axis=2)).any():
        a, p = np.argwhere(broken)[0].tolist()
        raise ValueError(
            f"the stack of pair {p} of tuple {a}, {validators[a, p].tolist()}, holds a validator "
            f"outside 0..{stacks.n_validators - 1}"
        )
    twice = (validators[..., 1:] == validators[..., :-1]).any(axis=2) & ~absent
    if twice.any():
        a, p = np.argwhere(twice)[0].tolist()
        raise ValueError(f"the stack of pair {p} of tuple {a} holds a validator twice")


def _divided(validators: IntArray, group: IntArray) -> int:
    """Count tuples and groups of which not every pair is rated once."""
    n_tuples, n_pairs, n_ratings = validators.shape
    n_groups = int(group.max()) + 1
    codes = np.arange(n_tuples)[:, None, None] * n_groups + group[validators]
    # One row for each tuple and group that rates it at all
    met, row = np.unique(codes, return_inverse=True)
    pair = np.broadcast_to(np.arange(n_pairs)[:, None], (n_tuples, n_pairs, n_ratings))
    times = np.bincount(row.ravel() * n_pairs + pair.ravel(), minlength=len(met) * n_pairs)
    return int((times.reshape(-1, n_pairs) != 1).any(axis=1).sum())


def _company(of_stacks: IntArray, n_validators: int, n_teams: int) -> tuple[int, int, float]:
    """Least, greatest and mean number of stacks that two validators of a team share."""
    n_pairs = n_teams * math.comb(n_validators // n_teams, 2)
    if n_pairs == 0:
        return 0, 0, math.nan
    if of_stacks.shape[1] < 2:
        return 0, 0, 0.0
    _, counts = pair_counts(of_stacks, n_items=n_validators)
    least = int(counts.min()) if len(counts) == n_pairs else 0
    return least, int(counts.max()), float(counts.sum() / n_pairs)


def _expected(stacks: Stacks) -> float:
    """Mean number of pairs of equal stacks over random draws.

    Two free tuples that m validators have in common: each of c x c pairs of stacks is equal if
    both take the same q of these m, which C(m, q) of the C(cq, q)^2 ways to draw them do. Two
    grouped tuples can have equal stacks only if all their q groups are the same, and then each of
    the groups gives both the same of its c members with 1 / c.
    """
    of_teams = (stacks.validators[stacks.team == team] for team in np.unique(stacks.team))
    if stacks.arrangement == "grouped" and stacks.group is not None:
        return sum(_expected_of_groups(validators, stacks.group) for validators in of_teams)
    return sum(_expected_of_free(validators) for validators in of_teams)


def _expected_of_groups(validators: IntArray, group: IntArray) -> float:
    _, n_pairs, n_ratings = validators.shape
    groups = np.sort(group[validators[:, 0]], axis=1)
    _, how_often = np.unique(groups, axis=0, return_counts=True)
    n_tuple_pairs = int((how_often * (how_often - 1) // 2).sum())
    return float(n_tuple_pairs * math.pow(n_pairs, 2 - n_ratings))


def _expected_of_free(validators: IntArray) -> float:
    n_tuples, n_pairs, n_ratings = validators.shape
    size = n_pairs * n_ratings
    # Mostly all validators of a team rate all its tuples: equal sets are taken together.
    in_order = np.sort(validators.reshape(n_tuples, size), axis=1)
    sets, how_often = np.unique(in_order, axis=0, return_counts=True)
    ways = math.comb(size, n_ratings) ** 2
    chance = np.array([n_pairs**2 * math.comb(m, n_ratings) / ways for m in range(size + 1)])
    # Both count each two sets from both ends, and each with itself; without a common member two
    # tuples have no equal stacks.
    load = np.bincount(sets.ravel())
    if int((load**2).sum()) <= CELLS_AT_ONCE * 4:
        total = _sum_over_meetings(sets, how_often, chance)
    else:
        total = _sum_over_all(sets, how_often, chance)
    return float(max(0.0, total - n_tuples * float(chance[-1])) / 2)


def _sum_over_meetings(sets: IntArray, how_often: IntArray, chance: FloatArray) -> float:
    """Sum the chances of two sets over those that have a member in common: many small sets."""
    n_sets, n_members = len(sets), int(sets.max()) + 1
    # Sorted by member; a member who is twice in a set counts once.
    member, of_set = np.divmod(np.unique(sets * n_sets + np.arange(n_sets)[:, None]), n_sets)
    ends = np.cumsum(np.bincount(member, minlength=n_members))
    codes = np.concatenate(
        [
            (of_one[:, None] * n_sets + of_one).ravel()
            for of_one in np.split(of_set, ends[:-1])
            if len(of_one)
        ]
    )
    met, overlap = np.unique(codes, return_counts=True)
    return float((how_often[met // n_sets] * how_often[met % n_sets] * chance[overlap]).sum())


def _sum_over_all(sets: IntArray, how_often: IntArray, chance: FloatArray) -> float:
    """Sum the chances of two sets over all of them, a part at a time: few large sets."""
    members, number = np.unique(sets, return_inverse=True)
    takes_part = np.zeros((len(sets), len(members)), dtype=np.float32)
    np.put_along_axis(takes_part, number.reshape(sets.shape), 1, axis=1)
    total = 0.0
    at_once = max(1, CELLS_AT_ONCE // len(sets))
    for first in range(0, len(sets), at_once):
        overlap = np.rint(takes_part[first : first + at_once] @ takes_part.T).astype(np.int64)
        total += float(how_often[first : first + at_once] @ chance[overlap] @ how_often)
    return total
