"""Pairs of answers to a question, made up here: the same, partly the same, different."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# Each twice: the second one means the same and shares no word with the first.
_SAME = (
    ("doctor", "physician"), ("car", "automobile"), ("child", "kid"), ("street", "road"),
    ("house", "home"), ("stone", "rock"), ("ship", "vessel"), ("picture", "image"),
    ("shop", "store"), ("teacher", "schoolmaster"), ("forest", "woods"), ("king", "monarch"),
    ("sea", "ocean"), ("lawyer", "attorney"), ("flat", "apartment"), ("film", "movie"),
    ("garbage", "rubbish"), ("autumn", "fall"), ("holiday", "vacation"), ("lorry", "truck"),
)  # fmt: skip
_KINDS = ("machine", "person", "place", "building", "thing", "work")
_PLACES = (
    "Aldham", "Birch Hill", "Corwen", "Dunmore", "Eastport", "Fenwick", "Graham Bay", "Hollin",
    "Inver", "Jedburn", "Kilmore", "Larkfield", "Marsden", "Norbury", "Oakley", "Penrose",
)  # fmt: skip
_COLOURS = ("red", "blue", "green", "white", "old", "new", "small", "big")
SOURCES = ("encyclopedia", "news")


@dataclass(frozen=True)
class AnswerPair:
    """Two answers to a question, and how alike they were written to be: 0, 1 or 2."""

    key: str
    question: str
    first: str
    second: str
    source: str
    label: int


def answer_pairs(n: int, *, seed: int, prefix: str = "a") -> list[AnswerPair]:
    """So many different pairs, of each source and label some with and without shared words."""
    rng = np.random.default_rng(seed)
    seen: set[tuple[str, str]] = set()
    found: list[AnswerPair] = []
    while len(found) < n:
        # As in the paper half of the pairs are partly the same.
        label = (0, 1, 1, 2)[len(found) % 4]
        question, first, second = _texts(label, rng)
        if (first, second) not in seen:
            seen.add((first, second))
            number = len(found) + 1
            source = SOURCES[int(rng.integers(len(SOURCES)))]
            found.append(AnswerPair(f"{prefix}{number}", question, first, second, source, label))
    return found


def _texts(label: int, rng: np.random.Generator) -> tuple[str, str, str]:
    noun, synonym = _SAME[int(rng.integers(len(_SAME)))]
    colour, kind = str(rng.choice(_COLOURS)), str(rng.choice(_KINDS))
    place, other = (str(name) for name in rng.choice(_PLACES, size=2, replace=False))
    year = int(rng.integers(1500, 2000))
    shares_words = rng.random() < 0.7
    if label == 2:
        if shares_words:
            return "When was it built?", f"in {year}", f"in the year {year} in {place}"
        return "What is it?", f"{noun} {year}", synonym
    if label == 1:
        if shares_words:
            return "Where did they meet?", f"in {place} and {other}", f"in {other}"
        return "What did they see?", f"a {colour} {noun} at {place}", f"some {kind}"
    if shares_words:
        return "Who came?", f"the {noun} of {place}", f"the {colour} roof of {other}"
    return "Where was it?", f"in {place}", f"{colour} {synonym}"


def write_pairs(path: Path, pairs: Iterable[AnswerPair], **columns: Sequence[object]) -> None:
    """A file that is imported; further columns stay with the items."""
    rows = (
        [pair.key, pair.question, pair.first, pair.second, pair.source, *more]
        for pair, *more in zip(pairs, *columns.values(), strict=True)
    )
    write_table(path, ["id", "question", "target", "candidate", "source", *columns], rows)


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([header, *rows])


def measured(
    pairs: Iterable[AnswerPair], *, noise: float, seed: int, wrong_every: int = 0
) -> Iterator[float]:
    """What a measure from 0 to 1 says that follows the labels with so much noise.

    Of every `wrong_every`-th pair it says the opposite, as of names that it does not know.
    """
    rng = np.random.default_rng(seed)
    for number, pair in enumerate(pairs):
        label = pair.label
        if wrong_every and number % wrong_every == 0:
            label = 2 - label
        yield round(float(np.clip(0.1 + 0.4 * label + noise * rng.normal(), 0, 1)), 4)
