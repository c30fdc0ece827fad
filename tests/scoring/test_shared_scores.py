"""What different people's answers agree in, against loops over all pairs of answers."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import BestWorst
from scoring.best_worst.shared_scores import ScoreParts
from scoring.shared_noise import (
    MAX_GROUPS,
    are_few,
    error_of_shared_noise,
    in_groups,
    products_of_people,
)
from tests.scoring.batches import batches, dialogue_tuples, random_clicking, with_people


@st.composite
def answered_by_people(draw: st.DrawFn) -> BestWorst:
    """Answers of up to four people, who may answer a tuple twice."""
    answers = draw(batches(min_answers=1))
    m = answers.n_judgments
    people = draw(st.lists(st.integers(0, 3), min_size=m, max_size=m))
    return with_people(answers, np.array(people))


Part = tuple[int, int, float, float]


def parts_in_loops(answers: BestWorst) -> dict[int, list[Part]]:
    """Tuple, person, points and weight of each answer that shows an item, by item."""
    assert answers.annotator is not None
    n_answers = answers.answers_per_tuple()
    parts: dict[int, list[Part]] = {}
    for item in range(answers.n_items):
        n_tuples = sum(
            item in row and n > 0 for row, n in zip(answers.tuples, n_answers, strict=True)
        )
        parts[item] = [
            (t, person, (float(best == item) - float(worst == item)) * weight, weight)
            for t, person, best, worst in zip(
                answers.tuple_number, answers.annotator, answers.best, answers.worst, strict=True
            )
            if item in answers.tuples[t]
            for weight in [1 / n_answers[t] / n_tuples]
        ]
    return parts


def share_in_loops(answers: BestWorst) -> float:
    n_answers = answers.answers_per_tuple()
    overall = of_different = 0.0
    for parts in parts_in_loops(answers).values():
        across = [(a, b) for a, b in permutations(parts, 2) if a[0] != b[0]]
        of_others = [(a, b) for a, b in across if a[1] != b[1]]
        within = sum(
            a[2] * b[2] * n_answers[a[0]] / (n_answers[a[0]] - 1)
            for a, b in permutations(parts, 2)
            if a[0] == b[0]
        )
        if across and not of_others:
            continue
        overall += within + sum(a[2] * b[2] for a, b in across)
        weight = sum(a[3] * b[3] for a, b in across)
        made_up = weight / sum(a[3] * b[3] for a, b in of_others) if across else 0
        of_different += within + made_up * sum(a[2] * b[2] for a, b in of_others)
    if overall <= 1e-12:
        return math.nan
    return min(max(of_different / overall, 0), 1)


@given(answered_by_people())
def test_the_share_of_different_people_is_that_of_all_pairs(answers: BestWorst) -> None:
    expected = share_in_loops(answers)

    found = ScoreParts.of(answers).share_of_different_people()

    # An agreement of 0 may be any small number by rounding, and has no share.
    assert math.isnan(expected) or found == pytest.approx(expected, abs=1e-9)


@given(answered_by_people())
def test_the_parts_add_up_to_scores_in_which_each_tuple_counts_alike(answers: BestWorst) -> None:
    parts = ScoreParts.of(answers)

    for item, added in parts_in_loops(answers).items():
        assert parts.scores[item] == pytest.approx(sum(points for _t, _p, points, _w in added))


@given(answered_by_people())
def test_the_error_is_of_all_pairs_of_people(answers: BestWorst) -> None:
    assert answers.annotator is not None
    n_answers = answers.answers_per_tuple()
    people = np.unique(answers.annotator).tolist()
    if len(people) < 4:
        return
    within, across = np.zeros((2, len(people), len(people)))
    of_all, of_others, weights = 0.0, 0.0, []
    for parts in parts_in_loops(answers).values():
        means = {t: np.mean([x for u, _p, x, _w in parts if u == t]) for t, *_rest in parts}
        made_up = {t: n_answers[t] / (n_answers[t] - 1) if n_answers[t] > 1 else 0 for t in means}
        weights += [made_up[t] for t, *_rest in parts]
        residuals = [(t, p, (x - means[t]) * math.sqrt(made_up[t]), w) for t, p, x, w in parts]
        for (t, p, x, w), (u, q, y, z) in permutations(residuals, 2):
            (within if t == u else across)[people.index(p), people.index(q)] += x * y
            of_all += w * z * (t != u)
            of_others += w * z * (t != u and p != q)
    products = np.mean(weights) * within + (of_all / of_others if of_others else 1) * across

    assert ScoreParts.of(answers).error() == pytest.approx(
        error_of_shared_noise(products), abs=1e-9
    )


def test_nobody_knows_who_answered() -> None:
    answers = random_clicking(dialogue_tuples(3, rng=np.random.default_rng(1)), 3, seed=1)
    parts = ScoreParts.of(answers)

    assert parts.share_of_different_people() == 1
    with pytest.raises(ValueError, match="say who gave which answer"):
        parts.error()


def test_the_products_of_people_are_sums_over_places() -> None:
    rng = np.random.default_rng(2)
    person, place = rng.integers(4, size=40), rng.integers(6, size=40)
    residual = rng.normal(size=40)
    added = np.zeros((4, 6))
    for who, where, value in zip(person, place, residual, strict=True):
        added[who, where] += value

    products = products_of_people(person, place, residual, n_places=6)

    np.testing.assert_allclose(products, added @ added.T, atol=1e-12)


def error_by_regression(products: np.ndarray) -> float:
    """Of the residuals of a regression of the products of pairs on who they are of."""
    pairs = list(combinations(range(len(products)), 2))
    of_pairs = np.array([products[pair] for pair in pairs])
    is_of = np.array([[float(p in pair) for p in range(len(products))] for pair in pairs])
    residuals = of_pairs - is_of @ np.linalg.lstsq(is_of, of_pairs, rcond=None)[0]
    left = len(pairs) / (len(pairs) - len(products))
    return math.sqrt(2 * 2 * float((residuals**2).sum()) * left)


@pytest.mark.parametrize("n_people", [4, 5, 9])
def test_the_error_is_of_what_the_products_have_beyond_each_person(n_people: int) -> None:
    added = np.random.default_rng(n_people).normal(size=(n_people, 20))
    products = added @ added.T

    assert error_of_shared_noise(products) == pytest.approx(error_by_regression(products))
    # What is one person's alone, and the products with themselves, change nothing.
    alone = np.arange(n_people)
    changed = products + alone[:, None] + alone + 9 * np.eye(n_people)
    assert error_of_shared_noise(changed) == pytest.approx(error_of_shared_noise(products))


def test_the_error_is_what_the_agreement_of_clicking_people_varies_by() -> None:
    """Clicking people agree in nothing, so all of their agreement is error."""
    rng = np.random.default_rng(3)
    tuples = dialogue_tuples(30, rng=rng)
    agreements, errors = [], []
    for seed in range(60):
        answers = random_clicking(tuples, 5, seed=seed)
        people = np.concatenate([rng.permutation(12)[:5] for _tuple in range(len(tuples))])
        by_people = with_people(
            answers, people[np.argsort(np.argsort(answers.tuple_number, kind="stable"))]
        )
        parts = ScoreParts.of(by_people)
        agreements.append(parts.agreements()[0])
        errors.append(parts.error())

    assert np.mean(agreements) == pytest.approx(
        0, abs=3 * float(np.std(agreements)) / math.sqrt(60)
    )
    assert np.mean(errors) == pytest.approx(np.std(agreements), rel=0.25)


def test_many_people_are_taken_together_in_groups() -> None:
    assert in_groups(np.array([7, 9, 7])).tolist() == [0, 1, 0]
    assert len(np.unique(in_groups(np.arange(5 * MAX_GROUPS)))) == MAX_GROUPS


def test_fewer_than_four_people_have_no_error() -> None:
    with pytest.raises(ValueError, match="at least 4 people, not 3"):
        error_of_shared_noise(np.eye(3))


def test_items_that_one_person_answered_alone_say_nothing_of_different_people() -> None:
    tuples = np.array([[0, 1, 2], [1, 2, 3], [0, 1, 3], [0, 2, 3]])
    by_two = np.concatenate([tuples, tuples, tuples + 4])
    people = np.repeat([0, 1, 2], 4)
    number = np.concatenate([np.arange(4), np.arange(8)])
    both, alone = (
        BestWorst(
            np.concatenate([tuples, tuples + 4]),
            number[rows],
            by_two[rows].max(axis=1),
            by_two[rows].min(axis=1),
            8,
            people[rows],
        )
        for rows in (np.arange(12), np.arange(8, 12))
    )

    assert ScoreParts.of(both).share_of_different_people() == pytest.approx(1)
    assert ScoreParts.of(both).agreements()[2] == 4
    assert math.isnan(ScoreParts.of(alone).share_of_different_people())


def test_few_people_or_a_few_who_gave_most() -> None:
    equal, unequal = np.arange(20).repeat(5), np.concatenate([np.arange(20), np.zeros(40)])

    assert not are_few(equal)
    assert are_few(equal[5:])
    assert are_few(unequal)
    assert are_few(equal[:0])
