#!/usr/bin/env python3
"""Make the answers that docs/notebooks/answers_to_scores.py reads: nobody gave them."""

import csv
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.forecasts.picks import simulated_picks
from tuples import make_tuples

ANSWERS = Path(__file__).resolve().parents[1] / "docs" / "notebooks" / "answers.csv"
SEED = 20
N_PEOPLE = 16
ANSWERS_PER_TUPLE = 8
TUPLE_SIZE = 4
# Of the people, on the scale of the values below.
NOISE = 0.12
# How similar a word is to "hot", as we imagined it, from 0 to 1.
SIMILARITY_TO_HOT = {
    "boiling": 0.95,
    "scorching": 0.97,
    "burning": 0.90,
    "sweltering": 0.86,
    "roasting": 0.84,
    "heated": 0.70,
    "sunny": 0.58,
    "warm": 0.62,
    "toasty": 0.66,
    "lukewarm": 0.44,
    "tepid": 0.40,
    "mild": 0.42,
    "fresh": 0.28,
    "cool": 0.24,
    "chilly": 0.18,
    "cold": 0.12,
    "frosty": 0.08,
    "icy": 0.05,
    "frozen": 0.04,
    "freezing": 0.03,
}


def rows() -> list[list[str]]:
    """One row for each answer: who gave it, the items shown, and those picked."""
    rng = np.random.default_rng(SEED)
    items = np.array(list(SIMILARITY_TO_HOT))
    similarity = np.array(list(SIMILARITY_TO_HOT.values()))
    tuples = make_tuples(len(items), size=TUPLE_SIZE, factor=2, seed=SEED)
    best, worst = simulated_picks(
        tuples, similarity, noise=NOISE, n_answers=ANSWERS_PER_TUPLE, rng=rng
    )
    answers = []
    for number, shown in enumerate(tuples):
        people = rng.permutation(N_PEOPLE)[:ANSWERS_PER_TUPLE]
        for place, person in enumerate(people):
            picked = items[[best[place, number], worst[place, number]]]
            answers.append([f"P{person + 1:02}", *items[rng.permutation(shown)], *picked])
    return sorted(answers, key=lambda answer: answer[0])


def main() -> None:
    """Write the file."""
    header = ["Annotator", *(f"Item{n + 1}" for n in range(TUPLE_SIZE)), "BestItem", "WorstItem"]
    with ANSWERS.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows()])


if __name__ == "__main__":
    main()
