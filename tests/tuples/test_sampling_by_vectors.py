"""Pairs drawn by the vectors of their texts: arrays in, block by block, as many of each bin."""

from collections import Counter

import numpy as np
import pytest

from tuples.pair_sampling import cosines, embedding, pair_keys, sample_pairs, spread_pairs, unit

MIDDLES = np.random.default_rng(5).normal(size=(8, 16))


def _directions(n: int, *, spread: float) -> np.ndarray:
    """Vectors around a few directions: most pairs have little in common, some have much."""
    rng = np.random.default_rng(n)
    return unit(MIDDLES[rng.integers(0, 8, size=n)] + spread * rng.normal(size=(n, 16)))


def test_cosines_by_hand_and_what_points_away_is_zero() -> None:
    left, right = unit(np.array([[3.0, 4.0], [1.0, 0.0]])), unit(np.array([[2.0, 0.0], [-1, 0]]))

    found = cosines(left, right, np.array([[0, 0], [1, 0], [0, 1], [1, 1]]))

    np.testing.assert_allclose(found, [0.6, 1, 0, 0], atol=1e-7)


@pytest.mark.parametrize("wrong", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_vector_without_a_direction_is_named(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="vector 1 is zero or not finite"):
        unit(np.array([[1.0, 0.0], wrong]))


def _by_bin(pairs: np.ndarray, left: np.ndarray, right: np.ndarray, n_bins: int) -> list[int]:
    alike = (left[pairs[:, 0]] * right[pairs[:, 1]]).sum(axis=1)
    bins = np.clip((alike * n_bins).astype(int), 0, n_bins - 1)
    return np.bincount(bins, minlength=n_bins).tolist()


@pytest.mark.parametrize("block", [777, 2_000_000])
def test_of_many_pairs_each_bin_keeps_as_many_and_the_rare_ones_all(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_BLOCK", block)
    left, right = _directions(150, spread=0.7), _directions(130, spread=0.7)
    names = np.arange(150), np.arange(130) + 1000
    # The same texts on both sides have the same vectors, and would be among the rare ones.
    names[1][:3] = names[0][:3]
    right[:3] = left[:3]
    shares = []

    found = spread_pairs(left, right, names, n_bins=5, seed=1, limit=2000, progress=shares.append)

    every = np.stack(np.divmod(np.arange(150 * 130), 130), axis=1)
    differ = names[0][every[:, 0]] != names[1][every[:, 1]]
    there = _by_bin(every[differ], left, right, 5)
    assert min(there) < 400 < max(there)
    assert found.n_compared is not None
    assert found.n_compared.tolist() == there
    assert _by_bin(found.pairs, left, right, 5) == [min(n, 400) for n in there]
    assert (found.n_identical, found.n_possible, found.is_all) == (3, 150 * 130, False)
    kept = set(map(tuple, found.pairs.tolist()))
    assert len(kept) == len(found.pairs)
    assert not kept & {(0, 0), (1, 1), (2, 2)}
    # As many blocks as are needed, the last of them at the end.
    assert len(shares) == -(-150 // max(block // 130, 1))
    assert shares[-1] == 1


def test_no_block_is_larger_than_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_BLOCK", 1000)
    sizes = []
    chosen = embedding._PairReservoir.chosen

    def seen(self: object, alike: np.ndarray, *of: object) -> object:
        sizes.append(len(alike))
        return chosen(self, alike, *of)

    monkeypatch.setattr(embedding._PairReservoir, "chosen", seen)
    left = _directions(200, spread=1)

    spread_pairs(left, left, (np.arange(200), np.arange(200)), n_bins=5, seed=1, limit=100)

    assert (max(sizes), sum(sizes)) == (1000, 40_000)


def test_what_is_kept_of_a_bin_is_drawn_from_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_BLOCK", 200)
    # All pairs are alike, so that there is one bin; each shall be as likely.
    same = unit(np.ones((40, 2)))
    names = np.arange(40), np.arange(40) + 40
    times: Counter[int] = Counter()
    for seed in range(60):
        found = spread_pairs(same, same, names, n_bins=1, seed=seed, limit=200)
        times.update(found.pairs[:, 0].tolist())

    # 60 times 200 of 40 rows: 300 each, with a deviation of about 16.
    assert len(times) == 40
    assert max(abs(n - 300) for n in times.values()) < 80


def test_of_too_many_pairs_each_left_text_meets_some() -> None:
    left, right = _directions(50, spread=1), _directions(400, spread=1)
    names = np.arange(50), np.arange(400) + 50

    found = spread_pairs(left, right, names, n_bins=4, seed=1, limit=1000, most=5000)

    assert found.n_compared is not None
    assert int(found.n_compared.sum()) == 5000
    assert set(found.pairs[:, 0].tolist()) == set(range(50))
    assert found.pairs[:, 1].max() > 300


TEXTS = [f"one{n} two{n} three{n}" for n in range(60)]
OTHERS = [f"one{n} four{n} five{n}" for n in range(60)]


def test_pairs_are_spread_over_the_cosine_and_the_same_seed_draws_them_again() -> None:
    vectors = _directions(60, spread=0.5), _directions(61, spread=0.5)[:60]
    rules = {"n_pairs": 40, "measure": "embedding", "n_bins": 4, "max_uses": 5, "seed": 7}

    found = sample_pairs(TEXTS, OTHERS, vectors=vectors, **rules)

    assert [one.n_drawn for one in found.sample.bins] == [10, 10, 10, 10]
    for one in found.pairs:
        plain = float(vectors[0][one.target] @ vectors[1][one.candidate])
        assert one.similarity == pytest.approx(max(plain, 0), abs=1e-6)
        assert one.parts == {}
    assert sum(found.n_compared) == 3600
    assert found.pairs == sample_pairs(TEXTS, OTHERS, vectors=vectors, **rules).pairs


def test_vectors_follow_their_texts_when_others_are_left_out() -> None:
    texts = ["alpha beta", "ALPHA  beta", "gamma delta"]
    left = np.array([[1.0, 0], [0, 1.0], [0.6, 0.8]])

    found = sample_pairs(
        texts,
        ["epsilon zeta"],
        vectors=(left, np.array([[0.0, 1.0]])),
        n_pairs=5,
        measure="embedding",
        seed=1,
    )

    by_target = {one.target: one.similarity for one in found.pairs}
    assert by_target == pytest.approx({0: 0.0, 2: 0.8})


def test_the_mean_is_of_words_and_embedding() -> None:
    vectors = np.array([[1.0, 0.0]]), np.array([[0.6, 0.8]])

    found = sample_pairs(["a b c"], ["a b d"], vectors=vectors, n_pairs=1, measure="mean", seed=1)

    (pair,) = found.pairs
    assert pair.parts == pytest.approx({"words": 0.5, "embedding": 0.6})
    assert pair.similarity == pytest.approx(0.55)


def test_of_many_pairs_the_mean_has_those_that_share_words_and_those_that_mean_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tuples.pair_sampling import sampling

    monkeypatch.setattr(sampling, "LIMIT", 600)
    vectors = _directions(60, spread=0.2), _directions(61, spread=0.2)[:60]

    found = sample_pairs(
        TEXTS, OTHERS, vectors=vectors, n_pairs=600, measure="mean", max_uses=60, seed=1
    )

    assert found.n_looked_at <= 600
    pairs = {(one.target, one.candidate): one for one in found.pairs}
    assert {(n, n) for n in range(60)} <= set(pairs)
    of_meaning = [one for one in pairs.values() if one.parts["words"] == 0]
    assert max(one.parts["embedding"] for one in of_meaning) > 0.9


@pytest.mark.parametrize(
    ("measure", "vectors", "said"),
    [
        ("embedding", None, "embedding needs a vector for each text of both columns"),
        ("mean", (np.ones((2, 3)), np.ones((1, 3))), "mean needs a vector for each text"),
        ("nix", None, "'nix' is not a measure; choose one of words, characters, embedding, mean"),
    ],
)
def test_what_is_missing_is_said(measure: str, vectors: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sample_pairs(["a"], ["b"], vectors=vectors, n_pairs=1, measure=measure, seed=1)


def test_keys_are_made_of_ids_and_none_is_there_twice() -> None:
    pairs = [(0, 1), (1, 0), (0, 0)]

    assert pair_keys(pairs, None, None) == ["p1", "p2", "p3"]
    assert pair_keys(pairs, ["a", "b"], None) == ["a+p1", "b+p2", "a+p3"]
    assert pair_keys(pairs, None, ["x", "y"]) == ["y+p1", "x+p2", "x+p3"]
    assert pair_keys(pairs, ["a", "b"], ["x", "y"]) == ["a+y", "b+x", "a+x"]
    assert pair_keys([(0, 1), (1, 0)], ["a", "a+b"], ["c", "b+c"]) == ["a+b+c", "a+b+c+2"]
