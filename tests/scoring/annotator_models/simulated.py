"""Simulated labels whose truth is known, for the tests of the models of annotators."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import IntArray
from scoring.labels.labels import Labels


@dataclass(frozen=True, eq=False)
class Simulated:
    """Labels, the right category of each unit, and who clicks at random."""

    labels: Labels
    truth: IntArray
    is_clicker: np.ndarray


def simulated(
    *,
    n_people: int = 20,
    n_units: int = 200,
    per_unit: int = 5,
    c: int = 3,
    clickers: float = 0.0,
    accuracy: tuple[float, float] = (0.6, 0.95),
    seed: int = 0,
) -> Simulated:
    """Units labelled by random people, who are right with an accuracy of their own or click."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(c, size=n_units)
    unit = np.repeat(np.arange(n_units), per_unit)
    person = np.argsort(rng.random((n_units, n_people)), axis=1)[:, :per_unit].ravel()
    is_clicker = np.arange(n_people) < round(clickers * n_people)
    probability = np.where(is_clicker, 1 / c, rng.uniform(*accuracy, n_people))
    is_right = rng.random(len(unit)) < probability[person]
    wrong = (truth[unit] + rng.integers(1, c, len(unit))) % c
    category = np.where(is_right, truth[unit], wrong)
    labels = Labels(person, unit, np.eye(c, dtype=bool)[category], n_people, n_units)
    return Simulated(labels, truth, is_clicker)
