"""Vectors and values that were computed once, kept in one SQLite file for each model.

A file belongs to one *identity*: the model's name and revision, and all settings that change what
it makes of a text. Texts are looked up by their hash, so vectors are used again over studies, and
a process that was killed loses the batch that it was computing and no more. Several processes may
use a file at once.
"""

import hashlib
import json
import re
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.baselines.specification import Setting
from scoring.neural.refusals import RefusalError
from scoring.neural.workplace import Workplace
from shell.messages import Message
from shell.messages import message as _

Vectors: TypeAlias = npt.NDArray[np.float32]
# One text, or the texts that a value belongs to.
Unit: TypeAlias = tuple[str, ...]
Encode: TypeAlias = Callable[[Sequence[Unit]], npt.ArrayLike]
# How long the model finds each of some units.
Lengths: TypeAlias = Callable[[Sequence[Unit]], Sequence[int]]


class StoreError(RefusalError):
    """A file of kept vectors that cannot be used; the message says what to do."""


# As they are stored, whatever the machine.
_FLOATS = np.dtype("<f4")
# Keys in one query, of the 32,766 that SQLite takes.
_CHUNK = 500
# Units that are measured at once, before they are sorted.
_MEASURED = 4096
_WAIT_SECONDS = 60.0


def key(unit: Unit) -> bytes:
    """The hash of one text, or of several in their order."""
    digest = hashlib.sha256()
    for text in unit:
        # A lone surrogate is no UTF-8, but a text all the same.
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(struct.pack("<Q", len(encoded)))
        digest.update(encoded)
    return digest.digest()


