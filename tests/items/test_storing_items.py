"""Items of a file that was read: stored exactly, once, and as a whole; also by the command."""

import json
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.basics.errors import (
    FrozenError,
    ImportProblemsError,
    StateError,
    UnknownKeyError,
)
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.items.services import imports, uploads
from annotation.models import Context, Item, Job, Pool, Study, Turn
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.item_files import NASTY, dialogue, jsonl

# -- What is written ----------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "items.jsonl"
    path.write_text(
        jsonl(
            dialogue("d1", candidates=[{"text": text} for text in NASTY]),
            dialogue("d2", 4, turns=[{"speaker": "<b>", "text": text} for text in NASTY]),
        ),
        newline="",
    )
    return path


def test_rows_say_exactly_what_the_file_said(db: None, file: Path) -> None:
    study = make_study(dialogues=0)

    imported = imports.import_items(study=study, path=file, filename="items.jsonl")

    assert (imported.n_items, imported.n_pools, imported.n_contexts) == (len(NASTY) + 4, 2, 2)
    items = list(Item.objects.filter(study=study).order_by("number"))
    assert [item.number for item in items] == list(range(1, len(NASTY) + 5))
    assert [item.candidate for item in items[: len(NASTY)]] == NASTY
    assert {item.target for item in items[: len(NASTY)]} == {"Yes."}
    assert {item.target for item in items[len(NASTY) :]} == {NASTY[-1]}
    assert items[0].pool.key == "d1"
    second = Context.objects.get(key="d2")
    assert second.n_turns == len(NASTY)
    assert [turn.text for turn in second.turns.all()] == NASTY
    assert {turn.speaker for turn in second.turns.all()} == {"<b>"}


def test_pairs_and_single_items_share_one_pool(db: None, tmp_path: Path) -> None:
    study = make_study(dialogues=0)
    path = tmp_path / "pairs.tsv"
    path.write_text("id\ttarget\tcandidate\n" + "".join(f"{n}\ta\t{n}\n" for n in range(5)))

    imports.import_items(study=study, path=path, filename=path.name)

    assert list(Pool.objects.values_list("key", "context")) == [("all", None)]
    assert [item.target for item in study.items.all()] == ["a"] * 5


def test_progress_is_told_outside_the_transaction(db: None, file: Path) -> None:
    # Inside, it would wait for SQLite's one write lock, which the import holds.
    depths: set[int] = set()

    imports.import_items(
        study=make_study(dialogues=0),
        path=file,
        filename="items.jsonl",
        progress=lambda share, message: depths.add(len(connection.savepoint_ids)),
    )

    assert depths == {0}


def test_an_import_replaces_the_items_and_the_design_of_a_draft(db: None, file: Path) -> None:
    study = make_study()
    designs.make(design=study.design)

    imports.import_items(study=study, path=file, filename="items.jsonl")

    assert not study.design.is_made
    assert not study.design.tuples.exists()
    assert study.pools.count() == 2
    assert Turn.objects.count() == 2 + len(NASTY)


def test_a_wrong_file_leaves_everything_as_it_was(db: None, tmp_path: Path) -> None:
    study = make_study()
    designs.make(design=study.design)
    path = tmp_path / "items.jsonl"
    path.write_text(jsonl(dialogue("new"), dialogue("new")))

    with pytest.raises(ImportProblemsError, match="line 2: id 'new': already used in line 1"):
        imports.import_items(study=study, path=path, filename=path.name)

    assert study.items.count() == 10
    assert study.design.is_made


def test_an_opened_study_keeps_its_items(db: None, file: Path) -> None:
    study = make_open_study()

    with pytest.raises(FrozenError, match="frozen since the study was opened"):
        imports.import_items(study=study, path=file, filename="items.jsonl")

    assert study.items.count() == 10


def test_opening_during_an_import_wins(db: None, file: Path) -> None:
    study = make_study()

    def open_meanwhile(share: float, message: object) -> None:
        if share < 0.7:
            return
        designs.make(design=study.design)
        Study.objects.filter(pk=study.pk).update(state="open", opened_at="2026-01-01T00:00Z")

    with pytest.raises(FrozenError):
        imports.import_items(
            study=study, path=file, filename="items.jsonl", progress=open_meanwhile
        )

    assert study.items.count() == 10


def test_a_tuple_size_changed_meanwhile_asks_for_another_reading(db: None, file: Path) -> None:
    study = make_study(dialogues=0)

    def change_meanwhile(share: float, message: object) -> None:
        if share < 0.7:
            return
        study.designs.update(parameters={"tuple_size": 4})

    with pytest.raises(StateError, match="The tuple size has changed in the meantime"):
        imports.import_items(
            study=study, path=file, filename="items.jsonl", progress=change_meanwhile
        )


# -- Uploads and jobs ---------------------------------------------------------------------------


