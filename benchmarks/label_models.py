"""How often models of annotators label rightly if people are not as the models assume.

    python -m benchmarks.label_models [--studies N]

Prints the share of right labels by majority (a tie counts as a draw among its categories), by
Dawid-Skene, MACE and GLAD, and how far the mean probability of the labels is above that share.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scoring import Labels, count_labels, label_models
from scoring.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Cell:
    """Size of a study: people, units, answers about each unit, and categories."""

    n_people: int
    n_units: int
    per_unit: int
    c: int

    def __str__(self) -> str:
        return (
            f"{self.n_people} people, {self.n_units} units, {self.per_unit} answers,"
            f" {self.c} categories"
        )


@dataclass(frozen=True)
class Model:
    """How people label.

    Parameters
    ----------
    accuracy : tuple of float
        Lowest and highest share of right answers about a unit of average difficulty.
    clickers : float
        Share of people who choose all categories alike.
    camp : float
        Share of people to whom another category of every third unit seems right.
    difficulty : float
        Standard deviation of the units' difficulty, in logits.
    rare : float
        Share of the first category; 0 if all are equally frequent.
    """

    accuracy: tuple[float, float] = (0.6, 0.95)
    clickers: float = 0.0
    camp: float = 0.0
    difficulty: float = 0.0
    rare: float = 0.0

    def study(self, cell: Cell, rng: np.random.Generator) -> tuple[Labels, IntArray]:
        """Simulated labels, and the right category of each unit."""
        c, n_people = cell.c, cell.n_people
        truth = rng.choice(c, size=cell.n_units, p=self._shares(c))
        unit = np.repeat(np.arange(cell.n_units), cell.per_unit)
        drawn = rng.random((cell.n_units, n_people))
        person = np.argsort(drawn, axis=1)[:, : cell.per_unit].ravel()
        is_right = rng.random(len(unit)) < self._probability(person, unit, n_people, c, rng)
        seems_right = self._truth_of_people(truth, n_people, c)[person, unit]
        wrong = (seems_right + rng.integers(1, c, len(unit))) % c
        chosen = np.eye(c, dtype=np.bool_)[np.where(is_right, seems_right, wrong)]
        return Labels(person, unit, chosen, n_people, cell.n_units), truth

    def _shares(self, c: int) -> FloatArray:
        if not self.rare:
            return np.full(c, 1 / c)
        return np.array([self.rare, *[(1 - self.rare) / (c - 1)] * (c - 1)])

    def _probability(
        self, person: IntArray, unit: IntArray, n_people: int, c: int, rng: np.random.Generator
    ) -> FloatArray:
        """Probability that each answer is right, in the eyes of the person."""
        accuracy = rng.uniform(*self.accuracy, n_people)
        difficulty = self.difficulty * rng.normal(size=int(unit.max()) + 1)
        logit = np.log(accuracy / (1 - accuracy))[person] - difficulty[unit]
        is_clicker = np.arange(n_people) < round(self.clickers * n_people)
        return np.where(is_clicker[person], 1 / c, 1 / (1 + np.exp(-logit)))

    def _truth_of_people(self, truth: IntArray, n_people: int, c: int) -> IntArray:
        """The category that seems right to each person, shape (n_people, n_units)."""
        seen = np.tile(truth, (n_people, 1))
        # The last people, because the first ones are the clickers.
        camp = n_people - round(self.camp * n_people)
        seen[camp:, ::3] = (seen[camp:, ::3] + 1) % c
        return seen


CELLS = (Cell(20, 200, 5, 3), Cell(60, 300, 3, 3), Cell(12, 100, 5, 2))
MODELS = {
    "people of 60 to 95 %": Model(),
    "people alike, 80 %": Model(accuracy=(0.8, 0.8)),
    "15 % clickers": Model(clickers=0.15),
    "30 % clickers": Model(clickers=0.3),
    "units of unequal difficulty": Model(difficulty=1.5),
    "a camp of 30 %": Model(camp=0.3),
    "a category of 5 %": Model(rare=0.05),
    "a category of 5 %, 30 % clickers": Model(rare=0.05, clickers=0.3),
}


def right_share(probability: FloatArray, truth: IntArray) -> float:
    """Share of units whose most probable category is right; a tie counts as a draw.

    Raises ValueError if a unit has no probabilities: the model was not fitted.
    """
    if np.isnan(probability).any():
        raise ValueError("a unit has no probabilities")
    is_most = probability >= probability.max(axis=1, keepdims=True) - 1e-9
    return float((is_most[np.arange(len(truth)), truth] / is_most.sum(axis=1)).mean())


def figures(model: Model, cell: Cell, seed: list[int]) -> list[float]:
    """Shares of right labels by majority and by the models, and the models' overconfidence."""
    labels, truth = model.study(cell, np.random.default_rng(seed))
    posteriors = [fit.posterior for fit in label_models(labels).values()]
    shares = [right_share(probability, truth) for probability in posteriors]
    counts = count_labels(labels).counts.astype(np.float64)
    tops = [float(probability.max(axis=1).mean()) for probability in posteriors]
    surplus = [top - share for top, share in zip(tops, shares, strict=True)]
    return [right_share(counts, truth), *shares, *surplus]


def rows(n_studies: int, draw: Callable[[Model, Cell, list[int]], list[float]]) -> Iterator[str]:
    """The lines of the table, a cell and a model each."""
    for cell in CELLS:
        yield f"\n| {cell} | majority | Dawid-Skene | MACE | GLAD | surplus: DS | MACE | GLAD |"
        yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
        for name, model in MODELS.items():
            means = np.mean([draw(model, cell, [5, k]) for k in range(n_studies)], axis=0)
            shares = " | ".join(f"{100 * mean:.1f}" for mean in means[:4])
            surplus = " | ".join(f"{100 * mean:+.1f}" for mean in means[4:])
            yield f"| {name} | {shares} | {surplus} |"


def main() -> None:
    """Print the table, in percent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=100, help="simulated studies of each cell")
    for line in rows(parser.parse_args().studies, figures):
        print(line, flush=True)


if __name__ == "__main__":
    main()
