import tracemalloc
from itertools import permutations

import choix
import numpy as np
import pytest
import scipy.optimize
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring import BestWorst, count, spearman
from scoring.best_worst import newton, ranking
from scoring.best_worst.choice_fits import implied_pairs
from scoring.best_worst.newton import NotConvergedError
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison
from scoring.best_worst.ranking import Model, rank
from tests.scoring.batches import (
    batches,
    dialogue_tuples,
    oracle,
    random_clicking,
    relabelled,
    swapped,
)
from tuples import make_tuples

MODELS: list[Model] = ["pairs", "maxdiff"]


def noisy(*, n_answers: int = 6, seed: int = 1) -> BestWorst:
    """One lopsided pool: 4-tuples of seven items, one item in most of them."""
    rng = np.random.default_rng(seed)
    tuples = np.array([[0, 1, 2, 3], [3, 4, 0, 5], [6, 0, 1, 4], [2, 5, 0, 6], [1, 3, 6, 0]])
    tuple_number = np.repeat(np.arange(5), n_answers)
    latent = np.array([0.3, -0.5, 1.0, 0, 0.8, -1.2, 0.1])
    utility = latent[tuples[tuple_number]] + rng.gumbel(size=(len(tuple_number), 4))
    order = np.take_along_axis(tuples[tuple_number], np.argsort(utility, axis=1), axis=1)
    return BestWorst(tuples, tuple_number, order[:, 3], order[:, 0], 7)


def minus_log_likelihood(u: np.ndarray, answers: BestWorst, model: Model) -> float:
    """The definition, in plain loops."""
    total = 0.0
    for shown, best, worst in zip(answers.shown(), answers.best, answers.worst, strict=True):
        if model == "maxdiff":
            all_pairs = sum(np.exp(u[i] - u[j]) for i, j in permutations(shown, 2))
            total -= u[best] - u[worst] - np.log(all_pairs)
            continue
        pairs = {(best, other) for other in shown if other != best}
        pairs |= {(other, worst) for other in shown if other != worst}
        total += sum(np.log1p(np.exp(u[loser] - u[winner])) for winner, loser in pairs)
    return total


@pytest.mark.parametrize("model", MODELS)
def test_two_items_by_hand(model: Model) -> None:
    # Item 0 wins three of four. Pairs: u0 - u1 = log 3, information 4 x 3/4 x 1/4 = 3/4 of the
    # difference, so its variance is 4/3 and that of each centred utility a quarter of it.
    # Max-diff: the odds are exp(2 (u0 - u1)), which halves the difference and its error.
    answers = BestWorst(
        np.array([[1, 0]]), np.zeros(4, int), np.array([0, 0, 1, 0]), np.array([1, 1, 0, 1]), 2
    )

    result = rank(answers, model=model)

    half = 1 if model == "pairs" else 2
    np.testing.assert_allclose(result.utilities, np.array([1, -1]) * np.log(3) / 2 / half)
    np.testing.assert_allclose(result.standard_errors, np.sqrt(1 / 3) / half)
    assert result.fits[0].log_likelihood == pytest.approx(3 * np.log(0.75) + np.log(0.25))
    assert not result.fits[0].is_penalised


def test_implied_pairs_by_hand() -> None:
    answers = BestWorst(np.array([[4, 2, 0, 1]]), np.array([0]), np.array([0]), np.array([4]), 5)

    winner, loser = implied_pairs(answers)

    pairs = set(zip(winner[0].tolist(), loser[0].tolist(), strict=True))
    assert winner.shape == (1, 5)
    assert pairs == {(0, 4), (0, 2), (0, 1), (2, 4), (1, 4)}


