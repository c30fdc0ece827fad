"""JSON Lines of pairs whose texts stand in contexts, and the rows that are written."""

import json
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.basics.errors import StateError
from annotation.items.services import imports
from annotation.models import Context, Item, Pool, Study, Turn
from annotation.models.kinds import QuestionKind
from tests.support.item_files import (
    REPORT,
    at,
    empty_study,
    import_text,
    jsonl,
    pair,
    problems,
    read,
    within,
)


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
        ({"id": None}, "id is missing; give every entry its own id"),
        ({"target": None}, "target is missing; write a text, or an object with sentences and"),
        ({"target": 3}, "target is a number; write a text, or an object with sentences"),
        ({"target": " "}, "target is empty; write the text or remove the entry"),
        ({"target": "a\x00"}, "target of 'b' contains a NUL character; remove it"),
        (
            {"candidate": "\ud800"},
            "candidate of 'b' contains a lone surrogate (\\ud800); write the whole",
        ),
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
            "target.position is given together with a text; write a text with marks, or sentences",
        ),
        ({"target": within(None)}, "target.position is missing; write the number of the rated"),
        ({"target": within("2")}, "target.position is a text; write the number of the rated"),
        ({"target": within(True)}, "target.position is true or false; write the number"),
        ({"target": within(1.0)}, "target.position is not a whole number; write the number"),
        (
            {"target": within(0)},
            "target.position is not one of the sentences; write one from 1 to 3",
        ),
        (
            {"target": within(-1)},
            "target.position is not one of the sentences; write one from 1 to 3",
        ),
        (
            {"target": within(4)},
            "target.position is not one of the sentences; write one from 1 to 3",
        ),
        (
            {"target": within(10**30)},
            "target.position is not one of the sentences; write one from 1 to 3",
        ),
        (
            {"target": {"context": "r0", "position": 0}},
            "target.position is not one of the sentences; they count from 1",
        ),
        (
            {"target": {"context": "r0", "position": 4}},
            "target.position is not one of the sentences; write one from 1 to 3",
        ),
        (
            {"target": {"context": "r9", "position": 1}},
            "target.context 'r9': no earlier line has the sentences of this context; write them",
        ),
        (
            {"target": within(1, context="r0", sentences=["Other."])},
            "target.context 'r0': other sentences than in line 1; write the same, leave it out",
        ),
        (
            {"target": within(1, context="r0"), "domain": "d"},
            "target.context 'r0': another domain than in line 1; write the same, leave it out",
        ),
        (
            {"target": within(1, context="r0", source="s")},
            "target.context 'r0': another source than in line 1; write the same, leave it out",
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
        ({"expected": "x"}, "expected is not a number from -9999 to 9999 with at most 3 decimals"),
        ({"expected": True}, "expected is not a number from -9999 to 9999"),
        ({"expected": 1e300}, "expected is not a number from -9999 to 9999"),
        ({"earlier_rating": [3]}, "earlier_rating is not a number from -9999 to 9999"),
        ({"intended_class": "x" * 41}, "intended_class is 41 characters long; shorten it to 40"),
        ({"group": "all"}, "group 'all' is reserved for items without a group; rename it"),
        ({"group": "a\tb"}, "group contains a tab or a line break; remove it from the id"),
        ({"x": 10**30}, "x contains a number that is too large; write it as a text"),
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
        (
            "line 2: target.context 'r': sentences with other properties than in line 1; "
            "write the same, leave it out, or give this context another id"
        )
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
        (
            "line 3: 'Same.': the same pair as in line 1; each item can occur only once, "
            "so remove one"
        ),
    ]


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
    path = tmp_path / "x.txt"
    path.write_text("one\n")

    def change_meanwhile(share: float, message: object) -> None:
        if share < 0.7:
            return
        study.designs.update(parameters={"tuple_size": "nonsense"})

    imported = imports.import_items(
        study=study, path=path, filename=path.name, progress=change_meanwhile
    )

    assert imported.n_items == 1


def test_a_kind_changed_meanwhile_asks_for_another_reading(db: None, tmp_path: Path) -> None:
    study = empty_study()
    path = tmp_path / "x.csv"
    path.write_text("id,target,candidate\n1,a,b\n")

    def change_meanwhile(share: float, message: object) -> None:
        if share < 0.7:
            return
        Study.objects.filter(pk=study.pk).update(kind=QuestionKind.SELECTION)

    with pytest.raises(StateError, match="The kind of the study has changed in the meantime"):
        imports.import_items(study=study, path=path, filename=path.name, progress=change_meanwhile)
    assert not study.items.exists()


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


@pytest.mark.slow
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
