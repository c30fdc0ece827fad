"""Incidents for a selection study: a summary and the reports it was written from."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.items.services import imports
from annotation.models import Context, ContextGroup, Turn
from annotation.models.kinds import QuestionKind
from tests.support.item_files import empty_study, import_text, jsonl, problems, read

SELECTION = QuestionKind.SELECTION


def incident(key: object = "i1", **columns: object) -> dict[str, object]:
    return {
        "id": key,
        "summary": ["The mill burned.", "Nobody was hurt."],
        "reports": [
            {"id": f"{key}-r1", "sentences": ["Fire at the mill.", "Ann saw it."]},
            {"id": f"{key}-r2", "sentences": ["The old mill is gone."]},
        ],
        **columns,
    }


def report(**columns: object) -> list[dict[str, object]]:
    return [{"id": "r", "sentences": ["One."], **columns}]


def test_an_incident_is_a_group_of_its_summary_and_its_reports(db: None, tmp_path: Path) -> None:
    study = empty_study(SELECTION)
    content = jsonl(
        incident("i1", domain="fires", source="agency", year=1999),
        incident("i2", reports=report(id=7, source="gazette", domain="mills", page=3)),
    )

    imported = import_text(study, tmp_path, content, "incidents.jsonl")

    assert (imported.n_incidents, imported.n_contexts) == (2, 5)
    assert (imported.n_items, imported.n_pools) == (0, 0)
    assert not study.items.exists()
    assert not study.pools.exists()
    assert list(study.context_groups.order_by("pk").values_list("key", flat=True)) == ["i1", "i2"]
    rows = study.contexts.order_by("pk").values_list(
        "group__key", "key", "domain", "source", "n_turns"
    )
    assert list(rows) == [
        ("i1", "i1/summary", "fires", "agency", 2),
        ("i1", "i1-r1", "fires", "agency", 2),
        ("i1", "i1-r2", "fires", "agency", 1),
        ("i2", "i2/summary", "", "", 2),
        ("i2", "7", "mills", "gazette", 1),
    ]
    summary = Context.objects.get(key="i1/summary")
    assert [turn.text for turn in summary.turns.all()] == ["The mill burned.", "Nobody was hurt."]
    assert summary.metadata == {"year": 1999}
    assert Context.objects.get(key="7").metadata == {"page": 3}


def test_an_import_replaces_incidents(db: None, tmp_path: Path) -> None:
    study = empty_study(SELECTION)
    import_text(study, tmp_path, jsonl(incident("old")), "x.jsonl")

    import_text(study, tmp_path, jsonl(incident("new")), "x.jsonl")

    assert ContextGroup.objects.get().key == "new"
    assert Turn.objects.count() == 5


def test_items_that_are_dropped_take_their_incidents_with_them(db: None, tmp_path: Path) -> None:
    study = empty_study(SELECTION)
    import_text(study, tmp_path, jsonl(incident()), "x.jsonl")

    imports.drop_items(study)

    assert not ContextGroup.objects.exists()
    assert not Context.objects.exists()


@pytest.mark.parametrize(
    ("kind", "takes"),
    [
        (
            "best_worst",
            "This is a best-worst study. Upload dialogues with candidates, pairs or single texts",
        ),
        (
            "rating",
            (
                "This is a rating study. Upload pairs (id, target, candidate) or dialogues "
                "with candidates"
            ),
        ),
        (
            "label",
            "This is a label study. Upload pairs, dialogues with candidates or single texts",
        ),
    ],
)
def test_only_a_selection_study_takes_incidents(kind: str, takes: str) -> None:
    (found,) = problems(jsonl(incident(), {}, 3), kind=kind, tuple_size=3)

    assert found.startswith(
        "The file has incidents (a summary and its reports), which only a selection study takes."
        f" {takes}"
    )


@pytest.mark.parametrize(
    ("content", "filename", "has"),
    [
        ("id,target,candidate\na,b,c\n", "x.csv", "pairs of a target and a candidate."),
        ("id,text\na,b\n", "x.csv", "single texts."),
        ("one\n", "x.txt", "single texts."),
        (jsonl({"id": "d", "turns": [], "candidates": []}), "x.jsonl", "dialogues with cand"),
    ],
)
def test_a_selection_study_takes_nothing_else(content: str, filename: str, has: str) -> None:
    (found,) = problems(content, filename, kind="selection")

    assert found.startswith(f"The file has {has}")
    assert found.endswith("This is a selection study. Upload incidents (id, summary, reports).")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"id": None}, ["id is missing; give every entry its own id"]),
        ({"id": "x" * 193}, ["id is 193 characters long; shorten it to 192 or fewer"]),
        ({"summary": "a"}, ['summary is a text; write a list such as ["First.", "Second."]']),
        ({"summary": []}, ["summary is an empty list; write at least one entry such as"]),
        ({"summary": ["a", " "]}, ["summary[2] is empty; write the text or remove the entry"]),
        (
            {"summary": [3, "b\x00"]},
            ["summary[1] is a number", "summary[2] of 'b' contains a NUL"],
        ),
        ({"reports": None}, ["reports is null; write a list such as"]),
        ({"reports": ["a"]}, ["reports[1] is a text; write an object such as"]),
        ({"reports": report(id=None)}, ["reports[1].id is missing; give every entry its own id"]),
        ({"reports": report(sentences=None)}, ["reports[1].sentences is null; write a list"]),
        (
            {"reports": report(sentences=["\udc00"])},
            ["reports[1].sentences[1] of 'b' contains a lone"],
        ),
        ({"reports": report(source=5)}, ["reports[1].source is a number; write a text"]),
        ({"reports": report(x=10**30)}, ["reports[1].x contains a number that is too large"]),
        ({"reports": report() * 2}, ["reports[2].id 'r': already used earlier in this line"]),
        ({"reports": report(id="a-r1")}, ["reports[1].id 'a-r1': already used in line 1"]),
        ({"reports": report(id="a/summary")}, ["reports[1].id 'a/summary': already used in"]),
        ({"id": "a", "reports": report()}, ["id 'a': already used in line 1; give every entry"]),
        ({"domain": 1, "source": []}, ["domain is a number", "source is a list"]),
    ],
)
def test_a_wrong_incident_is_refused_with_its_line_and_the_remedy(
    columns: dict[str, object], expected: list[str]
) -> None:
    content = jsonl(incident("a")) + json.dumps(incident("b", **columns)) + "\n"

    found = problems(content, kind="selection")

    assert len(found) == len(expected)
    for said, start in zip(found, expected, strict=True):
        assert said.startswith(f"line 2: {start}")


def test_one_kind_of_objects_is_in_a_file_of_incidents() -> None:
    pair = {"id": "p", "target": "a", "candidate": "b"}

    assert problems(jsonl(incident(), pair), kind="selection") == [
        "line 2: a pair (target and candidate), but the file began with an incident (summary and"
        " reports) in line 1; put them into files of their own"
    ]


def test_the_first_incident_is_there_to_be_looked_at() -> None:
    parsed = read(jsonl(incident("i1"), incident("i2")), kind="selection")

    first = parsed.first_incident()

    assert first is not None
    assert (first.key, first.summary) == ("i1", ("The mill burned.", "Nobody was hurt."))
    assert first.reports == (
        ("i1-r1", ("Fire at the mill.", "Ann saw it.")),
        ("i1-r2", ("The old mill is gone.",)),
    )


def test_the_command_says_how_many_incidents_there_are(
    db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = empty_study(SELECTION)
    path = tmp_path / "incidents.jsonl"
    path.write_text(jsonl(incident()))

    call_command("import_items", study.slug, str(path))

    assert capsys.readouterr().out == (f"1 incident with 3 texts imported into {study.slug}.\n")
