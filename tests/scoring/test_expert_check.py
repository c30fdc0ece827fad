"""Scores beside experts who say above or below the middle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.expert_check import expert_check
from scoring.proportions import proportion

# Worked by hand: contradicted are 2 (by .2) and 6 (by .3), torn 1 and 5, in the middle 3; 7 was
# labelled by nobody.
SCORES = [0.9, 0.8, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1]
LABELS = [[1, 1], [1, -1], [-1, -1], [1, 1], [-1, -1], [-1, 1], [1, 1], [0, 0]]


def test_items_on_the_other_side_are_contradicted_the_farthest_first() -> None:
    check = expert_check(SCORES, LABELS)

    assert check.contradicted.tolist() == [6, 2]
    assert check.torn.tolist() == [1, 5]
    assert check.at_middle.tolist() == [3]
    assert check.unlabelled.tolist() == [7]
    assert (check.overall.count, check.overall.n) == (2, 4)
    assert (check.above.count, check.above.n) == (1, 2)
    assert (check.below.count, check.below.n) == (1, 2)
    assert (check.by_any.count, check.by_any.n) == (4, 6)


def test_experts_are_compared_with_each_other_and_with_the_scores() -> None:
    check = expert_check(SCORES, LABELS)

    # Five of seven alike, 4/7 above of either: (35 - 25) / (49 - 25).
    assert check.kappa == pytest.approx(10 / 24)
    assert check.same == proportion(5, 7)
    assert check.same_reason is None
    # 8 times above and 6 times below: 1 - (2 / 7) / (96 / 182).
    assert check.alpha.value == pytest.approx(1 - (2 / 7) / (96 / 182))
    agreements = [beside.agreement for beside in check.experts_beside]
    assert [(a.count, a.n) for a in agreements] == [(4, 6), (2, 6)]
    assert (check.majority_beside.agreement.count, check.majority_beside.agreement.n) == (2, 4)


def test_pairs_of_three_experts_are_not_independent_so_their_share_has_no_interval() -> None:
    # Three of the first item say the same in one of three pairs, two of the second in one of one.
    check = expert_check([0.9, 0.2], [[1, 1, -1], [0, -1, -1]])

    assert (check.same.count, check.same.n) == (2, 4)
    assert np.isnan([check.same.low, check.same.high]).all()
    stored = check.as_dict()
    assert (stored["same"]["low"], stored["same_reason"]) == (None, check.same_reason)
    # Where no item has three, no two pairs are of the same item.
    of_two_each = expert_check([0.9, 0.2], [[1, 1, 0], [0, -1, -1]])
    assert of_two_each.same == proportion(2, 2)
    assert of_two_each.same_reason is None


def test_point_biserial_is_the_correlation_with_above_as_one() -> None:
    check = expert_check([0.8, 0.6, 0.1, 0.3], [[1], [1], [-1], [1]])

    # Means of the groups 17/30 and 1/10, standard deviation (n) of the scores sqrt(.0725).
    expected = (17 / 30 - 1 / 10) / np.sqrt(0.0725) * np.sqrt(3 * 1 / 16)
    assert check.experts_beside[0].point_biserial == pytest.approx(expected)
    assert "two experts, but there are 1" in str(check.kappa_reason)


def test_a_mean_that_misses_the_middle_by_a_rounding_is_in_the_middle() -> None:
    score = 0.1 + 0.2 + 0.2  # 0.5 but for the last digit
    check = expert_check([score - 1e-16, 0.5 + 2e-9], [[-1], [-1]])

    assert check.at_middle.tolist() == [0]
    assert check.contradicted.tolist() == [1]


def test_what_cannot_be_computed_says_why() -> None:
    nothing = expert_check(np.empty(0), np.empty((0, 2), dtype=int))
    alike = expert_check([0.9, 0.8], [[1, 1], [1, 1]])

    assert np.isnan(nothing.overall.share)
    assert nothing.kappa_reason == "no item was labelled by both experts"
    assert nothing.alpha.reason
    assert np.isnan(alike.kappa)
    assert "the same label" in str(alike.kappa_reason)
    assert alike.experts_beside[0].reason == "all values of one of the two variables are equal"
    assert nothing.as_dict()["kappa"] is None


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([0.2, 1.1], [[1], [1]], "score 1 is 1.1"),
        ([0.2, float("nan")], [[1], [1]], "score 1 is nan"),
        ([0.2], [[2]], "label 2 of item 0"),
        ([0.2], [[1], [1]], "shape"),
    ],
)
def test_impossible_input_is_refused(scores, labels, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expert_check(scores, labels)


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3)),
        min_size=1,
        max_size=20,
    )
)
def test_turning_everything_round_contradicts_the_same_items(rows) -> None:
    scores = np.array([score for score, _labels in rows])
    labels = np.array([labels for _score, labels in rows])

    there = expert_check(scores, labels)
    back = expert_check(1 - scores, -labels)

    # A difference may vanish in the subtraction: only scores clearly off the middle are alike.
    clear = set(np.flatnonzero(np.abs(scores - 0.5) > 1e-8).tolist())
    assert clear & set(there.contradicted.tolist()) == clear & set(back.contradicted.tolist())
    assert (there.same.count, there.same.n) == (back.same.count, back.same.n)
    n_parts = len(there.torn) + len(there.at_middle) + len(there.unlabelled)
    assert there.overall.n + n_parts == len(rows)


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        # Published: Newcombe (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_intervals_of_shares_are_wilsons(count: int, n: int, low: float, high: float) -> None:
    found = proportion(count, n)

    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(1, 300), st.data())
def test_an_interval_holds_its_share_and_mirrors(n: int, data) -> None:
    count = data.draw(st.integers(0, n))
    here, there = proportion(count, n), proportion(n - count, n)

    assert 0 <= here.low <= here.share <= here.high <= 1
    assert here.low == pytest.approx(1 - there.high, abs=1e-12)


def test_no_trial_has_no_share_and_more_hits_than_trials_are_refused() -> None:
    assert np.isnan(proportion(0, 0).share)
    with pytest.raises(ValueError, match="5 of 4"):
        proportion(5, 4)


def test_who_takes_no_side_at_all_is_none_of_the_two_experts() -> None:
    three = [[above, below, 0] for above, below in LABELS]

    assert expert_check(SCORES, three).kappa == expert_check(SCORES, LABELS).kappa


def test_through_two_points_a_line_leads_always() -> None:
    check = expert_check([0.8, 0.1], [[1], [-1]])

    assert np.isnan(check.experts_beside[0].point_biserial)
    assert check.experts_beside[0].reason == "there are fewer than three pairs of values"
