"""Forecasts of studies of ratings and of labels, against what such studies then report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import intraclass_correlation, label_alpha, rating_alpha
from scoring.forecasts.labels import LabelForecast, estimate_label_error, label_forecast
from scoring.forecasts.labels import _figures as label_figures
from scoring.forecasts.rating_noise import RatingNoise, estimate_rating_noise, expected_distances
from scoring.forecasts.ratings import _figures as rating_figures
from scoring.forecasts.ratings import rating_forecast
from scoring.labels.labels import count_labels
from scoring.ratings.ratings import Ratings
from tests.scoring.label_batches import labels_of_codes
from tests.scoring.rating_batches import ratings_of_table

# Noise, spread, mean, steps: ends and few points tell.
CASES_APART = [(0.2, 0.29, 0.5, 6), (0.5, 0.29, 0.5, 6), (0.1, 0.2, 0.15, 4), (0.05, 0.3, 0.5, 2)]


def rated(noise: RatingNoise, n: int, k: int, rng: np.random.Generator, step=1.0) -> Ratings:
    """A study on a scale of 0 to 6, simulated rating by rating."""
    values = []
    for true in noise.true_values(n, rng):
        for _rating in range(k):
            seen = true * 6 + rng.normal() * noise.noise * 6
            values.append(min(max(round(seen / step) * step, 0.0), 6.0))
    unit = np.repeat(np.arange(n), k)
    return Ratings(
        np.tile(np.arange(k), n), unit, np.array(values), k, n, low=0, high=6, step=step
    )


def labelled(error: float, shares: list[float], n: int, k: int, rng: np.random.Generator):
    c = len(shares)
    true = rng.choice(c, size=n, p=shares)
    table = [
        [
            t if rng.random() >= error else rng.choice([o for o in range(c) if o != t])
            for _label in range(k)
        ]
        for t in true
    ]
    return labels_of_codes(np.array(table), n_categories=c), true


@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 10**6))
def test_figures_of_ratings_are_those_of_a_study(n: int, k: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 7, size=(n, k)).astype(float)
    ratings = ratings_of_table(table.T, low=0, high=6)
    icc, alpha, margin = rating_figures(table)
    stored = intraclass_correlation(ratings, kind="1,k")
    if stored.reason is None:
        assert icc == pytest.approx(stored.value, abs=1e-9)
    of_alpha = rating_alpha(ratings, level="interval")
    if of_alpha.reason is None:
        assert alpha == pytest.approx(of_alpha.value, abs=1e-9)
    within = table.var(axis=1, ddof=1).mean()
    assert margin == pytest.approx(1.959963984540054 * np.sqrt(within / k))


@pytest.mark.slow
@given(st.integers(2, 12), st.integers(2, 5), st.integers(2, 4), st.integers(0, 10**6))
def test_figures_of_labels_are_those_of_a_study(n: int, k: int, c: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, true = rng.integers(0, c, size=(n, k)), rng.integers(0, c, size=n)
    alpha, right = label_figures(table, true, c)
    labels = labels_of_codes(table, n_categories=c)
    stored = label_alpha(labels, distance="nominal")
    if stored.reason is None:
        assert alpha == pytest.approx(stored.value, abs=1e-9)
    mode = count_labels(labels).mode
    assert right == pytest.approx(np.mean([mode[u, t] for u, t in enumerate(true)]))


def test_the_range_holds_what_ratings_come_to() -> None:
    noise = RatingNoise(0.2, spread=0.2, mean=0.4)
    found = rating_forecast(
        noise, n_units=60, low=0, high=6, step=1, n_ratings=[1, 5], rng=np.random.default_rng(1)
    )
    assert np.isnan(found.icc.mean[0])
    rng = np.random.default_rng(2)
    outcomes = [
        intraclass_correlation(rated(noise, 60, 5, rng), kind="1,k").value for _study in range(100)
    ]
    inside = [found.icc.low[1] <= one <= found.icc.high[1] for one in outcomes]
    assert sum(inside) >= 88
    assert np.mean(outcomes) == pytest.approx(found.icc.mean[1], abs=0.02)


@pytest.mark.parametrize(("noise", "spread", "mean", "n_steps"), CASES_APART)
def test_two_ratings_are_as_far_apart_as_those_of_a_study(
    noise: float, spread: float, mean: float, n_steps: int
) -> None:
    rng = np.random.default_rng(17)
    weight = mean * (1 - mean) / spread**2 - 1
    true = rng.beta(mean * weight, (1 - mean) * weight, size=100_000)
    rated = np.rint((true + noise * rng.normal(size=(2, 100_000))) * n_steps).clip(0, n_steps)

    (nothing, found) = expected_distances([0, noise], spread=spread, mean=mean, n_steps=n_steps)

    assert nothing == 0
    assert found == pytest.approx(np.abs(rated[0] - rated[1]).mean() / n_steps, abs=0.006)


def test_without_ends_in_reach_they_are_as_far_apart_as_normal_errors() -> None:
    (found,) = expected_distances([0.05], spread=0.1, n_steps=1000)

    assert found == pytest.approx(0.05 * 2 / np.sqrt(np.pi), rel=0.03)


def test_the_range_holds_what_labels_come_to() -> None:
    shares = [0.5, 0.3, 0.2]
    found = label_forecast(
        np.array(shares), error=0.25, n_units=60, n_labels=[1, 5], rng=np.random.default_rng(1)
    )
    assert found.right.mean[0] == pytest.approx(0.75, abs=0.02)
    rng = np.random.default_rng(2)
    outcomes = [
        label_alpha(labelled(0.25, shares, 60, 5, rng)[0], distance="nominal").value
        for _study in range(100)
    ]
    inside = [found.alpha.low[1] <= one <= found.alpha.high[1] for one in outcomes]
    assert sum(inside) >= 88
    assert np.mean(outcomes) == pytest.approx(found.alpha.mean[1], abs=0.02)


@pytest.mark.parametrize("mean", [0.3, 0.5])
def test_the_noise_of_ratings_is_found_again(mean: float) -> None:
    noise = RatingNoise(0.15, spread=0.18, mean=mean)
    rng = np.random.default_rng(3)
    found = estimate_rating_noise(rated(noise, 600, 4, rng, step=0.5), rng=rng)
    assert found.value is not None
    assert found.low < found.value.noise < found.high
    assert found.value.noise == pytest.approx(0.15, abs=0.012)
    assert found.value.spread == pytest.approx(0.18, abs=0.015)
    assert found.value.mean == pytest.approx(mean, abs=0.02)


@pytest.mark.slow
def test_the_interval_of_noise_holds_it_on_a_coarse_scale_too() -> None:
    # Three points, nearly all ratings of an item equal: a few more or less are much noise.
    noise = RatingNoise(0.05, spread=0.3)
    rng = np.random.default_rng(8)
    found = [
        estimate_rating_noise(rated(noise, 200, 3, rng, step=3.0), rng=rng) for _study in range(8)
    ]
    assert sum(one.low <= 0.05 <= one.high for one in found) >= 7


def scaled(noise: RatingNoise, points: int | None, seed: int, *, n: int = 150, k: int = 3):
    """Ratings on so many points from 0 to 6; None: anywhere between."""
    rng = np.random.default_rng([51, seed])
    seen = noise.true_values(n, rng)[:, None] + noise.noise * rng.standard_normal((n, k))
    step = None if points is None else 6 / (points - 1)
    on_it = seen * 6 if step is None else np.rint(seen * (points - 1)) * step
    unit, rater = np.indices((n, k))
    return Ratings(
        rater.ravel(), unit.ravel(), np.clip(on_it, 0, 6).ravel(), k, n, low=0, high=6, step=step
    )


@pytest.mark.slow
@pytest.mark.parametrize("points", [3, 5, None])
def test_the_noise_is_right_on_scales_of_three_points_and_more(points: int | None) -> None:
    n_held = 0
    for noise in (RatingNoise(0.1, spread=0.25), RatingNoise(0.3, spread=0.25)):
        found = [
            estimate_rating_noise(scaled(noise, points, seed), rng=np.random.default_rng(seed))
            for seed in range(6)
        ]

        assert [one.reason for one in found] == [None] * 6
        mean = np.mean([one.value.noise for one in found if one.value])
        assert mean == pytest.approx(noise.noise, rel=0.1)
        n_held += sum(one.low <= noise.noise <= one.high for one in found)
    # Of twelve intervals of 95 % so few hold what they should in 1 of 400 such tests.
    assert n_held > 8


@pytest.mark.parametrize(
    ("noise", "points"),
    [
        (RatingNoise(0.1, spread=0.25), 2),
        (RatingNoise(0.3, spread=0.25), 2),
        (RatingNoise(0.15, spread=0.15, mean=0.3), 2),
        # Of three points hardly anybody takes the third: two are left.
        (RatingNoise(0.1, spread=0.05, mean=0.15), 3),
        # Everything is at the ends of a scale of seven.
        (RatingNoise(6.0, spread=0.45), 7),
    ],
)
def test_where_several_noises_fit_none_is_told(noise: RatingNoise, points: int) -> None:
    for seed in range(2):
        found = estimate_rating_noise(scaled(noise, points, seed), rng=np.random.default_rng(seed))

        assert found.value is None
        assert np.isnan([found.low, found.high]).all()
        assert "too few points of the scale" in (found.reason or "") or "no more than" in (
            found.reason or ""
        )


def test_two_studies_of_other_noises_look_alike_on_two_points() -> None:
    # Why none is told: items that differ much and are rated with much noise give as many equal
    # pairs of ratings as items that differ less and are rated with less.
    def moments(noise: RatingNoise) -> tuple[float, float]:
        value = scaled(noise, 2, 1, n=200_000, k=2).value.reshape(-1, 2) / 6
        return float(value.mean()), float((value[:, 0] == value[:, 1]).mean())

    little, much = RatingNoise(0.15, spread=0.15), RatingNoise(0.285, spread=0.27)

    assert moments(little) == pytest.approx(moments(much), abs=0.012)


def test_the_errors_of_labels_are_found_again() -> None:
    rng = np.random.default_rng(4)
    labels, _true = labelled(0.2, [0.6, 0.3, 0.1], 800, 3, rng)
    found = estimate_label_error(labels, rng=rng)
    assert found.low < 0.2 < found.high
    assert found.value == pytest.approx(0.2, abs=0.02)
    assert found.shares.sum() == pytest.approx(1)
    everybody = labels_of_codes([[0, 0], [1, 1]])
    # Complete agreement does not say that nobody ever errs.
    assert np.isnan(estimate_label_error(everybody, rng=rng).value)


def test_of_two_people_nobody_knows_how_much_people_differ() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=(100, 1)) + np.where(rng.random((100, 2)) < 0.1, 1, 0)

    assert estimate_label_error(labels_of_codes(codes % 3), rng=rng).note is not None
    more = np.hstack([codes, codes]) % 3
    assert estimate_label_error(labels_of_codes(more), rng=rng).note is None


def test_a_forecast_from_earlier_labels_is_what_such_a_study_comes_to() -> None:
    # Of the labels .22 name the rare category, which a tenth of the units belong to.
    rng = np.random.default_rng(7)
    labels, _true = labelled(0.15, [0.9, 0.1], 800, 5, rng)
    found = estimate_label_error(labels, rng=rng)
    assert found.shares == pytest.approx([0.9, 0.1], abs=0.03)
    forecast = label_forecast(
        found.shares, error=found.value, n_units=800, n_labels=[5], n_studies=30, rng=rng
    )
    reported = label_alpha(labels, distance="nominal").value
    assert forecast.alpha.mean[0] == pytest.approx(reported, abs=0.04)


def test_what_cannot_be_told_says_why() -> None:
    rng = np.random.default_rng(5)
    single = Ratings([0, 0], [0, 1], [1.0, 2.0], 1, 2, low=0, high=6)
    assert "fewer than two items" in (estimate_rating_noise(single, rng=rng).reason or "")
    alike = Ratings([0, 1, 0, 1], [0, 0, 1, 1], [0.0, 6.0, 6.0, 0.0], 2, 2, low=0, high=6)
    assert "no more than" in (estimate_rating_noise(alike, rng=rng).reason or "")
    assert "no item has two" in (
        estimate_label_error(labels_of_codes([[0, -1], [1, -1]]), rng=rng).reason or ""
    )
    assert "by chance" in (
        estimate_label_error(labels_of_codes([[0, 1], [1, 0]]), rng=rng).reason or ""
    )


def test_more_is_better_and_chance_is_nothing() -> None:
    rng = np.random.default_rng(6)
    ratings = rating_forecast(
        RatingNoise(0.2), n_units=100, low=0, high=6, step=1, n_ratings=[2, 4, 8], rng=rng
    )
    assert (np.diff(ratings.icc.mean) > 0).all()
    assert (np.diff(ratings.margin.mean) < 0).all()
    assert ratings.enough(0.8) == 2
    assert ratings.enough(0.999) is None
    labels: LabelForecast = label_forecast(
        np.array([0.5, 0.5]), error=0.5, n_units=200, n_labels=[3, 9], rng=rng
    )
    assert np.abs(labels.alpha.mean).max() < 0.02
    assert labels.enough(0.9) is None
    with pytest.raises(ValueError, match="spread must be"):
        RatingNoise(0.1, spread=0.5)
    with pytest.raises(ValueError, match=r"between 0 and 0\.5"):
        label_forecast(np.array([0.5, 0.5]), error=0.6, n_units=2, n_labels=[2], rng=rng)


def test_what_a_pilot_of_ratings_leaves_open_widens_the_range() -> None:
    rng = np.random.default_rng(9)
    pilot = estimate_rating_noise(rated(RatingNoise(0.2), 30, 4, rng, step=1.0), rng=rng)
    assert pilot.value is not None
    options = {"n_units": 200, "low": 0, "high": 6, "step": 1, "n_ratings": [4], "n_studies": 60}

    certain = rating_forecast(pilot.value, **options, rng=np.random.default_rng(1))
    open_ = rating_forecast(
        pilot.value, draws=pilot.draws, **options, rng=np.random.default_rng(1)
    )

    width = certain.icc.high - certain.icc.low
    assert (open_.icc.high - open_.icc.low > 1.5 * width).all()
    assert open_.icc.low < certain.icc.mean < open_.icc.high