@pytest.mark.parametrize("model", MODELS)
def test_it_is_the_maximum_of_the_definition(model: Model) -> None:
    answers = noisy()

    result = rank(answers, model=model)

    by_scipy = scipy.optimize.minimize(
        minus_log_likelihood, np.zeros(7), args=(answers, model), options={"gtol": 1e-8}
    )
    assert not result.fits[0].is_penalised
    np.testing.assert_allclose(result.utilities, by_scipy.x - by_scipy.x.mean(), atol=1e-5)
    assert result.fits[0].log_likelihood == pytest.approx(-by_scipy.fun, abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_standard_errors_are_of_the_information_by_differences(model: Model) -> None:
    answers = noisy()
    u = rank(answers, model=model).utilities
    step = 1e-4
    hessian = np.empty((7, 7))
    for i, j in np.ndindex(7, 7):
        di, dj = np.eye(7)[[i, j]] * step
        corners = [
            minus_log_likelihood(u + si * di + sj * dj, answers, model)
            for si, sj in ((1, 1), (1, -1), (-1, 1), (-1, -1))
        ]
        hessian[i, j] = np.dot(corners, [1, -1, -1, 1]) / (4 * step**2)

    # The pseudo-inverse is the inverse within the centred utilities.
    errors = np.sqrt(np.diag(np.linalg.pinv(hessian, rcond=1e-5)))
    np.testing.assert_allclose(rank(answers, model=model).standard_errors, errors, rtol=1e-4)


def test_errors_of_maxdiff_are_those_of_repeated_studies() -> None:
    estimates = [rank(noisy(n_answers=40, seed=seed), model="maxdiff") for seed in range(60)]

    # Gumbel noise is not quite the model's, hence the wide margin.
    spread = np.std([result.utilities for result in estimates], axis=0, ddof=1)
    said = np.mean([result.standard_errors for result in estimates], axis=0)
    np.testing.assert_allclose(said / spread, 1, atol=0.35)


def test_pairs_agree_with_choix() -> None:
    answers = noisy()
    winner, loser = (side.ravel().tolist() for side in implied_pairs(answers))
    data = list(zip(winner, loser, strict=True))

    plain = rank(answers, model="pairs")

    # Plain, by another of its algorithms than the one called.
    by_choix = choix.opt_pairwise(7, data, alpha=0, tol=1e-10)
    np.testing.assert_allclose(plain.utilities, by_choix - by_choix.mean(), atol=1e-6)


def test_penalised_pairs_agree_with_choix() -> None:
    answers = oracle(np.array([[0, 1, 2], [1, 2, 3]]), np.arange(4.0), n_answers=2)
    winner, loser = (side.ravel().tolist() for side in implied_pairs(answers))
    data = list(zip(winner, loser, strict=True))

    result = rank(answers, model="pairs", ridge=0.4)

    # choix subtracts alpha times the sum of squares, without the half: alpha is ridge / 2.
    by_choix = choix.opt_pairwise(4, data, alpha=0.2, tol=1e-12)
    np.testing.assert_allclose(result.utilities, by_choix, atol=1e-6)
    assert result.fits[0].is_penalised


@pytest.mark.parametrize("model", MODELS)
def test_penalised_fit_is_the_maximum_of_the_definition(model: Model) -> None:
    answers = oracle(np.array([[0, 1, 2], [1, 2, 3]]), np.arange(4.0), n_answers=2)

    result = rank(answers, model=model, ridge=0.4)

    by_scipy = scipy.optimize.minimize(
        lambda u: minus_log_likelihood(u, answers, model) + 0.2 * u @ u,
        np.zeros(4),
        options={"gtol": 1e-8},
    )
    np.testing.assert_allclose(result.utilities, by_scipy.x, atol=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_published_pools_are_penalised_where_an_item_never_loses(model: Model, published) -> None:
    answers = published.answers

    result = rank(answers, model=model)

    assert len(result.fits) == 60
    counts = count(answers)
    for fit in result.fits:
        items = np.flatnonzero(result.pool == fit.pool)
        assert (fit.n_items, fit.n_judgments) == (5, 50)
        assert result.utilities[items].sum() == pytest.approx(0, abs=1e-9)
        # All ten 3-tuples: an item is in six of them, shown 30 times.
        always_best = (counts.best[items] == 30).any() or (counts.worst[items] == 30).any()
        assert not always_best or fit.is_penalised
    assert 0 < sum(fit.is_penalised for fit in result.fits) < 60
    within = [
        spearman(result.utilities[result.pool == p], published.latent[result.pool == p])
        for p in range(60)
    ]
    assert np.mean(within) > 0.95


def test_a_graph_that_is_connected_but_not_strongly_is_named() -> None:
    answers = oracle(np.array([[0, 1, 2]]), np.array([2.0, 1.0, 0.0]), n_answers=3)

    fit = rank(answers, model="maxdiff", ridge=0.25).fits[0]

    assert (fit.ridge, fit.n_strong_components) == (0.25, 3)
    assert "not strongly connected (3 parts)" in fit.note
    assert "Ridge of strength 0.25" in fit.note
    assert fit.as_dict()["is_penalised"] is True


@pytest.mark.parametrize("model", MODELS)
def test_perfect_answers_rank_perfectly_within_each_dialogue(model: Model) -> None:
    tuples = dialogue_tuples(4, rng=np.random.default_rng(1))
    latent = np.random.default_rng(2).random(20)

    result = rank(oracle(tuples, latent, n_answers=1), model=model)

    for p in range(4):
        items = result.pool == p
        assert spearman(result.utilities[items], latent[items]) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_fitted_scores_use_whom_an_item_met(model: Model) -> None:
    # 2N tuples of four that share no pair: counting reaches .94 to .96, fitting .98.
    latent = np.random.default_rng(3).normal(size=100)
    answers = oracle(make_tuples(100, size=4, factor=2, seed=3), latent, n_answers=1)

    fitted = spearman(rank(answers, model=model).utilities, latent)

    assert fitted > 0.975 > spearman(count(answers).scores(), latent)


@pytest.mark.parametrize("model", MODELS)
def test_random_clicking_has_utilities_within_their_errors(model: Model) -> None:
    tuples = make_tuples(30, size=4, factor=2, seed=1)

    result = rank(random_clicking(tuples, 8, seed=1), model=model)

    assert not result.fits[0].is_penalised
    assert np.mean((result.utilities / result.standard_errors) ** 2) < 2


@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.sampled_from(MODELS))
def test_swapping_best_and_worst_negates_every_utility(answers: BestWorst, model: Model) -> None:
    there, back = rank(answers, model=model), rank(swapped(answers), model=model)

    np.testing.assert_allclose(there.utilities, -back.utilities, atol=1e-6)
    np.testing.assert_allclose(there.standard_errors, back.standard_errors, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.sampled_from(MODELS), st.data())
def test_relabelling_the_items_relabels_the_utilities(
    answers: BestWorst, model: Model, data: st.DataObject
) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    one, other = rank(answers, model=model), rank(relabelled(answers, new_number), model=model)

    np.testing.assert_allclose(one.utilities, other.utilities[new_number], atol=1e-6)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1))
