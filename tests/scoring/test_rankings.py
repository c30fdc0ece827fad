import choix
import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import split_half
from scoring.best_worst.counting import count
from scoring.best_worst.judgments import BestWorst
from scoring.correlation import spearman
from scoring.rankings.concordance import concordance, w_of_tuples
from scoring.rankings.orders import Orders, mean_ranks, orders_of
from scoring.rankings.summary import summarise_orders
from scoring.rankings.utilities import plackett_luce
from tests.scoring.batches import batches
from tuples import make_tuples


def ordered(
    latent: np.ndarray, *, k: int = 4, n_answers: int = 6, noise: float = 1.0, seed: int = 1
) -> Orders:
    """Orders of drawn tuples by people who see each item with a Gumbel deviate."""
    rng = np.random.default_rng(seed)
    drawn = np.sort([rng.permutation(len(latent))[:k] for _ in range(3 * len(latent))], axis=1)
    tuples = np.unique(drawn, axis=0)
    tuple_number = np.repeat(np.arange(len(tuples)), n_answers)
    seen = latent[tuples[tuple_number]] + noise * rng.gumbel(size=(len(tuple_number), k))
    order = np.take_along_axis(tuples[tuple_number], np.argsort(-seen, axis=1), axis=1)
    return orders_of(tuples, tuple_number, order, n_items=len(latent))


def minus_log_likelihood(u: np.ndarray, answers: Orders) -> float:
    """The definition, in plain loops."""
    total = 0.0
    for order in answers.order:
        for place in range(len(order) - 1):
            total -= u[order[place]] - np.log(np.exp(u[order[place:]]).sum())
    return total


@st.composite
def order_batches(draw: st.DrawFn) -> Orders:
    """Lopsided batches of orders, some tuples without an answer."""
    shown = draw(batches(min_answers=0))
    orders = [draw(st.permutations(items.tolist())) for items in shown.shown()]
    order = np.array(orders, dtype=np.int64).reshape(-1, shown.tuple_size)
    return orders_of(shown.tuples, shown.tuple_number, order, n_items=shown.n_items)


# -- Batches ------------------------------------------------------------------------------------


def test_places_are_of_slots() -> None:
    answers = orders_of([[7, 2, 5]], [0, 0], [[5, 7, 2], [2, 5, 7]], n_items=8)

    np.testing.assert_array_equal(answers.places(), [[2, 3, 1], [3, 1, 2]])
    np.testing.assert_array_equal(answers.best, [5, 2])
    np.testing.assert_array_equal(answers.worst, [2, 7])


@pytest.mark.parametrize("order", [[[1, 2, 2]], [[1, 2, 3]], [[1, 2]]])
def test_an_order_is_of_the_items_of_its_tuple(order: list[list[int]]) -> None:
    with pytest.raises(ValueError, match=r"order|not one of the 3 items"):
        orders_of([[0, 1, 2]], [0], order, n_items=4)


@given(answers=order_batches())
def test_a_part_keeps_its_orders(answers: Orders) -> None:
    rows = np.arange(0, answers.n_judgments, 2)

    part = answers.of_judgments(rows)

    np.testing.assert_array_equal(part.order, answers.order[rows])
    np.testing.assert_array_equal(np.sort(part.order, axis=1), np.sort(part.shown(), axis=1))


@given(answers=order_batches())
def test_mean_ranks_are_those_of_plain_loops(answers: Orders) -> None:
    ranks = mean_ranks(answers)

    for item in range(answers.n_items):
        places = [1 + list(o).index(item) for o in answers.order.tolist() if item in o]
        assert ranks.n_answers[item] == len(places)
        if places:
            assert ranks.mean[item] == pytest.approx(np.mean(places))
        else:
            assert np.isnan(ranks.mean[item])
        if len(places) > 1:
            assert ranks.sd[item] == pytest.approx(np.std(places, ddof=1))
            assert ranks.standard_error[item] == pytest.approx(
                np.std(places, ddof=1) / np.sqrt(len(places))
            )


def test_of_two_items_the_mean_place_is_the_counting_score() -> None:
    answers = ordered(np.array([0.5, 0.0, -1.0, 1.0]), k=2)

    np.testing.assert_allclose(mean_ranks(answers).scores(), count(answers).scores())


def test_a_perfect_oracle_ranks_all_items() -> None:
    latent = np.random.default_rng(4).permutation(40) / 40.0
    tuples = make_tuples(40, size=4, factor=8, seed=1)
    order = np.take_along_axis(tuples, np.argsort(-latent[tuples], axis=1), axis=1)
    answers = orders_of(tuples, np.arange(len(tuples)), order, n_items=40)

    utilities = plackett_luce(answers).utilities

    assert spearman(utilities[None], latent[None])[0] > 0.995


