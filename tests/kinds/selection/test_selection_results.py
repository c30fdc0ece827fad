"""Round 1's own results: ratings by class and by set of pairs, on the page and in files."""

import csv
import io
import json
import statistics
import zipfile

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.core.services import jobs
from annotation.kinds.selection.queries.pick_rows import SelectionRows, training_pairs
from annotation.models import AlertKind, Item, Job, Study
from annotation.monitoring.services import alert_conditions
from annotation.people.services import exclusions
from annotation.releases.exports.archive import write_archive
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.results.services import scoring
from annotation.studies.services import studies
from tests.support import selecting
from tests.support.factories import make_user
from tests.support.once import made_once
from tests.support.rated_studies import Rated, make_rated
from tests.support.researcher_pages import PAGES, signed_in, text, url

pytestmark = pytest.mark.django_db

SAID = [("5", "1", "0"), ("4", "3", "4"), ("6", "5", "1"), ("6", "2", "0")]


@made_once
def study() -> Study:
    """Two incidents of two sentences each, four answers, three pairs each."""
    study = selecting.make_selection_study(incidents=2)
    ratings = iter(SAID)
    assignment = selecting.join(study).assignment
    for question in assignment.booklet.questions.order_by("screen"):
        selecting.select(assignment, question, ratings=next(ratings))
    selecting.assignments.submit(assignment=assignment)
    return study


def scored(study: Study) -> dict:
    job = scoring.request(study=study, population="people", by=study.owner)
    jobs.run(job.pk)
    return study.results.get().statistics


def ratings_of(*places: int) -> list[int]:
    return [int(ratings[place]) for ratings in SAID for place in places]


def test_classes_and_sets_are_those_of_the_counted_answers(study: Study) -> None:
    results = scored(study)

    assert [row["name"] for row in results["classes"]] == ["similar", "middle", "dissimilar"]
    for place, row in enumerate(results["classes"]):
        values = ratings_of(place)
        assert row["n"] == 4
        assert row["mean"] == pytest.approx(statistics.mean(values))
        assert row["variance"] == pytest.approx(statistics.variance(values))
    sets = {row["name"]: row["n"] for row in results["sets"]}
    assert sets == {"raw": 12, "N2": 11, "N1": 8}
    assert sum(results["counts"]) == 12


def test_the_page_shows_both_tables_and_both_figures(study: Study) -> None:
    client = signed_in(study.owner)
    assert "data-table" not in text(client.get(url(study, "results")))

    scored(study)
    response = client.get(url(study, "results"))

    assert 'data-table="ratings_by_class"' in text(response)
    assert 'data-table="rating_sets"' in text(response)
    assert [plot.key for plot in response.context["plots"]] == ["ratings-by-class", "ratings"]
    # 8 and 11 of the 12 pairs, as the sets above.
    cards = [figure.value for figure in response.context["headlines"]]
    assert cards == ["12", "66.7\u00a0%", "91.7\u00a0%"]
    raw = dict(response.context["tables"])["rating_sets"].rows[0][1]
    assert raw == ["12", "3.083", "4.992"]
    assert not response.context["since"]


@pytest.mark.slow
def test_figures_and_tables_are_files(study: Study) -> None:
    scored(study)
    client = signed_in(study.owner)

    for name in ("ratings-by-class", "ratings"):
        for kind in ("svg", "png", "tsv"):
            page = client.get(url(study, "plot", name, kind))
            assert page.status_code == 200, (name, kind)
    sets = client.get(url(study, "result_table", "rating_sets", "tsv")).content.decode()
    rows = list(csv.DictReader(io.StringIO(sets), delimiter="\t"))
    assert [(row["set"], row["n"]) for row in rows] == [("raw", "12"), ("N2", "11"), ("N1", "8")]
    tex = client.get(url(study, "result_table", "ratings_by_class", "tex")).content.decode()
    assert r"similar & 6.000 & 4 & 5.250 & 0.917 \\" in tex
    for name, kind in (("nothing", "tsv"), ("rating_sets", "pdf")):
        assert client.get(url(study, "result_table", name, kind)).status_code == 404
    assert client.post(url(study, "result_table", "rating_sets", "tsv")).status_code == 405
    stranger = signed_in(make_user("stranger"))
    assert stranger.get(url(study, "result_table", "rating_sets", "tsv")).status_code == 404


def test_the_export_and_a_release_have_them(study: Study) -> None:
    scored(study)
    file = io.BytesIO()
    write_archive(study, "people", file)

    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        readme = archive.read("README.md").decode()
        facts = json.loads(archive.read("study.json"))
        figure = archive.read("figure_ratings_by_class.tsv").decode().splitlines()

    for name in ("ratings_by_class", "rating_sets", "figure_ratings_by_class", "figure_ratings"):
        assert f"{name}.tsv" in names
        assert f"## {name}.tsv" in readme
    assert figure[0] == "class\trating from\tto\tpairs"
    assert len(figure) == 1 + 3 * 7
    assert facts["statistics"]["sets"][0]["n"] == 12


def test_new_answers_make_it_outdated(study: Study) -> None:
    scored(study)
    exclusions.exclude(annotator=study.annotators.get(), reason="clicked", by=study.owner)

    page = signed_in(study.owner).get(url(study, "results"))

    assert page.context["since"]


