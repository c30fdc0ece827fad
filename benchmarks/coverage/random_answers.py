"""Whether the share of a person's random answers can be told from their noise.

A mixture: an answer follows the choice probabilities of the scores from everybody else at a noise
of the person's own, or is random. With the noise free the likelihood is the same for somebody who
clicks and for somebody endlessly noisy, so the interval of a clicker reaches down to 0.
"""

from itertools import permutations

import numpy as np

from benchmarks.coverage import best_worst
from benchmarks.coverage.engine import Cell
from benchmarks.coverage.flags import HONEST_BEST_WORST, KINDS
from scoring.arrays import FloatArray, IntArray

# Eighteen people with about 40 and 170 answers each, four of them careless.
CELLS, N_CARELESS = (Cell(14, 18), Cell(60, 18)), 4
SHARES = np.linspace(0, 1, 51)
# By what the scores are multiplied: the inverse of a person's noise.
SLOPES = np.exp(np.linspace(np.log(0.02), np.log(20), 45))
# Half of the 95 % quantile of chi-square with one degree of freedom.
DROP = 1.92


def share_intervals(study: best_worst.Study) -> FloatArray:
    """Estimate, low and high profile likelihood limit of each person's share, (3, a)."""
    person, probabilities, by_chance = _probabilities(study)
    n_people = int(person.max()) + 1
    profile = np.empty((len(SHARES), n_people))
    for at, share in enumerate(SHARES):
        likelihood = np.log((1 - share) * probabilities + share * by_chance)
        by_person = [np.bincount(person, row, minlength=n_people) for row in likelihood]
        profile[at] = np.max(by_person, axis=0)
    held = profile >= profile.max(axis=0) - DROP
    low = SHARES[held.argmax(axis=0)]
    high = SHARES[len(SHARES) - 1 - held[::-1].argmax(axis=0)]
    return np.stack([SHARES[profile.argmax(axis=0)], low, high])


def _probabilities(study: best_worst.Study) -> tuple[IntArray, FloatArray, float]:
    """Who gave each answer (m,), its probability at each slope (b, m), and by chance."""
    orders = study.orders
    assert orders.annotator is not None  # simulated people have numbers
    person, shown = orders.annotator, orders.shown()
    m, k = shown.shape
    of_person = np.zeros((3, int(person.max()) + 1, orders.n_items))
    np.add.at(of_person[0], (person, orders.best), 1)
    np.add.at(of_person[1], (person, orders.worst), 1)
    np.add.at(of_person[2], (person[:, None], shown), 1)
    best, worst, seen = of_person.sum(axis=1)[:, None] - of_person
    between = (seen - best - worst) / 2
    utility = np.log((best + between + 1) / (worst + between + 1))[person[:, None], shown]
    picks = np.array(list(permutations(range(k), 2)))
    margin = utility[:, picks[:, 0]] - utility[:, picks[:, 1]]
    weight = np.exp(SLOPES[:, None, None] * (margin - margin.max(axis=1, keepdims=True)))
    picked = (shown[:, picks[:, 0]] == orders.best[:, None]) & (
        shown[:, picks[:, 1]] == orders.worst[:, None]
    )
    chosen = weight[:, np.arange(m), picked.argmax(axis=1)]
    return person, chosen / weight.sum(axis=2), 1 / len(picks)


def print_table(*, n_studies: int) -> None:
    """Print the medians of estimates and limits, the mean width, and how often intervals hold."""
    print("| model | study | random answers | estimate | low | high | width | hold | low > .1 |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    kind = KINDS["best-worst"]
    for name, model in HONEST_BEST_WORST.items():
        for cell in CELLS:
            for share in (0.0, 0.5, 1.0):
                studies = model.studies(cell, "nothing", seed=[5])
                rng = np.random.default_rng(6)
                found = []
                for _study in range(n_studies):
                    study = next(studies)
                    is_careless = kind.person(study) < N_CARELESS
                    is_random = is_careless & (rng.random(len(is_careless)) < share)
                    clicked = kind.clicked(study, is_random, rng)
                    found.append(share_intervals(clicked)[:, :N_CARELESS])
                estimate, low, high = np.concatenate(found, axis=1)
                holds = (low <= share + 1e-9) & (share <= high + 1e-9)
                print(
                    f"| {name} | {cell} | {share:.0%} | {np.median(estimate):.2f} "
                    f"| {np.median(low):.2f} | {np.median(high):.2f} | {(high - low).mean():.2f} "
                    f"| {holds.mean():.2f} | {(low > 0.1).mean():.2f} |",
                    flush=True,
                )
