"""Texts for the Czech study: incidents whose reports repeat their summary more or less closely."""

import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

# Of each incident: sentences of the summary and of each of its reports.
N_SUMMARY, REPORTS = 24, (14, 13, 13)
DOMAINS = ("accidents", "crime", "politics", "weather")
_N_WORDS, _N_OWN = 10, 240
# Shares of a summary's sentence that its echoes in the reports repeat; other sentences are new.
_CLOSE, _LOOSE = 0.8, 0.4
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvz", "aeiou"

# What calibrates, with its known rating: in the paper's order 0, 3, 6, 0, 3, 6.
CALIBRATION: tuple[tuple[str, str, int], ...] = (
    ("A bus drove into a wall.", "The market opens on Monday.", 0),
    ("Two people were hurt in the fire.", "There was a fire in the old mill.", 3),
    ("The road is closed until Friday.", "Until Friday the road stays closed.", 6),
    ("The mayor opened a school.", "Snow fell in the mountains.", 0),
    ("The police look for a witness.", "The police found the car at night.", 3),
    ("Nobody was injured.", "There were no injuries.", 6),
)


def calibration_ids() -> list[str]:
    return [f"calibration-{number}" for number in range(1, len(CALIBRATION) + 1)]


def write_incidents(file: Path, n_incidents: int) -> None:
    with file.open("w", encoding="utf-8") as opened:
        for entry in incidents(n_incidents):
            opened.write(json.dumps(entry) + "\n")


def write_calibration(file: Path) -> None:
    rows = [
        f"{key}\t{first}\t{second}\t{expected}\n"
        for key, (first, second, expected) in zip(calibration_ids(), CALIBRATION, strict=True)
    ]
    file.write_text("".join(["id\ttarget\tcandidate\texpected\n", *rows]), encoding="utf-8")


def incidents(n_incidents: int) -> Iterator[Mapping[str, object]]:
    rng = random.Random(1)
    for incident in range(n_incidents):
        words = [_word(_N_OWN * incident + number) for number in range(_N_OWN)]
        summary = [rng.sample(words, _N_WORDS) for _sentence in range(N_SUMMARY)]
        n_sentences = sum(REPORTS)
        # Every sentence of the summary has one close echo; half of them have a loose one, too.
        shares = [_CLOSE] * N_SUMMARY + [_LOOSE] * (n_sentences - N_SUMMARY)
        echoes = [
            _echo(summary[number % N_SUMMARY], words, share, rng)
            for number, share in enumerate(shares)
        ]
        rng.shuffle(echoes)
        texts = iter(map(_written, echoes))
        yield {
            "id": f"i{incident}",
            "domain": DOMAINS[incident % len(DOMAINS)],
            "summary": list(map(_written, summary)),
            "reports": [
                {"id": f"i{incident}r{report}", "sentences": [next(texts) for _n in range(size)]}
                for report, size in enumerate(REPORTS)
            ],
        }


def _word(number: int) -> str:
    """Four syllables, another word for each number."""
    syllables = []
    for _syllable in range(4):
        number, place = divmod(number, len(_CONSONANTS) * len(_VOWELS))
        syllables.append(_CONSONANTS[place // len(_VOWELS)] + _VOWELS[place % len(_VOWELS)])
    return "".join(syllables)


def _echo(words: list[str], others: list[str], share: float, rng: random.Random) -> list[str]:
    repeated = [word for word in words if rng.random() < share]
    new = [word for word in rng.sample(others, 2 * _N_WORDS) if word not in words]
    return repeated + new[: _N_WORDS - len(repeated)]


def _written(words: list[str]) -> str:
    return f"{' '.join(words).capitalize()}."


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().rstrip(".").split())


def shared(first: str, second: str) -> float:
    """Share of the words that two sentences have in common (Dice), from 0 to 1."""
    one, other = _words(first), _words(second)
    return 2 * len(one & other) / (len(one) + len(other))


def known_likeness(first: str, second: str) -> float:
    """How alike two sentences are, from 0 to 6: what all people of the model tend to say."""
    return _EXPECTED.get((first, second), 6 * shared(first, second))


_EXPECTED = {(first, second): float(expected) for first, second, expected in CALIBRATION}
