"""The exported ZIP: what is in it, exactly, and what must never be."""

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tracemalloc
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import scoring
from annotation.answering.services import assignments, rosters, withdrawal
from annotation.basics import tables
from annotation.core.queries import counted_answers, run_status
from annotation.items.imports import items as item_files
from annotation.items.imports.problems import item_text_problem
from annotation.items.services.imported_judgments import import_judgments
from annotation.kinds.best_worst.exports import columns as best_worst_columns
from annotation.kinds.best_worst.queries import answers, exporting
from annotation.kinds.queries.orders import shown_order
from annotation.kinds.registry import KINDS
from annotation.kinds.services.design_rows import add_places
from annotation.models import (
    Annotator,
    Item,
    Job,
    Judgment,
    Person,
    Place,
    Result,
    Study,
    Turn,
)
from annotation.models.kinds import Source
from annotation.people.services import exclusions
from annotation.releases.exports import archive
from annotation.studies.services import studies
from scoring.command.answers import read_answers
from tests.support.answering import answer_all, answer_one
from tests.support.factories import join, make_open_study, make_study
from tests.support.item_files import NASTY


def export(study: Study, population: str = "people", **options: bool) -> dict[str, bytes]:
    file = io.BytesIO()
    archive.write_archive(study, population, file, **options)
    with zipfile.ZipFile(file) as members:
        assert members.testzip() is None
        return {name: members.read(name) for name in members.namelist()}


def rows(content: bytes, delimiter: str = "\t") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), delimiter=delimiter))


@pytest.fixture
def study(db: None) -> Study:
    """One booklet with two places; 20 questions about two dialogues."""
    return make_open_study(parameters={"annotations_per_tuple": 2}, max_booklets=0)


@pytest.fixture
def answered(study: Study) -> Study:
    """Two who sent their answers, one of them after a change of mind."""
    for n in range(2):
        assignment = join(study).assignment
        first = assignment.booklet.questions.first()
        if n:
            answer_one(assignment, first, best=2, worst=0, comment="hm\tm\n=1")
        answer_all(assignment)
        assignments.submit(assignment=assignment)
    return study


# -- What counts --------------------------------------------------------------------------------


def test_only_complete_first_answers_of_people_who_are_not_excluded_count(study: Study) -> None:
    joined = [join(study) for _ in range(2)]
    for one in joined:
        answer_all(one.assignment)
    assert counted_answers.counted_judgments(study, "people").count() == 0  # not sent yet

    for one in joined:
        assignments.submit(assignment=one.assignment)
    assert counted_answers.counted_judgments(study, "people").count() == 40
    before = counted_answers.basis(study, "people")

    exclusions.exclude(annotator=joined[0].annotator, reason="a robot", by=study.owner)
    assert counted_answers.counted_judgments(study.design, "people").count() == 20
    assert counted_answers.basis(study, "people") != before

    exclusions.include_again(annotator=joined[0].annotator, reason="seen again", by=study.owner)
    assert counted_answers.basis(study, "people") == before

    withdrawal.withdraw(annotator=joined[1].annotator)
    assert counted_answers.counted_judgments(study, "people").count() == 20
    assert counted_answers.counted_judgments(study, "simulated").count() == 0


def test_revisions_do_not_count(answered: Study) -> None:
    assert Judgment.objects.count() == 41
    assert counted_answers.counted_judgments(answered, "people").count() == 40


def test_arrays_and_counts_say_the_same(answered: Study, monkeypatch) -> None:
    monkeypatch.setattr(answers, "_CHUNK", 7)

    read = answers.answers_arrays(answered, "people")
    counts = answers.item_counts(answered, "people")

    assert read.best_worst.n_judgments == 40
    assert read.basis == counted_answers.basis(answered, "people")
    assert len(read.annotator_pks) == 2
    assert counts.appearances.tolist() == [12] * 10
    assert counts.best.sum() == counts.worst.sum() == 40
    for j, judgment in enumerate(counted_answers.counted_judgments(answered, "people")):
        assert read.table.item_pks[read.best_worst.best[j]] == judgment.best_id
        number = read.best_worst.tuple_number[j]
        assert read.table.tuple_pks[number] == judgment.question.tuple_id


