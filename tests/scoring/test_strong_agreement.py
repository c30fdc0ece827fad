import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import BestWorst, strong_agreement
from tests.scoring.batches import batches, relabelled, stored_otherwise, swapped


def votes(*of_tuples: list[int]) -> BestWorst:
    """Tuples of three items of their own; each list holds the best slots of a tuple's answers."""
    tuples = np.arange(3 * len(of_tuples)).reshape(-1, 3)
    tuple_number = np.repeat(np.arange(len(tuples)), [len(slots) for slots in of_tuples])
    slots = np.concatenate([np.array(slots, dtype=int) for slots in of_tuples])
    best = tuples[tuple_number, slots]
    worst = tuples[tuple_number, (slots + 1) % 3]
    return BestWorst(tuples, tuple_number, best, worst, n_items=tuples.size)


def test_by_hand() -> None:
    result = strong_agreement(
        votes([0, 0, 0, 0, 2], [1, 1, 1, 0, 0], [2, 2, 2], [1, 1], [0], []), on="best"
    )

    # 4 of 5: strong; 3 of 5: not; 3 of 3: strong and unanimous; the rest has fewer than three
    assert result.share == pytest.approx(2 / 3)
    assert result.unanimous_share == pytest.approx(1 / 3)
    # pairs that agree: 6 of 10, 3 + 1 of 10, 3 of 3
    assert result.mean_pairwise_agreement == pytest.approx((0.6 + 0.4 + 1) / 3)
    assert (result.n_tuples, result.n_left_out) == (3, 3)
    assert result.reason is None


@pytest.mark.parametrize(
    ("n", "enough"), [(3, 3), (4, 4), (5, 4), (6, 5), (7, 6), (8, 7), (9, 8), (10, 8), (15, 12)]
)
def test_four_of_five_is_ceil_of_four_fifths_elsewhere(n: int, enough: int) -> None:
    just_enough = strong_agreement(votes([0] * enough + [1] * (n - enough)), on="best")
    one_short = strong_agreement(votes([0] * (enough - 1) + [1] * (n - enough + 1)), on="best")

    assert (just_enough.share, one_short.share) == (1, 0)


@pytest.mark.parametrize("on", ["best", "worst"])
def test_agrees_with_other_peoples_program(on: str, published) -> None:
    column = {"best": "BestItem", "worst": "WorstItem"}[on]
    expected = published.expected["agreement"]["strong_agreement"][column]

    result = strong_agreement(published.answers, on=on)

    assert 100 * result.share == pytest.approx(expected["pct_tuples_max_votes>=4"], abs=1e-9)
    assert 100 * result.unanimous_share == pytest.approx(expected["pct_unanimous"], abs=1e-9)
    assert result.mean_pairwise_agreement == pytest.approx(
        expected["mean_pairwise_agreement"], abs=1e-9
    )
    assert result.n_tuples == expected["tuples"]


@pytest.mark.slow
@given(batches(), st.data())
def test_names_and_orders_do_not_matter(answers: BestWorst, data: st.DataObject) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))
    same = [
        strong_agreement(relabelled(answers, new_number), on="best"),
        strong_agreement(stored_otherwise(answers, answers.tuples[:, ::-1]), on="best"),
        strong_agreement(swapped(answers), on="worst"),
    ]

    expected = strong_agreement(answers, on="best")
    for result in same:
        for name in ("share", "unanimous_share", "mean_pairwise_agreement"):
            np.testing.assert_allclose(getattr(result, name), getattr(expected, name))


@given(batches())
def test_shares_are_bounded_and_ordered_or_have_a_reason(answers: BestWorst) -> None:
    result = strong_agreement(answers, on="best")

    assert result.n_tuples + result.n_left_out == answers.n_tuples
    if result.reason is None:
        assert 0 <= result.unanimous_share <= result.share <= 1
        assert result.unanimous_share <= result.mean_pairwise_agreement <= 1
    else:
        assert np.isnan(result.share)


def test_too_few_answers_say_so() -> None:
    few = strong_agreement(votes([0, 0], [1]), on="best")
    none = strong_agreement(votes([], []), on="worst")

    assert few.reason == "no tuple has three answers"
    assert none.reason == "there are no answers"
    assert (none.n_tuples, none.n_left_out) == (0, 2)
    assert few.as_dict()["share"] is None


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(ValueError, match="on must be one of best, worst, not 'joint'"):
        strong_agreement(votes([0, 0, 0]), on="joint")
