"""Flags where several people are careless: they do not hide one another."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scoring import BestWorst, Flags, flags
from scoring.flags import label_flags, rating_flags
from scoring.flags.findings import adjusted
from scoring.flags.labels import agreement_in_pairs
from scoring.flags.rarity import p_outlying
from scoring.labels.labels import Labels
from scoring.ratings.ratings import Ratings

N_SEEDS, N_PEOPLE = 40, 18


def answers_of(
    rng: np.random.Generator, *, n_units: int, n_of_unit: int
) -> tuple[np.ndarray, np.ndarray]:
    """Who answers what: some people three times as much as others."""
    eagerness = rng.uniform(0.5, 1.5, size=N_PEOPLE)
    order = rng.exponential(size=(n_units, N_PEOPLE)) / eagerness
    people = np.argsort(order, axis=1)[:, :n_of_unit]
    return people.ravel(), np.repeat(np.arange(n_units), n_of_unit)


def best_worst(seed: int, n_clickers: int, ability: np.ndarray) -> Flags:
    """Forty tuples of four each; agreement of .75 to .9 with the others' scores."""
    rng = np.random.default_rng([31, n_clickers, seed])
    drawn = np.sort(np.argsort(rng.random((200, 90)), axis=1)[:, :4], axis=1)
    tuples = rng.permutation(np.unique(drawn, axis=0))[:180]
    person, number = answers_of(rng, n_units=180, n_of_unit=4)
    noise = np.interp(ability, [0.75, 0.9], [0.3, 0.1])
    seen = rng.uniform(size=90)[tuples[number]]
    seen = seen + noise[person, None] * rng.gumbel(size=seen.shape)
    is_random = person < n_clickers
    seen[is_random] = rng.random((int(is_random.sum()), 4))
    row = np.arange(len(person))
    best, worst = (tuples[number][row, at] for at in (seen.argmax(axis=1), seen.argmin(axis=1)))
    return flags(BestWorst(tuples, number, best, worst, 90, person))


def ratings(seed: int, n_clickers: int, ability: np.ndarray) -> Flags:
    """Sixty ratings each on a scale of 0 to 6, five of a unit; correlations of .75 to .9."""
    rng = np.random.default_rng([32, n_clickers, seed])
    person, unit = answers_of(rng, n_units=216, n_of_unit=5)
    noise = np.interp(ability, [0.75, 0.9], [1.5, 0.7])
    value = rng.uniform(0, 6, size=216)[unit] + noise[person] * rng.normal(size=len(unit))
    is_random = person < n_clickers
    value[is_random] = rng.uniform(-0.5, 6.5, size=int(is_random.sum()))
    value = np.clip(np.round(value), 0, 6)
    return rating_flags(Ratings(person, unit, value, N_PEOPLE, 216, low=0, high=6, step=1))


def labels(seed: int, n_clickers: int, ability: np.ndarray, n_of_unit: int = 5) -> Flags:
    """Sixty labels each of three categories, five of a unit; `ability` of them are right."""
    rng = np.random.default_rng([33, n_clickers, seed])
    n_units = 60 * N_PEOPLE // n_of_unit
    person, unit = answers_of(rng, n_units=n_units, n_of_unit=n_of_unit)
    wrong = rng.random(len(unit)) >= ability[person]
    code = (rng.integers(3, size=n_units)[unit] + wrong * rng.integers(1, 3, len(unit))) % 3
    code = np.where(person < n_clickers, rng.integers(3, size=len(unit)), code)
    chosen = code[:, None] == np.arange(3)
    return label_flags(Labels(person, unit, chosen, N_PEOPLE, n_units))


def three_labels(seed: int, n_clickers: int, ability: np.ndarray) -> Flags:
    """Three labels of a unit: who differs from the other two is seen."""
    return labels(seed, n_clickers, ability, n_of_unit=3)


def shares(
    study: Callable[..., Flags], n_clickers: int, ability: Callable[[int], np.ndarray]
) -> tuple[float, float]:
    """Of N_SEEDS studies the share of the clickers that is flagged, and of the others."""
    flagged = [
        {flag.annotator for flag in study(seed, n_clickers, ability(seed)).flags}
        for seed in range(N_SEEDS)
    ]
    n_found = sum(len(people & set(range(n_clickers))) for people in flagged)
    n_false = sum(len(people - set(range(n_clickers))) for people in flagged)
    n_honest = N_PEOPLE - n_clickers
    return n_found / (N_SEEDS * max(n_clickers, 1)), n_false / (N_SEEDS * n_honest)


def equally_able(_seed: int) -> np.ndarray:
    return np.full(N_PEOPLE, 0.9)


def differently_able(seed: int) -> np.ndarray:
    return np.random.default_rng([34, seed]).uniform(0.75, 0.9, size=N_PEOPLE)


def able_or_less_able(seed: int) -> np.ndarray:
    return np.random.default_rng([35, seed]).permutation(np.repeat([0.75, 0.9, 0.9], 6))


KINDS = [best_worst, ratings, labels, three_labels]


