"""What a pilot leaves open of a study with other people, some of whom may be careless."""

from collections.abc import Callable

import numpy as np
import pytest

from scoring import label_alpha
from scoring.forecasts import labels as label_forecasts
from scoring.forecasts import rating_moments
from scoring.forecasts.labels import estimate_label_error, label_forecast
from scoring.forecasts.other_people import drawn_errors, unseen_careless_shares
from scoring.forecasts.rating_moments import drawn_moments, moments_of
from scoring.forecasts.rating_noise import RatingNoise, estimate_rating_noise
from scoring.forecasts.ratings import rating_forecast
from scoring.labels.labels import Labels
from scoring.ratings.intraclass import intraclass_correlation
from scoring.ratings.ratings import Ratings

Shares = Callable[..., np.ndarray]


def rated(n_careless: int, *, n_people: int, n_units: int, rng: np.random.Generator) -> Ratings:
    """Five ratings from 0 to 6 of each unit, some of them by people who choose at random."""
    person = rng.permuted(np.tile(np.arange(n_people), (n_units, 1)), axis=1)[:, :5]
    value = 6 * rng.random((n_units, 1)) + rng.normal(size=person.shape)
    value = np.where(person < n_careless, rng.integers(7, size=person.shape), np.rint(value))
    unit = np.repeat(np.arange(n_units), 5)
    value = np.clip(value, 0, 6).ravel()
    return Ratings(person.ravel(), unit, value, n_people, n_units, low=0, high=6, step=1)


def labelled(
    shares: list[float], error: float, *, n_people: int, n_units: int, rng: np.random.Generator
) -> Labels:
    """Five labels of each unit by people who are all alike."""
    c = len(shares)
    person = rng.permuted(np.tile(np.arange(n_people), (n_units, 1)), axis=1)[:, :5]
    true = rng.choice(c, size=(n_units, 1), p=shares)
    is_wrong = rng.random(person.shape) < error
    label = (true + is_wrong * rng.integers(1, c, size=person.shape)) % c
    unit = np.repeat(np.arange(n_units), 5)
    return Labels(person.ravel(), unit, np.eye(c, dtype=bool)[label.ravel()], n_people, n_units)


def always(share: float) -> Shares:
    """In place of `unseen_careless_shares`: always the same share."""
    return lambda _person, *, n_draws, rng: np.full(n_draws, share)


def test_figures_of_a_pilot_are_drawn_as_units_once_and_people_twice_differ() -> None:
    rng = np.random.default_rng(6)
    # Each person has a level of their own.
    unit, person = (number.ravel() for number in np.indices((40, 8)))
    value = np.clip(rng.uniform(size=40)[unit] + 0.2 * rng.normal(size=8)[person], 0, 1)
    value = np.clip(value + 0.1 * rng.normal(size=320), 0, 1)

    def line(rows: np.ndarray) -> np.ndarray:
        moments = moments_of(unit[rows], value[rows])
        assert moments is not None
        return moments.on_a_line

    errors, has_people = drawn_errors(line, unit, person, n_draws=40_000, rng=rng)

    def variance(group: np.ndarray, g: int) -> np.ndarray:
        return (g - 1) * np.var([line(group != at) for at in range(g)], axis=0)

    assert has_people
    units, people = variance(unit, 40), variance(person, 8)
    assert errors.mean(axis=0) == pytest.approx(0, abs=1e-12)
    # Student's distribution with df degrees of freedom varies by df / (df - 2).
    drawn = errors.var(axis=0)
    assert (drawn >= units * 39 / 37 * 0.95).all()
    assert (drawn <= (units * 39 / 37 + 2 * people * 7 / 5) * 1.1).all()
    # Levels make nearly all of what the mean differs by between people.
    assert drawn[2] == pytest.approx(units[2] * 39 / 37 + 2 * people[2] * 7 / 5, rel=0.15)


def test_units_of_a_pool_that_resemble_one_another_say_less() -> None:
    rng = np.random.default_rng(3)
    n_pools, size, n_people = 12, 5, 8
    pool = np.repeat(np.arange(n_pools), size)
    unit, person = (number.ravel() for number in np.indices((n_pools * size, n_people)))
    level = rng.normal(size=n_pools)

    def spread(true: np.ndarray, pool: np.ndarray | None) -> float:
        value = true[unit] + 0.3 * np.random.default_rng(4).normal(size=len(unit))

        def mean(rows: np.ndarray) -> np.ndarray:
            return np.array([value[rows].mean()])

        of_answers = None if pool is None else pool[unit]
        errors, _has_people = drawn_errors(
            mean, unit, person, pool=of_answers, n_draws=20_000, rng=np.random.default_rng(5)
        )
        return float(errors.std())

    # The mean of 12 levels varies as 12 values do, not as 60.
    assert spread(level[pool], pool) == pytest.approx(
        level.std(ddof=1) / np.sqrt(n_pools) * np.sqrt(11 / 9), rel=0.05
    )
    assert spread(level[pool], pool) > 2 * spread(level[pool], None)
    # Of few pools there is nothing to tell.
    of_few = np.minimum(pool, 4)
    assert spread(level[pool], of_few) == spread(level[pool], None)


