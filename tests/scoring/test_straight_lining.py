"""Runs of the same answer, and saying something else when asked again."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import BestWorst, flags, label_flags, rating_flags
from scoring.flags.best_worst import ordered_again
from scoring.flags.runs import chance_of_run, expected_largest_share, longest_run, usual_run
from scoring.labels.labels import Labels
from scoring.ratings.ratings import Ratings

RANDOM, STRAIGHT, HASTY, COPIER = 20, 21, 22, 23


@pytest.mark.parametrize(("n", "k"), [(1, 2), (5, 2), (6, 3), (4, 4)])
def test_the_chance_of_a_run_is_that_of_all_sequences(n: int, k: int) -> None:
    longest = [longest_run(np.array(values)) for values in product(range(k), repeat=n)]

    for length in range(1, n + 2):
        share = sum(run >= length for run in longest) / k**n
        assert chance_of_run(length, n=n, k=k) == pytest.approx(share, abs=1e-12)
    assert usual_run(n=n, k=k) == sorted(longest)[(len(longest) - 1) // 2]


@pytest.mark.parametrize(("n", "k"), [(1, 2), (5, 2), (6, 3), (4, 4), (7, 1), (3, 6)])
def test_the_expected_largest_share_is_that_of_all_sequences(n: int, k: int) -> None:
    shares = [max(map(values.count, values)) / n for values in product(range(k), repeat=n)]

    assert expected_largest_share(n=n, k=k) == pytest.approx(np.mean(shares), abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(20, 3), (150, 4), (1000, 10)])
def test_the_expected_largest_share_is_that_of_drawn_counts(n: int, k: int) -> None:
    drawn = np.random.default_rng(7).multinomial(n, [1 / k] * k, size=40_000).max(axis=1) / n

    error = 5 * drawn.std() / math.sqrt(len(drawn))
    assert expected_largest_share(n=n, k=k) == pytest.approx(drawn.mean(), abs=error)


@given(st.lists(st.integers(0, 3), max_size=30))
def test_a_run_is_found_from_either_end_and_under_any_names(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)

    found = longest_run(array)

    assert found == longest_run(array[::-1]) == longest_run(7 - 2 * array)
    assert found == max((len(part) for part in _parts(values)), default=0)


def _parts(values: list[int]) -> list[list[int]]:
    parts: list[list[int]] = []
    for value in values:
        if parts and parts[-1][-1] == value:
            parts[-1].append(value)
        else:
            parts.append([value])
    return parts


def test_a_run_in_the_middle_is_seen_though_no_place_is_preferred() -> None:
    rng = np.random.default_rng(1)
    places = [rng.permutation(np.repeat(np.arange(4), 11)) for _ in range(12)]
    # One person took each place eleven times in a row, and so none more often than the others.
    places[5] = np.repeat(np.arange(4), 11)
    person, number = np.repeat(np.arange(12), 44), np.tile(np.arange(44), 12)
    tuples = np.arange(176).reshape(44, 4)
    best = tuples[number, np.concatenate(places)]
    worst = tuples[number, (np.concatenate(places) + 1) % 4]
    both = np.column_stack([np.concatenate(places), rng.integers(4, size=528)])

    found = flags(BestWorst(tuples, number, best, worst, 176, person), positions=both)

    assert [(f.kind, f.annotator, f.value) for f in found.flags if f.kind == "run"] == [
        ("run", 5, 11.0)
    ]
    assert not any(flag.kind == "position" for flag in found.flags)


def test_pairs_ordered_again_by_hand() -> None:
    # a > b, a > c, b > c; then d > a, d > b and a > b again; then c > b, c > d and b > d.
    tuples = np.array([[0, 1, 2], [0, 1, 3], [1, 2, 3]])
    best, worst = np.array([0, 3, 2]), np.array([2, 1, 3])
    answers = BestWorst(tuples, np.arange(3), best, worst, 4, np.zeros(3, int))

    person, is_same = ordered_again(np.zeros(3, dtype=np.int64), answers)

    # (a, b) as before; (b, c) and (b, d) turned round.
    assert person.tolist() == [0] * 3
    assert sorted(is_same.tolist()) == [0.0, 0.0, 1.0]


def rated(
    seed: int,
    *,
    unusual: bool = True,
    share_straight: float = 0.85,
    n_units: int = 50,
    n_again: int = 10,
) -> Ratings:
    """Twenty honest people, of whom each has a level, a width and a noise of their own."""
    rng = np.random.default_rng([11, seed])
    latent = rng.uniform(0, 6, size=n_units)
    rows: list[tuple[int, int, float, float, int]] = []
    said: dict[tuple[int, int], float] = {}
    for person in range(24 if unusual else 20):
        level, noise = rng.normal(0, 0.4), 0.8 * math.exp(rng.normal(0, 0.2))
        pace = 10 * math.exp(rng.normal(0, 0.3))
        asked = [*rng.permutation(n_units), *rng.choice(n_units, n_again, replace=False)]
        for place, unit in enumerate(asked):
            value = latent[unit] + level + rng.normal(0, noise)
            seconds = pace * math.exp(rng.normal(0, 0.5))
            if person == RANDOM:
                value = rng.uniform(-0.5, 6.5)
            if person == STRAIGHT and rng.uniform() < share_straight:
                value = 3.0
            if person == HASTY:
                seconds = 1.3 * math.exp(rng.normal(0, 0.5))
            if person == COPIER and place < n_units:
                value = said[3, unit]
            rating = float(np.clip(np.round(value), 0, 6))
            if place < n_units:
                said[person, unit] = rating
            rows.append((person, int(unit), rating, 1000 * seconds, place))
    person_of, unit_of, value_of, ms, order = map(np.array, zip(*rows, strict=True))
    return Ratings(
        person_of, unit_of, value_of, 24, n_units, low=0, high=6, step=1, thinking_ms=ms,
        order=order,
    )  # fmt: skip


def labelled(of: Ratings) -> Labels:
    """The same people, who say low, middle or high."""
    code = np.minimum(of.value // 2.5, 2).astype(np.int64)
    return Labels(
        of.annotator, of.unit, code[:, None] == np.arange(3), 24, of.n_units, order=of.order
    )


@pytest.mark.slow
def test_raters_who_click_repeat_hurry_or_copy_are_flagged_and_hardly_anybody_else() -> None:
    whole, n_honest = 0, 0
    expected = {
        ("correlation", RANDOM),
        ("same", STRAIGHT),
        ("speed", HASTY),
        ("copy", COPIER),
    }

    for seed in range(25):
        at = 1e6 * (rated(seed).annotator == COPIER) + 1.0 * rated(seed).order
        found = rating_flags(rated(seed), answered_at=at).flags
        whole += expected <= {(flag.kind, flag.annotator) for flag in found}
        n_honest += len({flag.annotator for flag in found} & {*range(20)})

    # Some of the straight-lining people rate the other 15 % well enough to agree surely.
    assert whole >= 17
    assert n_honest <= 0.02 * 25 * 20


@pytest.mark.slow
def test_labellers_who_click_repeat_or_copy_are_flagged_and_hardly_anybody_else() -> None:
    whole, n_honest = 0, 0
    expected = {("pairwise", RANDOM), ("same", STRAIGHT), ("speed", HASTY), ("copy", COPIER)}

    for seed in range(25):
        # Somebody lenient may give the same label to nearly all units.
        batch = rated(seed, share_straight=1.0)
        assert batch.thinking_ms is not None
        at = 1e6 * (batch.annotator == COPIER) + 1.0 * batch.order
        found = label_flags(
            labelled(batch), seconds=batch.thinking_ms / 1000, answered_at=at
        ).flags
        whole += expected <= {(flag.kind, flag.annotator) for flag in found}
        n_honest += len({flag.annotator for flag in found} & {*range(20)})

    # Of three categories, one again and again is less rare, and so are the answers of two
    # careful people that are all the same.
    assert whole >= 19
    assert n_honest <= 0.02 * 25 * 20


@pytest.mark.slow
def test_of_honest_people_one_study_in_twenty_has_a_flag_or_fewer() -> None:
    flagged = {"rating": 0, "label": 0}

    for seed in range(100, 160):
        batch = rated(seed, unusual=False)
        flagged["rating"] += bool(rating_flags(batch).flags)
        flagged["label"] += bool(label_flags(labelled(batch)).flags)

    # Of sixty studies three are expected at the level; seven have a chance below .03.
    assert max(flagged.values()) <= 6


def test_whoever_says_something_else_when_asked_again_is_flagged() -> None:
    rng = np.random.default_rng(3)
    # Sixty units of 12 people, twenty of them rated again; one then says anything.
    person, unit = np.repeat(np.arange(12), 80), np.tile([*range(60), *range(20)], 12)
    latent = np.tile(np.arange(60) % 7, 12).reshape(12, 60)
    first = np.clip(latent + rng.integers(-1, 2, size=(12, 60)), 0, 6)
    again = np.clip(first[:, :20] + rng.integers(-1, 2, size=(12, 20)), 0, 6)
    again[4] = rng.integers(0, 7, size=20)
    value = np.concatenate([first, again], axis=1).reshape(-1).astype(float)
    ratings = Ratings(person, unit, value, 12, 60, low=0, high=6, step=1)

    (found,) = [flag for flag in rating_flags(ratings).flags if flag.kind == "distance"]

    assert (found.annotator, found.n) == (4, 20)
    assert found.value == pytest.approx(np.abs(again[4] - first[4, :20]).mean())
    labels = Labels(person, unit, value[:, None] == np.arange(7), 12, 60)
    of_labels = [flag for flag in label_flags(labels).flags if flag.kind == "repeats"]
    assert {flag.annotator for flag in of_labels} <= {4}


def test_too_few_answers_are_not_tested_and_say_why() -> None:
    one = Ratings(np.array([0]), np.array([0]), np.array([1.0]), 1, 1)

    found = rating_flags(one)

    assert found.flags == []
    assert set(found.reasons) == {"correlation", "same", "distance", "speed", "copy"}
    nobody = Labels(np.array([], int), np.array([], int), np.zeros((0, 2), bool), 0, 0)
    assert set(label_flags(nobody).reasons) == {"pairwise", "same", "repeats", "speed", "copy"}
    with pytest.raises(ValueError, match=r"part has shape \(2,\), but there are 1 ratings"):
        rating_flags(one, part=np.array([0, 1]))
