"""Finished answers from a file become a closed study that scores as they do."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.basics.errors import FrozenError, ImportProblemsError, StateError
from annotation.items.imports import judgments as judgment_files
from annotation.items.imports.judged_items import KnownItem
from annotation.items.services.imported_judgments import import_judgments
from annotation.kinds.best_worst.queries import answers
from annotation.models import Annotator, Assignment, Booklet, Judgment, Person, Study
from scoring import count, tuples_by_set
from tests.support.factories import join, make_open_study, make_study, make_user

HEADER = "Annotator,Item1,Item2,Item3,BestItem,WorstItem\n"


def problems(content: str, known: list[KnownItem] | None = None, **options: str) -> list[str]:
    with pytest.raises(ImportProblemsError) as caught:
        judgment_files.read(
            io.BytesIO(content.encode()), limit_bytes=10**6, known=known or [], **options
        )
    return caught.value.problems


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("p,a,b,c,a,a", "BestItem and WorstItem are both 'a'; choose two different items, or"),
        ("p,a,b,c,d,a", "BestItem 'd' is not one of the 3 items shown; choose one of them, or"),
        ("p,a,b,c,a,d", "WorstItem 'd' is not one of the 3 items shown"),
        ("p,a,b,b,a,b", "Item2 and Item3 are the same item; name each only once"),
        ("p,a,b,,a,b", "Item3 is empty; name the item"),
        ("p,a,b,c,,b", "BestItem is empty; name the chosen item"),
        ("p,a,b,c,a,", "WorstItem is empty; name the chosen item"),
        ("p,a,b,a,b", "5 columns, but the header has 6; each line needs as many items as the"),
        ("p,a,b,c,d,a,b", "7 columns, but the header has 6"),
        (",a,b,c,a,b", "the annotator's id is empty; give every entry an id"),
        ("p,a,b\x00,c,a,c", "Item2 'b\\x00' contains a NUL character; remove it"),
        ("q,b,c,a,a,c", "annotator 'q' answered these items in line 2; keep one of the two"),
        ('p,a,"b"x,c,a,c', "text between a closing quotation mark and the next comma; put a"),
    ],
)
def test_a_wrong_line_is_refused(row: str, expected: str) -> None:
    (problem,) = problems(HEADER + "q,a,b,c,a,b\n" + row + "\n")

    assert problem.startswith(f"line 3: {expected}")


def test_semicolons_separate_where_the_header_has_them() -> None:
    content = HEADER.replace(",", ";") + "q;a;b;c;a;b\n"

    parsed = judgment_files.read(io.BytesIO(content.encode()), limit_bytes=10**6)

    assert [item.key for item in parsed.items] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Item1,Item3,BestItem,WorstItem", "columns Item1, Item2, ... without a gap are needed"),
        ("Item1,BestItem,WorstItem", "columns Item1, Item2, ... without a gap are needed"),
        ("Item1,Item2,WorstItem", "column BestItem is missing; name the chosen items there"),
        ("Item1,Item2,BestItem", "column WorstItem is missing; name the chosen items there"),
        (
            "Item1,Item2,BestItem,WorstItem,BestItem",
            "the column bestitem occurs twice; remove one",
        ),
        (
            "Item1,Item2,BestItem,WorstItem,Annotator,WorkerId",
            "columns Annotator and WorkerId; keep only the right one",
        ),
    ],
)
def test_a_wrong_header_is_refused(header: str, expected: str) -> None:
    (problem,) = problems(header + "\n")

    assert problem.startswith(f"line 1: {expected}")


def test_every_problem_is_told_at_once() -> None:
    found = problems(HEADER + "p,a,b,c,a,a\nq,a,b,c,a,b\nr,a,a,,x,y\ns,a\n")

    assert [p.split(":")[0] for p in found] == ["line 2", "line 4", "line 4", "line 5"]


def test_an_empty_file_is_refused() -> None:
    assert problems("") == ["the file is empty; it needs a header and at least one answer"]
    assert problems(HEADER) == [
        "the file has no answers; it needs at least one line below the header"
    ]


def test_known_items_are_named_by_id_or_by_a_text_of_their_own() -> None:
    known = [
        KnownItem("i1", "same", 1),
        KnownItem("i2", "two", 1),
        KnownItem("i3", "three", 1),
        KnownItem("j1", "same", 2),
        KnownItem("j2", "i1", 2),
    ]
    content = HEADER + "p,i1,two,i3,i1,three\n"

    (judged,) = judgment_files.read(io.BytesIO(content.encode()), limit_bytes=10**6, known=known)

    assert (judged.best, judged.worst) == (0, 2)
    assert problems(
        HEADER + "p,same,i2,i3,i2,i3\np,nix,i2,i3,i2,i3\np,i1,i2,j2,i1,i2\n", known
    ) == [
        "line 2: Item1 'same' is the text of several items; write the item's id",
        "line 3: Item1 'nix' is not an item of the study; write an item's id or its text",
        "line 4: the items belong to different pools; compare only items of one pool",
    ]


def test_pools_of_a_file_are_the_same_in_every_line() -> None:
    header = "D,Source,Turns,Item1,Item2,BestItem,WorstItem\n"

    found = problems(
        header
        + "d1,x,3,a,b,a,b\n"
        + "d1,y,3,a,b,a,b\n"
        + "d2,x,3,a,c,a,c\n"
        + ",x,3,d,e,d,e\n"
        + "d3,x,three,d,e,d,e\n",
        pool_column="D",
    )

    assert found == [
        "line 3: pool 'd1' has another source, domain or number of turns than in its first line;"
        " make them the same",
        "line 4: Item1 'a' was in pool 'd1' before; an item belongs to one pool",
        "line 5: the pool's id is empty; give every entry an id",
        "line 6: Turns is 'three'; write a whole number, or leave it empty",
    ]
    assert problems(header, pool_column="Nix") == [
        "line 1: column Nix is missing; it was chosen for the pools"
    ]


# -- Into the database --------------------------------------------------------------------------


def lopsided(n_annotators: int = 4) -> Iterator[list[str]]:
    for tuple_ in (("a", "b", "c"), ("c", "b", "d"), ("d", "e", "a")):
        for annotator in range(n_annotators):
            worst = tuple_[1 + annotator % 2]
            yield [f"w{annotator}", *tuple_, tuple_[0], worst, f"={annotator}"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "answers.tsv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out, delimiter="\t", lineterminator="\n")
        writer.writerow(
            ["WorkerId", "Item1", "Item2", "Item3", "BestItem", "WorstItem", "Comment"]
        )
        writer.writerows(lopsided())
    return path


def test_a_study_without_items_takes_them_from_the_file(db: None, file: Path) -> None:
    study = make_study(dialogues=0)

    imported = import_judgments(study=study, path=file)

    assert (imported.n_judgments, imported.n_annotators) == (12, 4)
    assert (imported.n_tuples, imported.n_items) == (3, 5)
    study.refresh_from_db()
    assert (study.state, study.design.is_frozen) == ("imported", True)
    assert [item.key for item in study.items.all()] == ["a", "b", "c", "d", "e"]
    assert set(Booklet.objects.values_list("n_screens", flat=True)) == {1}
    assert {b.places.count() for b in Booklet.objects.all()} == {4}
    assert set(Annotator.objects.values_list("source", "key_hash")) == {("imported", None)}
    assert sorted(Person.objects.values_list("platform", "platform_id")) == [
        ("imported", f"w{n}") for n in range(4)
    ]
    assert not {a.pseudonym for a in Annotator.objects.all()} & {f"w{n}" for n in range(4)}
    assert set(Assignment.objects.values_list("state", "is_surplus")) == {("submitted", False)}
    assert Counter(Judgment.objects.values_list("comment", flat=True)) == dict.fromkeys(
        ["=0", "=1", "=2", "=3"], 3
    )
    read = answers.answers_arrays(study, "people")
    assert read.basis.n_judgments == 12
    # 8 appearances, of which 4 best; worst in 2 of them: a is first of one and last of another.
    assert count(read.best_worst).scores().tolist() == [0.25, -0.5, 0.25, 0.25, -0.5]


def test_a_set_in_another_order_is_the_same_tuple(db: None, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("Item1,Item2,BestItem,WorstItem\nb,a,a,b\na,b,a,b\n")
    study = make_study(dialogues=0)

    imported = import_judgments(study=study, path=path)

    # No column of annotators: each answer has one of its own.
    assert (imported.n_tuples, imported.n_annotators) == (1, 2)
    tuple_ = study.design.tuples.get()
    assert [m.item.key for m in tuple_.members.order_by("position")] == ["b", "a"]


def test_answers_join_the_items_that_a_draft_has(db: None, tmp_path: Path) -> None:
    study = make_study(dialogues=2, candidates=3)
    path = tmp_path / "x.csv"
    path.write_text(
        HEADER + "p,d1-1,Candidate 2 of dialogue 1.,d1-3,d1-1,d1-2\nq,d2-3,d2-2,d2-1,d2-1,d2-3\n"
    )

    import_judgments(study=study, path=path)

    read = answers.answers_arrays(study, "people")
    assert read.table.item_keys == ["d1-1", "d1-2", "d1-3", "d2-1", "d2-2", "d2-3"]
    assert read.table.tuples.tolist() == [[0, 1, 2], [5, 4, 3]]
    assert (read.best_worst.best.tolist(), read.best_worst.worst.tolist()) == ([0, 3], [1, 5])
    assert read.table.labels("source", "turns") == ["written / 3", "written / 5"]


def test_an_opened_study_takes_no_finished_answers(db: None, file: Path) -> None:
    study = make_open_study()
    join(study)

    with pytest.raises(StateError, match="You can import existing answers only into a draft"):
        import_judgments(study=study, path=file)

    assert not Judgment.objects.exists()


def test_imported_answers_are_not_imported_twice(db: None, file: Path) -> None:
    study = make_study(dialogues=0)
    import_judgments(study=study, path=file)
    study.refresh_from_db()

    with pytest.raises(FrozenError, match="imported answers"):
        import_judgments(study=study, path=file)

    assert Judgment.objects.count() == 12


def test_a_wrong_file_leaves_no_trace(db: None, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(HEADER + "p,a,b,c,a,c\np,a,b,c,a,a\n")
    study = make_study(dialogues=0)

    with pytest.raises(ImportProblemsError, match="line 3: BestItem and WorstItem are both 'a'"):
        import_judgments(study=study, path=path)

    study.refresh_from_db()
    assert study.is_draft
    assert not study.items.exists()


def test_the_command_makes_pools_and_a_study(db: None, tmp_path: Path) -> None:
    make_user("ada", is_superuser=True)
    path = tmp_path / "x.csv"
    path.write_text(
        "Annotator,Dialogue,Source,Turns,Item1,Item2,Item3,BestItem,WorstItem\n"
        "p,d1,film,3,a,b,c,a,b\n"
        "p,d2,,5,x,y,z,z,y\n"
    )
    out = StringIO()

    call_command(
        "import_judgments",
        "old",
        str(path),
        "--create",
        "--pool-column",
        "Dialogue",
        "--json",
        stdout=out,
        stderr=StringIO(),
    )

    study = Study.objects.get(slug="old")
    told = json.loads(out.getvalue())
    assert {name: told[name] for name in told if name.startswith("n_")} == {
        "n_judgments": 2,
        "n_annotators": 1,
        "n_tuples": 2,
        "n_items": 6,
    }
    contexts = study.contexts.order_by("key").values_list("key", "source", "n_turns")
    assert list(contexts) == [("d1", "film", 3), ("d2", "", 5)]
    assert study.design.certificate["n_pools"] == 2


def test_the_command_ends_with_every_problem(db: None, tmp_path: Path) -> None:
    make_user("ada", is_superuser=True)
    path = tmp_path / "x.csv"
    path.write_text(HEADER + "p,a,b,c,a,a\np,a,b,b,a,b\n")

    with pytest.raises(CommandError) as caught:
        call_command("import_judgments", "old", str(path), "--create")

    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["line 2", "line 3"]
    assert not Study.objects.exists()


def test_imported_answers_count_as_the_file_does(db: None, file: Path) -> None:
    study = make_study(dialogues=0)
    import_judgments(study=study, path=file)

    ours = answers.answers_arrays(study, "people")

    number = {key: n for n, key in enumerate(ours.table.item_keys)}
    rows = [[number[cell] for cell in row[1:6]] for row in lopsided()]
    theirs = tuples_by_set(
        np.array([row[:3] for row in rows]),
        np.array([row[3] for row in rows]),
        np.array([row[4] for row in rows]),
        n_items=5,
    )
    np.testing.assert_array_equal(ours.best_worst.tuples, theirs.tuples)
    np.testing.assert_array_equal(count(ours.best_worst).scores(), count(theirs).scores())
    np.testing.assert_array_equal(
        answers.item_counts(study, "people").scores(), count(theirs).scores()
    )
