"""Files of any content: read whole, or refused with problems that say where and what."""

import csv
import io
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.basics.errors import ImportProblemsError
from annotation.items.imports.marks import marked
from annotation.items.imports.parsed import ParsedItems
from annotation.items.imports.problems import item_text_problem
from tests.support.item_files import read

pytestmark = pytest.mark.slow

KINDS = st.sampled_from(["best_worst", "rating", "label", "selection"])
FRAGMENTS = st.sampled_from(
    [
        *("<sent>", "</sent>", "<sent>One.</sent>", "a", "B.", " ", "\n", "\r\n", "\t", "\x00"),
        *('"', ";", ",", "6", "2,5", "-1", "1e400", "all", "g", "\u2028", "\ufeff", "9" * 30),
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=6).map("".join)


def looked_at(content: str, filename: str, kind: str) -> ParsedItems | None:
    """What was read; None if it was refused in the way in which files are refused."""
    try:
        parsed = read(content, filename, kind=kind, tuple_size=2)
    except ImportProblemsError as error:
        problems = error.problems
    else:
        check(parsed)
        return parsed
    n_lines = content.count("\n") + content.count("\r") + 1
    assert problems
    for problem in problems:
        assert "%(" not in problem
        if found := re.match(r"line (\d+): \S", problem):
            assert 1 <= int(found[1]) <= n_lines
    return None


def check(parsed: ParsedItems) -> None:
    """That everything in a file without problems can be written."""
    keys = [item.key for item in parsed.items]
    assert len(set(keys)) == len(keys)
    contexts = [context.key for context in parsed.contexts]
    assert len(set(contexts)) == len(contexts)
    for context in parsed.contexts:
        assert context.key
        assert context.turns
        assert all(turn.text.strip() for turn in context.turns)
    for item in parsed.items:
        assert 0 <= item.pool < len(parsed.pools)
        for text, spot in ((item.target, item.target_at), (item.candidate, item.candidate_at)):
            if spot is not None and text is not None:
                assert parsed.contexts[spot.context].turns[spot.position - 1].text == text
    assert parsed.items or parsed.groups
    parsed.first(3)
    parsed.first_incident()


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 4),
        st.sampled_from([10**30, 1e300, 0.5]),
        TEXTS,
        st.text(max_size=3),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["context", "sentences", "position", "text", "speaker", "id", "x"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)
SENTENCES = st.lists(
    st.one_of(TEXTS, st.fixed_dictionaries({"text": TEXTS, "speaker": TEXTS})), max_size=3
)
SIDES = st.one_of(
    TEXTS,
    VALUES,
    st.fixed_dictionaries({"text": TEXTS}),
    st.fixed_dictionaries(
        {"position": st.integers(-1, 4)},
        optional={"sentences": SENTENCES, "context": st.sampled_from(["r", "context-1"])},
    ),
)
OBJECTS = st.one_of(
    st.fixed_dictionaries(
        {"id": st.one_of(st.integers(1, 5), TEXTS), "target": SIDES, "candidate": SIDES},
        optional={
            **dict.fromkeys(("group", "domain", "source", "expected"), st.one_of(TEXTS, VALUES)),
        },
    ),
    st.fixed_dictionaries(
        {"id": st.one_of(st.integers(1, 5), TEXTS), "summary": SENTENCES},
        optional={
            "reports": st.lists(
                st.fixed_dictionaries({"id": st.integers(1, 5), "sentences": SENTENCES}),
                max_size=3,
            )
        },
    ),
    st.fixed_dictionaries(
        {"id": TEXTS, "turns": st.lists(VALUES, max_size=3), "candidates": VALUES}
    ),
    VALUES,
)


@settings(deadline=None, max_examples=150)
@given(objects=st.lists(OBJECTS, max_size=5), kind=KINDS, ascii_only=st.booleans())
def test_any_objects_are_read_or_refused(
    objects: list[object], kind: str, ascii_only: bool
) -> None:
    lines = [json.dumps(entry, ensure_ascii=ascii_only) for entry in objects]

    looked_at("\n".join(lines), "x.jsonl", kind)