def test_few_pools_leave_open_no_noise_beyond_the_scale() -> None:
    rng = np.random.default_rng(4)
    unit, person = (number.ravel() for number in np.indices((6, 8)))
    value = np.clip(np.rint(6 * rng.random(6)[unit] + 1.5 * rng.normal(size=48)), 0, 6)
    pilot = Ratings(person, unit, value, 8, 6, low=0, high=6, step=1)

    estimate = estimate_rating_noise(pilot, pool=np.arange(6), rng=rng)

    assert estimate.value is not None
    # Without that, a draw of these had 11 times the scale.
    assert max(draw.noise for draw in estimate.draws) == 1


def test_a_pilot_names_a_pool_for_each_unit() -> None:
    rng = np.random.default_rng(1)
    ratings = rated(0, n_people=8, n_units=9, rng=rng)
    labels = labelled([0.7, 0.3], 0.1, n_people=8, n_units=9, rng=rng)
    too_few = np.array([1, 2])

    with pytest.raises(ValueError, match="pool has shape"):
        estimate_rating_noise(ratings, pool=too_few, rng=rng)
    with pytest.raises(ValueError, match="pool has shape"):
        estimate_label_error(labels, pool=too_few, rng=rng)


def test_the_fewer_people_a_pilot_has_the_more_others_may_be_careless() -> None:
    # Answers do not count, only people.
    few, many = np.repeat(np.arange(8), 30), np.repeat(np.arange(30), 8)
    shares = [
        unseen_careless_shares(person, n_draws=100_000, rng=np.random.default_rng(1))
        for person in (few, many)
    ]

    # In half of the draws 0, in the others from Beta(1, n + 1).
    assert [np.mean(draws > 0) for draws in shares] == [0.5, 0.5]
    assert [draws.mean() for draws in shares] == pytest.approx([1 / 20, 1 / 64], rel=0.03)
    assert [np.percentile(draws, 97.5) for draws in shares] == pytest.approx(
        [1 - 0.05 ** (1 / 9), 1 - 0.05 ** (1 / 31)], rel=0.03
    )


@pytest.mark.parametrize("n_careless", [1, 4])
def test_moments_with_random_ratings_are_those_of_such_people(n_careless: int) -> None:
    rng = np.random.default_rng(2)
    honest, mixed = (rated(n, n_people=20, n_units=20_000, rng=rng) for n in (0, n_careless))
    of_honest, of_mixed = (moments_of(r.unit, r.value / 6) for r in (honest, mixed))
    assert of_honest is not None
    assert of_mixed is not None

    expected = of_honest.with_random_ratings(n_careless / 20, 6)

    # Two ratings of an item come from two people, so pairs are drawn without replacement.
    assert expected.within == pytest.approx(of_mixed.within, rel=0.03)
    assert expected.component == pytest.approx(of_mixed.component, rel=0.03)
    assert expected.mean == pytest.approx(of_mixed.mean, abs=0.005)


def test_random_ratings_pull_the_mean_of_a_fine_scale_to_its_middle() -> None:
    moments = rating_moments.Moments(0.01, 0.02, 0.2)

    random = moments.with_random_ratings(1.0, None)

    assert (random.within, random.component, random.mean) == pytest.approx((1 / 12, 0, 0.5))
    assert moments.with_random_ratings(0.0, 6) == moments
    # Half of all ratings are random. Of two points, each is half the scale from the middle.
    half = moments.with_random_ratings(0.5, 1)
    assert half.within == pytest.approx(0.005 + 0.125 + 0.25 * (0.02 + 0.09))


def test_draws_of_ratings_include_careless_people(monkeypatch: pytest.MonkeyPatch) -> None:
    pilot = rated(0, n_people=8, n_units=30, rng=np.random.default_rng(3))

    def components(share: float) -> np.ndarray:
        monkeypatch.setattr(rating_moments, "unseen_careless_shares", always(share))
        drawn, _has_people = drawn_moments(
            pilot.unit,
            pilot.value / 6,
            pilot.annotator,
            n_steps=6,
            rng=np.random.default_rng(1),
        )
        return np.array([moments.component for moments in drawn])

    assert components(0.5) == pytest.approx(components(0) / 4)


