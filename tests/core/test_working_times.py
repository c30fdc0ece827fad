"""Working hours in all beside the medians, in every kind of study: added up from the rows here."""

import csv
import io
import re
from collections import defaultdict
from statistics import median

import pytest

from annotation.core.exports.figures import duration
from annotation.core.queries import progress
from annotation.core.services import jobs
from annotation.models import Block, Exclusion, Job, Judgment, Study
from annotation.releases.exports import archive
from tests.support import release_studies
from tests.support.api import by_token
from tests.support.once import Rows, made_once
from tests.support.release_studies import facts, files_of
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

KINDS = ("best_worst", "ratings", "labels", "selections")


def timed(study: Study) -> Study:
    """The same with times, but for every seventh answer."""
    rows = Judgment.objects.filter(assignment__annotator__study=study).order_by("pk")
    for n, row in enumerate(rows):
        ms = None if n % 7 == 3 else 1000 + 137 * (n * n % 53)
        Judgment.objects.filter(pk=row.pk).update(active_ms=ms)
    return study


@made_once
def best_worst() -> Study:
    return timed(release_studies.best_worst())


@made_once
def ratings() -> Study:
    return timed(release_studies.ratings())


@made_once
def labels() -> Study:
    return timed(release_studies.labels())


@made_once
def selections() -> Study:
    return timed(release_studies.selections())


@pytest.fixture(params=KINDS)
def study(request: pytest.FixtureRequest, rows_of_module: Rows) -> Study:
    of_kind: Study = request.getfixturevalue(request.param)
    return of_kind


def times(study: Study, *, counted: bool) -> dict[str, list[int | None]]:
    """Milliseconds by pseudonym: of answers that stand, or of those that count."""
    excluded = set(Exclusion.objects.in_force().values_list("annotator_id", flat=True))
    found: dict[str, list[int | None]] = defaultdict(list)
    for row in Judgment.objects.current().select_related(
        "assignment__annotator", "question__block__phase"
    ):
        who = row.assignment.annotator
        if who.study_id != study.pk or row.question.block.purpose == Block.Purpose.CHECK:
            continue
        run = row.assignment.runs.get(phase=row.question.block.phase)
        if counted and (who.pk in excluded or not run.is_counted):
            continue
        found[who.pseudonym].append(row.active_ms)
    return found


def known(of: list[int | None]) -> list[int]:
    return [ms for ms in of if ms is not None]


def everybody(of: dict[str, list[int | None]]) -> list[int]:
    return [ms for one in of.values() for ms in known(one)]


@pytest.mark.slow
def test_the_release_says_it_of_each_and_of_all(study: Study) -> None:
    file = io.BytesIO()
    archive.write_archive(study, "people", file, release=facts())

    files = files_of(file.getvalue())
    rows = list(csv.DictReader(io.StringIO(files["working_times.tsv"].decode()), delimiter="\t"))

    expected = times(study, counted=True)
    assert [row["annotator"] for row in rows] == sorted(expected)
    for row in rows:
        own = expected[row["annotator"]]
        assert (int(row["answers"]), int(row["timed_answers"])) == (len(own), len(known(own)))
        assert float(row["median_seconds"]) == pytest.approx(median(known(own)) / 1000)
        assert float(row["hours"]) == pytest.approx(sum(known(own)) / 3_600_000)
    readme = files["README.md"].decode()
    said = readme.split("## working_times.tsv")[1].split("## ")[0]
    hours = sum(everybody(expected)) / 3_600_000
    assert f"{hours:,.2f} hours" in said
    assert f"{median(everybody(expected)) / 1000:.1f} seconds" in said
    assert f"{duration(hours)} in total" in files["METHODS.md"].decode()


def test_less_than_an_hour_is_told_in_minutes() -> None:
    assert duration(0.144) == "8.6 minutes"
    assert duration(1.26) == "1.3 hours"


def test_the_results_page_has_what_the_scoring_stored(study: Study) -> None:
    if study.kind == "selection":
        # Nothing is scored there, so there is no result to stand beside.
        page = signed_in(study.owner).get(url(study, "results")).content.decode()
        assert "data-working-time" not in page
        return
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    assert job.state == Job.State.DONE, job.error

    response = signed_in(study.owner).get(url(study, "results"))

    expected = everybody(times(study, counted=True))
    stored = response.context["result"].statistics["working_time"]
    assert stored["n_timed"] == len(expected) < stored["n_answers"]
    assert stored["hours"] == pytest.approx(sum(expected) / 3_600_000)
    assert stored["median_seconds"] == pytest.approx(median(expected) / 1000)
    assert response.content.decode().count("data-working-time") == 1


def test_the_pages_of_people_and_of_progress_have_hours(study: Study) -> None:
    client = signed_in(study.owner)
    standing = times(study, counted=False)

    people = client.get(url(study, "people"))
    collect = client.get(url(study, "collect"))

    assert {row.pseudonym: row.hours for row in people.context["rows"] if row.hours} == {
        name: pytest.approx(sum(known(of)) / 3_600_000) for name, of in standing.items()
    }
    assert people.content.decode().count("data-hours") == len(people.context["rows"])
    # Answers to checks are among these, as among those of the median beside it.
    rows = Judgment.objects.current().filter(
        assignment__annotator__study=study, active_ms__isnull=False
    )
    total = sum(row.active_ms or 0 for row in rows) / 3_600_000
    (of,) = (row[0] for row in collect.context["progress"] if row[0].source == "real")
    assert of.times.hours == pytest.approx(total)
    assert collect.content.decode().count("data-hours") == len(collect.context["progress"])


def test_the_interface_has_them(study: Study) -> None:
    client = by_token(study.owner)

    told = client.get(f"/api/v1/studies/{study.slug}/progress/").json()["sources"][0]
    person = client.get(f"/api/v1/studies/{study.slug}/annotators/").json()["results"][0]

    assert told["times"]["hours"] == progress.times(study, "real").hours
    assert person["hours"] == pytest.approx(
        sum(known(times(study, counted=False)[person["pseudonym"]])) / 3_600_000
    )


@pytest.mark.slow
def test_without_times_nothing_is_zero(best_worst: Study) -> None:
    Judgment.objects.update(active_ms=None)
    file = io.BytesIO()
    archive.write_archive(best_worst, "people", file, release=facts())

    files = files_of(file.getvalue())

    rows = list(csv.DictReader(io.StringIO(files["working_times.tsv"].decode()), delimiter="\t"))
    assert {(row["median_seconds"], row["hours"]) for row in rows} == {("", "")}
    assert "working time is not known" in files["README.md"].decode()
    assert not re.search(r"\d (hours|minutes) in total", files["METHODS.md"].decode())
    assert progress.times(best_worst, "real").hours is None