def test_pairs_of_two_items_have_twice_the_utilities_of_maxdiff(answers: BestWorst) -> None:
    assume(answers.tuple_size == 2)

    pairs, maxdiff = rank(answers, model="pairs"), rank(answers, model="maxdiff", ridge=0.4)

    # exp(u_i - u_j) over its reverse is exp(2 (u_i - u_j)); the ridge of .4 on half the utilities
    # is the one of .1 on the whole.
    np.testing.assert_allclose(pairs.utilities, 2 * maxdiff.utilities, atol=1e-6)


def test_items_without_answers_have_no_utility() -> None:
    answers = BestWorst(
        np.array([[0, 1, 2], [4, 5, 3]]), np.array([0]), np.array([0]), np.array([1]), 7
    )

    result = rank(answers, model="maxdiff")

    assert np.isnan(result.utilities[3:]).all()
    assert result.pool.tolist() == [0, 0, 0, -1, -1, -1, -1]
    assert result.as_dict()["utilities"][3:] == [None] * 4


def test_no_answers_have_no_ranking() -> None:
    answers = noisy().of_judgments(np.zeros(30, dtype=bool))

    result = rank(answers, model="pairs")

    assert result.fits == ()
    assert np.isnan(result.utilities).all()


def test_pools_can_be_given() -> None:
    answers = random_clicking(np.array([[0, 1, 2], [3, 4, 5]]), 30, seed=1)

    by_comparison, together = (
        rank(answers, model="pairs", pool=pool) for pool in (None, np.full(6, 8))
    )

    assert [fit.pool for fit in by_comparison.fits] == [0, 1]
    assert [fit.pool for fit in together.fits] == [8]
    # Two parts that were never compared make one pool that is not strongly connected.
    assert together.fits[0].n_strong_components == 2
    assert together.fits[0].is_penalised


def test_pools_by_comparison_are_numbered_by_their_lowest_item() -> None:
    answers = random_clicking(np.array([[7, 5], [1, 4], [5, 2], [0, 8]]), [1, 2, 1, 0], seed=1)

    assert pools_by_comparison(answers).tolist() == [-1, 0, 1, -1, 0, 1, -1, 1, -1]


def test_a_tuple_of_two_pools_is_refused() -> None:
    answers = random_clicking(np.array([[0, 1], [1, 2]]), 1, seed=1)

    with pytest.raises(ValueError, match="tuple 1 shows items of several pools"):
        pool_of_tuples(answers, np.array([0, 0, 1]))
    with pytest.raises(ValueError, match=r"pool has shape \(2,\), but there are 3 items"):
        rank(answers, model="pairs", pool=np.array([0, 0]))


