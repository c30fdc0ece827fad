"""Groups of pairs, how many there are to be, and which files a study takes."""

from collections import Counter

import pytest

from annotation.items.imports import entries
from tests.support.item_files import jsonl, pair, problems, read, table, within


def grouped(*groups: str, expected: str = "") -> str:
    return table(
        *(f"p{n}\tT{n}\tC{n}\t{group}\t{expected}" for n, group in enumerate(groups)),
        header="id\ttarget\tcandidate\tgroup\texpected",
    )


def test_groups_of_a_rating_study_may_differ_in_size() -> None:
    parsed = read(grouped(*"aabbbcccdddd"), "pairs.tsv")

    sizes = Counter(parsed.pools[item.pool].key for item in parsed.items)
    assert sizes == {"a": 2, "b": 3, "c": 3, "d": 4}


def test_a_broken_pair_counts_in_its_group() -> None:
    content = grouped(*"aabb").replace("\tC3\t", "\t\t")

    assert problems(content, "pairs.tsv") == [
        "line 5: candidate is empty; write the text or remove the line"
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("p9\tT9\tC9\tall\t", "group 'all' is reserved for items without a group"),
        ("p9\tT9\tC9", "3 columns, but the header has 5"),
        ('p9\t"T9"x\tC9\tb\t', "text between a closing quotation mark and the next tab"),
    ],
)
def test_groups_are_not_counted_where_one_cannot_be_read(row: str, problem: str) -> None:
    (found,) = problems(grouped(*"aab") + row + "\n", "pairs.tsv")

    assert found.startswith(f"line 5: {problem}")


@pytest.mark.parametrize("line", ["{", "3", jsonl(pair("d", group="all"))])
def test_groups_are_not_counted_where_a_line_cannot_be_read(line: str) -> None:
    content = jsonl(*(pair(key, group=group) for key, group in zip("abc", "xxy", strict=True)))

    (found,) = problems(content + line)

    assert found.startswith("line 4: ")


def test_the_same_pair_in_two_groups_is_compared_twice_but_not_rated_twice() -> None:
    content = table(
        *("a\tT\tC\tg", "b\tU\tC\tg", "c\tT\tC\th", "d\tU\tD\th"),
        header="id\ttarget\tcandidate\tgroup",
    )

    assert len(read(content, "x.tsv", kind="best_worst", tuple_size=2).items) == 4
    assert problems(content, "x.tsv") == [
        "line 4: 'C': the same pair as in line 2; each item can occur only once, so remove one"
    ]


def test_a_pair_without_a_group_among_groups_is_refused_unless_it_calibrates() -> None:
    said = "group is missing, but others have one; give every item a group, or none"

    assert problems(grouped("a", "", "b"), "pairs.tsv") == [
        f"line 3: {said} (only a pair with an expected value may do without)"
    ]
    assert read(grouped("a", "", "b", expected="3"), "pairs.tsv").n_pools == 3
    assert problems(
        grouped("a", "", "a", expected="3"), "pairs.tsv", kind="best_worst", tuple_size=2
    ) == [f"line 3: {said}"]


def test_a_preview_has_one_question_of_each_pool_or_the_first_pairs() -> None:
    content = grouped(*"aaaabbbb")

    compared = read(content, "x.tsv", kind="best_worst", tuple_size=2).first(3)
    rated = read(content, "x.tsv").first(3)

    assert [[o.key for o in q.options] for q in compared] == [["p0", "p1"], ["p4", "p5"]]
    assert [[o.key for o in q.options] for q in rated] == [["p0"], ["p1"], ["p2"]]
    assert [o.group for q in rated for o in q.options] == ["a", "a", "a"]


@pytest.mark.parametrize(("expected", "is_fine"), [(0, True), (" ", False), ("", False)])
def test_an_empty_expected_value_is_none(expected: object, is_fine: bool) -> None:
    content = jsonl(pair("a", group="g"), pair("b", expected=expected))

    if is_fine:
        assert read(content).n_pools == 2
    else:
        assert problems(content)[0].startswith("line 2: group is missing, but others have one")


def test_a_column_of_groups_that_is_empty_makes_none() -> None:
    assert [pool.key for pool in read(grouped("", " "), "pairs.tsv").pools] == ["all"]


def test_groups_of_a_best_worst_study_fill_a_tuple() -> None:
    options = {"kind": "best_worst", "tuple_size": 3}

    parsed = read(grouped(*"aaabbbb"), "pairs.tsv", **options)

    assert [pool.key for pool in parsed.pools] == ["a", "b"]
    assert problems(grouped(*"aaabb"), "pairs.tsv", **options) == [
        "line 5: group 'b' has 2 items, but the design shows 3 at once; add items, or choose a"
        " smaller tuple size"
    ]


def test_a_rating_study_takes_one_pair_and_no_single_texts() -> None:
    assert len(read(table("a\tx\ty"), "pairs.tsv").items) == 1
    for content, filename in (("id,text\na,b\n", "x.csv"), ("one\ntwo\n", "x.txt")):
        assert problems(content, filename) == [
            (
                "The file has single texts. This is a rating study. Upload pairs (id, target, "
                "candidate) or dialogues with candidates."
            )
        ]


def test_dialogues_of_a_rating_study_are_all_in_one_pool() -> None:
    content = jsonl(
        *(
            {"id": d, "turns": [{"text": "Hi."}, {"text": d}], "candidates": [{"text": "Yes."}]}
            for d in "ab"
        )
    )

    parsed = read(content)

    assert [pool.key for pool in parsed.pools] == ["all"]
    assert [item.target_at for item in parsed.items] == [(0, 2), (1, 2)]


def test_a_file_with_too_many_turns_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_TURNS_PER_FILE", 5)
    content = jsonl(
        pair("a", target=within(1)),
        pair("b", target=within(2)),
        pair("c", target={"text": "x <sent>y</sent>\nz"}),
        3,
    )

    assert problems(content) == [
        (
            "line 3: the contexts of the file have more than 5 turns or sentences, the "
            "import limit; split it"
        )
    ]
