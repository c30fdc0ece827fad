import math

import numpy as np
import pytest

from scoring.baselines.choices import best_options, choice_accuracy


@pytest.mark.parametrize(
    ("right", "accuracy", "standard_error"),
    # Table 6 of [GiCCS]: thirty dialogues of each length. Some figures are cut, not rounded.
    [(4, 0.133, 0.063), (5, 0.166, 0.069), (3, 0.100, 0.055), (2, 0.067, 0.046)],
)
def test_the_standard_errors_of_giccs_follow_from_the_number_of_right_choices(
    right: int, accuracy: float, standard_error: float
) -> None:
    chosen = [0] * right + [1] * (30 - right)

    found = choice_accuracy(chosen, [{0}] * 30, n_options=[5] * 30).overall

    assert (found.n, found.right) == (30, right)
    assert 0 <= found.accuracy - accuracy + 0.0005 < 0.0015
    assert 0 <= found.standard_error - standard_error + 0.0005 < 0.0015
    assert found.chance == pytest.approx(0.2)


def test_one_of_several_most_similar_candidates_is_right() -> None:
    found = choice_accuracy([2, 0, 1], [{0, 2}, {0}, {0, 2}], n_options=[4, 5, 4])

    assert found.overall.right == 2
    assert found.n_tied == 2
    assert found.overall.chance == pytest.approx((0.5 + 0.2 + 0.5) / 3)


def test_dialogues_without_scores_are_left_out_and_counted() -> None:
    found = choice_accuracy([0, 1, 0], [{0}, (), {1}], n_options=[2, 2, 2])

    assert found.n_left_out == 1
    assert (found.overall.n, found.overall.right, found.overall.accuracy) == (2, 1, 0.5)
    assert found.per_shuffle.tolist() == [0.5]


def test_the_spread_over_shuffles_is_apart_from_the_standard_error() -> None:
    # Rows are shuffles: three, one and two of four are right.
    chosen = [[0, 0, 0, 1], [1, 0, 1, 1], [0, 1, 0, 1]]

    found = choice_accuracy(chosen, [{0}] * 4)

    assert found.per_shuffle.tolist() == [0.75, 0.25, 0.5]
    assert found.shuffle_sd == pytest.approx(0.25)
    assert found.shuffle_range == (0.25, 0.75)
    # Shares of the dialogues: 2/3, 2/3, 2/3 and 0.
    assert found.overall.accuracy == pytest.approx(0.5)
    assert found.overall.standard_error == pytest.approx((1 / 3) / math.sqrt(4))
    assert found.overall.right == pytest.approx(2)


def test_each_subset_has_its_own_share() -> None:
    found = choice_accuracy(
        [0, 0, 1, 1, 0],
        [{0}, {0}, {0}, {0}, ()],
        subsets=["3 turns", "5 turns", "3 turns", "5 turns", "7 turns"],
    )

    assert list(found.by_subset) == ["3 turns", "5 turns", "7 turns"]
    three = found.by_subset["3 turns"]
    assert (three.n, three.accuracy) == (2, 0.5)
    # Of one right and one wrong the standard deviation is the root of one half.
    assert three.standard_error == pytest.approx(0.5)
    none = found.by_subset["7 turns"]
    assert (none.n, math.isnan(none.accuracy)) == (0, True)
    assert none.reason == "no dialogue has scores for all of its options"


def test_what_is_undefined_has_a_reason_and_is_null_in_json() -> None:
    one = choice_accuracy([0], [{0}]).as_dict()
    none = choice_accuracy([[0], [1]], [()], n_options=[2]).as_dict()

    assert (one["accuracy"], one["standard_error"], one["chance"]) == (1.0, None, None)
    assert one["reason"] == "a single dialogue has no standard error"
    assert one["shuffles"] == {"n": 1, "accuracies": [1.0], "sd": None, "low": 1.0, "high": 1.0}
    assert (none["accuracy"], none["n"], none["n_left_out"]) == (None, 0, 1)
    assert none["shuffles"]["accuracies"] == [None, None]


def test_renumbering_the_options_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    chosen = rng.integers(0, 5, size=(3, 20))
    best = [frozenset(rng.choice(5, size=rng.integers(0, 3), replace=False)) for _ in range(20)]
    new = rng.permutation(5)

    before = choice_accuracy(chosen, best, n_options=[5] * 20).as_dict()
    renumbered = [{int(new[option]) for option in right} for right in best]
    after = choice_accuracy(new[chosen], renumbered, n_options=[5] * 20).as_dict()

    assert after == before


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([0.2, 0.9, 0.4], {1}),
        ([0.9, 0.2, 0.9], {0, 2}),
        # Equal in decimals, but not in binary.
        ([0.1 + 0.2, 0.3, 0.1], {0, 1}),
        ([-0.5, -0.1, -0.1], {1, 2}),
        ([0.0, 0.0], {0, 1}),
        ([0.9, math.nan, 0.1], set()),
        ([], set()),
    ],
)
def test_best_options_are_those_with_the_highest_score(
    scores: list[float], best: set[int]
) -> None:
    assert best_options(scores) == best


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [{0}], None, None), r"choices of shape \(2,\) do not fit 1 dialogues"),
        (([0.5], [{0}], None, None), "chosen must hold whole numbers, not float64"),
        (([5], [{0}], [5], None), "dialogue 0 has no option 5"),
        (([0], [{-1}], None, None), "dialogue 0 has no option -1"),
        (([0], [{0}], None, ["a", "b"]), "subsets has 2 values for 1 dialogues"),
        (([0], [{0}], [], None), "n_options has 0 values for 1 dialogues"),
    ],
)
def test_wrong_arguments_are_refused_with_their_place(arguments: tuple, message: str) -> None:
    chosen, best, n_options, subsets = arguments

    with pytest.raises(ValueError, match=message):
        choice_accuracy(chosen, best, n_options=n_options, subsets=subsets)