def later_round(study: Study) -> Rated:
    """Two pairs of the study in both phases; context changes the second one."""
    pairs = training_pairs(SelectionRows(study.design, "people")).pairs
    rated = make_rated(("first", "second"))
    Study.objects.filter(pk=rated.study.pk).update(earlier_round=study, owner=study.owner)
    for key, place in (("first", 0), ("second", 4)):
        Item.objects.filter(pk=rated.items[key].pk).update(
            target_text=pairs[place].text1, candidate_text=pairs[place].text2
        )
    for ratings in ((3, 5), (4, 6), (4, 5)):
        rated.answer(
            {"first": 3 + ratings[0] % 2, "second": 1}, {"first": 3, "second": ratings[1]}
        )
    return rated


@pytest.mark.slow
def test_pairs_that_context_changes_in_a_later_round_are_a_set(study: Study) -> None:
    rated = later_round(study)

    results = scored(study)

    # The second pair is the one in between of the second answer.
    last = results["sets"][-1]
    assert last["name"] == f"significant:{rated.study.slug}"
    assert (last["n"], last["mean"], last["variance"]) == (1, 3, None)
    # The same people rated both phases of the later round.
    assert results["tests"] == {rated.study.slug: "paired"}
    page = signed_in(study.owner).get(url(study, "results"))
    assert rated.study.title in text(page)
    assert not page.context["since"]


@pytest.mark.slow
def test_another_test_of_a_later_round_makes_it_outdated(study: Study) -> None:
    rated = later_round(study)
    scored(study)

    call_command("score", rated.study.slug, "--test", "pooled")

    page = signed_in(study.owner).get(url(study, "results"))
    assert "later round" in str(page.context["since"])
    call_command("score", study.slug)
    assert study.results.latest("pk").statistics["tests"] == {rated.study.slug: "pooled"}
    assert not signed_in(study.owner).get(url(study, "results")).context["since"]


def test_new_answers_of_a_later_round_make_it_outdated(study: Study) -> None:
    rated = later_round(study)
    scored(study)

    rated.answer({"first": 3, "second": 1}, {"first": 3, "second": 5})

    page = signed_in(study.owner).get(url(study, "results"))
    assert "later round" in str(page.context["since"])


@pytest.mark.slow
def test_a_later_round_counts_once_both_its_phases_have_answers(study: Study) -> None:
    """Not when it is made, nor while people have answered its first phase alone."""
    scored(study)
    client = signed_in(study.owner)
    rated = make_rated(("first", "second"))
    Study.objects.filter(pk=rated.study.pk).update(earlier_round=study, owner=study.owner)
    assert not client.get(url(study, "results")).context["since"]
    rated.answer({"first": 3, "second": 1})
    rated.answer({"first": 3, "second": 1}, {"first": 3, "second": 5}, is_counted=False)
    assert not client.get(url(study, "results")).context["since"]
    rescored = scoring.request(study=study, population="people", by=study.owner)
    jobs.run(rescored.pk)
    assert len(study.results.latest("pk").statistics["sets"]) == 3

    rated.answer({"first": 3, "second": 1}, {"first": 3, "second": 5})

    assert client.get(url(study, "results")).context["since"]


def test_a_round_of_somebody_else_adds_no_set(study: Study) -> None:
    rated = later_round(study)
    Study.objects.filter(pk=rated.study.pk).update(owner=make_user("colleague"))

    assert [row["name"] for row in scored(study)["sets"]] == ["raw", "N2", "N1"]


@pytest.mark.slow
def test_a_release_has_them_without_being_asked(study: Study) -> None:
    study = studies.close(study=study)
    described = {"title": "Pairs", "authors": [{"name": "Ada Lovelace"}], "licence": "CC-BY-4.0"}
    job = releases.start(study=study, description=Description.of(described))
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems

    with zipfile.ZipFile(releases.path(job.release)) as archive:
        tables = archive.read("tables.tex").decode()
        assert "rating_sets.tsv" in archive.namelist()
        changes = archive.read("CHANGELOG.md").decode()
    assert "Incidents: 2; answers that count: 4; pairs: 12; people: 1." in changes
    page = signed_in(study.owner).get(url(study, "release", 1))
    assert "0 items" not in text(page)
    assert r"\label{tab:ratings-by-class}" in tables
    assert r"\label{tab:rating-sets}" in tables
    assert "raw & 12 & 3.083 & 4.992" in tables


def test_the_command_prints_them(study: Study, capsys) -> None:
    call_command("score", study.slug)

    printed = json.loads(capsys.readouterr().out)

    assert printed["sets"][0]["n"] == 12
    assert [row["name"] for row in printed["classes"]] == ["similar", "middle", "dissimilar"]


def test_the_regular_look_for_alerts_takes_its_results(study: Study) -> None:
    """Twice: the second look compares the newest result with the one before."""
    scored(study)
    assert alert_conditions.look() == 1
    job = scoring.request(study=study, population="people", by=study.owner)
    jobs.run(job.pk)

    assert alert_conditions.look() == 0
    assert not study.alerts.filter(kind=AlertKind.AGREEMENT).exists()


@pytest.mark.slow
def test_every_page_of_a_scored_study_works(study: Study) -> None:
    scored(study)
    client = signed_in(study.owner)

    for name, (arguments, methods) in PAGES.items():
        if arguments or "GET" not in methods:
            continue
        response = client.get(url(study, name))
        if response.streaming:
            b"".join(response)
        assert response.status_code < 500, name
    for address in (
        reverse("admin:annotation_study_changelist"),
        f"/api/v1/studies/{study.slug}/",
        f"/api/v1/studies/{study.slug}/results/",
        f"/api/v1/studies/{study.slug}/scores/",
    ):
        assert client.get(address, follow=True).status_code == 200, address
