import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.best_worst.positions import PositionBias, position_bias


@st.composite
def positions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    k = draw(st.integers(2, 5))
    picks = draw(
        st.lists(st.tuples(st.permutations(range(k)), st.integers(0, 3)), min_size=1, max_size=40)
    )
    best, worst, people = np.array([(p[0], p[1], person) for p, person in picks]).T
    return best, worst, k, people


def biased() -> PositionBias:
    """Person 4 picks the first position 8 times of 12 as best; person 9 answers twice."""
    best = np.array([0] * 8 + [1, 1, 2, 2] + [0, 2])
    worst = np.array([2] * 6 + [1, 1] + [0, 2, 0, 1] + [1, 0])
    return position_bias(best, worst, n_positions=3, annotator=np.array([4] * 12 + [9] * 2))


def test_by_hand() -> None:
    test = biased().by_annotator["best"]

    # Expected 4 each: (16 + 4 + 4) / 4 = 6, and with two degrees of freedom p = exp(-6 / 2).
    assert test.counts[0].tolist() == [8, 2, 2]
    assert test.statistic[0] == pytest.approx(6)
    assert test.p[0] == pytest.approx(np.exp(-3))
    assert test.df == 2
    # Expected 2/3 each: (1/9 + 4/9 + 1/9) / (2/3) = 1.
    assert test.statistic[1] == pytest.approx(1)


def test_too_few_picks_are_named() -> None:
    bias = biased()

    few = bias.by_annotator["best"].notes
    assert few[0].startswith("too few picks: 4 expected in each position")
    assert few[1].startswith("too few picks: 0.666667 expected")
    assert bias.overall["best"].notes[0].startswith("too few picks: 4.66667")
    enough = position_bias(np.arange(15) % 3, (np.arange(15) + 1) % 3, n_positions=3)
    assert enough.overall["best"].notes == [None]


@settings(max_examples=40, deadline=None)
@given(positions())
def test_it_is_scipys_test(drawn: tuple[np.ndarray, np.ndarray, int, np.ndarray]) -> None:
    best, worst, k, people = drawn

    bias = position_bias(best, worst, n_positions=k, annotator=people)

    for on, picks in (("best", best), ("worst", worst)):
        groups = [(bias.overall[on], 0, picks)] + [
            (bias.by_annotator[on], row, picks[people == person])
            for row, person in enumerate(bias.annotator)
        ]
        for test, row, of_group in groups:
            counts = np.bincount(of_group, minlength=k)
            by_scipy = scipy.stats.chisquare(counts)
            assert test.counts[row].tolist() == counts.tolist()
            assert test.statistic[row] == pytest.approx(by_scipy.statistic)
            assert test.p[row] == pytest.approx(by_scipy.pvalue)


def test_p_is_uniform_under_random_clicking() -> None:
    rng = np.random.default_rng(1)
    picks = rng.permuted(np.tile(np.arange(4), (60_000, 1)), axis=1)

    bias = position_bias(
        picks[:, 0], picks[:, 1], n_positions=4, annotator=np.repeat(np.arange(1000), 60)
    )

    for test in bias.by_annotator.values():
        # A standard error of .007.
        assert np.mean(test.p < 0.05) == pytest.approx(0.05, abs=0.028)


def test_one_who_always_takes_the_first_stands_out() -> None:
    rng = np.random.default_rng(1)
    best = np.concatenate([rng.integers(0, 2, 50), np.zeros(50, int)])
    people = np.repeat([0, 1], 50)

    p = position_bias(best, 2 + best, n_positions=4, annotator=people).by_annotator["best"].p

    assert p[1] < 1e-20


def test_no_answers_have_no_test() -> None:
    bias = position_bias(np.arange(0), np.arange(0), n_positions=3, annotator=np.arange(0))

    assert np.isnan(bias.overall["best"].p).tolist() == [True]
    assert bias.overall["best"].notes == ["there are no picks"]
    figures = bias.as_dict()
    assert figures["overall"]["best"]["p"] == [None]
    assert figures["annotator"] == []


def test_without_annotators_there_is_the_whole_only() -> None:
    bias = position_bias(np.array([0, 1]), np.array([1, 0]), n_positions=2)

    assert bias.by_annotator == {}
    assert bias.overall["worst"].counts.tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("best", "worst", "k", "people", "message"),
    [
        ([0, 3], [1, 1], 3, None, "judgment 1: best is at position 3, but positions are numb"),
        ([0, 1], [-1, 0], 3, None, "judgment 0: worst is at position -1"),
        ([0, 1], [1, 1], 3, None, "judgment 1 picks position 1 as both best and worst"),
        ([0, 1], [1], 3, None, r"best has shape \(2,\), worst \(1,\)"),
        ([0, 1], [1, 0], 2, [1], r"annotator has shape \(1,\) for 2 judgments"),
        ([0], [0], 1, None, "n_positions must be at least 2, not 1"),
    ],
)
def test_broken_positions_are_refused(best, worst, k, people, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        position_bias(np.array(best), np.array(worst), n_positions=k, annotator=people)