def test_draws_of_label_errors_include_careless_people(monkeypatch: pytest.MonkeyPatch) -> None:
    pilot = labelled([0.5, 0.3, 0.2], 0.2, n_people=8, n_units=40, rng=np.random.default_rng(3))

    def draws(share: float) -> np.ndarray:
        monkeypatch.setattr(label_forecasts, "unseen_careless_shares", always(share))
        return estimate_label_error(pilot, rng=np.random.default_rng(1)).draws

    # A random label of three is wrong in two of three cases.
    assert draws(0.3) == pytest.approx(0.7 * draws(0) + 0.3 * 2 / 3)


def test_two_people_leave_out_who_may_be_careless() -> None:
    pilot = rated(0, n_people=8, n_units=30, rng=np.random.default_rng(4))
    # A person who is not known to be another one is none.
    draws, has_people = drawn_moments(
        pilot.unit, pilot.value / 6, pilot.annotator % 2, n_steps=6, rng=np.random.default_rng(1)
    )
    moments = moments_of(pilot.unit, pilot.value / 6)
    assert moments is not None

    assert not has_people
    lines = np.array([drawn.on_a_line for drawn in draws])
    assert lines.mean(axis=0) == pytest.approx(moments.on_a_line)


def test_eight_careful_people_do_not_rule_out_careless_ones() -> None:
    rng = np.random.default_rng(5)
    pilot, full = (
        rated(n_careless, n_people=n_people, n_units=n_units, rng=rng)
        for n_careless, n_people, n_units in ((0, 8, 60), (4, 30, 300))
    )
    estimate = estimate_rating_noise(pilot, rng=rng)
    assert estimate.value is not None
    icc = rating_forecast(
        estimate.value, draws=estimate.draws, n_units=300, low=0, high=6, step=1, n_ratings=[5],
        n_studies=200, rng=rng,
    ).icc  # fmt: skip

    assert icc.low[0] < intraclass_correlation(full, kind="1,k").value < icc.high[0]


def test_a_pilot_leaves_open_how_frequent_the_categories_are() -> None:
    rng = np.random.default_rng(6)
    pilot = labelled([0.7, 0.3], 0.03, n_people=12, n_units=40, rng=rng)

    estimate = estimate_label_error(pilot, rng=rng)

    assert estimate.drawn_shares is not None
    assert estimate.drawn_shares.sum(axis=1) == pytest.approx(1)
    assert np.median(estimate.drawn_shares, axis=0) == pytest.approx(estimate.shares, abs=0.01)
    # People hardly err, so it is the units that the shares differ by: a binomial distribution.
    share = estimate.shares[0]
    assert estimate.drawn_shares[:, 0].std() == pytest.approx(
        np.sqrt(share * (1 - share) / 40), rel=0.2
    )


def test_each_simulated_study_has_the_shares_of_its_draw() -> None:
    # One draw has errors and even shares, the other none of both.
    forecast = label_forecast(
        np.array([[0.5, 0.5], [1.0, 0.0]]),
        error=[0.2, 0.0],
        n_units=400,
        n_labels=[3],
        n_studies=2,
        rng=np.random.default_rng(1),
    )

    # Of units that are all of one category there is no alpha.
    assert np.isnan(forecast.alpha.values[0]).sum() == 1
    assert np.nanmax(forecast.alpha.values) == pytest.approx(0.36, abs=0.08)
    with pytest.raises(ValueError, match="2 shares of the categories do not fit 3 errors"):
        label_forecast(
            np.full((2, 2), 0.5),
            error=[0.1, 0.2, 0.3],
            n_units=9,
            n_labels=[2],
            rng=np.random.default_rng(1),
        )


def test_few_studies_have_draws_in_order_of_how_reliable_they_are() -> None:
    # Error and noise alone would put the draws into the opposite order.
    errors, shares = np.array([0.10, 0.12]), np.array([[0.95, 0.05], [0.5, 0.5]])
    draws = (RatingNoise(0.10, spread=0.05), RatingNoise(0.12, spread=0.25))
    rng = np.random.default_rng(1)

    alpha = label_forecast(
        shares, error=errors, n_units=3000, n_labels=[5], n_studies=2, rng=rng
    ).alpha
    icc = rating_forecast(
        draws[0], draws=draws, n_units=3000, low=0, high=6, step=1, n_ratings=[5], n_studies=2,
        rng=rng,
    ).icc  # fmt: skip

    for figure in (alpha, icc):
        assert figure.values[0, 0] > figure.values[0, 1] + 0.2


def test_the_forecast_at_the_errors_of_a_pilot_has_its_alpha() -> None:
    rng = np.random.default_rng(7)
    pilot = labelled([0.7, 0.2, 0.1], 0.15, n_people=20, n_units=2000, rng=rng)
    estimate = estimate_label_error(pilot, rng=rng)
    assert estimate.drawn_shares is not None

    alpha = label_forecast(
        estimate.drawn_shares, error=estimate.draws, n_units=2000, n_labels=[5], rng=rng
    ).alpha

    assert alpha.mean[0] == pytest.approx(label_alpha(pilot, distance="nominal").value, abs=0.03)
