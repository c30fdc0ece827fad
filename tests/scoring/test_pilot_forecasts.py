"""What a pilot leaves open of the study that it is for: its people, its pools, the latents."""

import json
from itertools import combinations

import numpy as np
import pytest

from benchmarks.coverage.best_worst import Model, Study, drawn_items, drawn_people, drawn_study
from benchmarks.coverage.engine import Cell
from scoring import BestWorst, Latents, estimate_noise, expected_agreement, forecast
from scoring.forecasts import noise
from scoring.forecasts.labels import estimate_label_error, label_forecast
from scoring.forecasts.own_shape import signals
from scoring.forecasts.pilots import agreement_of
from scoring.labels.labels import Labels

ALL_TRIPLES = np.array(list(combinations(range(5), 3)))


def pilot(model: Model, cell: Cell, *, seed: int) -> Study:
    rng = np.random.default_rng([17, seed])
    return drawn_study(model, drawn_items(model, cell, rng), drawn_people(model, cell, rng), rng)


def share_of_equal_pairs(study: BestWorst, rows: np.ndarray) -> float:
    """By the definition: each pair of answers to one tuple, best and worst."""
    equal = total = 0
    for i, j in combinations(np.flatnonzero(rows), 2):
        if study.tuple_number[i] == study.tuple_number[j]:
            equal += int(study.best[i] == study.best[j]) + int(study.worst[i] == study.worst[j])
            total += 2
    return equal / total


def test_the_variance_is_over_pools_and_twice_over_people_but_not_their_single_answers() -> None:
    study = pilot(Model(clickers=0.3), Cell(6, 8), seed=1)
    answers = study.answers
    person, pool = answers.annotator, study.pool[answers.tuples[answers.tuple_number, 0]]
    assert person is not None

    def without(is_out: np.ndarray) -> float:
        return share_of_equal_pairs(answers, ~is_out)

    over_pools = np.array([without(pool == g) for g in range(6)])
    over_people = np.array([without(person == p) for p in range(8)])
    blocks = np.array([[without((person == p) & (pool == g)) for g in range(6)] for p in range(8)])
    rest = blocks - blocks.mean(0) - blocks.mean(1, keepdims=True) + blocks.mean()
    of_answers = 48 / 35 * (rest**2).sum()
    expected = 5 * over_pools.var(), 7 * over_people.var() - of_answers

    unit = np.concatenate([answers.tuple_number, answers.tuple_number + answers.n_tuples])
    of_unit = np.tile(study.pool[answers.tuples[:, 0]], 2)
    agreement = agreement_of(
        unit,
        np.concatenate([answers.slots("best"), answers.slots("worst")]),
        np.tile(person, 2),
        n_values=3,
        lacks=of_unit == np.arange(6)[:, None],
        column=of_unit,
        rng=np.random.default_rng(1),
    )

    assert agreement.value == pytest.approx(without(np.zeros(len(person), dtype=bool)))
    np.testing.assert_allclose(agreement.without_units, over_pools)
    # Student's variables with 5 and 7 degrees of freedom have variances of 5/3 and 7/5.
    variance = expected[0] * 5 / 3 + 2 * expected[1] * 7 / 5
    assert np.median(agreement.draws) == pytest.approx(agreement.value)
    assert agreement.draws.var() == pytest.approx(variance, rel=0.2)


@pytest.mark.slow
def test_careless_people_widen_the_range_and_so_do_few_pools() -> None:
    widths = {}
    for name, model, cell in (
        ("alike", Model(), Cell(12, 30)),
        ("clickers", Model(clickers=0.3), Cell(12, 30)),
        ("few pools", Model(), Cell(6, 30)),
    ):
        logs = []
        for seed in range(8):
            answers = pilot(model, cell, seed=seed).answers
            estimate = estimate_noise(answers, rng=np.random.default_rng(seed))
            logs.append(np.log(estimate.high / estimate.low))
        widths[name] = np.median(logs)

    assert widths["clickers"] > 1.3 * widths["alike"]
    assert widths["few pools"] > 1.2 * widths["alike"]


