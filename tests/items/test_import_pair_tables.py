"""Tables of pairs: what is known of each, and contexts with marks around the rated sentence."""

from decimal import Decimal
from pathlib import Path

import pytest

from annotation.items.imports.columns import UnknownColumnsError
from annotation.items.services import imports
from tests.support.item_files import at, empty_study, problems, read, table

STSS131 = Path(__file__).resolve().parents[3] / "shared" / "data" / "stss131.tsv"


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
        f"line 2: {column} is not a number from -9999 to 9999 with at most 3 decimals; write one"
        " such as 3 or 2.5, or leave it out"
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
        ("id,sentence1,text,note", "single", {"sentence1": "2", "note": "4"}),
    ],
)
def test_where_our_names_are_there_other_names_are_metadata(
    header: str, shape: str, metadata: dict[str, str]
) -> None:
    parsed = read(f"{header}\n1,2,3,4\n", "pairs.csv", kind="best_worst")

    assert parsed.shape == shape
    assert parsed.items[0].metadata == metadata


@pytest.mark.parametrize("header", ["id;target;candidate", "pair_id;text1;text2"])
def test_a_spreadsheet_with_decimal_commas_is_understood(header: str) -> None:
    for filename in ("x.csv", "x.txt", "x"):
        parsed = read(f"{header};expected\n1;A, b.;C;2,5\n", filename)

        assert [(i.key, i.target, i.candidate, i.expected) for i in parsed.items] == [
            ("1", "A, b.", "C", Decimal("2.5"))
        ]


def test_one_sentence_alone_makes_no_pair() -> None:
    with pytest.raises(UnknownColumnsError):
        read("id,sentence1,x\n1,2,3\n", "pairs.csv", kind="best_worst")


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
        ("<sent>a\x00</sent>", "contains a NUL character; remove it"),
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


def test_a_header_of_very_many_or_very_long_names_is_refused() -> None:
    many = "id,target,candidate," + ",".join(f"c{n}" for n in range(998))
    long = "id,target,candidate," + "n" * 201

    assert problems(f"{many}\n", "pairs.csv") == [
        "line 1: the table has 1001 columns, but at most 1000 are possible; remove some"
    ]
    assert problems(f"{long}\na,b,c,d\n", "pairs.csv") == [
        "line 1: the name of column 4 is 201 characters long; shorten it to 200 or fewer"
    ]
