"""*For your paper*: what a paper takes from a release, as its file has it."""

import zipfile

import pytest

from annotation.answering.services import rosters
from annotation.models import Study
from annotation.people.services import exclusions
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from tests.support import release_studies
from tests.support.factories import make_open_study
from tests.support.researcher_pages import make_release, signed_in, text, url

pytestmark = pytest.mark.django_db

PARTS = ("METHODS.md", "methods.tex", "tables.md", "tables.tex", "references.bib")


@pytest.fixture(autouse=True)
def _in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)


def released() -> Study:
    study = release_studies.best_worst()
    described = Description.of({"title": "Replies", "authors": [{"name": "Ada"}]})
    releases.make_here(study=study, description=described, by=study.owner)
    return study


def test_without_a_release_the_page_leads_to_one() -> None:
    study = make_open_study(dialogues=1)

    response = signed_in(study.owner).get(url(study, "paper"))

    assert response.context["parts"] == []
    assert url(study, "release_new") in text(response)


@pytest.mark.slow
def test_each_part_is_what_the_latest_release_has() -> None:
    study = released()

    response = signed_in(study.owner).get(url(study, "paper"))

    with zipfile.ZipFile(releases.path(study.releases.get())) as archive:
        stored = {name: archive.read(name).decode() for name in PARTS}
    assert {part.name: part.text for part in response.context["parts"]} == stored
    assert [part.name for part in response.context["parts"]] == list(PARTS)
    # The paragraph can be read, too, without its first line, which is a heading.
    assert "<h2>References</h2>" not in response.context["methods"]
    assert "<h3>References</h3>" in response.context["methods"]
    assert "<p>" in response.context["methods"]


@pytest.mark.slow
def test_the_tables_are_the_same_in_markdown_and_latex() -> None:
    study = released()
    with zipfile.ZipFile(releases.path(study.releases.get())) as archive:
        markdown = archive.read("tables.md").decode()
        latex = archive.read("tables.tex").decode()
    tables = [part for part in markdown.split("\n\n") if part.startswith("| ")]

    size = tables[0].splitlines()[2:]
    for line in size:
        name, n = (cell.strip() for cell in line.strip("| ").split(" | "))
        assert f"{name} & {n} \\\\" in latex
    assert {len(line.split(" | ")) for line in size} == {2}
    # A leaderboard has its measures and their ceiling.
    (board,) = [table for table in tables if table.startswith("| measure |")]
    assert board.splitlines()[-1].startswith("| noise ceiling | – | ")
    for line in board.splitlines()[2:-1]:
        measure, _n, pearson = line.strip("| ").split(" | ")[:3]
        assert measure in latex
        # LaTeX has a true minus, and two hyphens for a dash.
        assert pearson.replace("-", "$-$").replace("–", "--") in latex


@pytest.mark.slow
def test_what_happened_since_stands_above() -> None:
    study = released()
    person = study.annotators.filter(source="real").earliest("pk")
    exclusions.exclude(annotator=person, reason="clicked at random", by=study.owner)

    response = signed_in(study.owner).get(url(study, "paper"))

    assert len(response.context["since"]) == 1


def test_a_missing_file_is_said_and_the_page_stays() -> None:
    study = make_open_study(dialogues=1)
    make_release(study)

    response = signed_in(study.owner).get(url(study, "paper"))

    assert response.status_code == 200
    assert response.context["parts"] == []
    assert [message.level_tag for message in response.context["messages"]] == ["error"]
