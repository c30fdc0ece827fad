"""Items from a file: all of them, exactly, or none, with every problem named."""

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics.errors import ImportProblemsError
from annotation.items.imports import items as item_files
from annotation.items.imports.items import ParsedItems
from annotation.kinds.registry import KINDS
from tests.support.item_files import dialogue, jsonl


def read(content: str | bytes, filename: str = "items.jsonl", **options: int) -> ParsedItems:
    data = content if isinstance(content, bytes) else content.encode()
    options = {"tuple_size": 3, "limit_bytes": 10_000_000, **options}
    return item_files.read(
        io.BytesIO(data), filename=filename, kind=KINDS["best_worst"].items, **options
    )


def problems(content: str | bytes, filename: str = "items.jsonl", **options: int) -> list[str]:
    with pytest.raises(ImportProblemsError) as caught:
        read(content, filename, **options)
    return caught.value.problems


# -- What comes in ------------------------------------------------------------------------------


def test_a_dialogue_keeps_all_that_its_line_says() -> None:
    entry = dialogue(
        7,
        year=1999,
        turns=[{"text": "Hi", "mood": "glad"}, {"speaker": None, "text": "Yes"}],
        candidates=[
            {"id": "x", "text": "One", "intended_class": 4, "by": ["me"]},
            {"id": 12, "text": "Two", "intended_class": "b"},
            {"text": "Three"},
        ],
    )

    parsed = read(jsonl(entry))

    (context,) = parsed.contexts
    assert parsed.shape == "dialogues"
    assert (context.key, context.domain, context.source) == ("7", "travel", "written")
    assert [(turn.speaker, turn.text) for turn in context.turns] == [("", "Hi"), ("", "Yes")]
    assert context.metadata == {"year": 1999, "turns": [{"mood": "glad"}, {}]}
    assert [(item.key, item.candidate, item.intended_class) for item in parsed.items] == [
        ("x", "One", "4"),
        ("12", "Two", "b"),
        ("7-3", "Three", ""),
    ]
    assert parsed.items[0].metadata == {"by": ["me"]}


def test_pairs_keep_further_columns() -> None:
    content = "id\ttarget\tcandidate\tintended_class\tdomain\n" + "".join(
        f"p{n}\tT{n}\tC\t{n}\tnews\n" for n in range(3)
    )

    parsed = read(content, "pairs.tsv")

    assert parsed.shape == "pairs"
    assert parsed.contexts == []
    assert [(i.key, i.target, i.candidate, i.intended_class) for i in parsed.items] == [
        ("p0", "T0", "C", "0"),
        ("p1", "T1", "C", "1"),
        ("p2", "T2", "C", "2"),
    ]
    assert parsed.items[0].metadata == {"domain": "news"}


@pytest.mark.parametrize(
    ("content", "filename"),
    [
        ("cat\ndog\nNone\n", "words.txt"),
        ("cat\r\ndog\r\nNone", "words.txt"),
        ("cat\ndog\nNone\n\n\n", "words"),
        ("cat\ndog\nNone\n", "words.csv"),
        ("cat\n\ndog\nNone\n", "words.tsv"),
    ],
)
def test_single_items_stand_one_a_line(content: str, filename: str) -> None:
    parsed = read(content, filename)

    assert parsed.shape == "single"
    assert [(item.key, item.candidate) for item in parsed.items] == [
        ("cat", "cat"),
        ("dog", "dog"),
        ("None", "None"),
    ]


def test_a_long_single_text_is_known_by_its_line() -> None:
    parsed = read("short\n" + "x" * 201 + "\na\tb\n", "words.txt")

    assert [item.key for item in parsed.items] == ["short", "line-2", "line-3"]
    assert parsed.items[2].candidate == "a\tb"


def test_a_table_of_texts_has_ids_of_its_own() -> None:
    parsed = read("id,text,len\na,cat,3\nb,dog,3\nc,false,5\n", "words.csv")

    assert [(i.key, i.target, i.candidate) for i in parsed.items] == [
        ("a", None, "cat"),
        ("b", None, "dog"),
        ("c", None, "false"),
    ]
    assert parsed.items[0].metadata == {"len": "3"}


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        (jsonl(dialogue()), "dialogues"),
        ("id,target,candidate\n1,a,b\n2,a,c\n3,a,d\n", "pairs"),
        ("id\ttext\n1\ta\n2\tb\n3\tc\n", "single"),
        ("a, b\nc\nd\n", "single"),
    ],
)
def test_the_first_line_tells_the_shape_where_the_name_does_not(content: str, shape: str) -> None:
    assert read(content, "upload").shape == shape


