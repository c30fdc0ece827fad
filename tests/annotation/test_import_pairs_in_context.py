"""Pairs for a rating study: known answers, groups, and the contexts in which the texts stand."""

import json
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.imports import entries
from annotation.models import Context, Item, Pool, Turn
from annotation.models.kinds import QuestionKind
from annotation.services import imports
from tests.annotation.item_files import at, empty_study, import_text, jsonl, problems, read

STSS131 = Path(__file__).resolve().parents[3] / "shared" / "data" / "stss131.tsv"
REPORT = ["The river rose.", "It flooded the mill.", "Nobody was hurt."]


def table(*rows: str, header: str = "id\ttarget\tcandidate") -> str:
    return "\n".join([header, *rows, ""])


def pair(key: object = "p1", **columns: object) -> dict[str, object]:
    return {"id": key, "target": f"Target {key}", "candidate": f"Candidate {key}", **columns}


def within(position: object = 2, **columns: object) -> dict[str, object]:
    return {"sentences": REPORT, "position": position, **columns}


# -- Tables -------------------------------------------------------------------------------------


def test_a_table_may_say_what_is_known_of_a_pair() -> None:
    content = table(
        "c1\tA\tB\t6\t\t\t\tnews",
        "p1\tC\tD\t\t2,5\tg1\tsimilar\tnews",
        "p2\tE\tF\t\t-0.125\tg2\tmiddle\t",
        header="id\ttarget\tcandidate\tExpected\tearlier_rating\tgroup\tintended_class\tdomain",
    )

    parsed = read(content, "pairs.tsv")

    assert [(i.key, i.expected, i.earlier_rating, i.intended_class) for i in parsed.items] == [
        ("c1", Decimal(6), None, ""),
        ("p1", None, Decimal("2.5"), "similar"),
        ("p2", None, Decimal("-0.125"), "middle"),
    ]
    assert [parsed.pools[item.pool].key for item in parsed.items] == ["all", "g1", "g2"]
    assert [item.metadata for item in parsed.items] == [
        {"domain": "news"},
        {"domain": "news"},
        {"domain": ""},
    ]


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("3", "3"),
        ("+3", "3"),
        (" 0,25 ", "0.25"),
        (".5", "0.5"),
        ("3.", "3"),
        ("-9999", "-9999"),
        ("-0", "0"),
        ("1.500000", "1.5"),
        ("007", "7"),
        ("", None),
        ("  ", None),
    ],
)
def test_numbers_are_read_as_people_write_them(cell: str, number: str | None) -> None:
    content = table(f"a\tx\ty\t{cell}", header="id\ttarget\tcandidate\texpected")

    (item,) = read(content, "pairs.tsv").items

    assert item.expected == (None if number is None else Decimal(number))
    assert str(item.expected) != "-0.000"


@pytest.mark.parametrize(
    "cell",
    [
        *("x", "1_0", "1e3", "nan", "inf", "0.1234", "10000", "1.2.3", "-", ".", ",", "9" * 5000),
        *("1,000.5", "3 4", "0." + "0" * 400 + "1", "\u0663", "1/2", "None"),
    ],
)
@pytest.mark.parametrize("column", ["expected", "earlier_rating"])
def test_what_is_no_number_is_refused(cell: str, column: str) -> None:
    content = table(f"a\tx\ty\t{cell}", header=f"id\ttarget\tcandidate\t{column}")

    assert problems(content, "pairs.tsv") == [
        f"line 2: {column} is no number from -9999 to 9999 with at most 3 decimals; write one such"
        " as 3 or 2.5, or leave it out"
    ]


def test_other_programs_names_of_the_columns_are_understood() -> None:
    parsed = read("Pair_ID,text1,sentence2,text2,mean\n7,a,b,c,1.5\n", "pairs.csv")

    assert [(i.key, i.target, i.candidate, i.metadata) for i in parsed.items] == [
        ("7", "a", "b", {"text2": "c", "mean": "1.5"})
    ]


@pytest.mark.parametrize(
    ("header", "shape", "metadata"),
    [
        ("id,pair_id,target,candidate", "pairs", {"pair_id": "2"}),
        ("id,sentence1,target,candidate", "pairs", {"sentence1": "2"}),
        ("id,sentence1,text,text2", "single", {"sentence1": "2", "text2": "4"}),
    ],
)
def test_where_our_names_are_there_other_names_are_metadata(
    header: str, shape: str, metadata: dict[str, str]
) -> None:
    parsed = read(f"{header}\n1,2,3,4\n", "pairs.csv", kind="best_worst")

    assert parsed.shape == shape
    assert parsed.items[0].metadata == metadata


