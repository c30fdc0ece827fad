"""The noise ceiling within pools: what a perfect measure reaches in simulated studies."""

import math

import numpy as np
import pytest

from scoring import BestWorst, correlate_within_pools, noise_ceiling_within_pools, pearson
from scoring.measures.pool_ceiling import _ceilings_of_pools
from tests.scoring.batches import dialogue_tuples, oracle, random_clicking, with_people


def noisy(
    tuples: np.ndarray,
    latent: np.ndarray,
    *,
    n_answers: int,
    rng: np.random.Generator,
    n_people: int = 20,
    of_camp: np.ndarray | None = None,
) -> BestWorst:
    """Answers of people who see the latent scores with Gumbel noise; 30 % see those of a camp."""
    number = np.repeat(np.arange(len(tuples)), n_answers)
    chances = rng.random((len(tuples), n_people))
    people = np.argsort(chances, axis=1)[:, :n_answers].ravel()
    seen = latent[tuples[number]]
    if of_camp is not None:
        is_in_camp = rng.random(n_people) < 0.3
        seen = np.where(is_in_camp[people][:, None], of_camp[tuples[number]], seen)
    best = (seen + 0.8 * rng.gumbel(size=seen.shape)).argmax(axis=1)
    low = seen - 0.8 * rng.gumbel(size=seen.shape)
    rows = np.arange(len(number))
    low[rows, best] = np.inf
    worst = low.argmin(axis=1)
    shown = tuples[number]
    return BestWorst(tuples, number, shown[rows, best], shown[rows, worst], len(latent), people)


def test_complete_agreement_has_a_ceiling_of_1_also_with_odd_numbers_of_answers() -> None:
    rng = np.random.default_rng(2)
    tuples, latent = dialogue_tuples(12, rng=rng), rng.normal(size=60)

    ceiling = noise_ceiling_within_pools(
        oracle(tuples, latent, n_answers=5), np.arange(12).repeat(5), rng=rng
    )

    assert ceiling.value == pytest.approx(1, abs=1e-9)
    assert ceiling.source == "split-half-within-pools"


def test_random_clicking_has_a_low_ceiling_or_none() -> None:
    rng = np.random.default_rng(3)
    answers = random_clicking(dialogue_tuples(40, rng=rng), 4, seed=4)

    ceiling = noise_ceiling_within_pools(answers, np.arange(40).repeat(5), rng=rng)

    assert ceiling.value < 0.45 or "negatively" in str(ceiling.reason)


def test_few_pools_have_a_ceiling_without_an_interval() -> None:
    rng = np.random.default_rng(5)
    tuples, latent = dialogue_tuples(6, rng=rng), rng.normal(size=30)
    answers = noisy(tuples, latent, n_answers=4, rng=rng)

    ceiling = noise_ceiling_within_pools(answers, np.arange(6).repeat(5), rng=rng)

    assert 0.8 < ceiling.value < 1
    assert math.isnan(ceiling.low)
    assert "there are only 6" in str(ceiling.as_dict()["interval_reason"])


def test_single_answers_have_a_ceiling_without_an_interval() -> None:
    rng = np.random.default_rng(5)
    tuples, latent = dialogue_tuples(30, rng=rng), rng.normal(size=150)
    pool = np.arange(30).repeat(5)

    one, two = (
        noise_ceiling_within_pools(
            noisy(tuples, latent, n_answers=n, rng=rng), pool, rng=np.random.default_rng(1)
        )
        for n in (1, 2)
    )

    assert math.isnan(one.low)
    assert one.interval_reason == "most tuples have a single answer"
    assert two.low < two.value < two.high
    assert two.interval_reason is None
    # Halves of single answers are of other tuples, so they are farther apart.
    assert one.value < two.value


def test_no_answers_no_ceiling() -> None:
    rng = np.random.default_rng(5)
    answers = random_clicking(dialogue_tuples(3, rng=rng), 0, seed=4)

    ceiling = noise_ceiling_within_pools(answers, np.arange(3).repeat(5), rng=rng)

    assert math.isnan(ceiling.value)
    assert ceiling.reason == "there are no answers"


@pytest.mark.parametrize("n_answers", [4, 5])
def test_a_perfect_measure_reaches_the_interval_within_pools_and_not_over_all(
    n_answers: int,
) -> None:
    rng = np.random.default_rng(6)
    pool = np.arange(30).repeat(5)
    n_reached, n_reached_over_all, n_studies = 0, 0, 100
    for _study in range(n_studies):
        tuples, latent = dialogue_tuples(30, rng=rng), rng.normal(size=150)
        answers = noisy(tuples, latent, n_answers=n_answers, rng=rng)
        ceiling = noise_ceiling_within_pools(answers, pool, n_splits=20, rng=rng)
        scores = answers.scores()
        within = correlate_within_pools(scores, latent, pool).value
        n_reached += ceiling.low <= within <= ceiling.high
        n_reached_over_all += ceiling.low <= float(pearson(scores, latent)) <= ceiling.high

    assert n_reached >= 0.9 * n_studies
    assert n_reached_over_all <= 0.3 * n_studies