# -- Utilities ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_utilities_are_the_maximum_and_those_of_choix() -> None:
    answers = ordered(np.random.default_rng(2).normal(size=9))

    fitted = plackett_luce(answers)

    best = scipy.optimize.minimize(
        minus_log_likelihood,
        np.zeros(9),
        args=(answers,),
        method="BFGS",
        jac="3-point",
        options={"gtol": 1e-9},
    )
    np.testing.assert_allclose(fitted.utilities, best.x - best.x.mean(), atol=1e-6)
    of_choix = choix.opt_rankings(9, answers.order.tolist(), tol=1e-7)
    np.testing.assert_allclose(fitted.utilities, of_choix - of_choix.mean(), atol=1e-4)
    assert fitted.fits[0].log_likelihood == pytest.approx(-best.fun)
    assert not fitted.fits[0].is_penalised


def test_standard_errors_are_those_of_the_numerical_information() -> None:
    answers = ordered(np.random.default_rng(5).normal(size=6), k=3, n_answers=5)
    fitted = plackett_luce(answers)

    step = 1e-4
    hessian = np.zeros((6, 6))
    for i in range(6):
        for j in range(6):
            for si in (-1, 1):
                for sj in (-1, 1):
                    u = fitted.utilities.copy()
                    u[i] += si * step
                    u[j] += sj * step
                    hessian[i, j] += si * sj * minus_log_likelihood(u, answers) / (4 * step**2)

    expected = np.sqrt(np.diag(np.linalg.pinv(hessian, rcond=1e-6)))
    np.testing.assert_allclose(fitted.standard_errors, expected, rtol=1e-4)


def test_of_two_items_by_hand() -> None:
    # The first wins three of four: log odds log 3, information 4 x 3/4 x 1/4.
    answers = orders_of([[0, 1]], [0] * 4, [[0, 1]] * 3 + [[1, 0]], n_items=2)

    fitted = plackett_luce(answers)

    np.testing.assert_allclose(fitted.utilities, np.array([1, -1]) * np.log(3) / 2)
    np.testing.assert_allclose(fitted.standard_errors, np.sqrt(1 / 3))


def test_without_an_estimate_a_ridge_is_used_and_named() -> None:
    answers = orders_of([[0, 1, 2]], [0, 0], [[0, 1, 2], [0, 2, 1]], n_items=4)

    fitted = plackett_luce(answers)

    (fit,) = fitted.fits
    assert fit.is_penalised
    assert fit.n_strong_components == 2
    assert np.isfinite(fitted.utilities[:3]).all()
    assert np.isnan(fitted.utilities[3])
    assert fitted.utilities[0] > fitted.utilities[1] == pytest.approx(fitted.utilities[2])


def test_pools_are_fitted_apart() -> None:
    latent = np.random.default_rng(3).normal(size=6)
    one = ordered(latent, k=3, n_answers=8)
    both = orders_of(
        np.concatenate([one.tuples, one.tuples + 6]),
        np.concatenate([one.tuple_number, one.tuple_number + one.n_tuples]),
        np.concatenate([one.order, one.order + 6]),
        n_items=12,
    )

    fitted = plackett_luce(both)

    np.testing.assert_allclose(fitted.utilities[:6], fitted.utilities[6:])
    np.testing.assert_allclose(fitted.utilities[:6], plackett_luce(one).utilities)
    assert [fit.n_items for fit in fitted.fits] == [6, 6]


def test_a_large_pool_is_fitted_to_the_same_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ordered(np.random.default_rng(6).normal(size=12))
    dense = plackett_luce(answers)
    monkeypatch.setattr("scoring.best_worst.newton.MAX_DENSE_ITEMS", 5)

    sparse = plackett_luce(answers)

    np.testing.assert_allclose(sparse.utilities, dense.utilities, atol=1e-6)
    assert np.isnan(sparse.standard_errors).all()


# -- Agreement ----------------------------------------------------------------------------------


def test_w_by_hand() -> None:
    # Three people, k = 3: sums 4, 6, 8; S = 8; W = 12 x 8 / (9 x 24).
    answers = orders_of([[0, 1, 2]], [0, 0, 0], [[0, 1, 2], [0, 2, 1], [1, 0, 2]], n_items=3)

    (w,), (n,) = w_of_tuples(answers)

    assert n == 3
    assert w == pytest.approx(12 * 8 / (9 * 24))


@given(answers=order_batches())
@settings(max_examples=50)
def test_w_and_the_mean_correlation_of_two_people_agree(answers: Orders) -> None:
    of_tuples, n = w_of_tuples(answers)

    for number in range(answers.n_tuples):
        places = answers.places()[answers.tuple_number == number].astype(float)
        if n[number] < 2:
            assert np.isnan(of_tuples[number])
            continue
        assert 0 <= of_tuples[number] <= 1 + 1e-12
        pairs = [
            np.corrcoef(places[a], places[b])[0, 1] for a in range(n[number]) for b in range(a)
        ]
        expected = (n[number] * of_tuples[number] - 1) / (n[number] - 1)
        assert np.mean(pairs) == pytest.approx(expected)


