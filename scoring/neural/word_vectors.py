"""Static word vectors: the cosine of the averages of two texts' words."""

import gzip
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

import numpy as np
import numpy.typing as npt

from scoring.baselines import Pair
from scoring.neural.bi_encoder import cosines
from scoring.neural.models import below, digest_of_file
from scoring.neural.refusals import ModelError
from scoring.neural.workplace import Say, Scored, Settings, Workplace
from shell.messages import Message
from shell.messages import message as _

_WORD = re.compile(r"\w+")
_GZIP = b"\x1f\x8b"
# Words read between two messages.
_TOLD_EVERY = 50_000
# Longer ones are no words: the file is not what it seems.
_LONGEST_WORD = 10_000
_FLOATS = np.dtype("<f4")


def score(pairs: Sequence[Pair], settings: Settings, place: Workplace) -> Scored:
    """Cosine of the unweighted averages of two texts' word vectors.

    Words are cut as `cut` does, lower-cased where "lower" is true. Each counts as often as it
    occurs; those that the file lacks do not count. Only the vectors of words that occur are held.

    Parameters
    ----------
    pairs : sequence of Pair
    settings : dict
        As `scoring.neural.measures` defines them, complete.
    place : Workplace

    Returns
    -------
    Scored
        Values in [-1, 1]; nan where no word of a text is in the file. Figures: "words" and
        "unknown_words" count different words, "pairs_without_value" pairs.

    Raises
    ------
    models.ModelError
        If the file is not there, or is none of word vectors.
    """
    name = str(settings["file"])
    path = below(name, place.models)
    if path is None or not path.is_file():
        raise ModelError(_no_file(name, place.models))
    is_lower = bool(settings["lower"])
    wanted = {
        word
        for pair in pairs
        for text in (pair.first, pair.second)
        for word in cut(text, lower=is_lower)
    }
    place.say(0.0, _("reading %(file)s", file=name))
    revision = f"sha256:{digest_of_file(path, place.store)}"
    vectors = read(path, wanted, place.say)
    values = np.full(len(pairs), np.nan)
    for i, pair in enumerate(pairs):
        first = _average(cut(pair.first, lower=is_lower), vectors)
        second = _average(cut(pair.second, lower=is_lower), vectors)
        if first is not None and second is not None:
            values[i] = cosines(first[None], second[None])[0]
    figures = {
        "words": len(wanted),
        "unknown_words": len(wanted) - len(vectors),
        "pairs_without_value": int(np.isnan(values).sum()),
    }
    return Scored(values, "cpu, numpy", revision, len(vectors), 0, figures)


def _no_file(name: str, models: Path | None) -> Message:
    if models is None:
        return _(
            "There is no file %(given)s of word vectors: put it at a folder of models"
            " (LIKENESS_MODELS).",
            given=repr(name),
        )
    return _(
        "There is no file %(given)s of word vectors: put it at %(folder)s.",
        given=repr(name),
        folder=str(models / name),
    )


def cut(text: str, *, lower: bool) -> list[str]:
    """Words of a text: runs of letters, digits and underscores."""
    return _WORD.findall(text.lower() if lower else text)