def test_an_upload_is_kept_privately_imported_and_deleted(
    db: None, file: Path, settings: object
) -> None:
    study, user = make_study(dialogues=0), make_user()
    uploaded = SimpleUploadedFile("../../items.jsonl", file.read_bytes())

    parameters = uploads.store_upload(
        study=study, file=uploaded, filename="../../items.jsonl", by=user
    )

    path = uploads.upload(study=study, name=parameters["path"])
    assert parameters["filename"] == "items.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == file.read_bytes()
    assert len(imports.read_beginning(study=study, **_named(parameters)).items) == len(NASTY) + 4

    job = jobs.run_here(study=study, kind=Job.Kind.IMPORT_ITEMS, parameters=parameters, by=user)

    assert (job.state, job.error) == ("done", "")
    assert job.parameters["imported"] == {
        "n_items": len(NASTY) + 4,
        "n_pools": 2,
        "n_contexts": 2,
        "n_incidents": 0,
        "n_dialogues": 2,
    }
    assert not path.exists()


def _named(parameters: dict[str, str]) -> dict[str, str]:
    return {"name": parameters["path"], "filename": parameters["filename"]}


def test_a_job_run_again_after_it_stored_its_items_does_nothing(db: None, file: Path) -> None:
    study = make_study(dialogues=0)
    parameters = uploads.store_upload(
        study=study, file=[file.read_bytes()], filename="items.jsonl", by=make_user()
    )
    job = jobs.run_here(study=study, kind=Job.Kind.IMPORT_ITEMS, parameters=parameters)
    Item.objects.filter(number=1).update(key="kept")
    Job.objects.update(state="queued", run_token=None)

    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == "done"
    assert Item.objects.filter(key="kept").exists()


def test_a_job_that_finds_problems_lists_them(db: None) -> None:
    study = make_study(dialogues=0)
    parameters = uploads.store_upload(
        study=study, file=[b"{\n", b"3\n"], filename="items.jsonl", by=make_user()
    )

    job = jobs.run_here(study=study, kind=Job.Kind.IMPORT_ITEMS, parameters=parameters)

    assert job.state == "failed"
    assert [line.split(":")[0] for line in job.problems] == ["line 1", "line 2"]


def test_an_upload_of_another_study_is_not_found(db: None) -> None:
    mine, theirs = make_study(dialogues=0), make_study(dialogues=0)
    parameters = uploads.store_upload(study=theirs, file=[b"x"], filename="x.txt", by=make_user())

    for name in (parameters["path"], f"../imports/{parameters['path']}", "", "."):
        with pytest.raises(UnknownKeyError, match="Upload it again"):
            uploads.upload(study=mine, name=name)


def test_too_large_an_upload_is_not_kept(db: None, settings) -> None:
    settings.IMPORT_LIMIT_BYTES = 10

    with pytest.raises(ImportProblemsError, match="the import limit; split it"):
        uploads.store_upload(
            study=make_study(dialogues=0), file=[b"x" * 6] * 2, filename="x", by=make_user()
        )

    assert list((settings.MEDIA_ROOT / "imports").iterdir()) == []


def test_old_uploads_are_forgotten(db: None) -> None:
    study, user = make_study(dialogues=0), make_user()
    old = uploads.store_upload(study=study, file=[b"x"], filename="x", by=user)
    os.utime(uploads.upload(study=study, name=old["path"]), (0, 0))

    fresh = uploads.store_upload(study=study, file=[b"x"], filename="x", by=user)

    with pytest.raises(UnknownKeyError):
        uploads.upload(study=study, name=old["path"])
    assert uploads.upload(study=study, name=fresh["path"]).is_file()


# -- The command --------------------------------------------------------------------------------


def test_the_command_makes_a_study_and_says_what_it_did(db: None, file: Path) -> None:
    make_user("ada", is_superuser=True)
    out, err = StringIO(), StringIO()

    call_command(
        "import_items",
        "new",
        str(file),
        "--create",
        "--title",
        "New",
        "--preset",
        "giccs",
        "--language",
        "de",
        "--json",
        stdout=out,
        stderr=err,
    )

    study = Study.objects.get(slug="new")
    assert (study.title, study.language, study.owner.username) == ("New", "de", "ada")
    assert json.loads(out.getvalue()) == {
        "study": "new",
        "state": "draft",
        "n_items": len(NASTY) + 4,
        "n_pools": 2,
        "n_contexts": 2,
        "n_incidents": 0,
        "n_dialogues": 2,
    }
    assert "100 %" in err.getvalue()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new"], "'new'.*--create"),
        (["new", "--create"], "--owner USERNAME"),
        (["new", "--create", "--owner", "bob"], "no user 'bob'"),
        (["Not a slug!", "--create", "--owner", "ada"], "Not a slug!: Enter a valid"),
    ],
)
def test_the_command_says_what_is_missing(
    db: None, file: Path, arguments: list[str], message: str
) -> None:
    make_user("ada")

    with pytest.raises(CommandError, match=message):
        call_command("import_items", arguments[0], str(file), *arguments[1:])

    assert not Study.objects.exists()


def test_the_command_ends_with_the_problems_and_without_a_study(db: None, tmp_path: Path) -> None:
    make_user("ada")
    path = tmp_path / "x.jsonl"
    path.write_text("{\n3\n")

    with pytest.raises(CommandError) as caught:
        call_command("import_items", "new", str(path), "--create", "--owner", "ada")

    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["line 1", "line 2"]
    assert caught.value.returncode == 1
    assert not Study.objects.exists()