def test_full_agreement_is_one_without_an_interval() -> None:
    answers = ordered(np.arange(20.0), noise=0.0)

    agreement = concordance(answers, with_intervals=True)

    assert agreement.w == pytest.approx(1)
    assert agreement.mean_spearman == pytest.approx(1)
    assert agreement.interval is not None
    assert agreement.interval.reason == "the value is 1, the highest possible"


def test_random_orders_have_w_near_its_expectation() -> None:
    answers = ordered(np.zeros(40), n_answers=5, seed=9)

    agreement = concordance(answers, with_intervals=True)

    assert agreement.expected == pytest.approx(1 / 5)
    assert agreement.w == pytest.approx(1 / 5, abs=0.03)
    assert agreement.mean_spearman == pytest.approx(0, abs=0.04)
    assert agreement.interval is not None
    assert agreement.interval.low < 1 / 5 < agreement.interval.high


def test_each_person_and_pool_is_left_out_in_turn() -> None:
    rng = np.random.default_rng(8)
    parts = [ordered(rng.normal(size=4), n_answers=3, k=3, seed=seed) for seed in range(7)]
    tuples = np.concatenate([part.tuples + 4 * p for p, part in enumerate(parts)])
    order = np.concatenate([part.order + 4 * p for p, part in enumerate(parts)])
    number = np.repeat(np.arange(len(tuples)), 3)
    person = rng.integers(50, size=len(number))
    answers = orders_of(tuples, number, order, n_items=28, annotator=person)
    pool = order[:, 0] // 4

    agreement = concordance(answers, with_intervals=True)

    for name, interval in (
        ("w", agreement.interval),
        ("mean_spearman", agreement.spearman_interval),
    ):
        of_people, of_pools = (
            (len(np.unique(group)) - 1)
            * np.var(
                [
                    getattr(concordance(answers.of_judgments(group != one)), name)
                    for one in np.unique(group)
                ]
            )
            for group in (person, pool)
        )
        assert interval is not None
        assert interval.over == "people and pools"
        variance = interval.standard_error**2
        assert max(of_people, of_pools) * (1 - 1e-9) <= variance
        assert variance <= (of_people + of_pools) * (1 + 1e-9)
        unnamed = orders_of(tuples, number, order, n_items=28)
        alone = concordance(unnamed, with_intervals=True)
        of_units = alone.interval if name == "w" else alone.spearman_interval
        assert of_units is not None
        assert of_units.standard_error == pytest.approx(np.sqrt(of_pools))


def test_one_order_of_each_tuple_has_no_agreement() -> None:
    answers = orders_of([[0, 1, 2], [1, 2, 3]], [0, 1], [[0, 1, 2], [3, 2, 1]], n_items=4)

    found = concordance(answers)

    assert np.isnan(found.w)
    assert found.reason is not None
    assert (found.n_tuples, found.n_left_out) == (0, 2)


def test_halves_are_scored_by_mean_places() -> None:
    answers = ordered(np.random.default_rng(2).normal(size=12), n_answers=2, k=3)

    halves = split_half(answers, rule="random", n_splits=200, rng=np.random.default_rng(1))

    by_hand = []
    rng = np.random.default_rng(5)
    for _ in range(200):
        is_a = np.zeros(answers.n_judgments, dtype=bool)
        for number in range(answers.n_tuples):
            rows = np.flatnonzero(answers.tuple_number == number)
            is_a[rng.permutation(rows)[:1]] = True
        a, b = (mean_ranks(answers.of_judgments(part)).scores() for part in (is_a, ~is_a))
        by_hand.append(np.corrcoef(a, b)[0, 1])
    assert halves.pearson.mean == pytest.approx(np.mean(by_hand), abs=0.02)


def test_best_worst_halves_are_as_before() -> None:
    """A batch of orders without its middle places is scored by its ends alone."""
    answers = ordered(np.random.default_rng(2).normal(size=12))
    ends = BestWorst(
        answers.tuples, answers.tuple_number, answers.best, answers.worst, answers.n_items
    )

    of_ends = split_half(ends, rule="random", rng=np.random.default_rng(1))
    of_orders = split_half(answers, rule="random", rng=np.random.default_rng(1))

    assert of_ends.pearson.mean != pytest.approx(of_orders.pearson.mean)
    assert of_orders.pearson.mean > of_ends.pearson.mean - 0.1


def test_a_summary_of_no_answers_says_why() -> None:
    answers = orders_of([[0, 1, 2]], [], np.empty((0, 3), dtype=int), n_items=3)

    figures = summarise_orders(answers, rng=np.random.default_rng(1)).as_dict()

    assert figures["n_judgments"] == 0
    assert figures["n_unanswered"] == 1
    assert figures["concordance"]["reason"]
    assert figures["split_half"]["reason"]