def test_simulated_answers_are_apart(study: Study) -> None:
    add_places(booklets=study.design.booklets.all(), source=Source.SIMULATED, up_to=1)
    simulated = assignments.join(
        study=study,
        nonce="n",
        consent=studies.current_consent(study),
        source=Source.SIMULATED,
    )
    answer_all(simulated.assignment)
    assignments.submit(assignment=simulated.assignment)

    people_files, simulated_files = export(study), export(study, "simulated")

    assert rows(people_files["judgments.tsv"]) == []
    note = "This study has only simulated answers; choose --source simulated (?source=simulated)."
    assert json.loads(people_files["study.json"])["note"] == note
    assert note in people_files["README.md"].decode()
    assert {row["score"] for row in rows(people_files["items.tsv"])} == {""}
    assert {row["source"] for row in rows(simulated_files["judgments.tsv"])} == {"simulated"}
    assert "no human being gave them" in simulated_files["README.md"].decode()
    assert json.loads(simulated_files["study.json"])["note"] is None


# -- The files ----------------------------------------------------------------------------------


def test_the_archive_has_these_files_and_their_sums(answered: Study, tmp_path: Path) -> None:
    files = export(answered)

    assert set(files) == {
        "README.md",
        "items.tsv",
        "annotators.tsv",
        "tuples.tsv",
        "judgments.tsv",
        "annotations_nrc.csv",
        "relabelled.tsv",
        "consents.tsv",
        "working_times.tsv",
        "study.json",
        "SHA256SUMS",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    checked = subprocess.run(
        ["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert checked.stdout.count(": OK\n") == 10
    sums = files["SHA256SUMS"].decode().splitlines()
    assert f"{hashlib.sha256(files['items.tsv']).hexdigest()}  items.tsv" in sums


def test_items_have_scores_that_follow_from_the_answers(answered: Study) -> None:
    files = export(answered)

    table = {row["id"]: row for row in rows(files["items.tsv"])}
    assert list(table) == [f"d{d}-{c}" for d in (1, 2) for c in range(1, 6)]
    counted = [row for row in rows(files["judgments.tsv"]) if row["status"] == "counted"]
    for key, row in table.items():
        shown = sum(key in json.loads(j["stored_order"]) for j in counted)
        best = sum(j["best"] == key for j in counted)
        worst = sum(j["worst"] == key for j in counted)
        assert (row["appearances"], row["best"], row["worst"]) == (
            str(shown),
            str(best),
            str(worst),
        )
        assert float(row["score"]) == (best - worst) / shown
        assert float(row["rescaled"]) == ((best - worst) / shown + 1) / 2
    assert len({row["score"] for row in table.values()}) > 2
    first = table["d2-1"]
    assert (first["pool"], first["domain"], first["source"]) == ("d2", "repair", "written")
    assert first["target"] == "Turn 5 of dialogue 2."
    assert json.loads(first["dialogue_json"])[1] == {
        "speaker": "B",
        "text": "Turn 2 of dialogue 2.",
    }
    assert first["dialogue_text"].splitlines()[0] == "A: Turn 1 of dialogue 2."


def test_what_was_never_shown_has_no_score(study: Study) -> None:
    for row in rows(export(study)["items.tsv"]):
        assert (row["appearances"], row["score"], row["rescaled"]) == ("0", "", "")


def test_a_draft_without_a_design_can_be_exported(db: None) -> None:
    files = export(make_study())

    assert len(rows(files["items.tsv"])) == 10
    assert rows(files["tuples.tsv"]) == []


def test_every_answer_is_a_row_with_its_status(answered: Study) -> None:
    joined = list(Annotator.objects.order_by("pk"))
    Place.objects.create(booklet=answered.design.booklets.get(), number=3)
    third = join(answered)
    answer_one(third.assignment, third.assignment.booklet.questions.first())
    exclusions.exclude(annotator=joined[0], reason="a robot", by=answered.owner)
    stands = joined[1].assignments.get().judgments.current().order_by("pk")[0]
    Judgment.objects.filter(pk=stands.pk).update(comment="so\ts\n=1")

    table = rows(export(answered)["judgments.tsv"])

    assert [row["status"] for row in table] == (
        ["excluded"] * 20 + ["superseded"] + ["counted"] * 20 + ["unfinished"]
    )
    revised = table[20]
    # Nobody but its writer reads a comment that was replaced.
    assert (revised["comment"], table[21]["comment"]) == ("", "so\ts\n=1")
    assert revised["annotator"] == joined[1].pseudonym
    assert (revised["booklet"], revised["screen"], revised["position"]) == ("1", "1", "1")
    stored = json.loads(revised["stored_order"])
    assert (revised["best"], revised["worst"]) == (stored[2], stored[0])
    assert sorted(json.loads(revised["shown_order"])) == sorted(stored)
    assert revised["superseded_at"] > revised["answered_at"] >= revised["shown_at"]
    assert revised["answered_at"].endswith("Z")
    assert len(revised["answered_at"]) == len("2026-11-20T12:00:00.000Z")


def test_a_retaken_place_is_surplus_in_the_file(study: Study) -> None:
    slow = join(study)
    study.idle_minutes = 5
    study.save()
    slow.assignment.last_active_at = timezone.now() - timezone.timedelta(hours=1)
    slow.assignment.save()
    for _ in range(2):
        quick = join(study)
        answer_all(quick.assignment)
        assignments.submit(assignment=quick.assignment)
    slow.assignment.refresh_from_db()
    answer_all(slow.assignment)
    assignments.submit(assignment=assignments.current(slow.annotator))

    table = rows(export(study)["judgments.tsv"])

    of_slow = {r["status"] for r in table if r["annotator"] == slow.annotator.pseudonym}
    assert of_slow == {"surplus"}
    assert sum(row["status"] == "counted" for row in table) == 40


def test_withdrawn_answers_are_a_number_only(answered: Study) -> None:
    withdrawal.withdraw(annotator=Annotator.objects.first())

    files = export(answered)

    assert len(rows(files["judgments.tsv"])) == 21
    facts = json.loads(files["study.json"])["counts"]
    assert facts["judgments"]["withdrawn"] == 20
    assert facts["judgments"]["by_status"]["counted"] == 20
    assert facts["judgments"]["by_status"]["superseded"] == 1
    assert facts["annotators"] == 1


def test_the_order_that_was_shown_can_be_computed_again(study: Study) -> None:
    joined = join(study)
    question = joined.assignment.booklet.questions.first()
    seed, number = study.design.seed, question.tuple.number
    keys = [m.item.key for m in question.tuple.members.order_by("position")]
    expected = shown_order(
        [(key, key) for key in keys],
        seed=seed,
        pseudonym=joined.annotator.pseudonym,
        tuple_number=number,
    )

    facts = json.loads(export(study)["study.json"])

    assert facts["shown_order"]["seed"] == seed
    assert "SHA-256" in facts["shown_order"]["definition"]
    by_hand = sorted(
        keys,
        key=lambda key: hashlib.sha256(
            f"{seed}/{joined.annotator.pseudonym}/{number}/{key}".encode()
        ).digest(),
    )
    assert by_hand == expected


def test_a_notebook_computes_the_scores_of_the_export(answered: Study, tmp_path: Path) -> None:
    files = export(answered)
    path = tmp_path / "annotations_nrc.csv"
    path.write_bytes(files["annotations_nrc.csv"])

    answers_read = read_answers(str(path), needs_people=True)

    exported = {row["id"]: row["score"] for row in rows(files["items.tsv"]) if row["score"]}
    scores = dict(zip(answers_read.items, scoring.count(answers_read.batch).scores(), strict=True))
    assert scores == pytest.approx({item: float(score) for item, score in exported.items()})
    assert len(answers_read.annotators) == 2


def test_counted_answers_leave_in_the_columns_of_the_nrc_and_come_back(
    answered: Study, tmp_path: Path
) -> None:
    files = export(answered)
    table = rows(files["annotations_nrc.csv"], ",")
    assert list(table[0]) == [
        "Item1",
        "Item2",
        "Item3",
        "BestItem",
        "WorstItem",
        "Annotator",
        "TupleID",
    ]
    tuples = {row["tuple"]: row for row in rows(files["tuples.tsv"])}
    assert len(table) == 40
    assert len(tuples) == 20
    for row in table:
        stored = tuples[row["TupleID"]]
        assert [row[f"Item{n}"] for n in (1, 2, 3)] == [stored[f"item{n}"] for n in (1, 2, 3)]
    path = tmp_path / "nrc.csv"
    path.write_bytes(files["annotations_nrc.csv"])
    again = make_study()

    import_judgments(study=again, path=path)

    was, now = (
        {row["id"]: (row["appearances"], row["score"]) for row in rows(content)}
        for content in (files["items.tsv"], export(again)["items.tsv"])
    )
    assert now == was
    assert {row["source"] for row in rows(export(again)["judgments.tsv"])} == {"imported"}
    assert {row["shown_order"] for row in rows(export(again)["judgments.tsv"])} == {""}


def test_the_study_file_says_how_it_was_made(answered: Study) -> None:
    job = Job.objects.create(study=answered, kind="score", state="done")
    basis = counted_answers.basis(answered, "people")
    Result.objects.create(
        study=answered,
        design=answered.design,
        job=job,
        kind="best_worst",
        population="people",
        computed_at=timezone.now(),
        code_version="0.1.0",
        parameters={"sum_of_keys": basis.sum_of_keys},
        n_judgments=basis.n_judgments,
        last_judgment=basis.last_judgment,
        statistics={"alpha": 0.5},
    )

    facts = json.loads(export(answered)["study.json"])

    assert facts["study"]["most_question"] == answered.most_question
    assert facts["design"]["seed"] == 1
    assert facts["design"]["certificate"]["n_tuples"] == 20
    assert facts["counts"]["items"] == 10
    assert facts["versions"].keys() == {"likeness", "python", "django", "numpy"}
    assert facts["result"]["is_current"] is True
    assert facts["result"]["n_judgments"] == 40
    assert facts["statistics"] == {"alpha": 0.5}

    exclusions.exclude(annotator=Annotator.objects.first(), reason="x", by=answered.owner)
    assert json.loads(export(answered)["study.json"])["result"]["is_current"] is False


def test_the_readme_explains_every_column_of_every_file(answered: Study) -> None:
    files = export(answered)
    readme = files["README.md"].decode()

    for name, content in files.items():
        if name.endswith((".tsv", ".csv")):
            section = readme.split(f"## {name}\n")[1].split("\n## ")[0]
            header = content.decode().split("\n")[0].split("\t" if name[-3] == "t" else ",")
            explained = [
                line.split("`")[1] for line in section.splitlines() if line.startswith("| `")
            ]
            assert header == explained
        elif name != "README.md":
            assert f"## {name}\n" in readme
    for status in run_status.STATUSES:
        assert f"`{status}`" in readme


def test_the_readme_explains_the_figures_over_splits(answered: Study) -> None:
    section = export(answered)["README.md"].decode().split("## study.json\n")[1].split("\n## ")[0]

    for name in ("low", "high", "sd", "n_items", "unanimous_share", "mean_pairwise_agreement"):
        assert f"`{name}`" in section
    assert "a range of splits, not a confidence interval" in " ".join(section.split())


def test_nobody_is_named(study: Study) -> None:
    entry = rosters.RosterEntry("matriculation-4711", "Ada Lovelace", "ada@example.org")
    (made,) = rosters.add_roster(study=study, entries=[entry])
    assignment = assignments.start(
        annotator=made.annotator, consent=studies.current_consent(study)
    )
    answer_all(assignment)
    assignments.submit(assignment=assignment)
    study.owner.email = "boss@example.org"
    study.owner.save()

    files = export(study)

    for secret in (
        entry.platform_id,
        entry.name,
        entry.email,
        made.key,
        made.annotator.key_hash,
        study.join_token,
        study.owner.email,
        study.owner.username,
    ):
        for content in files.values():
            assert secret.encode() not in content
    assert Person.objects.count() == 1
    assert made.annotator.pseudonym.encode() in files["judgments.tsv"]


def test_two_exports_of_the_same_data_are_the_same(answered: Study) -> None:
    first, second = export(answered), export(answered)

    facts = [json.loads(files.pop("study.json")) for files in (first, second)]
    assert facts[0].pop("exported_at") <= facts[1].pop("exported_at")
    assert facts[0] == facts[1]
    for files in (first, second):
        files["SHA256SUMS"] = b"".join(
            line for line in files["SHA256SUMS"].splitlines(True) if b"study.json" not in line
        )
    assert first == second


def test_members_have_no_date_of_today(answered: Study) -> None:
    file = io.BytesIO()
    archive.write_archive(answered, "people", file)

    for info in zipfile.ZipFile(file).infolist():
        assert info.date_time == (1980, 1, 1, 0, 0, 0)
        assert info.external_attr >> 16 == 0o644


def test_the_archive_can_be_written_to_a_pipe(answered: Study) -> None:
    class Pipe(io.RawIOBase):
        written = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:
            self.written += bytes(data)
            return len(data)

    pipe = Pipe()
    archive.write_archive(answered, "people", pipe)

    assert zipfile.ZipFile(io.BytesIO(pipe.written)).testzip() is None


# -- Exact texts --------------------------------------------------------------------------------


def test_nasty_texts_leave_as_they_came(db: None) -> None:
    study = make_study(dialogues=1, candidates=len(NASTY))
    for item, text in zip(study.items.order_by("number"), NASTY, strict=True):
        item.candidate_text = text
        item.metadata = {"text": text}
        item.save()
    last = Turn.objects.order_by("position").last()
    last.text = last.speaker = "".join(NASTY)
    last.save()

    table = rows(export(study)["items.tsv"])

    assert [row["candidate"] for row in table] == NASTY
    assert [json.loads(row["metadata"])["text"] for row in table] == NASTY
    assert {row["target"] for row in table} == {"".join(NASTY)}
    assert json.loads(table[0]["dialogue_json"])[-1]["speaker"] == "".join(NASTY)


TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1),
).filter(lambda text: text.strip() and not item_text_problem(text))


@pytest.mark.slow
@hypothesis_settings(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=3, max_size=6, unique=True))
def test_any_text_comes_back_through_our_own_import(
    django_db_blocker, db: None, pairs: list[tuple[str, str]]
) -> None:
    Item.objects.all().delete()
    study = make_study(dialogues=1, candidates=len(pairs))
    for item, (target, candidate) in zip(study.items.order_by("number"), pairs, strict=True):
        item.target_turn, item.target_text, item.candidate_text = None, target, candidate
        item.save()

    content = export(study)["items.tsv"]
    parsed = item_files.read(
        io.BytesIO(content),
        filename="items.tsv",
        kind=KINDS["best_worst"].items,
        tuple_size=3,
        limit_bytes=10**7,
    )

    assert [(item.target, item.candidate) for item in parsed.items] == pairs