class VectorStore:
    """The kept vectors of one identity; a context manager.

    Parameters
    ----------
    folder : path
        Where the files lie; it is made where it is missing.
    identity : dict
        What the vectors depend on beside the text; "model" names the file.

    Raises
    ------
    StoreError
        If the file is none of ours, or the folder cannot be made.
    """

    def __init__(self, folder: Path, identity: Mapping[str, Setting]) -> None:
        make(folder)
        described = json.dumps(dict(identity), sort_keys=True)
        name = re.sub(r"[^A-Za-z0-9.-]+", "_", str(identity["model"]))[-60:].strip("_.")
        digest = hashlib.sha256(described.encode()).hexdigest()[:20]
        self.path = folder / f"{name}-{digest}.sqlite3"
        try:
            self._open(described)
        except sqlite3.DatabaseError as error:
            raise StoreError(
                _(
                    "the kept vectors in %(file)s cannot be read (%(reason)s): remove that file,"
                    " and they are computed again",
                    file=str(self.path),
                    reason=str(error),
                )
            ) from error

    def _open(self, described: str) -> None:
        # Every statement is a transaction of its own, unless one is begun.
        self._base = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        # A vector of 384 floats, with its row, is larger than a third of SQLite's usual page.
        self._base.execute("PRAGMA page_size = 8192")
        self._base.execute("PRAGMA journal_mode = WAL")
        # A power cut may cost the last batches, which are computed again; it breaks no file.
        self._base.execute("PRAGMA synchronous = NORMAL")
        self._base.execute("CREATE TABLE IF NOT EXISTS identity (described TEXT NOT NULL)")
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS vectors (text_hash BLOB PRIMARY KEY, vector BLOB NOT NULL)"
        )
        # For people who open the file; the name has the same.
        self._base.execute(
            "INSERT INTO identity SELECT ? WHERE NOT EXISTS (SELECT 1 FROM identity)", [described]
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._base.close()

    def __len__(self) -> int:
        return int(self._base.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def kept(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys that have a vector."""
        stored: set[bytes] = set()
        for chunk in _chunks(keys):
            stored.update(row[0] for row in self._select("text_hash", chunk))
        return stored

    def put(self, keys: Sequence[bytes], vectors: npt.ArrayLike) -> None:
        """Keep vectors, a row for each key, in one transaction.

        What somebody else has kept meanwhile stays as it is. StoreError where there is no room.
        """
        rows = np.ascontiguousarray(vectors, dtype=_FLOATS)
        if rows.shape[:1] != (len(keys),) or rows.ndim != 2:
            raise ValueError(f"{len(keys)} texts have vectors of shape {rows.shape}")
        try:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                [(k, row.tobytes()) for k, row in zip(keys, rows, strict=True)],
            )
            self._base.execute("COMMIT")
        except BaseException as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise StoreError(_cannot_be_kept(self.path, str(error))) from error
            raise

    def get(self, keys: Sequence[bytes]) -> Vectors:
        """The vectors of keys that are kept, shape (n_keys, dimension), in their order.

        Raises
        ------
        StoreError
            If one is not kept, or not as long as the others.
        """
        if not keys:
            return np.empty((0, 0), dtype=np.float32)
        vectors: dict[bytes, bytes] = {}
        for chunk in _chunks(list(dict.fromkeys(keys))):
            vectors.update(self._select("text_hash, vector", chunk))
        if any(k not in vectors for k in keys) or len({len(v) for v in vectors.values()}) > 1:
            raise StoreError(
                _(
                    "vectors in %(file)s are gone or cut short: remove that file, and they are"
                    " computed again",
                    file=str(self.path),
                )
            )
        whole = np.frombuffer(b"".join([vectors[k] for k in keys]), dtype=_FLOATS)
        return whole.reshape(len(keys), -1).astype(np.float32, copy=False)

    def _select(self, columns: str, keys: Sequence[bytes]) -> sqlite3.Cursor:
        marks = ",".join("?" * len(keys))
        return self._base.execute(
            f"SELECT {columns} FROM vectors WHERE text_hash IN ({marks})",  # noqa: S608 - no input
            keys,
        )


def _chunks(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(keys), _CHUNK):
        yield keys[start : start + _CHUNK]


@dataclass(frozen=True)
class StoredUnits:
    """`keys` of all units in their order; how many different ones were computed, or there."""

    keys: list[bytes]
    n_encoded: int
    n_kept: int


def keep(
    store: VectorStore,
    n_units: int,
    unit: Callable[[int], Unit],
    load: Callable[[], Encode],
    place: Workplace,
    *,
    lengths: Lengths | None = None,
    noun: Literal["texts", "pairs"] = "texts",
) -> StoredUnits:
    """Compute what the store lacks, batch by batch, each different unit once.

    Parameters
    ----------
    store : VectorStore
    n_units : int
    unit : callable
        Makes the text (or texts) of a number, 0..n_units-1; none of them is held.
    load : callable
        Loads the model and returns what makes vectors of a batch; not called where all are kept.
    place : Workplace
        Whom to tell after each batch, and how large one is.
    lengths : callable or None
        Called after `load`; None sorts by characters.
    noun : {"texts", "pairs"}
        What the units are, in the messages.
    """
    keys: list[bytes] = []
    # The number of a unit with that key, and its length.
    different: dict[bytes, tuple[int, int]] = {}
    for number in range(n_units):
        texts = unit(number)
        k = key(texts)
        keys.append(k)
        different.setdefault(k, (number, sum(map(len, texts))))
    stored = store.kept(list(different))
    n_kept = len(stored)
    missing = [k for k in different if k not in stored]
    if missing:
        place.say(0.0, _("loading the model"))
        encode = load()
        if lengths is not None:
            for start in range(0, len(missing), _MEASURED):
                some = missing[start : start + _MEASURED]
                n_tokens = lengths([unit(different[k][0]) for k in some])
                different |= {k: (different[k][0], n) for k, n in zip(some, n_tokens, strict=True)}
        # Texts of one length need no padding. The longest come first, so that what does not fit
        # into memory fails at once and not after hours.
        missing.sort(key=lambda k: -different[k][1])
    n_encoded = 0
    for start in range(0, len(missing), place.batch_size):
        batch = missing[start : start + place.batch_size]
        # Another process may have come first.
        there = store.kept(batch)
        wanted = [k for k in batch if k not in there]
        if wanted:
            store.put(wanted, np.asarray(encode([unit(different[k][0]) for k in wanted])))
        n_encoded += len(wanted)
        n_kept += len(there)
        done = start + len(batch)
        place.say(done / len(missing), _done_of(n_kept + n_encoded, len(different), noun))
    return StoredUnits(keys, n_encoded, n_kept)


def _done_of(done: int, n_units: int, noun: Literal["texts", "pairs"]) -> Message:
    if noun == "pairs":
        return _("%(done)s of %(all)s pairs", done=done, all=n_units)
    return _("%(done)s of %(all)s texts", done=done, all=n_units)


def make(folder: Path) -> None:
    """Make the folder of kept vectors; StoreError where that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(_cannot_be_kept(folder, error.strerror or str(error))) from error


def _cannot_be_kept(path: Path, reason: str) -> Message:
    return _("vectors cannot be kept in %(file)s: %(reason)s", file=str(path), reason=reason)


def digests(folder: Path) -> "closing[sqlite3.Connection]":
    """The table of files whose content was hashed before: path, size, time, digest."""
    make(folder)
    base = sqlite3.connect(folder / "digests.sqlite3", timeout=_WAIT_SECONDS, isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute(
        "CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, size INTEGER, changed INTEGER,"
        " digest TEXT NOT NULL)"
    )
    return closing(base)