def test_one_sentence_alone_makes_no_pair() -> None:
    assert problems("id,sentence1,x\n1,2,3\n", "pairs.csv", kind="best_worst")[0] == (
        "line 1: column text is missing; the header needs id, text"
    )


def test_the_published_pairs_of_stss_131_come_in_as_they_are(db: None) -> None:
    if not STSS131.is_file():
        pytest.skip("the published pairs (shared/data) are not beside this checkout")
    study = empty_study()

    imported = imports.import_items(study=study, path=STSS131, filename="stss131.tsv")

    assert (imported.n_items, imported.n_pools, imported.n_contexts) == (66, 1, 0)
    first = study.items.get(key="66")
    assert first.target == "Would you like to go out to drink with me tonight?"
    assert first.candidate.startswith("I really don't know what to eat tonight")
    assert first.metadata == {"mean": "1.01", "sd": "0.77", "calibration": "0"}
    assert study.items.filter(metadata__calibration="1").count() == 2


# -- Marks --------------------------------------------------------------------------------------

IN_CONTEXT = "id\ttarget_context\tcandidate_context\tdomain\tsource"


def test_a_marked_sentence_becomes_a_turn_among_those_around_it() -> None:
    row = (
        'a\t"Dear all. \r\n\n  Hear this: <sent> The mill\nburns. </sent> Run!\rNow. "'
        "\t<sent>Fire</sent>\tnews\tours"
    )

    parsed = read(table(row, header=IN_CONTEXT), "pairs.tsv")

    (item,) = parsed.items
    assert at(parsed, item.target_at) == (
        "context-1",
        ["Dear all.", "Hear this:", "The mill\nburns.", "Run!", "Now."],
        3,
    )
    assert at(parsed, item.candidate_at) == ("context-2", ["Fire"], 1)
    assert (item.target, item.candidate) == ("The mill\nburns.", "Fire")
    assert {(c.domain, c.source) for c in parsed.contexts} == {("news", "ours")}
    assert item.metadata == {}


def test_contexts_are_shared_where_their_turns_are_the_same() -> None:
    def row(key: str, target: str, candidate: str) -> str:
        return f'{key}\t"{target}"\t"{candidate}"\tnews\tours'

    content = table(
        row("a", "One.\n<sent>Two.</sent>\nThree.", "<sent>One.</sent>\nTwo.\nThree."),
        row("b", "One.\nTwo.\n<sent>Three.</sent>", "One. <sent>Two.</sent> Three. Four."),
        row("c", "One. Two. <sent>Three.</sent>", "One.\n<sent>Two.</sent>\nThree.") + "2",
        header=IN_CONTEXT,
    )

    parsed = read(content, "pairs.tsv")

    spots = [(item.target_at, item.candidate_at) for item in parsed.items]
    assert spots == [((0, 2), (0, 1)), ((0, 3), (1, 2)), ((2, 2), (3, 2))]
    # The same turns with another source are another context.
    assert parsed.contexts[3].turns == parsed.contexts[0].turns


def test_a_text_may_stand_alone_beside_one_in_context() -> None:
    content = table(
        "a\tA\t\tB <sent>C</sent>\tnews",
        "b\t\tX <sent>Y</sent>\t<sent>Y</sent>\tnews",
        "c\t X\t<sent>X</sent>\t<sent>X</sent>\t",
        header="id\ttarget\ttarget_context\tcandidate_context\tdomain",
    )

    parsed = read(content, "pairs.tsv")

    assert [(i.target, i.target_at is None, i.candidate) for i in parsed.items] == [
        ("A", True, "C"),
        ("Y", False, "Y"),
        ("X", False, "X"),
    ]


