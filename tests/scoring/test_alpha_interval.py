import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import BestWorst, alpha
from scoring.best_worst import agreement_interval
from scoring.best_worst.agreement import Coding, On, nominal_disagreement, units_and_values
from scoring.best_worst.agreement_interval import Cluster, alpha_interval
from tests.scoring.batches import batches, dialogue_tuples, oracle, random_clicking, relabelled

QUESTIONS: list[On] = ["best", "worst", "stacked", "joint"]
CODINGS: list[Coding] = ["slot", "item", "uniform"]


def lopsided() -> BestWorst:
    """Two pools of three and two tuples, with 1 to 6 answers each."""
    tuples = np.array([[0, 1, 2], [2, 1, 3], [3, 0, 1], [4, 5, 6], [6, 7, 4], [5, 4, 7]])
    return random_clicking(tuples, np.array([6, 2, 4, 3, 1, 2]), seed=5)


def draws(g: int, *, n: int, seed: int) -> np.ndarray:
    """The clusters that the generator of this seed draws, (n, g)."""
    return np.random.default_rng(seed).integers(g, size=(n, g), dtype=np.uint8)


def resampled_alphas(
    answers: BestWorst, *, on: On, coding: Coding, resample: Cluster, n: int, seed: int
) -> list[float]:
    """The definition in plain loops: the same draws, each made into units and values anew."""
    paired = answers.of_judgments(answers.answers_per_tuple()[answers.tuple_number] >= 2)
    units, values = units_and_values(paired, on=on, by_item=coding == "item")
    pool_of_tuple = (answers.tuples[:, 0] >= 4).astype(int)
    of_tuple = pool_of_tuple if resample == "pools" else np.arange(answers.n_tuples)
    cluster_of_unit = of_tuple[units % answers.n_tuples]
    clusters = np.unique(cluster_of_unit)
    results = []
    for drawn in draws(len(clusters), n=n, seed=seed):
        new_units, new_values = [], []
        for copy, cluster in enumerate(clusters[drawn]):
            mine = cluster_of_unit == cluster
            new_units.append(units[mine] + 1000 * copy)
            new_values.append(values[mine])
        observed, expected = nominal_disagreement(
            np.concatenate(new_units), np.concatenate(new_values)
        )
        if coding == "uniform":
            expected = 5 / 6 if on == "joint" else 2 / 3
        results.append(1 - observed / expected if expected else np.nan)
    return results


@pytest.mark.parametrize("on", QUESTIONS)
@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("resample", ["tuples", "pools"])
def test_each_resample_has_the_alpha_of_its_clusters(
    on: On, coding: Coding, resample: Cluster
) -> None:
    interval = alpha_interval(
        lopsided(),
        on=on,
        coding=coding,
        resample=resample,
        n_resamples=60,
        rng=np.random.default_rng(3),
    )

    naive = resampled_alphas(lopsided(), on=on, coding=coding, resample=resample, n=60, seed=3)
    np.testing.assert_allclose(interval.values, naive, atol=1e-12)
    defined = interval.values[~np.isnan(interval.values)]
    assert [interval.low, interval.high] == pytest.approx(
        np.percentile(defined, [2.5, 97.5]).tolist()
    )
    assert interval.n_clusters == (2 if resample == "pools" else 5)
    assert interval.n_undefined == 60 - len(defined)


@pytest.mark.parametrize("on", QUESTIONS)
def test_many_categories_take_the_sparse_way_to_the_same_figures(
    on: On, monkeypatch: pytest.MonkeyPatch
) -> None:
    def values() -> np.ndarray:
        rng = np.random.default_rng(1)
        return alpha_interval(lopsided(), on=on, coding="item", n_resamples=50, rng=rng).values

    dense = values()
    monkeypatch.setattr(agreement_interval, "DENSE_CATEGORIES", 0)

    np.testing.assert_allclose(values(), dense, atol=1e-12)


def test_it_is_what_calling_the_package_on_each_resample_gives() -> None:
    rng = np.random.default_rng(1)
    tuples = dialogue_tuples(6, rng=rng)
    answers = random_clicking(tuples, 4, seed=2)
    by_tuple = answers.slots("best").reshape(60, 4)

    interval = alpha_interval(
        answers, on="best", coding="slot", n_resamples=40, rng=np.random.default_rng(7)
    )

    by_package = [
        krippendorff.alpha(by_tuple[rows].T, level_of_measurement="nominal")
        for rows in draws(60, n=40, seed=7)
    ]
    np.testing.assert_allclose(interval.values, by_package, atol=1e-12)