@pytest.mark.slow
def test_what_the_draws_leave_out_is_said() -> None:
    study = pilot(Model(clickers=0.3), Cell(6, 8), seed=1).answers
    nameless = BestWorst(study.tuples, study.tuple_number, study.best, study.worst, study.n_items)
    few = study.of_tuples(study.tuples.max(axis=1) < 15)

    whole, without_names, of_three_pools = (
        estimate_noise(answers, rng=np.random.default_rng(1)) for answers in (study, nameless, few)
    )

    assert whole.note is None
    assert "how people differ" in str(without_names.note)
    assert "how items differ" in str(of_three_pools.note)
    assert without_names.high - without_names.low < whole.high - whole.low


def test_draws_of_a_pilot_include_careless_people(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pilot(Model(), Cell(6, 8), seed=1).answers
    nameless = BestWorst(whole.tuples, whole.tuple_number, whole.best, whole.worst, whole.n_items)

    def draws(answers: BestWorst, share: float) -> np.ndarray:
        monkeypatch.setattr(
            noise,
            "unseen_careless_shares",
            lambda _person, *, n_draws, rng: np.full(n_draws, share),
        )
        return estimate_noise(answers, rng=np.random.default_rng(1)).draws

    assert (draws(whole, 0.3) >= draws(whole, 0.0)).all()
    assert np.median(draws(whole, 0.3)) > 1.2 * np.median(draws(whole, 0.0))
    # Where everybody clicks, noise is nearly as great as is looked for.
    assert draws(whole, 1.0).min() > 4
    # Where it is not known who answered, nothing tells how many people a share is of.
    assert draws(nameless, 0.3) == pytest.approx(draws(nameless, 0.0))


def test_a_forecast_from_a_pilot_is_wider_by_what_the_pilot_leaves_open() -> None:
    tuples = (ALL_TRIPLES + 5 * np.arange(20)[:, None, None]).reshape(-1, 3)
    draws = np.array([0.1, 0.3, 0.9])
    asked = {"n_items": 100, "n_answers": [4], "n_studies": 40}

    of_one = forecast(tuples, noise=0.3, rng=np.random.default_rng(1), **asked)
    of_pilot = forecast(tuples, noise=draws, rng=np.random.default_rng(1), **asked)

    assert of_pilot.noise == 0.3
    assert of_pilot.pearson.low[0] < of_one.pearson.low[0] - 0.2
    assert of_pilot.pearson.high[0] > of_one.pearson.high[0] + 0.05
    # Evenly spaced, so that few studies stand for all draws.
    np.testing.assert_allclose(of_pilot.noises, np.quantile(draws, (np.arange(40) + 0.5) / 40))


def labelled(errors: np.ndarray, n_units: int, *, seed: int) -> Labels:
    """Three labels of each unit, of three categories, by people with these shares of errors."""
    rng = np.random.default_rng([23, seed])
    person = np.array([rng.choice(len(errors), 3, replace=False) for _unit in range(n_units)])
    true = rng.integers(3, size=(n_units, 1))
    is_wrong = rng.random(person.shape) < errors[person]
    label = (true + is_wrong * rng.integers(1, 3, size=person.shape)) % 3
    unit = np.repeat(np.arange(n_units), 3)
    return Labels(person.ravel(), unit, np.eye(3, dtype=bool)[label.ravel()], len(errors), n_units)


def test_careless_people_widen_what_a_pilot_of_labels_leaves_open() -> None:
    alike, different = np.full(10, 0.2), np.array([0.05] * 8 + [0.6] * 2)

    widths, ranges = [], []
    for errors in (alike, different):
        found = estimate_label_error(labelled(errors, 150, seed=1), rng=np.random.default_rng(1))
        assert found.drawn_shares is not None
        forecast = label_forecast(
            found.drawn_shares,
            error=found.draws,
            estimated=found.value,
            n_units=150,
            n_labels=[3],
            n_studies=40,
            rng=np.random.default_rng(2),
        )
        widths.append(found.high - found.low)
        ranges.append(forecast.alpha.high[0] - forecast.alpha.low[0])
        assert forecast.error == found.value

    assert widths[1] > 2 * widths[0]
    assert ranges[1] > 1.5 * ranges[0]


@pytest.mark.parametrize("concentration", [0.2, 0.45, 1.0, 2.5, np.inf])
def test_latents_of_all_shapes_have_the_mean_and_the_spread_of_uniform_ones(
    concentration: float,
) -> None:
    latent = Latents(concentration).draw(200_000, np.random.default_rng(3))

    assert latent.mean() == pytest.approx(0.5, abs=0.003)
    assert latent.std() == pytest.approx(12**-0.5, rel=0.01)


def test_bimodal_latents_are_at_the_ends_and_normal_ones_in_the_middle() -> None:
    kurtosis = {}
    for name in ("bimodal", "uniform", "normal"):
        latent = Latents.of(name).draw(100_000, np.random.default_rng(3))
        kurtosis[name] = ((latent - 0.5) ** 4).mean() * 144

    assert kurtosis["bimodal"] < 1.3
    assert kurtosis["uniform"] == pytest.approx(1.8, abs=0.05)
    assert kurtosis["normal"] == pytest.approx(3.0, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "bimodal"])
