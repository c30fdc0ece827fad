"""An imported table from its file to a release, by commands; every file says where it is from."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from annotation.baselines.services import kept_comparisons
from annotation.basics import clock
from annotation.core.queries.counted_answers import NOT_COLLECTED_HERE
from annotation.items.services.imported_judgments import import_judgments
from annotation.models import Release, Study
from annotation.releases.queries.releases import change_log
from annotation.releases.services import releases
from annotation.studies.services import imported_studies
from scoring.baselines.questions import Question
from tests.support.factories import make_study, make_user
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

# A column that is named like one of the export's own is in `metadata` alone.
HEADER = "id\ttarget\tcandidate\tmean\tkind\tmetadata\n"
ROWS = (
    *("p1\tA cat sleeps.\tA cat is asleep.\t3.50\ta\tx\n", "p2\tIt rains.\tA shoe.\t007\tb\t\n"),
    *("p3\tHe eats.\tHe eats now.\t3.0\t\ty\n", "p4\tSun.\tThe moon.\t1.0\tb\tz\n"),
)
# These are about people who were asked, and nobody was.
OF_PEOPLE = {"annotators.tsv", "judgments.tsv", "phases.tsv", "consents.tsv", "adjudications.tsv"}


def run(*arguments: str) -> dict[str, Any]:
    output = io.StringIO()
    call_command(*arguments, stdout=output, stderr=io.StringIO())
    told: dict[str, Any] = json.loads(output.getvalue()) if "--json" in arguments else {}
    return told


@pytest.fixture(params=["stss-131", "labels", "giccs"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Study:
    make_user("ada", is_superuser=True, first_name="Ada", last_name="Lovelace")
    (tmp_path / "pairs.tsv").write_text(HEADER + "".join(ROWS))
    create = ("--create", "--imported", "--preset", request.param)
    told = run("import_items", "table", str(tmp_path / "pairs.tsv"), *create, "--json")
    assert told["state"] == "imported"
    return Study.objects.get(slug="table")


def files_of(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


@pytest.mark.slow
def test_the_export_has_the_values_as_columns_and_nothing_of_people(
    study: Study, tmp_path: Path
) -> None:
    run("baseline", "table", "--people", "column:mean", "--resamples", "20")
    run("export", "table", "--output", str(tmp_path / "t.zip"))

    files = files_of(tmp_path / "t.zip")
    assert not files.keys() & OF_PEOPLE
    assert {"items.tsv", "leaderboard.tsv", "relabelled.tsv", "SHA256SUMS"} <= files.keys()
    rows = rows_of(files["items.tsv"])
    assert [(row["id"], row["mean"], row["kind"]) for row in rows] == [
        *(("p1", "3.50", "a"), ("p2", "007", "b"), ("p3", "3.0", ""), ("p4", "1.0", "b"))
    ]
    assert json.loads(rows[0]["metadata"])["metadata"] == "x"
    facts = json.loads(files["study.json"])
    assert (facts["study"]["state"], facts["note"]) == ("imported", NOT_COLLECTED_HERE)
    assert facts["value_columns"] == ["kind", "mean"]
    assert facts["counts"]["items"] == 4
    assert NOT_COLLECTED_HERE in files["README.md"]
    assert "| `mean` | " in files["README.md"]


@pytest.mark.slow
def test_a_release_says_that_the_values_were_not_collected_here(study: Study) -> None:
    run("baseline", "table", "--people", "column:mean", "--resamples", "20")
    run("release", "table")

    made = Release.objects.get()
    assert (made.state, made.n_items, made.n_judgments, made.last_judgment) == (
        *("imported", 4, 0, None),
    )
    files = files_of(releases.path(made))
    for name in ("README.md", "DATASHEET.md", "METHODS.md", "study.json"):
        assert NOT_COLLECTED_HERE in files[name], name
    assert "`items.tsv` has 4 rows." in files["DATASHEET.md"]
    for name in ("README.md", "DATASHEET.md", "METHODS.md", "methods.tex"):
        assert "Likeness asked" not in files[name]
        assert "In the browser" not in files[name]
        assert "offered to withdraw" not in files[name]
        assert "judgments.tsv" not in files[name]
    assert "items & 4" in files["tables.tex"]
    assert "excluded" not in files["tables.tex"]
    # The second is of the same data, and others rest on the first.
    run("release", "table")
    client = signed_in(study.owner)
    page = client.get(url(study, "release", 2))
    assert "Items and answers are the same as those of release 1." in text(page)
    assert "people" not in text(page).partition("SHA-256")[0].partition("4 items")[2]
    assert [s.state for s in client.get(url(study, "change")).context["steps"]][-1] == "done"
    assert client.get(url(study, "items")).context["takes_items"] is False
    with pytest.raises(CommandError, match="has releases"):
        run("mark_imported", "table", "--undo")


def test_the_release_page_of_a_table_asks_for_no_answers(study: Study) -> None:
    client = signed_in(study.owner)

    page = client.get(url(study, "release_new"))

    assert (page.context["refusal"], page.context["options_form"]) == ("", None)
    assert "Items with imported values: 4." in text(page)
    assert "scored first" not in text(page)
    # There are no answers whose times could be published.
    assert "exact_times" not in text(page)
    page = client.get(url(study, "download"))
    assert (page.context["has_files"], page.context["people"]["form"]) == (True, None)


def test_a_table_without_items_is_not_released() -> None:
    study = imported_studies.mark(study=make_study(dialogues=0))

    assert str(releases.refusal(study)) == "There are no items yet. Import them first."


def test_imported_answers_are_released_with_where_they_are_from(tmp_path: Path) -> None:
    study = make_study(dialogues=0)
    study.owner.first_name = "Ada"
    study.owner.save()
    (tmp_path / "a.csv").write_text("Item1,Item2,Item3,BestItem,WorstItem\na,b,c,a,c\n")
    import_judgments(study=study, path=tmp_path / "a.csv")
    run("release", study.slug)

    files = files_of(releases.path(Release.objects.get()))
    for name in ("README.md", "DATASHEET.md", "METHODS.md", "study.json"):
        assert NOT_COLLECTED_HERE in files[name], name
    assert "most similar" not in files["METHODS.md"].partition("References")[0].lower()
    assert "In the browser" not in files["DATASHEET.md"]
    assert len(rows_of(files["judgments.tsv"])) == 1


def test_the_database_knows_no_other_release_without_answers(study: Study) -> None:
    run("release", "table")
    made = Release.objects.values().get()
    for changes in ({"state": "closed"}, {"n_people": 1}, {"n_judgments": 1, "n_people": 1}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Release.objects.bulk_create(
                [Release(**{**made, "id": None, "number": 2, "job_id": None, **changes})]
            )


def test_commands_mark_a_draft_and_undo_it(study: Study, tmp_path: Path) -> None:
    assert run("mark_imported", "table", "--undo", "--json")["state"] == "draft"
    assert run("mark_imported", "table", "--json")["state"] == "imported"
    with pytest.raises(
        CommandError, match="its values were collected elsewhere, and Likeness collects no answers"
    ):
        run("open_study", "table")
    with pytest.raises(
        CommandError, match="its values were collected elsewhere, and Likeness collects no answers"
    ):
        run("make_design", "table")


def test_a_refused_mark_imports_nothing(tmp_path: Path) -> None:
    make_user("ada", is_superuser=True)
    (tmp_path / "i.jsonl").write_text(
        '{"id": "i1", "summary": ["A."], "reports": [{"id": "r1", "sentences": ["B.", "C."]}]}\n'
    )

    with pytest.raises(CommandError, match="A selection study has no values"):
        run(
            *("import_items", "sel", str(tmp_path / "i.jsonl"), "--create", "--imported"),
            *("--preset", "czech-round-1"),
        )

    assert not Study.objects.exists()


@pytest.mark.slow
def test_the_change_log_names_measures_leaderboards_models_and_comparisons(study: Study) -> None:
    run("baseline", "table", "--people", "column:mean", "--measure", "chrf", "--resamples", "20")
    trained = {
        **{"kind": "bi_encoder", "model": "m", "trained_at": clock.now(), "code_version": "1"},
        "parameters": {"learnt": {"study": ""}},
        "figures": {"n_train": 2, "settings": {"runs": 1}, "tests": {}},
    }
    study.trainings.create(name="first", **trained)
    run("release", "table")
    run("release", "table")
    study.trainings.create(name="second", **trained)
    study.trainings.get(name="first").delete()
    run(
        "baseline",
        "table",
        "--people",
        "column:mean",
        "--measure",
        "squad_f1",
        "--resamples",
        "20",
    )
    report = study.baseline_reports.latest("pk")
    kept_comparisons.keep(report=report, question=Question("chrF2", "SQuAD F1", test="meng"))
    run("release", "table")
    study.baselines.get(measure="chrf").delete()
    run("release", "table")

    logs = {}
    for one in change_log(study.releases.first()):
        *logs[one.number], columns = one.lines
        # Each release names the columns, which nobody was asked about.
        assert all(name in columns for name in ("mean", "kind", "metadata"))
    same = "Items and answers are the same as those of release {}."
    assert logs[2] == [same.format(1)]
    assert logs[3] == [
        same.format(2),
        "Measures added: SQuAD F1.",
        "Trained models added: second.",
        "Trained models removed: first.",
        "Leaderboards computed since: 1.",
        "Comparisons of measures added: 1; removed: 0.",
    ]
    assert logs[4] == [
        same.format(3),
        "Measures removed: chrF2.",
        "The newest leaderboard is outdated and left out.",
    ]