@pytest.mark.slow
@pytest.mark.parametrize("n_people", [20, 30])
def test_a_perfect_measure_reaches_the_interval_where_people_are_of_two_camps(
    n_people: int,
) -> None:
    rng = np.random.default_rng(7)
    pool = np.arange(30).repeat(5)
    n_reached, of_all_answers, found = 0, [], []
    for _study in range(60):
        tuples, (latent, of_camp) = dialogue_tuples(30, rng=rng), rng.normal(size=(2, 150))
        answers = noisy(tuples, latent, n_answers=5, rng=rng, n_people=n_people, of_camp=of_camp)
        perfect = noisy(tuples, latent, n_answers=400, rng=rng, n_people=800, of_camp=of_camp)
        ceiling = noise_ceiling_within_pools(answers, pool, n_splits=30, rng=rng)
        reached = correlate_within_pools(answers.scores(), perfect.scores(), pool).value
        n_reached += ceiling.low <= reached <= ceiling.high
        found.append(ceiling.value - reached)
        of_all_answers.append(
            noise_ceiling_within_pools(
                with_people(answers, None), pool, n_splits=30, rng=rng
            ).value
            - reached
        )

    assert n_reached >= 54
    # What few people share would count as reliable.
    assert np.mean(found) < np.mean(of_all_answers)
    assert np.mean(of_all_answers) > 0


def test_nobody_knows_who_answered_or_few_did() -> None:
    rng = np.random.default_rng(5)
    tuples, latent = dialogue_tuples(12, rng=rng), rng.normal(size=60)
    pool = np.arange(12).repeat(5)
    by_few, by_more = (
        noisy(tuples, latent, n_answers=4, rng=rng, n_people=n_people) for n_people in (19, 20)
    )

    few, more, unknown = (
        noise_ceiling_within_pools(answers, pool, rng=np.random.default_rng(1))
        for answers in (by_few, by_more, with_people(by_more, None))
    )

    assert "fewer than 20 people answered" in str(few.interval_reason)
    assert more.interval_reason is None
    assert unknown.interval_reason == "it is not known who gave which answer"
    assert more.value <= unknown.value


@pytest.mark.slow
def test_a_perfect_measure_reaches_the_interval_where_pools_differ_much() -> None:
    """Items in two clusters: in some pools all are alike, and nothing is reliable there."""
    rng = np.random.default_rng(9)
    pool = np.arange(60).repeat(5)
    n_reached, found = 0, []
    for _study in range(40):
        tuples = dialogue_tuples(60, rng=rng)
        latent = np.where(rng.random(300) < 0.5, -1.2, 1.2) + 0.25 * rng.normal(size=300)
        answers = noisy(tuples, latent, n_answers=5, rng=rng)
        perfect = noisy(tuples, latent, n_answers=300, rng=rng, n_people=300)
        ceiling = noise_ceiling_within_pools(answers, pool, rng=rng)
        reached = correlate_within_pools(answers.scores(), perfect.scores(), pool).value
        n_reached += ceiling.low <= reached <= ceiling.high
        found.append(ceiling.value - reached)

    assert n_reached >= 35
    assert abs(np.mean(found)) < 0.006


def test_pools_that_are_alike_are_not_taken_for_different_ones() -> None:
    """The mean root of correlations that are off by chance is made up for."""
    rng = np.random.default_rng(4)
    by_answers = rng.normal(scale=0.12, size=4000)
    values = 0.7 + by_answers + rng.normal(scale=0.12, size=(50, 4000))

    found = _ceilings_of_pools(values, values.mean(axis=0)).mean()

    assert found == pytest.approx(math.sqrt(2 * 0.7 / 1.7), abs=0.003)
    assert np.sqrt(2 * values.mean(axis=0) / (1 + values.mean(axis=0))).mean() < found - 0.002


def test_one_person_in_each_pool_has_no_ceiling() -> None:
    rng = np.random.default_rng(5)
    tuples, latent = dialogue_tuples(12, rng=rng), rng.normal(size=60)
    answers = oracle(tuples, latent, n_answers=1)
    alone = with_people(answers, answers.tuple_number // 10)

    ceiling = noise_ceiling_within_pools(alone, np.arange(12).repeat(5), rng=rng)

    assert math.isnan(ceiling.value)
    assert ceiling.reason == "no item was answered by two people"


def test_who_answered_alone_does_not_count_among_the_people() -> None:
    rng = np.random.default_rng(5)
    tuples, latent = dialogue_tuples(30, rng=rng), rng.normal(size=150)
    is_shared = np.arange(300) % 10 < 5
    # Each tuple twice; of half of them one answer is left, which none of the twelve gave.
    twice = noisy(tuples, latent, n_answers=2, rng=rng, n_people=12)
    keep = is_shared[twice.tuple_number] | (np.arange(600) % 2 == 0)
    number = twice.tuple_number[keep]
    assert twice.annotator is not None
    people = np.where(is_shared[number], twice.annotator[keep], 12 + number % 20)
    answers = BestWorst(tuples, number, twice.best[keep], twice.worst[keep], 150, people)

    ceiling = noise_ceiling_within_pools(answers, np.arange(30).repeat(5), rng=rng)

    assert "fewer than 20 people" in str(ceiling.interval_reason)