NAMES = st.sampled_from(
    [
        *("id", "target", "candidate", "text", "target_context", "candidate_context", "group"),
        *("expected", "earlier_rating", "intended_class", "domain", "source", "pair_id"),
        *("sentence1", "sentence2", "text1", "text2", "x", "", "ID"),
        *("dialogue", "turn1", "turn2", "Turn 3"),
    ]
)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), kind=KINDS)
def test_any_tables_are_read_or_refused(data: st.DataObject, kind: str) -> None:
    header = data.draw(
        st.one_of(
            st.lists(NAMES, max_size=7),
            st.permutations(
                ["id", "target", "candidate", "target_context", "group", "expected", "domain"]
            ),
            st.permutations(
                ["dialogue", "turn1", "turn2", "turn3", "candidate", "check", "expected", "domain"]
            ),
        )
    )
    cells = st.one_of(TEXTS, st.sampled_from(["", "a", "b", "c", "x <sent>y</sent>"]))
    row = st.lists(cells, min_size=len(header), max_size=len(header))
    rows = data.draw(st.lists(row, max_size=4))
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=data.draw(st.sampled_from("\t,;")), lineterminator="\n")
    writer.writerows([header, *rows])

    looked_at(file.getvalue(), data.draw(st.sampled_from(["x.csv", "x.tsv", "x.txt", "x"])), kind)


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r\n<")).filter(
    lambda text: text.strip() and not item_text_problem(text.strip())
)


@given(before=st.lists(LINES, max_size=3), sentence=LINES, after=st.lists(LINES, max_size=3))
def test_a_marked_text_has_its_lines_as_turns(
    before: list[str], sentence: str, after: list[str]
) -> None:
    text = "\n".join([*before, f"<sent>{sentence}</sent>", *after])

    turns, position, problem = marked(text)

    assert problem == ""
    expected = [line.strip() for line in [*before, sentence, *after]]
    assert [turn.text for turn in turns] == expected
    assert position == len(before) + 1


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[str], int]:
    """The sentences of a document, and the position of one of them."""
    sentences = draw(st.lists(LINES.map(str.strip), min_size=1, max_size=4))
    return sentences, draw(st.integers(1, len(sentences)))


def with_marks(sentences: list[str], position: int) -> str:
    marked_one = f"<sent>{sentences[position - 1]}</sent>"
    return "\n".join([*sentences[: position - 1], marked_one, *sentences[position:]])


PAIRS = st.lists(st.tuples(documents(), documents(), st.booleans()), min_size=1, max_size=5)


@settings(deadline=None)
@given(pairs=PAIRS)
def test_pairs_in_context_come_back_as_they_were_written(
    pairs: list[tuple[tuple[list[str], int], tuple[list[str], int], bool]],
) -> None:
    objects = []
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter="\t", lineterminator="\n")
    writer.writerow(["id", "target_context", "candidate", "candidate_context"])
    for number, (target, candidate, is_marked) in enumerate(pairs):
        sentences, position = target
        side = (
            {"text": with_marks(*target)}
            if is_marked
            else {"sentences": sentences, "position": position}
        )
        # Named, so that pairs of the same texts are two.
        other = {"context": f"c{number}", "sentences": candidate[0], "position": candidate[1]}
        objects.append({"id": number, "target": side, "candidate": other})
        unique = [f"{number}.", *candidate[0]]
        text = candidate[0][candidate[1] - 1]
        writer.writerow([number, with_marks(*target), text, with_marks(unique, candidate[1] + 1)])
    of_json = looked_at("\n".join(map(json.dumps, objects)), "x.jsonl", "rating")
    of_table = looked_at(file.getvalue(), "x.tsv", "rating")

    for parsed, n_more in ((of_json, 0), (of_table, 1)):
        assert parsed is not None
        for item, (target, candidate, _marked) in zip(parsed.items, pairs, strict=True):
            assert item.target_at is not None
            assert item.candidate_at is not None
            turns = [turn.text for turn in parsed.contexts[item.target_at.context].turns]
            assert (turns, item.target_at.position) == target
            turns = [turn.text for turn in parsed.contexts[item.candidate_at.context].turns]
            assert (turns[n_more:], item.candidate_at.position - n_more) == candidate
