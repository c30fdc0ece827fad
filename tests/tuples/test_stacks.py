import json
import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuples import ImpossibleDesignError
from tuples.stacks import Arrangement, Stacks, certify_stacks, make_stacks

ARRANGEMENTS: tuple[Arrangement, ...] = ("free", "grouped")


@st.composite
def possible_requests(draw: st.DrawFn) -> dict[str, int]:
    q, c = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    return {
        "n_validators": c * (q + draw(st.integers(0, 3))),
        "n_tuples": draw(st.integers(1, 12)),
        "ratings_per_pair": q,
        "pairs_per_tuple": c,
        "n_teams": draw(st.integers(1, 3)),
    }


def equal_pairs(stacks: Stacks) -> int:
    """Pairs of stacks with the same validators, one by one."""
    sets = [frozenset(members) for pairs in stacks.validators.tolist() for members in pairs]
    return sum(a == b for a, b in combinations(sets, 2))


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@given(possible_requests(), st.integers(0, 2**64))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_stacks_are_full_without_conflict_and_balanced(
    arrangement: Arrangement, numbers: dict[str, int], seed: int
) -> None:
    stacks = make_stacks(**numbers, arrangement=arrangement, seed=seed)

    t, c, q = numbers["n_tuples"], numbers["pairs_per_tuple"], numbers["ratings_per_pair"]
    n_teams = numbers["n_teams"]
    assert stacks.validators.shape == (t * n_teams, c, q)
    for team, pairs in zip(stacks.team, stacks.validators, strict=True):
        assert len(set(pairs.ravel())) == c * q
        assert set(pairs.ravel() // numbers["n_validators"]) == {team}
    load = np.bincount(stacks.validators.ravel(), minlength=stacks.n_validators)
    share = t * c * q / numbers["n_validators"]
    assert {math.floor(share), math.ceil(share)} >= set(load.tolist())


@given(possible_requests(), st.integers(0, 99))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_group_divides_a_tuple_among_its_members(numbers: dict[str, int], seed: int) -> None:
    stacks = make_stacks(**numbers, arrangement="grouped", seed=seed)

    assert stacks.group is not None
    assert set(np.bincount(stacks.group)) == {numbers["pairs_per_tuple"]}
    for pairs in stacks.group[stacks.validators]:
        # Each stack holds one validator of each of the same groups.
        assert len(set(pairs[0])) == numbers["ratings_per_pair"]
        assert len({frozenset(members) for members in pairs.tolist()}) == 1


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@given(possible_requests(), st.integers(0, 99))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_the_certificate_agrees_with_counting_one_by_one(
    arrangement: Arrangement, numbers: dict[str, int], seed: int
) -> None:
    stacks = make_stacks(**numbers, arrangement=arrangement, seed=seed)
    of_pair = [stacks.validators[:, p] for p in range(numbers["pairs_per_tuple"])]
    by_pair = np.array([np.bincount(s.ravel(), minlength=stacks.n_validators) for s in of_pair])
    together = np.zeros((stacks.n_validators, stacks.n_validators), dtype=int)
    for members in stacks.validators.reshape(-1, numbers["ratings_per_pair"]):
        together[np.ix_(members, members)] += 1
    team = np.arange(stacks.n_validators) // numbers["n_validators"]
    upper = np.triu(np.ones_like(together), 1).astype(bool) & (team[:, None] == team)

    certificate = certify_stacks(stacks)

    load = by_pair.sum(axis=0)
    assert (certificate.load_min, certificate.load_max) == (load.min(), load.max())
    assert (certificate.n_conflicts, certificate.n_divided_groups or 0) == (0, 0)
    assert certificate.n_equal_pairs == equal_pairs(stacks)
    sets = {frozenset(m) for pairs in stacks.validators.tolist() for m in pairs}
    assert certificate.n_repeated_stacks == certificate.n_stacks - len(sets)
    assert certificate.pair_deviation == pytest.approx(np.abs(by_pair - load / len(of_pair)).max())
    if upper.any():
        counts = together[upper]
        assert (certificate.together_min, certificate.together_max) == (counts.min(), counts.max())
        assert certificate.together_mean == pytest.approx(counts.mean())
    figures = certificate.as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


@pytest.mark.parametrize(
    ("arrangement", "expected", "of_eight_teams"),
    [
        # 1,225 pairs of tuples x 9 pairs of stacks, each equal in 1 of 27! / (9! 18!)
        ("free", 1225 * 9 / 4_686_825, 0.02),
        # or in 1 of 3^9
        ("grouped", 1225 * 9 / 19_683, 4.5),
    ],
)
def test_the_expectation_for_the_czech_study(
    arrangement: Arrangement, expected: float, of_eight_teams: float
) -> None:
    of_one = certify_stacks(make_stacks(arrangement=arrangement, seed=1))
    of_all = certify_stacks(make_stacks(arrangement=arrangement, n_teams=8, seed=1))

    assert (of_one.n_stacks, of_one.n_ratings, of_one.load_min) == (150, 1350, 50)
    # 1,200 pairs with nine ratings in each phase
    assert (of_all.n_stacks, of_all.n_ratings) == (1200, 10_800)
    assert of_one.n_equal_pairs_expected == pytest.approx(expected)
    assert of_all.n_equal_pairs_expected == pytest.approx(8 * expected)
    assert float(f"{of_all.n_equal_pairs_expected:.2g}") == pytest.approx(of_eight_teams, rel=0.06)


@pytest.mark.parametrize(
    ("arrangement", "numbers"),
    [
        ("grouped", {"n_teams": 8}),
        ("grouped", {"n_validators": 15, "ratings_per_pair": 4, "n_tuples": 40}),
        ("free", {"n_validators": 12, "ratings_per_pair": 4}),
        ("free", {"n_validators": 8, "ratings_per_pair": 2, "n_tuples": 30}),
        ("free", {"n_validators": 7, "ratings_per_pair": 3, "pairs_per_tuple": 2}),
    ],
)
def test_stacks_repeat_as_often_as_expected(
    arrangement: Arrangement, numbers: dict[str, int]
) -> None:
    certificates = [
        certify_stacks(make_stacks(**numbers, arrangement=arrangement, seed=seed))  # type: ignore[arg-type]
        for seed in range(40)
    ]

    found = np.array([c.n_equal_pairs for c in certificates])
    expected = np.array([c.n_equal_pairs_expected for c in certificates])
    standard_error = (found - expected).std(ddof=1) / math.sqrt(len(found))
    assert abs((found - expected).mean()) < 4 * standard_error
    assert expected.mean() > 1


def test_every_free_stack_is_as_likely_as_any_other() -> None:
    stacks = make_stacks(6, 6000, ratings_per_pair=2, seed=3).validators

    _, counts = np.unique(stacks.reshape(-1, 2), axis=0, return_counts=True)
    # 15 pairs of six validators, 1,200 times each; the stacks of a tuple exclude one another.
    assert len(counts) == 15
    assert np.abs(counts - 1200).max() < 4 * math.sqrt(1200)


def test_a_validator_rates_each_pair_as_often_as_any_other() -> None:
    for arrangement in ARRANGEMENTS:
        stacks = make_stacks(27, 3000, arrangement=arrangement, seed=2).validators
        times = np.array([np.bincount(stacks[:, p].ravel()) for p in range(3)])

        assert np.abs(times - 1000).max() < 4.5 * math.sqrt(3000 * 2 / 9)


def test_broken_stacks_are_found() -> None:
    # Two tuples of two pairs; groups 0-1 and 2-3. Validator 0 rates both pairs of tuple 0, and
    # tuple 1 is as it should be, with the stack {0, 3} again.
    validators = np.array([[[0, 2], [0, 3]], [[1, 2], [0, 3]]])
    stacks = Stacks(validators, 4, "grouped", np.zeros(2, dtype=int), np.array([0, 0, 1, 1]))

    certificate = certify_stacks(stacks)

    # group 0 rates pair A and pair B once each: by the same person, hence a conflict
    assert (certificate.n_conflicts, certificate.n_divided_groups) == (1, 0)
    assert (certificate.load_min, certificate.load_max) == (1, 3)
    assert (certificate.n_equal_pairs, certificate.n_repeated_stacks) == (1, 1)
    assert certificate.sentences() == [
        "4 stacks of 2 ratings, 2 for each of 2 tuples, from 4 validators.",
        "Every validator gives 1 to 3 ratings.",
        "Validators rate a second pair of a tuple once.",
        "A group that rates a tuple rates each of its pairs once.",
        "1 pair of stacks has the same validators, 1 repeats an earlier one; a random draw has 1 "
        "such pairs on average.",
        "Two validators of a team share 0 to 2 stacks, 0.6667 on average.",
        "How often a validator rates one of the 2 pairs is at most 1 off an even share.",
    ]
    many = replace(certificate, n_equal_pairs_expected=12_345.6)
    assert any("has 12,000 such pairs" in sentence for sentence in many.sentences())


def test_a_group_that_is_not_divided_is_found() -> None:
    # Both of group 0 rate pair A of the only tuple.
    validators = np.array([[[0, 1], [2, 3]]])
    stacks = Stacks(validators, 4, "grouped", np.zeros(1, dtype=int), np.array([0, 0, 1, 1]))

    certificate = certify_stacks(stacks)

    assert certificate.n_divided_groups == 2
    assert "2 times a group does not rate each pair of a tuple once." in certificate.sentences()


def test_good_stacks_are_said_to_be_good() -> None:
    sentences = certify_stacks(make_stacks(seed=1)).sentences()

    assert sentences[:4] == [
        "150 stacks of 9 ratings, 3 for each of 50 tuples, from 27 validators.",
        "Every validator gives 50 ratings.",
        "Nobody rates two pairs of one tuple.",
        "No two stacks have the same validators; a random draw has 0.0024 such pairs on average.",
    ]


def test_the_seed_decides_everything() -> None:
    first = make_stacks(seed=7).validators

    np.testing.assert_array_equal(first, make_stacks(seed=7).validators)
    assert not np.array_equal(first, make_stacks(seed=8).validators)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"n_validators": 0}, "the number of validators must be at least 1, but is 0"),
        ({"n_tuples": 0}, "the number of tuples must be at least 1, but is 0"),
        ({"ratings_per_pair": -1}, "the number of ratings of each pair must be at least 1"),
        ({"pairs_per_tuple": 0}, "the number of pairs in each tuple must be at least 1"),
        ({"n_teams": 0}, "the number of teams must be at least 1, but is 0"),
        (
            {"n_validators": 26},
            "26 validators cannot give 9 ratings to each of 3 pairs, since nobody rates two pairs "
            "of a tuple: use at least 27 validators, or at most 8 ratings of each pair",
        ),
        (
            {"n_validators": 2},
            "2 validators cannot give 9 ratings to each of 3 pairs, since nobody rates two pairs "
            "of a tuple: use at least 27 validators",
        ),
        (
            {"n_validators": 29, "arrangement": "grouped"},
            "29 validators cannot be put into groups of 3, one for each pair of a tuple: use 27 "
            "or 30, or the free arrangement",
        ),
        (
            {"n_tuples": 10**6},
            "that gives 27,000,000 ratings, but at most 10,000,000 can be drawn at once: use "
            "fewer tuples, or draw the teams one by one",
        ),
    ],
)
def test_an_impossible_request_is_refused_with_a_possible_one(
    numbers: dict[str, int], message: str
) -> None:
    with pytest.raises(ImpossibleDesignError, match=message):
        make_stacks(**numbers, seed=1)  # type: ignore[arg-type]