@pytest.mark.parametrize(
    ("context", "problem"),
    [
        ("No marks", "has no marks; write <sent> before and </sent> after the sentence"),
        ("<sent>a", "has <sent> without </sent>; write </sent> after the sentence"),
        ("a</sent>", "has </sent> without <sent>; write <sent> before the sentence"),
        ("</sent>a<sent>", "has </sent> before <sent>; write <sent> before the sentence"),
        ("b <sent> </sent> c", "has nothing between <sent> and </sent>; put them around"),
        ("<sent>a</sent> <sent>b</sent>", "has 2 marks <sent> and 2 marks </sent>; mark one"),
        ("<sent>a <sent>b</sent></sent>", "has 2 marks <sent> and 2 marks </sent>; mark one"),
        ("<sent>a</sent></sent>", "has 1 marks <sent> and 2 marks </sent>; mark one"),
        ("", "is empty; write the text or remove the line"),
        ("<sent>a\x00</sent>", "holds a NUL character; remove it"),
    ],
)
def test_wrong_marks_are_named_with_line_and_remedy(context: str, problem: str) -> None:
    content = table("a\tx\ty <sent>z</sent>", f"b\tx\t{context}", header="id\ttarget\tcandidate_")
    content = content.replace("candidate_", "candidate_context")

    (found,) = problems(content, "pairs.tsv")

    assert found.startswith(f"line 3: candidate_context {problem}")


def test_a_text_beside_its_context_has_to_be_the_marked_one() -> None:
    content = table("a\tA.\tA <sent>B.</sent>\tC", header="id\ttarget\ttarget_context\tcandidate")

    assert problems(content, "pairs.tsv") == [
        "line 2: target is not the text between the marks of target_context; write the same, or"
        " leave it empty"
    ]


def test_a_domain_of_a_context_is_not_too_long() -> None:
    content = table(f"a\t<sent>a</sent>\t<sent>b</sent>\t{'x' * 201}\t", header=IN_CONTEXT)

    assert problems(content, "pairs.tsv") == [
        "line 2: domain is 201 characters long; shorten it to 200 or fewer"
    ]


def test_every_problem_of_a_row_is_told_at_once() -> None:
    content = table(
        "\t \t<sent>b\tx\ty\tall",
        header="id\ttarget\tcandidate_context\texpected\tearlier_rating\tgroup",
    )

    assert [p.split(" ")[2] for p in problems(content, "pairs.tsv")] == [
        "id",
        "group",
        "target",
        "candidate_context",
        "expected",
        "earlier_rating",
    ]


# -- JSON Lines ---------------------------------------------------------------------------------


def test_pairs_in_json_keep_all_that_their_lines_say() -> None:
    content = jsonl(
        pair(1, expected=6, year=1999, domain="x", source=["y"]),
        pair(
            "b",
            target=within(2, context="r1", page=3),
            candidate={"text": "He said: <sent>The mill was under water.</sent> Truly."},
            earlier_rating="4,5",
            intended_class="similar",
            domain="floods",
            source="gazette",
        ),
        pair(
            "c",
            target={"context": "r1", "position": 3},
            candidate={
                "sentences": [{"speaker": "Ann", "text": "Hurt?", "mood": "calm"}, "No."],
                "position": 2,
                "source": "interview",
            },
        ),
        pair("d", target={"text": "Alone."}, candidate={"text": "<sent>In.</sent>"}),
    )

    parsed = read(content)

    assert [item.key for item in parsed.items] == ["1", "b", "c", "d"]
    first, second, third, fourth = parsed.items
    assert (first.expected, first.metadata) == (
        Decimal(6),
        {"year": 1999, "domain": "x", "source": ["y"]},
    )
    assert at(parsed, second.target_at) == ("r1", REPORT, 2)
    assert (second.target, second.candidate) == (REPORT[1], "The mill was under water.")
    assert (second.earlier_rating, second.intended_class) == (Decimal("4.5"), "similar")
    assert second.metadata == {"target": {"page": 3}}
    assert third.target_at == (second.target_at.context, 3)
    named, marked, spoken, _alone = parsed.contexts
    assert (named.domain, named.source) == ("floods", "gazette")
    assert (marked.key, marked.domain) == ("context-1", "floods")
    assert (spoken.source, spoken.turns[0].speaker) == ("interview", "Ann")
    assert spoken.metadata == {"turns": [{"mood": "calm"}, {}]}
    assert (fourth.target, fourth.target_at) == ("Alone.", None)