def test_chunks_cover_all_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement_interval, "CELLS_AT_ONCE", 12)

    interval = alpha_interval(
        lopsided(), on="joint", coding="slot", n_resamples=7, rng=np.random.default_rng(1)
    )

    assert len(interval.values) == interval.n_resamples == 7
    assert np.isfinite(interval.values).all()


def test_published_alphas_lie_within_their_intervals(published) -> None:
    by_tuples, by_pools = (
        alpha_interval(
            published.answers,
            on="joint",
            coding="slot",
            resample=resample,
            rng=np.random.default_rng(1),
        )
        for resample in ("tuples", "pools")
    )

    for interval in (by_tuples, by_pools):
        assert interval.low < published.expected["alpha"]["joint slot"] < interval.high
        assert interval.n_undefined == 0
    # The tuples of a dialogue go together: some dialogues are easier than others.
    assert by_pools.high - by_pools.low > by_tuples.high - by_tuples.low
    assert (by_tuples.n_clusters, by_pools.n_clusters) == (600, 60)


def test_it_covers_no_agreement_about_as_often_as_it_says() -> None:
    tuples = dialogue_tuples(20, rng=np.random.default_rng(1))
    covers = []
    for seed in range(120):
        interval = alpha_interval(
            random_clicking(tuples, 3, seed=seed),
            on="best",
            coding="uniform",
            n_resamples=200,
            rng=np.random.default_rng(seed),
        )
        covers.append(interval.low <= 0 <= interval.high)

    assert 0.88 <= np.mean(covers) <= 0.99


@settings(max_examples=50, deadline=None)
@given(batches(), st.sampled_from(QUESTIONS), st.sampled_from(CODINGS), st.data())
def test_bounded_blind_to_labels_or_with_a_reason(
    answers: BestWorst, on: On, coding: Coding, data: st.DataObject
) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    one, other = (
        alpha_interval(batch, on=on, coding=coding, n_resamples=9, rng=np.random.default_rng(1))
        for batch in (answers, relabelled(answers, new_number))
    )

    np.testing.assert_allclose(one.values, other.values, atol=1e-12)
    assert (one.values[~np.isnan(one.values)] <= 1).all()
    assert np.isnan(one.low) == (one.reason is not None)
    if alpha(answers, on=on, coding=coding).reason:
        assert one.reason == alpha(answers, on=on, coding=coding).reason


def test_perfect_agreement_has_no_width() -> None:
    tuples = dialogue_tuples(3, rng=np.random.default_rng(1))
    answers = oracle(tuples, np.random.default_rng(2).random(15), n_answers=3)

    interval = alpha_interval(
        answers, on="joint", coding="slot", n_resamples=100, rng=np.random.default_rng(1)
    )

    assert (interval.low, interval.high) == (1, 1)


def test_one_cluster_says_nothing_about_others() -> None:
    answers = random_clicking(np.array([[0, 1, 2], [1, 2, 3]]), 4, seed=1)

    interval = alpha_interval(
        answers, on="best", coding="slot", resample="pools", rng=np.random.default_rng(1)
    )

    assert interval.reason.startswith("there is only one of the pools to draw from")
    assert interval.as_dict()["low"] is None
    assert interval.n_clusters == 1


def test_pools_can_be_given() -> None:
    interval = alpha_interval(
        lopsided(),
        on="best",
        coding="slot",
        resample="pools",
        pool=np.zeros(8, int),
        rng=np.random.default_rng(1),
    )

    assert interval.n_clusters == 1


def test_unknown_variants_are_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="resample must be one of tuples, pools, not 'items'"):
        alpha_interval(lopsided(), on="best", coding="slot", resample="items", rng=rng)
    with pytest.raises(ValueError, match="n_resamples must be at least 1, not 0"):
        alpha_interval(lopsided(), on="best", coding="slot", n_resamples=0, rng=rng)
    with pytest.raises(ValueError, match="on must be one of"):
        alpha_interval(lopsided(), on="both", coding="slot", rng=rng)
