"""Columns of the imported file that annotators were not shown: in a release if they are wanted."""

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.baselines.queries.score_sources import ColumnSource
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics import clock
from annotation.basics.reviewed import Reviewed
from annotation.basics.sentences import read
from annotation.core.services import jobs
from annotation.models import Context, Item, Relabelling, Release, Study
from annotation.releases.exports import archive
from annotation.releases.forms import ReleaseForm
from annotation.releases.queries import left_out
from annotation.releases.queries import releases as queries
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.studies.services import imported_studies
from tests.support import release_studies
from tests.support.api import Caller
from tests.support.baseline_studies import compute, make_pairs
from tests.support.factories import make_study
from tests.support.once import Rows, made_once
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

KINDS = ("best_worst", "ratings", "labels")
SECRET, NAME = "ada@example.org", "writer"


@made_once
def best_worst() -> Study:
    return release_studies.best_worst()


@made_once
def ratings() -> Study:
    return release_studies.ratings()


@made_once
def labels() -> Study:
    return release_studies.labels()


def with_column(study: Study) -> Study:
    """A study whose file named a writer of each item, and of each dialogue."""
    Item.objects.filter(study=study).update(metadata={NAME: SECRET})
    Context.objects.filter(study=study).update(metadata={"collected_by": SECRET})
    Relabelling.objects.create(
        study=study,
        item=study.items.order_by("number")[0],
        field=NAME,
        before=SECRET,
        after=SECRET,
        reason="A typing error.",
        by=study.owner,
        made_at=clock.now(),
    )
    return study


def rows(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.decode(), newline=""), delimiter="\t"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_release_leaves_them_out_unless_they_are_wanted(
    request: pytest.FixtureRequest, rows_of_module: Rows, kind: str
) -> None:
    study = with_column(request.getfixturevalue(kind))
    own = io.BytesIO()
    archive.write_archive(study, "people", own)

    without, published = (
        files_of(write(study, facts(metadata=wanted))) for wanted in (False, True)
    )

    assert [name for name, text in without.items() if SECRET.encode() in text] == []
    assert b"| `metadata` | empty: left out of this release" in without["README.md"]
    for files in (published, files_of(own.getvalue())):
        assert {json.loads(row["metadata"])[NAME] for row in rows(files["items.tsv"])} == {SECRET}
        assert SECRET.encode() in files["relabelled.tsv"]
    # What stands in the tables is what the documents say.
    for name in ("DATASHEET.md", "croissant.json"):
        assert b"Other columns of the imported file are left out." in without[name]
        assert NAME.encode() in published[name]
        assert NAME.encode() in published[name]


@pytest.mark.slow
def test_the_form_names_them_and_keeps_what_the_last_release_did(best_worst: Study) -> None:
    study = with_column(best_worst)
    client = signed_in(study.owner)
    described = {"title": "Named", "authors": "Ada"}

    def made(**more: str) -> Release:
        client.post(url(study, "release_new"), {**described, **more})
        jobs.run(study.jobs.filter(kind="release").latest("pk").pk)
        return study.releases.latest("number")

    form = client.get(url(study, "release_new")).context["form"]
    assert form.further_columns == [NAME, "collected_by"]
    assert not form["metadata"].value()

    first = made()
    assert not first.description["metadata"]
    assert SECRET.encode() not in releases.path(first).read_bytes()
    assert "left out: writer, collected_by" in read(first.changes[-1])
    assert not ReleaseForm(study, first)["metadata"].value()
    second = made(metadata="on")
    assert second.description["metadata"]
    assert "published: writer, collected_by" in read(second.changes[-1])
    assert ReleaseForm(study, second)["metadata"].value()
    assert queries.usual_description(study).metadata


@pytest.mark.slow
def test_a_program_and_the_command_choose(
    capsys: pytest.CaptureFixture[str], best_worst: Study
) -> None:
    study = with_column(best_worst)
    api = Caller(study)

    left_out = api.post("releases/", title="Named", authors="Ada").json()
    jobs.run(left_out["id"])
    call_command("release", study.slug, "--metadata", "--json")
    published = json.loads(capsys.readouterr().out)
    call_command("release", study.slug, "--json")
    as_last = json.loads(capsys.readouterr().out)
    call_command("release", study.slug, "--no-metadata", "--json")
    again = json.loads(capsys.readouterr().out)

    assert left_out["further_columns"] == [NAME, "collected_by"]
    assert left_out["has_further_columns"] is False
    chosen = [one["description"]["metadata"] for one in (published, as_last, again)]
    assert chosen == [True, True, False]