def test_contexts_without_an_id_get_one_that_the_file_does_not_use() -> None:
    content = jsonl(
        pair("a", target=within(1)),
        pair("b", target=within(2), candidate=within(1, context="context-1")),
        pair("c", target=within(3), candidate={"text": "x <sent>y</sent>"}),
    )

    parsed = read(content)

    assert [context.key for context in parsed.contexts] == ["context-2", "context-1", "context-3"]
    assert [item.target_at for item in parsed.items] == [(0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"id": None}, "id is missing; give every entry an id of its own"),
        ({"target": None}, "target is missing; write a text, or an object with sentences and"),
        ({"target": 3}, "target is a number; write a text, or an object with sentences"),
        ({"target": " "}, "target is empty; write the text or remove the entry"),
        ({"target": "a\x00"}, "target holds a NUL character; remove it"),
        ({"candidate": "\ud800"}, "candidate holds a lone surrogate (\\ud800); write the whole"),
        ({"candidate": {}}, "candidate has neither sentences nor a text nor the id of an earlier"),
        ({"candidate": {"context": [1]}}, "candidate.context is a list; write a text or a number"),
        ({"target": {"text": 5}}, "target.text is a number; write a text in quotation marks"),
        ({"target": {"text": "<sent>a"}}, "target.text has <sent> without </sent>; write </sent>"),
        (
            {"target": {"context": "r", "text": "a"}},
            "target.text has no marks; write <sent> before and </sent> after the sentence",
        ),
        (
            {"target": {"text": "<sent>a</sent>", "position": 1}},
            "target.position stands beside a text; write a text with marks, or sentences",
        ),
        ({"target": within(None)}, "target.position is missing; write the number of the rated"),
        ({"target": within("2")}, "target.position is a text; write the number of the rated"),
        ({"target": within(True)}, "target.position is true or false; write the number"),
        ({"target": within(1.0)}, "target.position is no whole number; write the number"),
        ({"target": within(0)}, "target.position is none of the sentences; write one from 1 to 3"),
        (
            {"target": within(-1)},
            "target.position is none of the sentences; write one from 1 to 3",
        ),
        ({"target": within(4)}, "target.position is none of the sentences; write one from 1 to 3"),
        (
            {"target": within(10**30)},
            "target.position is none of the sentences; write one from 1 to 3",
        ),
        (
            {"target": {"context": "r0", "position": 0}},
            "target.position is none of the sentences; they count from 1",
        ),
        (
            {"target": {"context": "r0", "position": 4}},
            "target.position is none of the sentences; write one from 1 to 3",
        ),
        (
            {"target": {"context": "r9", "position": 1}},
            "target.context 'r9': no line before has the sentences of this context; write them",
        ),
        (
            {"target": within(1, context="r0", sentences=["Other."])},
            "target.context 'r0': other sentences than in line 1; say the same, or leave it out",
        ),
        (
            {"target": within(1, context="r0"), "domain": "d"},
            "target.context 'r0': another domain than in line 1; say the same, or leave it out",
        ),
        (
            {"target": within(1, context="r0", source="s")},
            "target.context 'r0': another source than in line 1; say the same, or leave it out",
        ),
        ({"target": within(1, sentences="a")}, "target.sentences is a text; write a list such"),
        ({"target": within(1, sentences=[])}, "target.sentences is an empty list; write at least"),
        ({"target": within(1, sentences=[" "])}, "target.sentences[1] is empty; write the text"),
        ({"target": within(1, sentences=["a", 1])}, "target.sentences[2] is a number; write a"),
        (
            {"target": within(1, sentences=[{"speaker": "A"}])},
            "target.sentences[1].text is missing; write the text",
        ),
        (
            {"target": within(1, sentences=[{"speaker": 1, "text": "a"}])},
            "target.sentences[1].speaker is a number; write a text, or leave it out",
        ),
        ({"target": within(1), "domain": 5}, "domain is a number; write a text, or leave it out"),
        ({"expected": "x"}, "expected is no number from -9999 to 9999 with at most 3 decimals"),
        ({"expected": True}, "expected is no number from -9999 to 9999"),
        ({"expected": 1e300}, "expected is no number from -9999 to 9999"),
        ({"earlier_rating": [3]}, "earlier_rating is no number from -9999 to 9999"),
        ({"intended_class": "x" * 41}, "intended_class is 41 characters long; shorten it to 40"),
        ({"group": "all"}, "group 'all' is what the items without a group are called; rename it"),
        ({"group": "a\tb"}, "group holds a tab or a line break; remove it from the id"),
        ({"x": 10**30}, "x holds a number too large to keep; write it as a text"),
    ],
)
def test_a_wrong_pair_is_refused_with_its_line_and_the_remedy(
    columns: dict[str, object], problem: str
) -> None:
    content = jsonl(pair("fine", target=within(1, context="r0")))

    (found,) = problems(content + json.dumps(pair("b", **columns)) + "\n")

    assert found.startswith(f"line 2: {problem}")


