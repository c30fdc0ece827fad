"""Draw the stacks of a study in which validators rate pairs.

The pairs come in tuples: a sentence S with three others A, B and C makes the pairs S-A, S-B and
S-C. Nobody rates two pairs of one tuple. All validators of a pair together are its *stack*, and
the mean of their ratings is its score. If two pairs had the same stack, what its members have in
common (strict or lenient, quick or slow) would be in both scores. So stacks should not repeat:

- `free`: for each tuple the validators are parted at random into one stack for each pair.
- `grouped`: validators are in fixed groups, one member for each pair of a tuple; each group
  divides every tuple among its members at random. A group is easily watched or replaced as one,
  but there are fewer different stacks: with nine groups of three 3^9 = 19,683 instead of
  27! / (9! 18!) = 4,686,825.

A large study has several *teams*, each with validators and tuples of its own. With 27 validators
and 50 tuples of three pairs a team expects .0024 pairs of equal stacks if they are free and .56
if they are grouped; the eight teams that rate 1,200 pairs expect .02 and 4.5.

Symbols: v validators, t tuples of c pairs, q ratings of each pair; g groups.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from shell.messages import message as _
from tuples.arrays import IntArray
from tuples.design import ImpossibleDesignError, cut_from_permutations

Arrangement: TypeAlias = Literal["free", "grouped"]

# Stands for the validators of a pair that a smaller tuple does not have.
NOBODY = -1
# Eight bytes each, and a few copies.
MAX_RATINGS = 10_000_000


@dataclass(frozen=True, eq=False)
class Stacks:
    """The validators of each pair, and how they were drawn.

    Attributes
    ----------
    validators : int array, shape (t, c, q)
        Members of each stack in ascending order, numbered 0..n_validators-1 over all teams; of
        pairs that a smaller tuple does not have, all NOBODY.
    n_validators : int
        All validators, v times the number of teams.
    arrangement : {"free", "grouped"}
    team : int array, shape (t,)
        Team of each tuple, from 0.
    group : int array, shape (n_validators,), or None
        Group of each validator, from 0, where stacks are grouped.
    """

    validators: IntArray
    n_validators: int
    arrangement: Arrangement
    team: IntArray
    group: IntArray | None = None


def make_stacks(
    n_validators: int = 27,
    n_tuples: int = 50,
    *,
    ratings_per_pair: int = 9,
    pairs_per_tuple: int = 3,
    arrangement: Arrangement = "free",
    n_teams: int = 1,
    seed: int,
) -> Stacks:
    """Draw who rates which pair.

    Validators differ by at most one in their number of ratings; free ones by at most one rating,
    grouped ones by at most one tuple of their group, which is one rating too. Where there are
    more validators than a tuple takes, v > c q, they take turns.

    Parameters
    ----------
    n_validators, n_tuples : int
        v and t, of each team.
    ratings_per_pair : int
        q, the size of a stack.
    pairs_per_tuple : int
        c.
    arrangement : {"free", "grouped"}
        See the module's head.
    n_teams : int
        Teams with validators and tuples of their own.
    seed : int
        Not negative. The same seed gives the same stacks on every machine with the same version
        of numpy; whoever needs them later stores them.

    Returns
    -------
    Stacks

    Raises
    ------
    ImpossibleDesignError
        If a number is below 1, there are fewer validators than a tuple takes, or they cannot be
        put into groups of c.
    ValueError
        If the seed is negative or the arrangement unknown.
    """
    if seed < 0:
        raise ValueError(f"the seed must not be negative, but is {seed}")
    if arrangement not in get_args(Arrangement):
        raise ValueError(f"the arrangement must be free or grouped, not {arrangement!r}")
    _check_numbers(n_validators, n_tuples, ratings_per_pair, pairs_per_tuple, n_teams)
    if arrangement == "grouped" and n_validators % pairs_per_tuple:
        fewer = n_validators // pairs_per_tuple * pairs_per_tuple
        enough = fewer >= ratings_per_pair * pairs_per_tuple
        raise ImpossibleDesignError(
            _(
                "%(validators)s validators cannot be put into groups of %(pairs)s, one for each"
                " pair of a tuple: use %(fewer)s or %(more)s, or the free arrangement",
                validators=n_validators,
                pairs=pairs_per_tuple,
                fewer=fewer,
                more=fewer + pairs_per_tuple,
            )
            if enough
            else _(
                "%(validators)s validators cannot be put into groups of %(pairs)s, one for each"
                " pair of a tuple: use %(more)s, or the free arrangement",
                validators=n_validators,
                pairs=pairs_per_tuple,
                more=fewer + pairs_per_tuple,
            )
        )

    rng = np.random.Generator(np.random.PCG64(seed))
    shape = (n_tuples, pairs_per_tuple, ratings_per_pair)
    teams, groups = [], []
    for team in range(n_teams):
        if arrangement == "free":
            taking_part = cut_from_permutations(n_validators, shape[1] * shape[2], n_tuples, rng)
            of_team = rng.permuted(taking_part, axis=1).reshape(shape)
        else:
            members = rng.permutation(n_validators).reshape(-1, pairs_per_tuple)
            of_team = _grouped(members, shape, rng)
            group = np.empty(n_validators, dtype=np.int64)
            group[members] = np.arange(len(members))[:, None]
            groups.append(group + team * len(members))
        teams.append(of_team + team * n_validators)
    return Stacks(
        np.sort(np.concatenate(teams), axis=2),
        n_validators * n_teams,
        arrangement,
        np.repeat(np.arange(n_teams), n_tuples),
        np.concatenate(groups) if groups else None,
    )


def side_by_side(teams: Sequence[Stacks]) -> Stacks:
    """Put teams that were drawn one by one into one study, in their order.

    Validators, groups and teams are numbered on from one to the next.

    Raises
    ------
    ValueError
        If there is no team, or they differ in their arrangement or the ratings of a pair.
    """
    if not teams:
        raise ValueError("there is no team")
    if len({(t.arrangement, t.validators.shape[2], t.group is None) for t in teams}) > 1:
        raise ValueError("all teams must have the same arrangement and as many ratings of a pair")
    n_pairs = max(team.validators.shape[1] for team in teams)
    validators, numbers, groups = [], [], []
    n_validators = n_teams = n_groups = 0
    for team in teams:
        held = team.validators != NOBODY
        numbered = np.where(held, team.validators + n_validators, NOBODY)
        missing = ((0, 0), (0, n_pairs - numbered.shape[1]), (0, 0))
        validators.append(np.pad(numbered, missing, constant_values=NOBODY))
        numbers.append(team.team + n_teams)
        if team.group is not None:
            groups.append(team.group + n_groups)
            n_groups += int(team.group.max()) + 1
        n_validators += team.n_validators
        n_teams += int(team.team.max()) + 1
    return Stacks(
        np.concatenate(validators),
        n_validators,
        teams[0].arrangement,
        np.concatenate(numbers),
        np.concatenate(groups) if groups else None,
    )


def _grouped(members: IntArray, shape: tuple[int, int, int], rng: np.random.Generator) -> IntArray:
    """Let q of the groups (g, c) divide each tuple among their members, at random."""
    n_tuples, _, ratings_per_pair = shape
    taking_part = members[cut_from_permutations(len(members), ratings_per_pair, n_tuples, rng)]
    # Of each group and tuple, (t, q, c), the member in place p rates pair p.
    return rng.permuted(taking_part, axis=2).swapaxes(1, 2)


def _check_numbers(
    n_validators: int, n_tuples: int, ratings_per_pair: int, pairs_per_tuple: int, n_teams: int
) -> None:
    for name, value in (
        ("validators", n_validators),
        ("tuples", n_tuples),
        ("ratings of each pair", ratings_per_pair),
        ("pairs in each tuple", pairs_per_tuple),
        ("teams", n_teams),
    ):
        if value < 1:
            raise ImpossibleDesignError(
                _(
                    "the number of %(name)s must be at least 1, but is %(value)s",
                    name=name,
                    value=value,
                )
            )
    needed = ratings_per_pair * pairs_per_tuple
    if n_validators < needed:
        raise ImpossibleDesignError(
            _(
                "%(validators)s validators cannot give %(ratings)s ratings to each of %(pairs)s"
                " pairs, since nobody rates two pairs of a tuple: use at least %(needed)s"
                " validators, or at most %(fewer)s ratings of each pair",
                validators=n_validators,
                ratings=ratings_per_pair,
                pairs=pairs_per_tuple,
                needed=needed,
                fewer=n_validators // pairs_per_tuple,
            )
            if n_validators >= pairs_per_tuple
            else _(
                "%(validators)s validators cannot give %(ratings)s ratings to each of %(pairs)s"
                " pairs, since nobody rates two pairs of a tuple: use at least %(needed)s"
                " validators",
                validators=n_validators,
                ratings=ratings_per_pair,
                pairs=pairs_per_tuple,
                needed=needed,
            )
        )
    if (n_ratings := n_teams * n_tuples * needed) > MAX_RATINGS:
        raise ImpossibleDesignError(
            _(
                "that gives %(ratings)s ratings, but at most %(most)s can be drawn at once: use "
                "fewer tuples, or draw the teams one by one",
                ratings=n_ratings,
                most=MAX_RATINGS,
            )
        )