def test_the_agreement_of_the_pilot_is_met_at_the_chosen_shape(shape: str) -> None:
    answers = pilot(Model(noise=0.15), Cell(12, 30), seed=4).answers

    estimate = estimate_noise(answers, shape=shape, rng=np.random.default_rng(1))

    (agreed,) = expected_agreement(
        answers.tuples,
        [estimate.value],
        latents=Latents.of(shape),
        rng=np.random.default_rng(2),
    )
    assert agreed == pytest.approx(estimate.agreement, abs=0.01)


@pytest.mark.slow
def test_the_signal_is_the_mean_square_of_scores_without_error() -> None:
    rng = np.random.default_rng(5)
    # Six tuples of three items, with fixed chances of each pick.
    tuples = np.array([[0, 1, 2], [2, 3, 4], [0, 3, 4], [1, 2, 4], [0, 1, 3], [1, 3, 4]])
    chances = rng.dirichlet(np.ones(6), size=6)
    picks = np.array([(b, w) for b in range(3) for w in range(3) if b != w])
    points = np.zeros((6, 3))
    for t in range(6):
        for chance, (b, w) in zip(chances[t], picks, strict=True):
            points[t, b] += chance
            points[t, w] -= chance
    true = [points[tuples == item].mean() ** 2 for item in range(5)]

    found = []
    number = np.repeat(np.arange(6), 3)
    for _study in range(3000):
        drawn = np.array([rng.choice(6, p=chances[t]) for t in number])
        best, worst = (tuples[number, picks[drawn, column]] for column in (0, 1))
        answers = BestWorst(tuples, number, best, worst, 5)
        found.append(signals(answers, np.zeros((1, 6), dtype=bool))[0])

    assert np.mean(found) == pytest.approx(np.mean(true), abs=0.004)


@pytest.mark.slow
def test_the_pilots_own_shape_is_told_where_people_agree_and_else_uniform() -> None:
    def own(model: Model, seed: int) -> float:
        answers = pilot(model, Cell(60, 30), seed=seed).answers
        estimate = estimate_noise(answers, shape="pilot", rng=np.random.default_rng(seed))
        return estimate.latents.concentration

    # Two tight clusters, and noise so small that the order within them hardly shows.
    assert own(Model(noise=0.08, shape="bimodal"), 1) < 1
    assert own(Model(noise=0.6), 2) == 1


def test_a_pilot_that_may_be_random_clicking_has_a_forecast() -> None:
    prediction = forecast(
        ALL_TRIPLES,
        n_items=5,
        noise=np.array([1.0, np.inf, np.inf]),
        n_answers=[2],
        n_studies=4,
        rng=np.random.default_rng(1),
    )

    assert np.isfinite(prediction.pearson.mean).all()
    assert json.dumps(prediction.as_dict(), allow_nan=False)