@pytest.mark.slow
@pytest.mark.parametrize("study", KINDS)
@pytest.mark.parametrize("n_clickers", [1, 2, 3, 4, 5])
def test_several_clickers_of_eighteen_do_not_hide_one_another(
    study: Callable[..., Flags], n_clickers: int
) -> None:
    found, false = shares(study, n_clickers, equally_able)

    # Three labels of a unit, with many clickers among them, hardly show who agrees too little.
    assert found >= (0.65 if study is three_labels and n_clickers > 3 else 0.9)
    assert false <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("study", KINDS)
@pytest.mark.parametrize("ability", [differently_able, able_or_less_able])
def test_honest_people_who_differ_in_ability_are_not_flagged(
    study: Callable[..., Flags], ability: Callable[[int], np.ndarray]
) -> None:
    _found, false = shares(study, 0, ability)
    _found, false_beside_clickers = shares(study, 3, ability)

    assert false <= 0.02
    assert false_beside_clickers <= 0.02


@pytest.mark.slow
def test_several_in_a_hurry_do_not_hide_one_another() -> None:
    found = false = 0
    for seed in range(N_SEEDS):
        rng = np.random.default_rng([36, seed])
        pace = np.exp(rng.normal(0, 0.3, size=N_PEOPLE))
        pace[:4] /= 8
        person, unit = np.indices((N_PEOPLE, 30)).reshape(2, -1)
        seconds = 15 * pace[person] * np.exp(rng.normal(0, 0.5, size=len(person)))
        value = rng.uniform(0, 6, size=30)[unit] + rng.normal(0, 1, size=len(unit))
        batch = Ratings(person, unit, value, N_PEOPLE, 30, thinking_ms=seconds * 1000)
        hasty = {flag.annotator for flag in rating_flags(batch).flags if flag.kind == "speed"}
        found += len(hasty & {0, 1, 2, 3})
        false += len(hasty - {0, 1, 2, 3})

    assert found >= 0.9 * 4 * N_SEEDS
    assert false <= 0.02 * 14 * N_SEEDS


def test_whoever_is_left_out_no_later_than_somebody_rare_is_as_rare() -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.normal(0.9, 0.03, size=13), [0.5, 0.52, 0.48, 0.51, 0.49]])
    alone = p_outlying(np.append(values[:13], 0.48))

    together = p_outlying(values)

    assert together[15] <= together[17] <= together[13] < 0.001
    assert alone[13] < 0.001
    assert (together[:13] > 0.01).all()
    # More than half always stay, whoever they are.
    assert (p_outlying(values, is_far=np.ones(18, dtype=bool)) < 1).sum() <= 8


def test_few_answers_widen_what_is_usual() -> None:
    values = np.array([0.9, 0.92, 0.88, 0.91, 0.89, 0.9, 0.93, 0.6])
    many = p_outlying(values, np.full(8, 0.0001))
    few = p_outlying(values, np.append(np.full(7, 0.0001), 0.04))

    assert many[7] < 0.001
    assert few[7] > 0.05


def test_where_nobody_else_differs_any_difference_is_rare_and_none_is_not() -> None:
    np.testing.assert_array_equal(p_outlying(np.array([1.0, 1, 1, 1, 0])), [1, 1, 1, 1, 0])
    np.testing.assert_array_equal(p_outlying(np.ones(5)), np.ones(5))


def test_a_large_crowd_with_many_careless_people_is_tested_in_reasonable_time() -> None:
    values = np.concatenate([np.zeros(900), np.random.default_rng(1).normal(10, 1, size=2100)])

    p = p_outlying(values)

    assert (p[:900] < 1e-9).all()
    assert (adjusted(p)[900:] <= 0.05).sum() <= 40


def test_adjusted_by_hand() -> None:
    # Ordered .01, .02, .03, .04 times 4, 2, 4/3, 1 is .04 each.
    np.testing.assert_allclose(adjusted(np.array([0.03, 0.01, 0.04, 0.02])), 0.04)
    # .01, .04, .9 times 3, 1.5, 1.
    np.testing.assert_allclose(adjusted(np.array([0.9, 0.01, 0.04])), [0.9, 0.03, 0.06])
    assert len(adjusted(np.empty(0))) == 0


@pytest.mark.parametrize("is_several", [False, True])
def test_agreement_in_pairs_is_that_of_a_loop_over_the_answers(is_several: bool) -> None:
    rng = np.random.default_rng(8)
    person, unit = np.indices((6, 7)).reshape(2, -1)
    rows = rng.permutation(42)[:30]
    chosen = rng.integers(3, size=30)[:, None] == np.arange(3)
    if is_several:
        chosen |= rng.random((30, 3)) < 0.4
    batch = Labels(person[rows], unit[rows], chosen, 6, 7, is_several=is_several)
    is_counted = rng.random(30) < 0.8

    own, others = agreement_in_pairs(batch, is_counted)

    def alike(i: int, j: int) -> Any:
        same = chosen[i] == chosen[j]
        return same.mean() if is_several else same.all()

    for i in range(30):
        beside = [
            j for j in range(30) if j != i and is_counted[j] and unit[rows][j] == unit[rows][i]
        ]
        pairs = [alike(j, k) for j in beside for k in beside if j < k]
        np.testing.assert_allclose(
            own[i], np.mean([alike(i, j) for j in beside]) if beside else np.nan
        )
        np.testing.assert_allclose(others[i], np.mean(pairs) if pairs else np.nan)