@pytest.mark.slow
@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), min_size=1))
def test_a_table_read_by_the_csv_module_is_what_was_written(cells: list[list[str]]) -> None:
    for delimiter in "\t,":
        text = "".join(tables.lines(cells, delimiter=delimiter))
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        assert list(reader) == cells


def test_numbers_keep_all_their_digits() -> None:
    (line,) = tables.lines([[1 / 3, -0.1, 12, None, ""]])

    assert line == "0.3333333333333333\t-0.1\t12\t\t\n"


def test_the_copy_for_spreadsheets_marks_texts_and_leaves_numbers() -> None:
    cells = ["=1", "+1", "-1", "@a", "\tx", "\rx", "'=", "a=", -1, -0.5]

    (line,) = tables.lines([cells], delimiter=",", spreadsheet=True)

    assert line == "'=1,'+1,'-1,'@a,'\tx,\"'\rx\",'=,a=,-1,-0.5\n"
    assert next(tables.lines([cells[:4]], delimiter=",")) == "=1,+1,-1,@a\n"


def test_the_copy_for_spreadsheets_says_so(answered: Study) -> None:
    item = answered.items.get(key="d1-1")
    item.candidate_text = "=cmd()"
    item.save()

    exact, marked = export(answered), export(answered, spreadsheet=True)

    assert rows(exact["items.tsv"])[0]["candidate"] == "=cmd()"
    assert rows(marked["items.tsv"])[0]["candidate"] == "'=cmd()"
    assert any(row["score"].startswith("-") for row in rows(marked["items.tsv"]))
    assert "copy for spreadsheets" in marked["README.md"].decode()
    assert "copy for spreadsheets" not in exact["README.md"].decode()


