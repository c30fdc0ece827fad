"""Flags among few people: of picks, whoever clicks is found and who is less careful is not."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scoring import BestWorst, Flags, flags
from scoring.flags import label_flags, rating_flags
from scoring.labels.labels import Labels
from scoring.ratings.ratings import Ratings

N_STUDIES, N_ANSWERS = 20, 200
CLICKER = 0


def noise_of(rng: np.random.Generator, usual: float) -> float:
    """Honest people differ in care: of 20 one is more than twice as noisy as usual."""
    return usual * math.exp(0.4 * rng.normal())


def best_worst(seed: int, *, n_people: int, has_clicker: bool) -> Flags:
    rng = np.random.default_rng([21, n_people, seed])
    tuples = rng.permuted(np.tile(np.arange(100), (N_ANSWERS, 1)), axis=1)[:, :4]
    latent, rows = rng.uniform(size=100), np.arange(N_ANSWERS)
    answers = []
    for person in range(n_people):
        seen = latent[tuples] + noise_of(rng, 0.3) * rng.gumbel(size=tuples.shape)
        if has_clicker and person == CLICKER:
            seen = rng.random(tuples.shape)
        best, worst = tuples[rows, seen.argmax(axis=1)], tuples[rows, seen.argmin(axis=1)]
        answers.append(np.column_stack([rows, best, worst, np.full(N_ANSWERS, person)]))
    number, best, worst, person = np.concatenate(answers).T
    return flags(BestWorst(tuples, number, best, worst, 100, person))


def values(seed: int, *, n_people: int, has_clicker: bool) -> np.ndarray:
    """Of N_ANSWERS units, on a scale of 0 to 6; a row for each person."""
    rng = np.random.default_rng([22, n_people, seed])
    latent = rng.uniform(0, 6, size=N_ANSWERS)
    seen = [latent + noise_of(rng, 1.0) * rng.normal(size=N_ANSWERS) for _ in range(n_people)]
    if has_clicker:
        seen[CLICKER] = rng.uniform(-0.5, 6.5, size=N_ANSWERS)
    return np.clip(np.round(seen), 0, 6)


def ratings(seed: int, *, n_people: int, has_clicker: bool) -> Flags:
    table = values(seed, n_people=n_people, has_clicker=has_clicker)
    person, unit = np.indices(table.shape)
    return rating_flags(
        Ratings(
            person.ravel(), unit.ravel(), table.ravel(), n_people, N_ANSWERS, low=0, high=6, step=1
        )
    )


def labels(seed: int, *, n_people: int, has_clicker: bool) -> Flags:
    code = (values(seed, n_people=n_people, has_clicker=has_clicker) // 2.5).astype(np.int64)
    person, unit = np.indices(code.shape)
    chosen = code.ravel()[:, None] == np.arange(3)
    return label_flags(Labels(person.ravel(), unit.ravel(), chosen, n_people, N_ANSWERS))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("study", "kind", "n_people", "power"),
    [
        (best_worst, "agreement", 3, 0.8),
        (best_worst, "agreement", 5, 0.9),
        (best_worst, "agreement", 8, 0.9),
        (ratings, "correlation", 15, 0.9),
        (labels, "pairwise", 15, 0.9),
    ],
)
def test_whoever_clicks_is_found_among_few_and_who_is_less_careful_is_not(
    study: Callable[..., Flags], kind: Any, n_people: int, power: float
) -> None:
    found = [study(seed, n_people=n_people, has_clicker=True) for seed in range(N_STUDIES)]
    honest = [study(seed, n_people=n_people, has_clicker=False) for seed in range(N_STUDIES)]

    def flagged(of: Flags) -> set[int]:
        return {flag.annotator for flag in of.flags if flag.kind == kind}

    # Compared only with how people differ, one in twenty was found among three, three of twenty
    # among five.
    assert sum(CLICKER in flagged(of) for of in found) >= power * N_STUDIES
    assert sum(bool(flagged(of) - {CLICKER}) for of in found) <= 1
    assert sum(bool(flagged(of)) for of in honest) <= 1


@pytest.mark.parametrize(("study", "kind"), [(ratings, "correlation"), (labels, "pairwise")])
def test_among_few_who_rate_or_label_clicking_is_not_told_from_a_view_of_ones_own(
    study: Callable[..., Flags], kind: Any
) -> None:
    of = study(1, n_people=14, has_clicker=True)

    assert not [flag for flag in of.flags if flag.kind == kind]
    assert of.n_tested[kind] == 0
    assert "a view" in of.reasons[kind]


@pytest.mark.parametrize(
    ("n_people", "has_clicker"), [(20, False), (8, True), (4, True), (3, True)]
)
def test_two_careful_people_are_no_copies(n_people: int, has_clicker: bool) -> None:
    found = [
        labels(seed, n_people=n_people, has_clicker=has_clicker).flags for seed in range(N_STUDIES)
    ]

    # Compared with what any two others have in common, half of these studies had one.
    assert sum(any(flag.kind == "copy" for flag in of) for of in found) <= 1


@pytest.mark.parametrize("n_people", [4, 5, 20])
def test_a_copy_is_found_among_careful_people(n_people: int) -> None:
    n_found = 0
    for seed in range(N_STUDIES):
        table = values(seed, n_people=n_people, has_clicker=False)
        # All but one answer in twenty.
        own = np.arange(N_ANSWERS) % 20 == 0
        table[1] = np.where(own, table[1], table[2])
        code = (table // 2.5).astype(np.int64)
        person, unit = np.indices(code.shape)
        chosen = code.ravel()[:, None] == np.arange(3)
        of = label_flags(Labels(person.ravel(), unit.ravel(), chosen, n_people, N_ANSWERS))
        n_found += {1, 2} == {flag.annotator for flag in of.flags if flag.kind == "copy"}

    assert n_found >= 0.8 * N_STUDIES