def test_other_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="the seed must not be negative, but is -1"):
        make_stacks(seed=-1)
    with pytest.raises(ValueError, match="must be free or grouped, not 'loose'"):
        make_stacks(arrangement="loose", seed=1)  # type: ignore[arg-type]


def test_what_are_no_stacks_is_refused() -> None:
    good = make_stacks(4, 3, ratings_per_pair=2, pairs_per_tuple=2, seed=1)

    with pytest.raises(ValueError, match=r"not \(0, 2, 2\) and \(3,\)"):
        certify_stacks(replace(good, validators=good.validators[:0]))
    outside, twice = good.validators.copy(), good.validators.copy()
    outside[0, 1] = [0, 4]
    twice[2, 0] = 3
    with pytest.raises(
        ValueError, match=r"pair 1 of tuple 0, \[0, 4\], holds a validator outside"
    ):
        certify_stacks(replace(good, validators=outside))
    with pytest.raises(ValueError, match="the stack of pair 0 of tuple 2 holds a validator twice"):
        certify_stacks(replace(good, validators=twice))


@pytest.mark.parametrize(("n_validators", "n_tuples", "n_ratings"), [(12, 40, 2), (30, 60, 4)])
def test_few_large_and_many_small_stacks_are_expected_to_repeat_alike(
    monkeypatch: pytest.MonkeyPatch, n_validators: int, n_tuples: int, n_ratings: int
) -> None:
    stacks = make_stacks(
        n_validators, n_tuples, ratings_per_pair=n_ratings, pairs_per_tuple=3, seed=2
    )
    by_meetings = certify_stacks(stacks).n_equal_pairs_expected

    monkeypatch.setattr("tuples.stacks.certificate.CELLS_AT_ONCE", 1)
    over_all = certify_stacks(stacks).n_equal_pairs_expected

    assert by_meetings > 0
    assert by_meetings == pytest.approx(over_all, rel=1e-9)