def read(path: Path, wanted: Collection[str], say: Say) -> dict[str, npt.NDArray[np.float32]]:
    """Read the vectors of some words from a file in word2vec's text or binary format.

    The file may be compressed by gzip, and a text file may lack its first line (GloVe). Of a word
    that stands there twice the first one counts.

    Raises
    ------
    ModelError
        If it is no such file, or was cut short; with the line or word where that was seen.
    """
    with path.open("rb") as raw:
        is_packed = raw.read(2) == _GZIP
    with gzip.open(path, "rb") if is_packed else path.open("rb") as opened:
        file = cast(IO[bytes], opened)
        head = file.readline(1_000_000).split()
        if not head:
            raise ModelError(
                _(
                    "%(file)s is no file of word vectors: its first line is empty.",
                    file=str(path),
                )
            )
        n_words, dimension = _sizes(head)
        start = file.tell() if n_words else 0
        file.seek(start)
        is_text = not n_words or _is_row(file.readline(1_000_000), dimension)
        file.seek(start)
        rows = (
            _text_rows(file, path, dimension)
            if is_text
            else _binary_rows(file, path, n_words, dimension)
        )
        vectors: dict[str, npt.NDArray[np.float32]] = {}
        names = {word.encode() for word in wanted}
        for number, (name, vector) in enumerate(rows):
            if number % _TOLD_EVERY == 0:
                share = number / n_words if n_words else 0.0
                say(
                    min(share, 1.0),
                    _("%(n)s words of %(file)s read", n=number, file=path.name),
                )
            if name in names and (word := name.decode()) not in vectors:
                vectors[word] = _vector(vector, path, word, dimension)
                if len(vectors) == len(names):
                    break
    return vectors


def _sizes(head: list[bytes]) -> tuple[int, int]:
    """Number of words (0: not said) and dimension, from the first line."""
    if len(head) == 2 and head[0].isdigit() and head[1].isdigit():
        return int(head[0]), int(head[1])
    return 0, len(head) - 1


def _is_row(line: bytes, dimension: int) -> bool:
    parts = line.split()
    return len(parts) > dimension and _numbers(parts[-dimension:]) is not None


def _numbers(parts: Sequence[bytes]) -> npt.NDArray[np.float32] | None:
    try:
        return np.array([float(part) for part in parts], dtype=np.float32)
    except ValueError:
        return None


# What stands after a word: its numbers as text, or as floats.
_Rest = list[bytes] | bytes


def _text_rows(file: IO[bytes], path: Path, dimension: int) -> Iterator[tuple[bytes, _Rest]]:
    for number, line in enumerate(file, start=1):
        # A word may hold other white space than a blank, or even blanks.
        parts = line.rstrip(b"\r\n ").rsplit(b" ", dimension)
        if len(parts) != dimension + 1 or dimension < 1:
            raise ModelError(
                _(
                    "%(file)s is no file of word vectors: what stands there as word number %(n)s"
                    " has not %(dimension)s numbers.",
                    file=str(path),
                    n=number,
                    dimension=max(dimension, 1),
                )
            )
        yield parts[0], parts[1:]


def _binary_rows(
    file: IO[bytes], path: Path, n_words: int, dimension: int
) -> Iterator[tuple[bytes, _Rest]]:
    size = dimension * _FLOATS.itemsize
    held, at = b"", 0
    for number in range(n_words):
        while (end := held.find(b" ", at)) < 0 or len(held) < end + 1 + size:
            held, at = held[at:], 0
            more = file.read(1 << 20)
            if not more or (held.find(b" ") < 0 and len(held) > _LONGEST_WORD):
                raise ModelError(
                    _(
                        "%(file)s was cut short, or is no file of word vectors: it ends, or has no"
                        " word, after %(n)s of %(all)s words.",
                        file=str(path),
                        n=number,
                        all=n_words,
                    )
                )
            held += more
        # Some programs end each row with a line break.
        yield held[at:end].lstrip(b"\n"), held[end + 1 : end + 1 + size]
        at = end + 1 + size


def _vector(rest: _Rest, path: Path, word: str, dimension: int) -> npt.NDArray[np.float32]:
    vector = np.frombuffer(rest, _FLOATS) if isinstance(rest, bytes) else _numbers(rest)
    if vector is None or vector.shape != (dimension,) or not np.isfinite(vector).all():
        raise ModelError(
            _(
                "In %(file)s the word %(given)s has not %(dimension)s finite numbers.",
                file=str(path),
                given=repr(word),
                dimension=dimension,
            )
        )
    return vector.astype(np.float32)


def _average(
    text: Sequence[str], vectors: dict[str, npt.NDArray[np.float32]]
) -> npt.NDArray[np.float32] | None:
    known = [vectors[word] for word in text if word in vectors]
    return np.mean(known, axis=0) if known else None