@pytest.mark.parametrize(
    ("content", "filename", "shape"),
    [
        ("id;target;candidate;note\n1;A, b.;C;x\n2;A, b.;D;y\n3;A, b.;E;z\n", "x.csv", "pairs"),
        ('"id";"text"\r\na;"x; y"\r\nb;y\r\nc;z\r\n', "x.txt", "single"),
        ("one; two\nthree; four\nfive\n", "x.csv", "single"),
        ("\n \n" + jsonl(dialogue()), "x.csv", "dialogues"),
        (jsonl(dialogue()), "x.tsv", "dialogues"),
    ],
)
def test_semicolons_and_json_are_told_by_the_content(
    content: str, filename: str, shape: str
) -> None:
    parsed = read(content, filename)

    assert (parsed.shape, len(parsed.items)) == (shape, 3)
    if shape == "pairs":
        assert (parsed.items[0].target, parsed.items[0].metadata) == ("A, b.", {"note": "x"})


@pytest.mark.parametrize("begin", [b"PK\x03\x04\x14", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\n"])
@pytest.mark.parametrize("filename", ["items.xlsx", "items.csv", "items.jsonl"])
def test_a_workbook_is_refused_in_one_sentence(begin: bytes, filename: str) -> None:
    assert problems(begin + b"\x00\xff\nrest", filename) == [
        "This is an Excel workbook, not a text file: save it as CSV or TSV (UTF-8) and"
        " upload that."
    ]


def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    content = b"\xef\xbb\xbf" + jsonl(dialogue()).replace("\n", "\r\n").encode()

    assert read(content).contexts[0].key == "d1"
    table = b'\xef\xbb\xbfid,text\r\n1,"a\r\nb"\r\n2,c\r\n3,"d\re"\r\n'
    assert [item.candidate for item in read(table, "t.csv").items] == ["a\r\nb", "c", "d\re"]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_any_text_in_json_is_kept_as_it_is(text: str) -> None:
    entry = dialogue(turns=[{"text": f".{text}"}])

    for ensure_ascii in (True, False):
        line = json.dumps(entry, ensure_ascii=ensure_ascii)
        assert read(line).contexts[0].turns[0].text == f".{text}"


def test_the_preview_has_the_first_questions() -> None:
    of_dialogues = read(jsonl(dialogue("a", 5), dialogue("b", 3), dialogue("c", 3))).first(2)
    of_words = read("".join(f"w{n}\n" for n in range(7)), "w.txt").first(3)

    assert [[o.key for o in q.options] for q in of_dialogues] == [
        ["a-1", "a-2", "a-3"],
        ["b-1", "b-2", "b-3"],
    ]
    assert of_dialogues[0].turns[-1].text == "Yes."
    assert [[o.key for o in q.options] for q in of_words] == [
        ["w0", "w1", "w2"],
        ["w3", "w4", "w5"],
    ]


def test_progress_goes_from_little_to_all() -> None:
    shares: list[float] = []

    item_files.read(
        io.BytesIO(jsonl(*(dialogue(f"d{n}") for n in range(500))).encode()),
        filename="x.jsonl",
        kind=KINDS["best_worst"].items,
        tuple_size=3,
        limit_bytes=10**7,
        progress=lambda share, message: shares.append(share),
    )

    assert shares == sorted(shares)
    assert 40 <= len(shares) <= 60
    assert 0.95 <= shares[-1] <= 1.0


# -- What is refused ----------------------------------------------------------------------------

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"id": "\xff"}', "not UTF-8 at byte 9 of the line (0xff); save the file as UTF-8"),
        (b'{"id": "\xed\xa0\x80"}', "not UTF-8 at byte 9 of the line (0xed)"),
        ('{"id": "a\x00b"}', "the line contains a NUL character; remove it"),
        ("{oops", "broken JSON at character 2: a key in double quotes is missing"),
        ('{"id": }', "at character 8: no valid JSON value starts here"),
        ('{"id" 1}', "at character 7: a colon is missing"),
        ('{"id": 1 "a": 2}', "at character 10: a comma or a closing bracket is missing"),
        ('{"id": "a}', "at character 8: a text is not closed by a double quote"),
        ('{"id": "a\tb"}', "at character 10: a text contains a control character"),
        ('{"id": "\\x"}', "a backslash is followed by a wrong character;"),
        ('{"id": 1} {"id": 2}', "at character 11: there is more text after the end of the object"),
        ("[1, 2]", "a list instead of an object; write one object as {...} on each line"),
        ("null", "null instead of an object"),
        ('"text"', "a text instead of an object"),
        ("3", "a number instead of an object"),
        ("NaN", "NaN is not valid JSON; write null or a text in quotation marks"),
        ('{"id": "a", "x": -Infinity}', "-Infinity is not valid JSON"),
        ('{"id": "a", "id": "b"}', "key 'id' occurs twice in one object; keep one of them"),
        ('{"id": "a", "x": ' + DEEP + "}", "the JSON is nested too deeply; flatten it"),
        ('{"id": ' + "9" * 5000 + "}", "a number has too many digits; write it as a text"),
        (dialogue(x=json.loads("[" * 30 + "]" * 30)), "x is nested more than 20 levels deep"),
        (dialogue(x=10**30), "x contains a number that is too large; write it as a text"),
        (
            jsonl(dialogue(x=0)).replace(": 0}", ": 1e999}"),
            "x contains a number that is too large",
        ),
        (dialogue(x={"y": ["a" + "\u0315" * 31]}), "x has more than 30 accents on one letter"),
        (dialogue(x={"y": ["\ud800"]}), "x contains a lone surrogate (\\ud800); write the whole"),
        (dialogue(**{"\x00": 1}), "the key '\\x00' contains a NUL character; remove it"),
        (
            {k: v for k, v in dialogue().items() if k != "id"},
            "id is missing; give every entry its own id",
        ),
        (dialogue(None), "id is missing"),
        (dialogue(True), "id is true or false; write a text or a number"),
        (dialogue([1]), "id is a list; write a text or a number"),
        (dialogue(""), "id is empty; give every entry an id"),
        (dialogue(" "), "id is empty; give every entry an id"),
        (dialogue("x" * 201), "id is 201 characters long; shorten it to 200 or fewer"),
        (dialogue("a\tb"), "id contains a tab or a line break; remove it from the id"),
        (dialogue("a\nb"), "id contains a tab or a line break; remove it from the id"),
        (dialogue(domain=3), "domain is a number; write a text, or leave it out"),
        (dialogue(source=["x"]), "source is a list; write a text, or leave it out"),
        (dialogue(source="x" * 201), "source is 201 characters long; shorten it to 200"),
        ({k: v for k, v in dialogue().items() if k != "turns"}, "turns is missing; write a list"),
        (dialogue(turns="Hi"), "turns is a text; write a list such as"),
        (dialogue(turns=[]), "turns is an empty list; write at least one entry"),
        (dialogue(turns=["Hi"]), "turns[1] is a text; write an object such as"),
        (dialogue(turns=[{"speaker": "A"}]), "turns[1].text is missing; write the text"),
        (dialogue(turns=[{"text": " \t"}]), "turns[1].text is empty; write the text or remove"),
        (dialogue(turns=[{"text": 5}]), "turns[1].text is a number; write a text in quotation"),
        (
            dialogue(turns=[{"text": "a\x00"}]),
            "turns[1].text of 'd1' contains a NUL character; remove it",
        ),
        (dialogue(turns=[{"text": "a", "speaker": 1}]), "turns[1].speaker is a number"),
        (dialogue(candidates=None), "candidates is null; write a list such as"),
        (dialogue(candidates=[]), "candidates is an empty list"),
        (
            dialogue(n=2),
            "candidates has 2 entries, but the design shows 3 at once; add candidates, or choose"
            " a smaller tuple size",
        ),
        (
            dialogue(candidates=[{"text": "a"}, {"text": "b"}, {"text": "a"}]),
            "candidates[3].text 'a' is the same text as candidates[1]; remove one of them",
        ),
        (
            dialogue(candidates=[{"text": "a\udc00"}, {"text": "b"}, {"text": "c"}]),
            "candidates[1].text of 'd1' contains a lone surrogate (\\udc00); write the whole",
        ),
        (
            dialogue(candidates=[{"id": "x", "text": t} for t in "abc"]),
            "candidates[2].id 'x': already used earlier in this line; give every entry its own",
        ),
        (
            dialogue(candidates=[{"text": t, "intended_class": "x" * 41} for t in "abc"]),
            "candidates[1].intended_class is 41 characters long; shorten it to 40 or fewer",
        ),
        (dialogue("x" * 199), "candidates[1].id is missing, and 'xxxx"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number_and_the_remedy(
    line: object, expected: str
) -> None:
    if isinstance(line, dict):
        line = json.dumps(line)
    data = line if isinstance(line, bytes) else str(line).encode()

    found = problems(jsonl(dialogue("fine")).encode() + b"\n" + data + b"\n")

    assert found[0].startswith("line 3: ")
    assert expected in found[0]


def test_every_problem_is_told_at_once_in_the_order_of_lines() -> None:
    wrong = dialogue("", 1, domain=3, turns=[{"text": ""}])

    found = problems(jsonl(wrong, dialogue("b"), 3) + "{\n")

    assert [p.split(" ")[1] for p in found] == ["1:", "1:", "1:", "1:", "3:", "4:"]
    assert [p.split(" ")[2] for p in found[:4]] == ["id", "domain", "turns[1].text", "candidates"]


def test_ids_are_unique_in_the_file() -> None:
    two = [
        dialogue("d1"),
        dialogue("d2", candidates=[{"id": f"d1-{n}", "text": f"{n}"} for n in (1, 8, 9)]),
        dialogue("d1"),
    ]

    assert problems(jsonl(*two)) == [
        "line 2: candidates[1].id 'd1-1': already used in line 1; give every entry its own id",
        "line 3: id 'd1': already used in line 1; give every entry its own id",
    ]


def test_long_lists_of_problems_are_cut() -> None:
    found = problems("{}x\n" * 250)

    assert len(found) == 201
    assert found[-1] == "and 50 more"


@pytest.mark.parametrize("filename", ["a.jsonl", "a.tsv", "a.csv", "a.txt", "a"])
@pytest.mark.parametrize("content", ["", "\n", "\r\n\n", "\ufeff"])
def test_a_file_without_items_is_refused(filename: str, content: str) -> None:
    (problem,) = problems(content, filename)

    assert problem in {
        "the file is empty; it needs at least one item",
        "the file has no items; it needs at least one",
    }


def test_a_table_with_only_a_header_is_refused() -> None:
    assert problems("id\ttext\n", "a.tsv") == ["the file has no items; it needs at least one"]


def test_too_large_a_file_is_refused_before_it_is_read() -> None:
    content = jsonl(*(dialogue(f"d{n}") for n in range(10)))

    assert problems(content, limit_bytes=1000) == [
        f"the file has {len(content) / 1024**2:.3g} MiB, and the limit is 0.000954 MiB; split it"
    ]


def test_a_stream_of_unknown_size_is_cut_at_the_limit() -> None:
    class Endless(io.RawIOBase):
        def seekable(self) -> bool:
            return False

        def readline(self, size: int = -1) -> bytes:
            return b"x" * size

    with pytest.raises(ImportProblemsError, match=r"too large: the limit is 0\.00954 MiB"):
        item_files.read(
            Endless(),
            filename="x.txt",
            kind=KINDS["best_worst"].items,
            tuple_size=3,
            limit_bytes=10_000,
        )


def test_utf_16_is_named() -> None:
    assert problems("id\ttext\n".encode("utf-16"), "a.tsv") == [
        "line 1: the file is UTF-16; save it as UTF-8"
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("id,target\n", "it is unclear from the column names ('id', 'target')"),
        ("text\nx\n", "it is unclear from the column names ('text')"),
        ("id,text,text\n", "line 1: the column 'text' occurs twice; rename one of them"),
        ("id,text,\n", "line 1: column 3 has no name; name it or remove it"),
        ("id,text,a\x00\n", "line 1: column 'a\\x00' contains a NUL character; remove it"),
        (
            "id,text\na,b,c\nd,e\n",
            "line 2: 3 columns, but the header has 2; a field with a tab, comma",
        ),
        ("id,text\na\nd,e\n", "line 2: 1 column, but the header has 2"),
        ("id,text\n,b\nd,e\n", "line 2: id is empty; give every entry an id"),
        ("id,text\na, \nd,e\n", "line 2: text is empty; write the text or remove the line"),
        ("id,text\na,x\x00\nd,e\n", "line 2: text contains a NUL character; remove it"),
        ("id,text\n" + "a" * 201 + ",b\nd,e\n", "line 2: id is 201 characters long; shorten it"),
        (
            'id,text\n"a\tb",b\nd,e\n',
            "line 2: id contains a tab or a line break; remove it from the id",
        ),
        ("id,text\na,b\na,c\nd,e\n", "line 3: id 'a': already used in line 2; give every entry"),
        (
            "id,text\na,b\nc,b\nd,e\n",
            (
                "line 3: 'b': the same text as in line 2; each item can occur only once, so "
                "remove one"
            ),
        ),
        (
            "id,target,candidate\na,b,c\nd,b,c\ne,f,c\n",
            (
                "line 3: 'c': the same pair as in line 2; each item can occur only once, so "
                "remove one"
            ),
        ),
        (
            "id,text\na,b\n",
            "1 item, but the design shows 2 at once; add items, or choose a smaller tuple size",
        ),
        ('id,text\na,"b\nc\n', "line 2: a quotation mark that opens here is never closed; write"),
        (
            'id,text\na,"b"c\nd,e\n',
            "line 2: text between a closing quotation mark and the next comma",
        ),
        (
            "id,text\na,b\rc\nd,e\n",
            "line 2: a carriage return outside quotation marks; put the field",
        ),
        ("cat,dog\nb,c\n", "it is unclear from the column names ('cat', 'dog')"),
        (b"id,text\na,\xe9\nb,\xe8\nc,d\n", "line 2: not UTF-8 at byte 3 of the line (0xe9)"),
    ],
)
def test_a_wrong_table_is_refused(content: str | bytes, expected: str) -> None:
    found = problems(content, "items.csv", tuple_size=2)

    assert found[0].startswith(expected)


@pytest.mark.parametrize(
    ("content", "filename"),
    [
        ("id,text\ra,b\rc,d\r", "items.csv"),
        ("id,text\ra,b\rc,d", "items.csv"),
        ('{"id": "a", "text": "b"}\r{"id": "c", "text": "d"}\r', "items.jsonl"),
        ("one\rtwo\r", "items.txt"),
        # Longer than a line may be.
        ("id,text\r" + "a,b\r" * 2_200_000, "items.csv"),
    ],
)
def test_lines_that_end_in_carriage_returns_alone_are_named(content: str, filename: str) -> None:
    [problem] = problems(content, filename, tuple_size=2)

    assert problem == (
        "the lines end in carriage returns only, as on an old Mac; save the file with "
        "Unix or Windows line ends"
    )


def test_a_table_that_is_not_utf_8_has_no_other_problem() -> None:
    found = problems("id,text\na,é\nb,è\nc,d\n".encode("latin-1"), "items.csv")

    assert len(found) == 2


def test_what_is_wrong_with_the_whole_file_stands_first() -> None:
    assert problems("id,text\n,b\n", "items.csv") == [
        "1 item, but the design shows 3 at once; add items, or choose a smaller tuple size",
        "line 2: id is empty; give every entry an id",
    ]


def test_the_line_of_a_record_is_where_it_begins() -> None:
    found = problems('id,text\na,"two\nlines"\nb, \nc,x\n', "items.csv")

    assert found == ["line 4: text is empty; write the text or remove the line"]


def test_wrong_lines_of_texts_are_refused() -> None:
    assert problems("a\n\n \nb\na\nx\x00\n", "a.txt") == [
        "line 2: the line is empty; write an item or remove the line",
        "line 3: the text is empty; write an item or remove the line",
        "line 5: 'a': the same text as in line 1; each item can occur only once, so remove one",
        "line 6: the text contains a NUL character; remove it",
    ]


@pytest.mark.slow
def test_reading_keeps_little_more_than_the_texts() -> None:
    content = jsonl(*(dialogue(f"d{n}", 5) for n in range(4000))).encode()
    tracemalloc.start()
    try:
        read(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    # 20,000 items in 1.3 MB of JSON.
    assert peak < 40_000_000
