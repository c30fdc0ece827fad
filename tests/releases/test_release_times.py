"""When people answered, in a release: the day, unless the researcher wants the exact time."""

import csv
import io
import json
import re

import pytest
from django.core.management import call_command

from annotation.basics.sentences import read
from annotation.core.services import jobs
from annotation.models import Judgment, PhaseRun, Release, Study
from annotation.releases.forms import ReleaseForm
from annotation.releases.queries import releases as queries
from annotation.releases.release_description import Description, DescriptionError
from tests.support import release_studies
from tests.support.api import Caller
from tests.support.factories import make_open_study
from tests.support.once import Rows, made_once
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

KINDS = ("best_worst", "ratings", "labels", "selections")
TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")


@made_once
def best_worst() -> Study:
    return release_studies.best_worst()


@made_once
def ratings() -> Study:
    return release_studies.ratings()


@made_once
def labels() -> Study:
    return release_studies.labels()


@made_once
def selections() -> Study:
    return release_studies.selections()


def tables(content: bytes) -> dict[str, list[dict[str, str]]]:
    return {
        name: list(csv.DictReader(io.StringIO(text.decode(), newline=""), delimiter="\t"))
        for name, text in files_of(content).items()
        if name.endswith(".tsv")
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nobodys_moments_stand_in_a_release_by_default(
    request: pytest.FixtureRequest, rows_of_module: Rows, kind: str
) -> None:
    study: Study = request.getfixturevalue(kind)

    coarse, exact = (write(study, facts(exact_times=wanted)) for wanted in (False, True))

    texts = {name: text.decode() for name, text in files_of(coarse).items()}
    assert not [n for n, text in texts.items() if n != "study.json" and TIME.search(text)]
    # What stands there of the study is about nobody in particular.
    people = set(study.annotators.values_list("pseudonym", flat=True))
    assert not any(pseudonym in texts["study.json"] for pseudonym in people)
    days, moments = tables(coarse), tables(exact)
    assert days.keys() == moments.keys()
    for name, rows in days.items():
        for row, full in zip(rows, moments[name], strict=True):
            for column, cell in row.items():
                if column.endswith("_at"):
                    assert cell == full[column][:10]
                else:
                    assert cell == full[column]
    answered = {row["answered_at"] for row in days["judgments.tsv"]}
    assert answered == {f"{one:%Y-%m-%d}" for one in times(study)}
    assert any(row["active_ms"] for row in moments["judgments.tsv"]) == any(
        row["active_ms"] for row in days["judgments.tsv"]
    )
    assert "milliseconds" not in column_of(texts["croissant.json"], "answered_at")
    assert "ISO 8601, UTC, milliseconds" not in texts["README.md"]


def times(study: Study) -> list:
    found = Judgment.objects.filter(assignment__annotator__study=study)
    return list(found.values_list("answered_at", flat=True))


def column_of(croissant: str, name: str) -> str:
    sets = json.loads(croissant)["recordSet"]
    return " ".join(
        str(field.get("description"))
        for one in sets
        for field in one["field"]
        if field["source"]["extract"]["column"] == name
    )


@pytest.mark.slow
def test_an_export_that_is_no_release_keeps_them(best_worst: Study) -> None:
    file = io.BytesIO()

    release_studies.archive.write_archive(best_worst, "people", file)

    assert all(TIME.match(row["answered_at"]) for row in tables(file.getvalue())["judgments.tsv"])


def test_the_researcher_chooses_and_the_next_release_is_as_the_last() -> None:
    study = make_open_study(dialogues=1)
    data = {"title": "T", "authors": "Ada Lovelace"}

    form = ReleaseForm(study, None, data)
    assert form.is_valid()
    assert form.description is not None
    assert not form.description.exact_times
    form = ReleaseForm(study, None, {**data, "exact_times": "on"})
    assert form.is_valid()
    assert form.description is not None
    assert Description.of(form.description.as_json).exact_times
    with pytest.raises(DescriptionError):
        Description.of({**form.description.as_json, "exact_times": "yes"})


@pytest.mark.slow
def test_comments_are_left_out_of_a_release_unless_they_are_asked_for(ratings: Study) -> None:
    answer = Judgment.objects.filter(assignment__annotator__study=ratings).first()
    Judgment.objects.filter(pk=answer.pk).update(comment="My name is Ada.")

    without, with_comments = (
        files_of(write(ratings, facts(comments=wanted))) for wanted in (False, True)
    )

    assert [name for name, text in without.items() if b"My name is Ada." in text] == []
    assert b"My name is Ada." in with_comments["judgments.tsv"]
    rows = tables(write(ratings, facts()))["judgments.tsv"]
    assert {row["comment"] for row in rows} == {""}
    # What stands in the tables is what the documents say.
    for name in ("README.md", "DATASHEET.md"):
        assert without[name] != with_comments[name]
        assert b"are left out" in without[name]
        assert b"published word for word" in with_comments[name]
    assert "left out" in column_of(without["croissant.json"].decode(), "comment")
    assert b"| `comment` | empty: left out of this release" in without["README.md"]


@pytest.mark.slow
def test_why_a_part_was_opened_early_is_in_no_release(ratings: Study) -> None:
    PhaseRun.objects.filter(assignment__annotator__study=ratings).update(reason="Ada was ill.")
    file = io.BytesIO()
    release_studies.archive.write_archive(ratings, "people", file)

    released = files_of(write(ratings, facts(comments=True)))

    assert [name for name, text in released.items() if b"Ada was ill." in text] == []
    assert "opened_early" in tables(write(ratings, facts()))["phases.tsv"][0]
    # The researcher's own copy keeps it.
    assert b"Ada was ill." in files_of(file.getvalue())["phases.tsv"]


@pytest.mark.slow
@pytest.mark.parametrize("ticked", [False, True])
def test_the_form_names_the_comments_and_publishes_them_only_if_ticked(
    ticked: bool, best_worst: Study
) -> None:
    answer = Judgment.objects.filter(assignment__annotator__study=best_worst).first()
    Judgment.objects.filter(pk=answer.pk).update(comment="My name is Ada.")
    client = signed_in(best_worst.owner)

    page = client.get(url(best_worst, "release_new"))
    data = {"title": "Named", "authors": "Ada", **({"comments": "on"} if ticked else {})}
    client.post(url(best_worst, "release_new"), data)
    job = best_worst.jobs.filter(kind="release").latest("pk")
    jobs.run(job.pk)

    assert page.context["n_comments"] == 1
    assert url(best_worst, "comments") in page.content.decode()
    release = Release.objects.get(study=best_worst)
    assert release.description["comments"] is ticked
    assert [read(line) for line in release.changes][-1].startswith(
        "Annotators' comments, left out:"
    ) is not ticked
    # Those that come later are not published unread.
    assert not ReleaseForm(best_worst, release)["comments"].value()
    assert not queries.usual_description(best_worst).comments


@pytest.mark.slow
def test_comments_are_read_and_blanked_on_one_list(best_worst: Study) -> None:
    answer = Judgment.objects.filter(assignment__annotator__study=best_worst).first()
    Judgment.objects.filter(pk=answer.pk).update(comment="My name is Ada.")
    who, client = answer.assignment.annotator, signed_in(best_worst.owner)

    (shown,) = client.get(url(best_worst, "comments")).context["page"].object_list
    sent = {"answer": shown.pk, "list": "all"}
    response = client.post(url(best_worst, "blank_comment", who.pk), sent)

    assert (shown.comment, shown.assignment.annotator.pseudonym) == (
        "My name is Ada.",
        who.pseudonym,
    )
    assert response["Location"] == url(best_worst, "comments")
    answer.refresh_from_db()
    assert answer.comment == "…"
    assert list(client.get(url(best_worst, "comments")).context["page"].object_list) == []
    assert client.get(url(best_worst, "release_new")).context["n_comments"] == 0


@pytest.mark.slow
def test_a_program_and_the_command_are_told_how_many_comments_are_published(
    capsys: pytest.CaptureFixture[str], best_worst: Study
) -> None:
    answer = Judgment.objects.filter(assignment__annotator__study=best_worst).first()
    Judgment.objects.filter(pk=answer.pk).update(comment="My name is Ada.")
    api, described = Caller(best_worst), {"title": "Named", "authors": "Ada"}

    left_out = api.post("releases/", **described).json()
    jobs.run(left_out["id"])
    call_command("release", best_worst.slug, "--comments", "--json")
    made = json.loads(capsys.readouterr().out)

    assert (left_out["n_comments"], left_out["n_comments_left_out"]) == (0, 1)
    assert not Release.objects.get(study=best_worst, number=1).description["comments"]
    assert made["description"]["comments"]
    published = api.post("releases/", comments=True).json()
    assert (published["n_comments"], published["n_comments_left_out"]) == (1, 0)
