"""May a model answer in place of people: against a script that follows the paper in loops."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from scoring import BestWorst, Labels, Ratings, alternative_annotator_test
from scoring.alternative_annotator import MAX_P_OF_CHANCE, MIN_ANSWERS
from scoring.arrays import FloatArray, IntArray

RNG = np.random.default_rng


def by_the_paper(
    said: dict[int, dict[int, object]],
    model: dict[int, object],
    closeness: Callable[[object, list[object]], float],
    epsilon: float,
) -> tuple[float, dict[int, float], dict[int, float]]:
    """Winning rate, and p-values and advantages by person; `said` is by person and unit."""
    p_values, advantages = {}, {}
    for person, answers in said.items():
        differences, at_least = [], []
        for unit, answer in answers.items():
            others = [a[unit] for other, a in said.items() if other != person and unit in a]
            if not others or unit not in model:
                continue
            of_person, of_model = closeness(answer, others), closeness(model[unit], others)
            differences.append(int(of_person >= of_model) - int(of_model >= of_person))
            at_least.append(of_model >= of_person)
        if len(differences) >= 30:
            p_values[person] = ttest_1samp(differences, epsilon, alternative="less").pvalue
            advantages[person] = np.mean(at_least)
    adjusted = false_discovery_control([*p_values.values()], method="by")
    return float(np.mean(adjusted <= 0.05)), p_values, advantages


def near(answer: object, others: list[object]) -> float:
    # Rounded, so that equal distances tie.
    return -round(float(np.sqrt(np.mean([(answer - other) ** 2 for other in others]))), 9)  # type: ignore[operator]


def same(answer: object, others: list[object]) -> float:
    return float(np.mean([answer == other for other in others]))


def stacks(rng: np.random.Generator, n: int, people: int, k: int) -> tuple[IntArray, IntArray]:
    """Person and unit of k answers to each of n units."""
    person = np.argsort(rng.random((n, people)), axis=1)[:, :k].ravel()
    return person, np.repeat(np.arange(n), k)


def ratings(
    noise: float, *, n: int = 120, people: int = 6, seed: int = 1
) -> tuple[Ratings, FloatArray]:
    """Ratings from 0 to 6, and the true values."""
    rng = RNG(seed)
    true = 6 * rng.random(n)
    person, unit = stacks(rng, n, people, 3)
    value = np.clip(np.round(true[unit] + noise * rng.normal(size=len(unit))), 0, 6)
    return Ratings(person, unit, value, people, n), true


def labels(
    error: float, *, n: int = 120, people: int = 6, seed: int = 1
) -> tuple[Labels, IntArray]:
    """Labels of three categories, and the true ones."""
    rng = RNG(seed)
    true = rng.integers(3, size=n)
    person, unit = stacks(rng, n, people, 3)
    category = np.where(rng.random(len(unit)) < error, rng.integers(3, size=len(unit)), true[unit])
    return Labels(person, unit, category[:, None] == np.arange(3), people, n), true


def of_people(person: IntArray, unit: IntArray, value: FloatArray) -> dict[int, dict[int, object]]:
    said: dict[int, dict[int, object]] = {}
    for p, u, v in zip(person.tolist(), unit.tolist(), value.tolist(), strict=True):
        said.setdefault(p, {})[u] = v
    return said


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
@pytest.mark.parametrize("noise", [0.3, 1.0, 3.0])
def test_of_ratings_it_is_the_test_of_the_paper(epsilon: float, noise: float) -> None:
    people, true = ratings(1.0)
    model = np.round(true + noise * RNG(2).normal(size=len(true)))
    model[:5] = np.nan

    test = alternative_annotator_test(people, model, epsilon=epsilon)

    said = of_people(people.annotator, people.unit, people.value)
    known = {u: v for u, v in enumerate(model.tolist()) if not np.isnan(v)}
    rate, p_values, advantages = by_the_paper(said, known, near, epsilon)
    assert test.winning_rate == pytest.approx(rate, abs=1e-12)
    assert test.p == pytest.approx([p_values[n] for n in range(6)], abs=1e-9)
    assert test.advantage == pytest.approx([advantages[n] for n in range(6)], abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.15])
@pytest.mark.parametrize("error", [0.1, 0.5])
def test_of_labels_it_is_the_test_of_the_paper(epsilon: float, error: float) -> None:
    people, true = labels(0.3)
    model = np.where(RNG(2).random(len(true)) < error, (true + 1) % 3, true)

    test = alternative_annotator_test(people, model, epsilon=epsilon)

    said = of_people(people.annotator, people.unit, people.chosen.argmax(axis=1))
    rate, p_values, _advantages = by_the_paper(
        said, dict(enumerate(model.tolist())), same, epsilon
    )
    assert test.winning_rate == pytest.approx(rate, abs=1e-12)
    assert test.p == pytest.approx([p_values[n] for n in range(6)], abs=1e-9)


def best_worst(noise: float, *, n_pools: int = 12, seed: int = 1) -> tuple[BestWorst, FloatArray]:
    """Triples of pools of five, each answered by three of six people, and the true values."""
    rng = RNG(seed)
    n = 5 * n_pools
    true = rng.normal(size=n)
    triples = np.array([(a, b, c) for a in range(5) for b in range(a) for c in range(b)])
    tuples = (triples + 5 * np.arange(n_pools)[:, None, None]).reshape(-1, 3)
    person, number = stacks(rng, len(tuples), 6, 3)
    seen = true[tuples[number]] + noise * rng.gumbel(size=(len(number), 3))
    rows = np.arange(len(number))
    best, worst = (tuples[number][rows, slot] for slot in (seen.argmax(1), seen.argmin(1)))
    return BestWorst(tuples, number, best, worst, n, person), true


def test_of_best_worst_answers_both_picks_count_a_half() -> None:
    people, true = best_worst(0.5)
    model = true + 0.5 * RNG(3).normal(size=len(true))

    test = alternative_annotator_test(people, model, epsilon=0.1)

    def close(answer: object, others: list[object]) -> float:
        return float(np.mean([np.mean(np.equal(answer, other)) for other in others]))

    assert people.annotator is not None
    said: dict[int, dict[int, object]] = {}
    for person, number, best, worst in zip(
        people.annotator.tolist(),
        people.tuple_number.tolist(),
        people.best,
        people.worst,
        strict=True,
    ):
        said.setdefault(person, {})[number] = (best, worst)
    picks = {
        number: (items[model[items].argmax()], items[model[items].argmin()])
        for number, items in enumerate(people.tuples)
    }
    rate, p_values, _advantages = by_the_paper(said, picks, close, 0.1)
    assert test.winning_rate == pytest.approx(rate, abs=1e-12)
    assert test.p == pytest.approx([p_values[n] for n in range(6)], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1.0, 100.0])
def test_a_model_at_random_never_passes(noise: float) -> None:
    """Neither among people who agree, nor among people who answer at random themselves."""
    for seed in range(200):
        people, true = ratings(noise, seed=seed)
        model = RNG([seed, 1]).integers(7, size=len(true))
        assert not alternative_annotator_test(people, model, epsilon=0.2).may_stand_in


@pytest.mark.slow
def test_a_model_at_random_never_passes_for_labels_and_tuples() -> None:
    for seed in range(200):
        for error in (0.3, 1.0):
            people, true = labels(error, seed=seed)
            model = RNG([seed, 1]).integers(3, size=len(true))
            assert not alternative_annotator_test(people, model, epsilon=0.2).may_stand_in
        for noise in (0.5, 100.0):
            answers, items = best_worst(noise, seed=seed)
            scores = RNG([seed, 1]).normal(size=len(items))
            assert not alternative_annotator_test(answers, scores, epsilon=0.2).may_stand_in


@pytest.mark.slow
def test_a_model_that_answers_as_people_do_passes() -> None:
    passes = []
    for seed in range(50):
        people, true = ratings(1.0, n=400, seed=seed)
        model = np.clip(np.round(true + RNG([seed, 1]).normal(size=len(true))), 0, 6)
        passes.append(alternative_annotator_test(people, model, epsilon=0.15).may_stand_in)

    assert np.mean(passes) >= 0.9


def test_people_with_few_answers_are_not_tested() -> None:
    people, true = ratings(1.0, n=50, people=6)

    test = alternative_annotator_test(people, true)

    assert ((test.n_answers < MIN_ANSWERS) == np.isnan(test.p)).all()
    assert test.reason is not None
    assert np.isnan(test.winning_rate)
    assert not test.may_stand_in


def test_nobody_else_and_no_model_leave_nothing_to_compare() -> None:
    alone = Ratings(np.zeros(40, dtype=int), np.arange(40), np.arange(40.0) % 7, 1, 40)
    people, true = ratings(1.0)

    for test in (
        alternative_annotator_test(alone, np.zeros(40)),
        alternative_annotator_test(people, np.full(len(true), np.nan)),
    ):
        assert test.n_tested == 0
        assert test.reason is not None
        assert np.isnan(test.p_of_chance)


@pytest.mark.parametrize("constant", [3.0, 3.3, 2.9, 50.1])
@pytest.mark.parametrize("noise", [1.0, 100.0])
@pytest.mark.parametrize("jitter", [0.0, 1e-10])
def test_a_model_that_always_says_the_same_is_not_above_chance(
    constant: float, noise: float, jitter: float
) -> None:
    for n in (60, 150, 333):
        people, true = ratings(noise, n=n)
        model = constant + jitter * RNG(n).normal(size=len(true))

        test = alternative_annotator_test(people, model)

        assert test.p_of_chance > MAX_P_OF_CHANCE
        assert not test.may_stand_in


def test_one_category_for_all_is_not_above_chance() -> None:
    people, true = labels(0.3)

    assert not alternative_annotator_test(people, np.zeros(len(true))).is_above_chance


def test_a_model_that_only_leans_towards_people_is_not_above_chance() -> None:
    """Its answers go with those of people, but the mean rating is nearer to them."""
    people, true = ratings(3.0, n=2_000)
    model = 3 + 0.6 * (true - 3) + 2.5 * RNG(5).normal(size=len(true))

    means = np.bincount(people.unit, people.value) / people.answers_per_unit()
    assert np.corrcoef(model, means)[0, 1] > 0.1
    assert not alternative_annotator_test(people, model).is_above_chance


def test_levels_of_pools_are_not_many_signs_of_agreement_about_items() -> None:
    """A model near the mean knows nothing, but goes a bit up and down with a few pools."""
    p_values = []
    for seed in range(100):
        rng = RNG(seed)
        pool = np.repeat(np.arange(10), 12)
        person, unit = stacks(rng, 120, 6, 3)
        value = 2 * rng.normal(size=10)[pool[unit]] + rng.normal(size=len(unit))
        model = value.mean() + 0.02 * rng.normal(size=10)[pool]
        people = Ratings(person, unit, value, 6, 120)
        p_values.append(alternative_annotator_test(people, model, pool=pool).p_of_chance)

    assert np.mean(np.array(p_values) < 0.05) <= 0.1


def test_a_model_that_answers_what_it_is_sure_of_does_not_pass() -> None:
    people, true = ratings(1.0, n=400)
    model = np.where(RNG(1).random(400) < 0.8, np.round(true), np.nan)

    test = alternative_annotator_test(people, model, epsilon=0.2)

    assert test.is_above_chance
    assert test.winning_rate == 1
    assert test.coverage == pytest.approx(0.8, abs=0.06)
    assert not test.may_stand_in


def test_of_tied_scores_no_item_of_the_tuple_is_the_best() -> None:
    people, true = best_worst(0.5)

    test = alternative_annotator_test(people, np.where(true > 0, 1.0, 0.0))

    assert test.coverage < 1
    assert alternative_annotator_test(people, np.zeros(len(true))).coverage == 0


def test_scores_at_random_are_above_chance_as_seldom_as_they_should() -> None:
    """Though tuples share items, so that chance hits many of them at once."""
    p_values = []
    for seed in range(60):
        people, true = best_worst(0.5, n_pools=4, seed=seed)
        model = RNG([seed, 1]).normal(size=len(true))
        p_values.append(alternative_annotator_test(people, model).p_of_chance)

    assert np.mean(np.array(p_values) < 0.05) <= 0.15


def test_bad_input_is_refused() -> None:
    people, true = labels(0.3)
    several = Labels(people.annotator, people.unit, people.chosen, 6, 120, is_several=True)
    answers, scores = best_worst(0.5)
    unknown = BestWorst(answers.tuples, answers.tuple_number, answers.best, answers.worst, 60)

    for batch, model, epsilon, message in (
        (people, true[:-1], 0.1, "units"),
        (people, true + 1, 0.1, "category"),
        (people, true, 1.5, "epsilon"),
        (several, true, 0.1, "several"),
        (unknown, scores, 0.1, "who gave"),
    ):
        with pytest.raises(ValueError, match=message):
            alternative_annotator_test(batch, model, epsilon=epsilon)