def test_a_tuple_without_answers_may_reach_into_several_pools() -> None:
    answers = random_clicking(np.array([[0, 1], [2, 3], [1, 2]]), [3, 3, 0], seed=1)

    ranking = rank(answers, model="maxdiff")

    assert ranking.pool.tolist() == [0, 0, 1, 1]
    assert [fit.n_items for fit in ranking.fits] == [2, 2]


def test_unknown_models_and_ridges_are_refused() -> None:
    with pytest.raises(ValueError, match="model must be one of pairs, maxdiff, not 'elo'"):
        rank(noisy(), model="elo")
    with pytest.raises(ValueError, match="ridge must be a number above 0, not 0"):
        rank(noisy(), model="pairs", ridge=0)


@pytest.mark.parametrize("model", MODELS)
def test_what_does_not_converge_raises(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newton, "MAX_ITERATIONS", 2)

    with pytest.raises(NotConvergedError, match="did not converge in 2 iterations"):
        rank(noisy(), model=model)


def chain(n_items: int) -> BestWorst:
    """Each item wins two of three against the next: far ends are hardly connected."""
    tuples = np.column_stack([np.arange(n_items - 1), np.arange(1, n_items)])
    tuple_number = np.repeat(np.arange(n_items - 1), 3)
    slot = np.tile([0, 0, 1], n_items - 1)
    best, worst = tuples[tuple_number, slot], tuples[tuple_number, 1 - slot]
    return BestWorst(tuples, tuple_number, best, worst, n_items)


def sparsely(answers: BestWorst, model: Model) -> ranking.Ranking:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newton, "MAX_DENSE_ITEMS", 0)
        return rank(answers, model=model)


def assert_the_same_but_for_errors(sparse: ranking.Ranking, dense: ranking.Ranking) -> None:
    np.testing.assert_allclose(sparse.utilities, dense.utilities, rtol=0, atol=1e-6)
    assert np.isnan(sparse.standard_errors).all()
    for one, other in zip(sparse.fits, dense.fits, strict=True):
        assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-9)
        assert (one.ridge, one.n_strong_components) == (other.ridge, other.n_strong_components)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("answers", [noisy(), noisy(n_answers=40, seed=3), chain(300)])
def test_sparse_matrices_lead_to_the_same_maximum(answers: BestWorst, model: Model) -> None:
    assert_the_same_but_for_errors(sparsely(answers, model), rank(answers, model=model))


@pytest.mark.parametrize("model", MODELS)
def test_sparse_matrices_are_penalised_alike(model: Model, published) -> None:
    dense = rank(published.answers, model=model)

    sparse = sparsely(published.answers, model)

    assert 0 < sum(fit.is_penalised for fit in dense.fits) < 60
    assert_the_same_but_for_errors(sparse, dense)
    first = sparse.fits[0]
    assert first.note.endswith("they need the inverse of a matrix of 5 x 5.")
    assert first.note.startswith("Penalised: the directed") == first.is_penalised
    assert not first.as_dict()["has_standard_errors"]


@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.sampled_from(MODELS))
def test_any_answers_have_the_same_maximum_either_way(answers: BestWorst, model: Model) -> None:
    assert_the_same_but_for_errors(sparsely(answers, model), rank(answers, model=model))


@pytest.mark.parametrize("model", MODELS)
def test_a_large_pool_is_fitted_without_a_matrix_of_its_pairs(model: Model) -> None:
    n_items = newton.MAX_DENSE_ITEMS + 1
    answers = random_clicking(
        np.asarray(make_tuples(n_items, size=4, factor=2, seed=1)), 5, seed=1
    )
    rank(noisy(), model=model)  # what it imports is not counted

    tracemalloc.start()
    result = rank(answers, model=model)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert most < 8 * n_items**2
    assert result.fits[0].note == (
        "Standard errors are not computed for pools of more than 2,000 items: they need the "
        "inverse of a matrix of 2,001 x 2,001."
    )
    assert np.isnan(result.standard_errors).all()
    assert 0 < np.abs(result.utilities).max() < 5


def test_a_pool_at_the_limit_has_standard_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newton, "MAX_DENSE_ITEMS", 7)

    result = rank(noisy(), model="pairs")

    assert np.isfinite(result.standard_errors).all()
    assert result.fits[0].has_standard_errors
    assert result.fits[0].note is None


def test_conjugate_gradients_that_fail_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newton, "MAX_DENSE_ITEMS", 0)
    monkeypatch.setattr("scipy.sparse.linalg.cg", lambda a, b, **options: (b, 70))

    with pytest.raises(NotConvergedError, match="7 items: conjugate gradients did not converge"):
        rank(noisy(), model="pairs")