def test_a_broken_context_is_one_problem_however_many_refer_to_it() -> None:
    content = jsonl(
        pair("a", target=within(1, context="r", sentences=["One.", 2])),
        pair("b", target={"context": "r", "position": 2}),
        pair("c", target={"context": "r", "position": 7}),
    )

    assert problems(content) == [
        "line 1: target.sentences[2] is a number; write a text in quotation marks"
    ]


def test_what_is_said_of_sentences_is_kept_apart() -> None:
    glad, sad = [{"text": "Hm.", "mood": "glad"}], [{"text": "Hm.", "mood": "sad"}]

    parsed = read(
        jsonl(
            pair("a", target=within(1, sentences=glad)), pair("b", target=within(1, sentences=sad))
        )
    )

    assert [context.metadata for context in parsed.contexts] == [
        {"turns": [{"mood": "glad"}]},
        {"turns": [{"mood": "sad"}]},
    ]
    assert problems(
        jsonl(
            pair("a", target=within(1, sentences=glad, context="r")),
            pair("b", target=within(1, sentences=sad, context="r")),
        )
    ) == [
        "line 2: target.context 'r': sentences of which other things are said than in line 1; say"
        " the same, or leave it out, or give this context another id"
    ]


@pytest.mark.parametrize(
    ("entry", "shape"),
    [
        ({"id": 1, "target": "a", "candidate": "b", "turns": 3}, "pairs"),
        (
            {"id": 1, "target": "a", "turns": [{"text": "b"}], "candidates": [{"text": "c"}]},
            "dialogues",
        ),
    ],
)
def test_a_key_of_other_objects_is_metadata(entry: dict[str, object], shape: str) -> None:
    assert read(jsonl(entry)).shape == shape


def test_a_pair_that_lacks_a_text_is_told_so_also_where_it_has_keys_of_a_dialogue() -> None:
    broken = {"id": "b", "target": "a", "turns": [], "candidates": []}

    assert problems(jsonl(pair(), broken)) == [
        "line 2: candidate is missing; write a text, or an object with sentences and position"
    ]


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (
            pair(),
            {"id": "d", "turns": [{"text": "a"}], "candidates": [{"text": "b"}]},
            "a dialogue (turns and candidates), but the file began with a pair (target and"
            " candidate) in line 1; put them into files of their own",
        ),
        (
            {"id": "d", "turns": [{"text": "a"}], "candidates": [{"text": "b"}]},
            pair(),
            "a pair (target and candidate), but the file began with a dialogue (turns and"
            " candidates) in line 1; put them into files of their own",
        ),
        (
            pair(),
            {"id": "i", "summary": ["a"], "reports": []},
            "an incident (summary and reports), but the file began with a pair (target and"
            " candidate) in line 1; put them into files of their own",
        ),
    ],
)
def test_a_file_holds_one_kind_of_objects(first: object, second: object, problem: str) -> None:
    assert problems(jsonl(first, second)) == [f"line 2: {problem}"]


def test_ids_and_pairs_occur_once() -> None:
    content = jsonl(
        pair("a", target=within(1), candidate="Same."),
        pair("a"),
        pair("b", target=within(1), candidate="Same."),
        pair("c", target=within(2), candidate="Same."),
        pair("d", target=REPORT[1], candidate="Same."),
    )

    assert problems(content) == [
        "line 2: id 'a': already used in line 1; give every entry its own id",
        "line 3: 'Same.': the same pair as in line 1; an item may occur only once, so remove one",
    ]


# -- Groups and numbers -------------------------------------------------------------------------


def grouped(*groups: str, expected: str = "") -> str:
    return table(
        *(f"p{n}\tT{n}\tC{n}\t{group}\t{expected}" for n, group in enumerate(groups)),
        header="id\ttarget\tcandidate\tgroup\texpected",
    )


