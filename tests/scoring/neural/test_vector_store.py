"""Vectors that are kept: found again, shared by processes, never half there."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scoring.neural.vector_store import Encode, StoreError, Unit, VectorStore, keep, key
from scoring.neural.workplace import Workplace
from shell.messages import Message

IDENTITY = {"model": "org/some model", "revision": "1"}


def test_vectors_come_back_in_the_order_asked_for(tmp_path: Path) -> None:
    keys = [key((str(n),)) for n in range(1_200)]
    vectors = np.arange(2_400, dtype=np.float32).reshape(-1, 2)
    with VectorStore(tmp_path, IDENTITY) as store:
        store.put(keys, vectors)

    with VectorStore(tmp_path, IDENTITY) as store:
        assert store.get([keys[7], keys[1_100], keys[7]]).tolist() == [
            [14.0, 15.0],
            [2_200.0, 2_201.0],
            [14.0, 15.0],
        ]
        assert store.kept([*keys, key(("new",))]) == set(keys)
        assert store.get([]).shape == (0, 0)


def test_other_identities_have_other_files(tmp_path: Path) -> None:
    with VectorStore(tmp_path, IDENTITY) as store:
        store.put([key(("a",))], [[1.0]])
    with VectorStore(tmp_path, {**IDENTITY, "revision": "2"}) as other:
        assert other.kept([key(("a",))]) == set()

    assert len(list(tmp_path.glob("org_some_model-*.sqlite3"))) == 2


def test_texts_that_only_look_alike_have_other_keys() -> None:
    units = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("\ud800",), ("?",)]

    assert len({key(unit) for unit in units}) == len(units)


def counting(batches: list[list[str]]) -> Encode:
    def encode(units: Sequence[Unit]) -> np.ndarray:
        batches.append([text for (text,) in units])
        return np.array([[len(text)] for (text,) in units], dtype=np.float32)

    return encode


def test_the_longest_come_first_in_batches_and_each_once(tmp_path: Path) -> None:
    texts = ["bb", "a", "dddd", "a", "ccc", "eeeee"]
    batches: list[list[str]] = []
    said: list[tuple[float, str]] = []
    place = Workplace(None, tmp_path, lambda share, word: said.append((share, word)), 2)

    with VectorStore(tmp_path, IDENTITY) as store:
        kept = keep(store, 6, lambda n: (texts[n],), lambda: counting(batches), place)
        vectors = store.get(kept.keys)

    assert batches == [["eeeee", "dddd"], ["ccc", "bb"], ["a"]]
    assert (kept.n_encoded, kept.n_kept) == (5, 0)
    assert vectors[:, 0].tolist() == [2, 1, 4, 1, 3, 5]
    assert said[0] == (0.0, "loading the model")
    assert [share for share, _ in said[1:]] == [0.4, 0.8, 1.0]
    assert said[-1][1] == "5 of 5 texts"
    assert all(isinstance(message, Message) for _, message in said)


def test_what_a_model_finds_longest_comes_first(tmp_path: Path) -> None:
    texts = ["one long word", "a b c d e", "f g"]
    batches: list[list[str]] = []

    def words(units: Sequence[Unit]) -> list[int]:
        return [len(text.split()) for (text,) in units]

    with VectorStore(tmp_path, IDENTITY) as store:
        place = Workplace(None, tmp_path, batch_size=1)
        kept = keep(
            store, 3, lambda n: (texts[n],), lambda: counting(batches), place, lengths=words
        )
        vectors = store.get(kept.keys)

    assert batches == [["a b c d e"], ["one long word"], ["f g"]]
    assert vectors[:, 0].tolist() == [13.0, 9.0, 3.0]


def test_what_another_process_kept_meanwhile_is_not_computed(tmp_path: Path) -> None:
    batches: list[list[str]] = []
    texts = ["a", "bb", "ccc"]

    def load() -> Encode:
        with VectorStore(tmp_path, IDENTITY) as other:
            other.put([key(("bb",))], [[7.0]])
        return counting(batches)

    with VectorStore(tmp_path, IDENTITY) as store:
        kept = keep(store, 3, lambda n: (texts[n],), load, Workplace(None, tmp_path))
        vectors = store.get(kept.keys)

    assert batches == [["ccc", "a"]]
    assert (kept.n_encoded, kept.n_kept) == (2, 1)
    assert vectors[:, 0].tolist() == [1.0, 7.0, 3.0]


def test_two_at_once_wait_for_each_other(tmp_path: Path) -> None:
    with VectorStore(tmp_path, IDENTITY) as one, VectorStore(tmp_path, IDENTITY) as other:
        one.put([key(("a",)), key(("b",))], [[1.0], [2.0]])
        other.put([key(("b",)), key(("c",))], [[9.0], [3.0]])

        assert one.get([key((t,)) for t in "abc"])[:, 0].tolist() == [1.0, 2.0, 3.0]
        assert len(one) == 3


def test_a_batch_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with VectorStore(tmp_path, IDENTITY) as store:
        with pytest.raises(ValueError, match="2 texts have vectors of shape"):
            store.put([key(("a",)), key(("b",))], [[1.0]])

        assert len(store) == 0
        store.put([key(("a",))], [[1.0]])


def test_a_file_that_is_none_of_ours_names_itself(tmp_path: Path) -> None:
    with VectorStore(tmp_path, IDENTITY) as store:
        path = store.path
    path.write_bytes(b"no database at all, but something else entirely" * 100)

    with pytest.raises(StoreError, match="remove that file") as error:
        VectorStore(tmp_path, IDENTITY)
    assert str(path) in str(error.value)


def test_a_vector_cut_short_is_noticed(tmp_path: Path) -> None:
    with VectorStore(tmp_path, IDENTITY) as store:
        store.put([key(("a",)), key(("b",))], [[1.0, 2.0], [3.0, 4.0]])
        base = sqlite3.connect(store.path)
        base.execute("UPDATE vectors SET vector = x'00000000' WHERE text_hash = ?", [key(("b",))])
        base.commit()
        base.close()

        with pytest.raises(StoreError, match="gone or cut short"):
            store.get([key(("a",)), key(("b",))])


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(StoreError, match=r"cannot be kept in .*/file/store: Not a directory"):
        VectorStore(tmp_path / "file" / "store", IDENTITY)


def test_without_room_it_says_so_and_keeps_nothing(tmp_path: Path) -> None:
    with VectorStore(tmp_path, IDENTITY) as store:
        store.put([key(("a",))], [[1.0] * 500])
        store._base.execute("PRAGMA max_page_count = 10")

        with pytest.raises(StoreError, match=r"cannot be kept in .*: database or disk is full"):
            store.put([key((str(n),)) for n in range(100)], [[2.0] * 500] * 100)

        assert len(store) == 1