# -- Memory, locks, command ---------------------------------------------------------------------


@pytest.mark.slow
def test_memory_does_not_grow_with_the_answers(db: None, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(answers, "_CHUNK", 500)
    monkeypatch.setattr(exporting, "_CHUNK", 500)

    def peak(n_annotators: int) -> int:
        path = tmp_path / f"{n_annotators}.csv"
        with path.open("w") as out:
            out.write("Annotator,Item1,Item2,BestItem,WorstItem,Comment\n")
            for n in range(n_annotators):
                out.writelines(f"{n},i{t},i{t + 1},i{t},i{t + 1},{'x' * 200}\n" for t in range(20))
        study = make_study(dialogues=0)
        import_judgments(study=study, path=path)
        export(study)  # what is made once is made now
        with (tmp_path / "out.zip").open("wb") as file:
            tracemalloc.start()
            try:
                archive.write_archive(study, "people", file)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    few, many = peak(50), peak(200)

    # 3,000 answers more, of some 1 KB each in Python.
    assert many - few < 500_000


# As the models say, at once: the migrations that lead there take ten times as long.
TABLES = """
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
call_command("migrate", run_syncdb=True, verbosity=0)
"""
WRITES_MEANWHILE = """
from threading import Thread
from django.contrib.auth.models import User
from django.db import connection
from annotation.core.queries.snapshots import snapshot

User.objects.create(username="ada")
failures = []

def rename():
    try:
        User.objects.update(username="grace")
    except Exception as error:
        failures.append(error)
    finally:
        connection.close()

usual = getattr(connection, "transaction_mode", None)
with snapshot():
    seen = [User.objects.get().username]
    writer = Thread(target=rename)
    writer.start()
    writer.join(10)
    assert not writer.is_alive(), "the writer waits for the reader"
    seen.append(User.objects.get().username)
seen.append(User.objects.get().username)
assert failures == [], failures
assert seen == ["ada", "ada", "grace"], seen
assert getattr(connection, "transaction_mode", None) == usual
"""


@pytest.mark.slow
def test_an_export_keeps_nobody_from_writing_and_sees_one_moment(tmp_path: Path) -> None:
    # In a process of its own: the tests' SQLite database is in memory, where locks are others.
    environment = {**os.environ, "LIKENESS_DATA": str(tmp_path)}
    environment.pop("DATABASE_URL", None)
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", TABLES + WRITES_MEANWHILE],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_export_sees_one_moment_on_postgresql() -> None:
    exec(compile(WRITES_MEANWHILE, "writes_meanwhile", "exec"), {})


def test_the_command_writes_the_archive(answered: Study, tmp_path: Path) -> None:
    path = tmp_path / "out.zip"
    out = StringIO()

    call_command("export", answered.slug, "--output", str(path), stdout=out)

    assert str(path) in out.getvalue()
    with zipfile.ZipFile(path) as members:
        assert members.read("items.tsv") == export(answered)["items.tsv"]
    assert list(tmp_path.glob("*.part*")) == []


def test_the_command_says_what_is_wrong(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no study 'nix'"):
        call_command("export", "nix")
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("export", study.slug, "--output", str(tmp_path / "no" / "x.zip"))


def test_headers_follow_the_tuple_size() -> None:
    assert [column.name for column in best_worst_columns.tuples(4)][-4:] == [
        "item1",
        "item2",
        "item3",
        "item4",
    ]
    assert len(best_worst_columns.nrc(2)) == 6