def test_groups_of_a_rating_study_are_of_one_size() -> None:
    assert problems(grouped(*"aabbbcccdddd"), "pairs.tsv") == [
        "line 2: group 'a' has 2 pairs, but other groups have 3; all groups have to be of one"
        " size, so add or remove pairs",
        "line 10: group 'd' has 4 pairs, but other groups have 3; all groups have to be of one"
        " size, so add or remove pairs",
    ]


def test_a_broken_pair_counts_in_its_group() -> None:
    content = grouped(*"aabb").replace("\tC3\t", "\t\t")

    assert problems(content, "pairs.tsv") == [
        "line 5: candidate is empty; write the text or remove the line"
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("p9\tT9\tC9\tall\t", "group 'all' is what the items without a group are called"),
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
        "line 4: 'C': the same pair as in line 2; an item may occur only once, so remove one"
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
            "The file has single texts. This is a rating study: upload pairs (id, target,"
            " candidate) or dialogues with candidates."
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
    monkeypatch.setattr(entries, "MOST_TURNS", 5)
    content = jsonl(
        pair("a", target=within(1)),
        pair("b", target=within(2)),
        pair("c", target={"text": "x <sent>y</sent>\nz"}),
        3,
    )

    assert problems(content) == [
        "line 3: the contexts of the file have more than 5 turns or sentences, the most that can"
        " be imported; split it"
    ]


# -- What is written ----------------------------------------------------------------------------


def test_rows_hold_pairs_with_their_contexts(db: None, tmp_path: Path) -> None:
    study = empty_study()
    content = jsonl(
        pair("c", expected=3),
        pair("a", target=within(2, context="r1"), group="g1", earlier_rating=1.5, source="ours"),
        pair(
            "b",
            target="Alone.",
            candidate={"context": "r1", "position": 3},
            group="g2",
            intended_class="x",
        ),
    )

    imported = import_text(study, tmp_path, content, "pairs.jsonl")

    assert (imported.n_items, imported.n_pools, imported.n_contexts) == (3, 3, 1)
    context = Context.objects.get(study=study)
    assert (context.key, context.source, context.n_turns, context.group) == ("r1", "ours", 3, None)
    assert [turn.text for turn in context.turns.all()] == REPORT
    c, a, b = study.items.order_by("number")
    assert (c.expected, c.target_text, c.candidate_text) == (3, "Target c", "Candidate c")
    assert (a.target_text, a.target_turn.position, a.target) == (None, 2, REPORT[1])
    assert (a.earlier_rating, a.pool.key) == (Decimal("1.5"), "g1")
    assert (b.candidate_text, b.candidate_turn.position) == (None, 3)
    assert (b.intended_class, b.pool.key) == ("x", "g2")
    assert list(Pool.objects.values_list("number", "key", "context")) == [
        (1, "all", None),
        (2, "g1", None),
        (3, "g2", None),
    ]


def test_an_import_replaces_contexts_and_their_turns(db: None, tmp_path: Path) -> None:
    study = empty_study()
    import_text(study, tmp_path, jsonl(pair("a", target=within(2, context="r"))), "x.jsonl")

    import_text(study, tmp_path, jsonl(pair("a", candidate=within(1, context="r"))), "x.jsonl")

    assert Item.objects.get().target == "Target a"
    assert (Context.objects.count(), Turn.objects.count()) == (1, 3)


def test_other_kinds_of_studies_read_no_numbers_of_best_worst(db: None, tmp_path: Path) -> None:
    study = empty_study(QuestionKind.LABEL)
    study.designs.update(parameters={"tuple_size": "nonsense"})

    assert import_text(study, tmp_path, "one\n", "x.txt").n_items == 1


def test_the_number_of_queries_does_not_follow_that_of_pairs(db: None, tmp_path: Path) -> None:
    def n_queries(n: int) -> int:
        content = jsonl(*(pair(f"p{i}", target=within(1, context=f"r{i}")) for i in range(n)))
        study = empty_study()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            import_text(study, tmp_path, content, f"{n}.jsonl")
        return len(queries)

    assert n_queries(40) == n_queries(2)


def test_reading_keeps_little_more_than_the_contexts() -> None:
    sentences = [f"Sentence {n} of a report about a mill." for n in range(12)]
    content = jsonl(
        *(pair(n, target={"sentences": [f"{n}.", *sentences], "position": 2}) for n in range(2000))
    ).encode()
    tracemalloc.start()
    try:
        read(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    # 26,000 turns in 1.2 MB of JSON.
    assert peak < 12_000_000
