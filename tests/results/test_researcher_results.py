"""Results and downloads on the researcher's pages."""

import io
import re
import zipfile

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.core.services import jobs
from annotation.models import Job, Study
from annotation.people.services import exclusions
from tests.support.answering import answer_all, answer_one
from tests.support.factories import join, make_open_study, make_study
from tests.support.researcher_pages import (
    finish_booklet,
    said,
    signed_in,
    simulate,
    text,
    unlabelled,
    url,
)

pytestmark = pytest.mark.django_db


def scored(study: Study, population: str = "people"):
    client = signed_in(study.owner)
    client.post(url(study, "score"), {"population": population})
    jobs.run(Job.objects.filter(kind=Job.Kind.SCORE).latest("pk").pk)
    return client


@pytest.mark.slow
def test_results_show_definitions_groups_plots_and_what_they_were_computed_from() -> None:
    study = make_open_study(dialogues=4)
    for _ in range(4):
        finish_booklet(study)
    client = scored(study)

    page = text(client.get(url(study, "results")))

    assert f"from {4 * 20} answers collected with design 1" in page
    assert "Krippendorff&#x27;s alpha for nominal data" in page
    assert page.count('role="img"') >= 4
    assert "mean of the groups, unweighted" in page
    assert "all answers pooled" in page
    assert "Outdated." not in page


def test_a_result_says_that_answers_came_since_and_stays_as_it_was() -> None:
    study = make_open_study()
    finish_booklet(study)
    client = scored(study)
    n = study.design.booklets.get(number=1).questions.count()
    finish_booklet(study)

    page = text(client.get(url(study, "results")))

    assert f"{n} answers have come in since." in page
    assert study.results.count() == 1


def test_an_exclusion_makes_a_result_outdated() -> None:
    study = make_open_study()
    person = finish_booklet(study)
    client = scored(study)
    exclusions.exclude(annotator=person, reason="noise", by=study.owner)

    assert "have since been excluded or withdrawn" in text(client.get(url(study, "results")))


def test_statistics_of_nothing_say_why() -> None:
    study = make_open_study()
    client = signed_in(study.owner)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)

    page = text(client.get(url(study, "results")))
    items = unlabelled(client.get(url(study, "result_items")))

    assert "Not computed: there are no answers." in page
    assert "10 items were never shown and have no score." in page
    assert "<td>–</td>" in items


def test_simulated_results_are_labelled_and_apart() -> None:
    study = make_open_study()
    simulate(study)
    client = scored(study, "simulated")

    people_page = text(client.get(url(study, "results")))
    page = text(client.get(url(study, "results"), {"population": "simulated"}))

    assert "Nothing to score yet" in people_page
    assert "SIMULATED" in page
    assert re.search("[12]0 answers collected with design 1", page)


@pytest.mark.parametrize("sort", ["number", "-score", "score", "-appearances", "best", "nonsense"])
def test_the_item_table_is_sorted_by_any_column(sort: str) -> None:
    study = make_open_study()
    finish_booklet(study)
    client = scored(study)

    response = client.get(url(study, "result_items"), {"sort": sort})

    shown = list(response.context["page"])
    if sort == "-score":
        known = [row.score for row in shown if row.score is not None]
        assert known == sorted(known, reverse=True)
    assert len(shown) == 10


def test_scoring_without_a_design_is_refused() -> None:
    study = make_study()

    response = signed_in(study.owner).post(url(study, "score"), follow=True)

    assert said(response) == ["There is no design yet, so there is nothing to score."]
    assert not Job.objects.exists()


@pytest.mark.slow
def test_the_archive_is_downloaded_for_one_population() -> None:
    study = make_open_study()
    finish_booklet(study)
    simulate(study)
    client = signed_in(study.owner)

    def judgments(population: str) -> list[str]:
        response = client.get(url(study, "archive"), {"population": population})
        archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
        return archive.read("judgments.tsv").decode().splitlines()[1:]

    real, simulated = judgments("people"), judgments("simulated")
    assert real
    assert simulated
    assert not set(real) & set(simulated)


def test_a_wrong_population_or_no_design_downloads_nothing() -> None:
    study = make_study()
    client = signed_in(study.owner)

    wrong = client.get(url(study, "archive"), {"population": "all"}, follow=True)
    unmade = client.get(url(study, "archive"), follow=True)

    assert said(wrong) == ["Choose people's answers or simulated answers."]
    assert said(unmade) == ["There is no design yet, so there is nothing to download."]


def test_the_command_says_why_there_was_nothing_to_score(
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = make_open_study()

    call_command("score", study.slug, "--splits", "1")

    assert "There was nothing to score: nobody has completed a booklet" in capsys.readouterr().err


def test_a_changed_answer_is_offered_as_one_answer() -> None:
    study = make_open_study()
    joined = join(study)
    answer_all(joined.assignment)
    first = joined.assignment.booklet.questions.all()[0]
    answer_one(joined.assignment, first, best=1, worst=0)

    page = text(signed_in(study.owner).get(url(study, "download")))

    assert joined.assignment.judgments.count() == 21
    assert "20 answers from people" in page


@pytest.mark.parametrize(
    ("population", "language", "line"),
    [
        ("people", "en", "Started scoring people&#x27;s answers."),
        ("simulated", "en", "Started scoring the simulated answers."),
        ("people", "de", "Die Auswertung der Antworten von Personen wurde gestartet."),
    ],
)
def test_the_history_says_in_words_whose_answers_were_scored(
    population: str, language: str, line: str
) -> None:
    study = make_open_study()
    finish_booklet(study)
    simulate(study)
    client = scored(study, population)

    history = client.get(url(study, "history"), headers={"Accept-Language": language})

    assert line in text(history)


@pytest.mark.slow
def test_the_api_says_of_many_results_what_changed_in_as_many_queries_as_of_one() -> None:
    study = make_open_study(dialogues=1)
    finish_booklet(study)
    client = signed_in(study.owner)
    address = f"/api/v1/studies/{study.slug}/results/"
    counts, found = [], []
    for n_more in (1, 4):
        for _time in range(n_more):
            client = scored(study)
        with CaptureQueriesContext(connection) as queries:
            found = client.get(address).json()["results"]
        counts.append(len(queries))

    assert len(found) == 5
    assert all(one["is_current"] for one in found)
    assert counts[0] == counts[1]
    finish_booklet(study)
    changed = {one["changed"] for one in client.get(address).json()["results"]}
    assert changed == {"10 answers have come in since."}
