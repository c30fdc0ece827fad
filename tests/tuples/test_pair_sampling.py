"""Pairs drawn from two columns of texts: flat over similarity, no text too often, none twice."""

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tuples.pair_sampling import candidate_pairs, draw, features, find_duplicates, jaccard
from tuples.pair_sampling.__main__ import main


def test_shared_words_and_trigrams_by_hand() -> None:
    left = [features("The CAT sat", "words"), features("", "words")]
    right = [features("the cat\tran off", "words"), features("…", "words")]

    found = jaccard(left, right, np.array([[0, 0], [0, 1], [1, 1]]))

    assert found.tolist() == [2 / 5, 0, 0]
    assert features("ab", "characters") == {" ab", "ab "}
    with pytest.raises(
        ValueError, match="'nix' is not a measure; choose one of words, characters"
    ):
        features("a", "nix")


def test_bins_are_filled_evenly_and_say_what_they_lack() -> None:
    rng = np.random.default_rng(3)
    pairs = np.stack(np.divmod(np.arange(10_000), 100), axis=1)
    # Lopsided, as real texts are: few pairs are alike.
    similarity = rng.beta(1, 6, size=10_000)

    sample = draw(pairs, similarity, n_pairs=100, n_bins=5, max_uses=4, seed=1)

    counts = [one.n_drawn for one in sample.bins]
    n_last = sample.bins[-1].n_candidates
    assert n_last < 20
    assert counts[-1] == n_last
    assert max(counts[:3]) - min(counts[:3]) <= 1
    assert sum(counts) == len(set(sample.drawn.tolist())) == 100
    for side in (0, 1):
        assert max(Counter(pairs[sample.drawn][:, side].tolist()).values()) <= 4
    assert sample.sentences[-1].endswith("available pairs; no more pairs in this bin")
    again = draw(pairs, similarity, n_pairs=100, n_bins=5, max_uses=4, seed=1)
    other = draw(pairs, similarity, n_pairs=100, n_bins=5, max_uses=4, seed=2)
    assert again.drawn.tolist() == sample.drawn.tolist() != other.drawn.tolist()
    # All with one left text, then all with one right text.
    for few in (pairs[:100], pairs[::100]):
        scarce = draw(few, similarity[:100], n_pairs=9, n_bins=2, max_uses=2, seed=1)
        assert len(scarce.drawn) == 2
    assert "2 of 9 pairs: give more texts" in scarce.sentences[-1]


def test_plentiful_bins_do_not_use_up_the_texts_of_scarce_ones() -> None:
    n_alike = []
    for seed in range(20):
        rng = np.random.default_rng([3, seed])
        pairs = np.stack(np.divmod(np.arange(10_000), 100), axis=1)
        similarity = rng.uniform(0, 0.8, size=10_000)
        # Ten pairs are alike, each of texts of its own.
        similarity[pairs[:, 0] == pairs[:, 1]] = np.where(np.arange(100) < 10, 0.9, 0.1)

        sample = draw(pairs, similarity, n_pairs=50, n_bins=5, max_uses=1, seed=seed)

        counts = [one.n_drawn for one in sample.bins]
        assert sum(counts) == 50
        # The first ten have two of each bin.
        first = (similarity[sample.drawn[:10]] * 5).astype(int)
        assert np.bincount(first, minlength=5).tolist() == [2] * 5
        n_alike.append(counts[-1])
    # Drawn in turn with the others, these lost two to four of ten.
    assert n_alike == [10] * 20


def test_where_pairs_are_too_many_the_similar_ones_are_among_those_looked_at() -> None:
    left = [frozenset({f"w{n}", "the"}) for n in range(300)]
    right = left[::-1]

    found = candidate_pairs(left, right, seed=1, limit=1000)

    assert (len(found.pairs) <= 1000, found.is_all, found.n_possible) == (True, False, 90_000)
    there = set(map(tuple, found.pairs.tolist()))
    assert {(n, 299 - n) for n in range(300)} <= there


def test_what_is_there_twice_is_found() -> None:
    texts = ["Ein Haus am See", "ein  haus am SEE", "Ein Baum", "Ein Haus am Seee", "Ｅin Baum"]

    found = find_duplicates(texts, threshold=0.8)

    assert [(one.first, one.left_out, one.is_exact) for one in found] == [
        (0, 1, True),
        (0, 3, False),
        (2, 4, True),
    ]


def test_the_command_writes_a_table_of_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "texts.tsv", tmp_path / "pairs.tsv"
    file.write_text(
        "text1\ttext2\n"
        + "".join(f"the {w} is {w} a{n}\tthe {w} was {n}\n" for n, w in enumerate("abcdefgh"))
        + "THE a is a a0\t\nsame\tSame\n",
        encoding="utf-8",
    )
    asked = [str(file), "--pairs", "6", "--bins", "3", "--seed", "1", "--output", str(output)]

    assert main([*asked, "--json", "--max-uses", "1"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert (report["n_pairs"], report["n_possible"], report["n_identical_pairs"]) == (6, 81, 1)
    assert [one["left_out"] for one in report["duplicate_targets"]] == ["THE a is a a0"]
    with output.open(newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    assert list(rows[0]) == ["id", "target", "candidate", "similarity"]
    assert len({row["target"] for row in rows}) == 6
    file.write_text("one\ttwo\tthree\n")
    assert main(asked) != 0
    assert "line 1: 3 columns; each line needs two" in capsys.readouterr().err


def test_the_command_keeps_ids_and_calls_pairs_by_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "texts.csv", tmp_path / "pairs.tsv"
    file.write_text("candidate,Target_ID,target\nred stone,t1,blue stone\n,t2,red river\n")
    asked = [str(file), "--pairs", "2", "--seed", "1", "--output", str(output)]

    assert main(asked) == 0

    with output.open(newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    assert list(rows[0]) == ["id", "target", "candidate", "similarity", "target_id"]
    ids = {"blue stone": "t1", "red river": "t2"}
    assert [row["id"] for row in rows] == [
        f"{ids[row['target']]}+p{n}" for n, row in enumerate(rows, start=1)
    ]
    for text, said in (
        ("target_id,target,candidate\n,a,b\n", "line 2: give the target both a text and an id"),
        ("target,candidate,note\na,b,c\n", "line 1: the column 'note' is unknown"),
        ("target_id,target,candidate\nt1,a\n", "line 2: 2 columns; each line needs as many as"),
    ):
        file.write_text(text)
        capsys.readouterr()
        assert main(asked) == 1
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--pairs", "0", "--pairs is 0: choose 1 or more"),
        ("--bins", "-1", "--bins is -1: choose 1 or more"),
        ("--max-uses", "0", "--max-uses is 0: choose 1 or more"),
        ("--near", "1.5", "--near is 1.5: choose a number above 0, at most 1"),
    ],
)
def test_numbers_out_of_range_are_named_by_their_option(
    option: str, value: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.tsv").write_text("a\tb\n")

    assert main([str(tmp_path / "t.tsv"), "--pairs", "1", "--seed", "1", option, value]) == 1

    assert said in capsys.readouterr().err


def test_of_more_texts_than_pairs_are_looked_at_some_have_a_near_one() -> None:
    # Each left text shares a word with one right text alone.
    texts = [frozenset({f"w{n}"}) for n in range(40)]

    found = candidate_pairs(texts, texts, seed=3, limit=20)

    assert len(found.pairs) <= 20
    near = [(left, right) for left, right in found.pairs.tolist() if left == right]
    assert 10 <= len(near) <= 20
    assert (candidate_pairs(texts, texts, seed=3, limit=20).pairs == found.pairs).all()