def test_columns_of_an_imported_table_are_its_data() -> None:
    study = imported_studies.mark(study=make_study())
    with_column(study)
    client = signed_in(study.owner)

    page = client.get(url(study, "release_new"))
    client.post(url(study, "release_new"), {"title": "Named", "authors": "Ada"})
    jobs.run(study.jobs.filter(kind="release").latest("pk").pk)

    assert page.context["form"].further_columns == [NAME]
    assert 'id="further-columns"' in page.content.decode()
    assert 'name="metadata"' not in page.content.decode()
    release = study.releases.get()
    files = files_of(releases.path(release).read_bytes())
    assert {row[NAME] for row in rows(files["items.tsv"])} == {SECRET}
    # Who wrote the file knows what its columns tell; we do not.
    assert b"Nothing about annotators" not in files["DATASHEET.md"]
    assert b"writer" in files["DATASHEET.md"].partition(b"identified")[2]


def test_columns_of_an_imported_table_keep_every_character_whatever_they_are_called() -> None:
    study = imported_studies.mark(study=make_study())
    cells = {
        "precision_at": "0.00000000012345",
        "notes_at": "[draft] written on a train",
        "comment": "What the authors think of it.",
        "decimal": "0,83",
        "ev|l`\n# Head": "x",
    }
    study.items.update(metadata=cells)

    files = files_of(write(study, facts(metadata=True)))

    for row in rows(files["items.tsv"]):
        assert {name: row[name] for name in cells} == cells
    assert b"\n# Head" not in files["README.md"]
    assert b"| `ev\\|l' # Head` | " in files["README.md"]
    # A program would not read the comma.
    assert _types(files)["decimal"] == "sc:Text"
    assert _types(files)["precision_at"] == "sc:Float"


def _types(files: dict[str, bytes]) -> dict[str, str]:
    """Of each column of the items: its type in Croissant."""
    [items] = [
        record
        for record in json.loads(files["croissant.json"])["recordSet"]
        if record["name"] == "items"
    ]
    return {field["name"].removeprefix("items/"): field["dataType"] for field in items["field"]}


@pytest.mark.slow
def test_a_leaderboard_by_a_column_that_is_left_out_is_left_out_with_it() -> None:
    study = make_pairs(kind=["a", "a", "a", "b", "b", "b"], writer=[SECRET] * 6)
    plain = {"n_resamples": 0, "people": ColumnSource(name="mean")}
    for options in (
        {},
        {"by": ("kind",)},
        {"where": f'writer == "{SECRET}"'},
        {"expression": f'writer == "{SECRET}"'},
    ):
        job = compute(study, options=ReportOptions(**plain, **options))
        assert job.state == "done", job.error

    without, published = (
        files_of(write(study, facts(metadata=wanted))) for wanted in (False, True)
    )

    assert b"kind: a" in published["leaderboard.tsv"]
    assert SECRET.encode() in published["leaderboard.tsv"]
    assert [name for name, text in without.items() if SECRET.encode() in text] == []
    assert [name for name, text in without.items() if b"kind: a" in text] == []


@pytest.mark.slow
def test_the_download_names_them(best_worst: Study) -> None:
    study = with_column(best_worst)

    page = signed_in(study.owner).get(url(study, "download"))

    assert page.context["further_columns"] == f"{NAME}, collected_by"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ratings", "labels"])
def test_domain_source_and_question_stand_once(
    request: pytest.FixtureRequest, rows_of_module: Rows, kind: str
) -> None:
    study: Study = request.getfixturevalue(kind)
    said = {"domain": "travel", "question": "Who came?", NAME: "x"}
    Item.objects.filter(study=study).update(
        metadata=said, target_turn=None, candidate_turn=None, candidate_text="A.", target_text="B."
    )

    row = rows(files_of(write(study, facts(metadata=True)))["items.tsv"])[0]

    assert row["question"] == "Who came?"
    assert json.loads(row["metadata"]).keys() - {"domain"} == {NAME}
    assert ("domain" in json.loads(row["metadata"])) is (row["domain"] != "travel")


def test_the_preview_does_not_call_a_domain_metadata() -> None:
    study = make_study(dialogues=0, preset="stss-131")
    file = SimpleUploadedFile(
        "p.tsv", f"id\ttarget\tcandidate\tdomain\t{NAME}\np1\tA.\tB.\ttravel\tAda\n".encode()
    )
    client = signed_in(study.owner)

    page = client.post(url(study, "upload"), {"file": file}, follow=True)

    assert page.context["metadata_names"] == [NAME]


def test_a_column_that_a_review_is_about_is_not_called_left_out() -> None:
    study = make_study(dialogues=1)
    Study.objects.update(preset="discrepancy-review", kind="label")
    study.refresh_from_db()
    for item in study.items.all():
        reviewed = Reviewed(score=0.5, column="gold", measure="overlap", value=0.1)
        item.metadata = reviewed.into({"gold": "1", "overlap": "0.1", NAME: SECRET})
        item.save()

    [line] = left_out.told_columns(study, Description.of(DESCRIBED))

    assert str(line).endswith(f"left out: {NAME}.")


DESCRIBED = {"title": "Named", "authors": [{"name": "Ada"}]}
