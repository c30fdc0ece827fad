"""Large exports are prepared in the background; their files wait an hour."""

import io
import os
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client

from annotation.answering.services import rosters, withdrawal
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import relabellings
from annotation.models import Annotator, Job, Judgment, Study
from annotation.models.kinds import Source
from annotation.people.services import exclusions
from annotation.releases.exports import archive
from annotation.releases.services import downloads
from annotation.results.services import adjudications, scoring
from annotation.studies.services import researchers
from tests.support.factories import make_open_study, make_study
from tests.support.ranking import make_ranking_study
from tests.support.rated_studies import make_rated
from tests.support.researcher_pages import finish_booklet, said, signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _large(settings, tmp_path) -> None:
    settings.EXPORT_IN_BACKGROUND_FROM = 1
    settings.DATA = tmp_path


@pytest.fixture
def study() -> Study:
    study = make_open_study()
    finish_booklet(study)
    return study


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def prepare(client: Client, study: Study, **fields: str) -> Job:
    client.post(url(study, "prepare"), {"population": "people", **fields})
    job = Job.objects.latest("pk")
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def test_a_prepared_file_is_offered_and_fetched(client: Client, study: Study) -> None:
    before = text(client.get(url(study, "download")))
    assert "Prepare exact files" in before
    assert url(study, "archive") not in before

    job = prepare(client, study, spreadsheet="1")

    assert job.state == Job.State.DONE
    assert url(study, "prepared", job.pk) in text(client.get(url(study, "download")))
    response = client.get(url(study, "prepared", job.pk))
    assert response["Content-Disposition"] == (
        f'attachment; filename="{study.slug}-spreadsheet.zip"'
    )
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as members:
        assert len(members.read("judgments.tsv").splitlines()) == 21


def test_a_large_file_for_label_studio_is_prepared_too(client: Client, study: Study) -> None:
    before = text(client.get(url(study, "download")))
    assert url(study, "label_studio") not in before

    job = prepare(client, study, label_studio="1")

    assert job.state == Job.State.DONE
    after = client.get(url(study, "download"))
    assert [one.job for one in after.context["people"]["for_label_studio"]] == [job]
    assert after.context["people"]["prepared"] == []
    assert url(study, "prepared", job.pk) in text(after)
    response = client.get(url(study, "prepared", job.pk))
    assert response["Content-Disposition"] == (
        f'attachment; filename="{study.slug}-label-studio.zip"'
    )
    at_once = client.get(url(study, "label_studio"))
    assert b"".join(response.streaming_content) == b"".join(at_once.streaming_content)


def test_one_file_is_not_offered_in_place_of_the_other(client: Client, study: Study) -> None:
    for_label_studio = prepare(client, study, label_studio="1")
    exact = prepare(client, study)

    offer = client.get(url(study, "download")).context["people"]

    assert [one.job for one in offer["for_label_studio"]] == [for_label_studio]
    assert [one.job for one in offer["prepared"]] == [exact]


def test_what_label_studio_cannot_read_is_refused() -> None:
    study = make_ranking_study()

    job = prepare(signed_in(study.owner), study, label_studio="1")

    assert job.state == Job.State.FAILED
    assert job.problems == ["Label Studio cannot read rankings."]


def test_a_file_that_waited_an_hour_is_gone_and_the_page_says_so(
    client: Client, study: Study, tmp_path
) -> None:
    job = prepare(client, study)
    (file,) = (tmp_path / "exports").iterdir()
    os.utime(file, (0, 0))

    response = client.get(url(study, "prepared", job.pk), follow=True)
    downloads.forget_old()

    assert said(response) == ["This file has been deleted. Prepare it again."]
    assert list((tmp_path / "exports").iterdir()) == []


def test_another_file_waits_until_the_first_is_finished(client: Client, study: Study) -> None:
    client.post(url(study, "prepare"), {"population": "people"})

    response = client.post(
        url(study, "prepare"), {"population": "people", "spreadsheet": "1"}, follow=True
    )

    assert said(response) == ["Another file is still being prepared. Wait until it is finished."]
    assert Job.objects.count() == 1


def test_how_far_it_is_is_told_to_the_heartbeat(client: Client, study: Study) -> None:
    job = jobs.start(
        study=study,
        kind=Job.Kind.EXPORT,
        parameters=downloads.parameters("people", spreadsheet=False),
    )
    Job.objects.filter(pk=job.pk).update(run_token="6f9619ff-8b86-d011-b42d-00c04fc964ff")
    job.refresh_from_db()
    assert job.run_token is not None
    run = jobs.Run(job, job.run_token)

    downloads.prepare_job(run)

    assert run.noted["message"] == "annotations_nrc.csv"
    assert 0.7 <= run.noted["progress"] < 1


@pytest.mark.slow
def test_the_page_warns_of_scores_that_are_outdated(client: Client, study: Study) -> None:
    finish_booklet(study)
    scoring.request(study=study, population="people", by=study.owner)
    jobs.run(study.jobs.get(kind=Job.Kind.SCORE).pk)
    before = client.get(url(study, "download"))

    exclusions.exclude(
        annotator=study.annotators.earliest("pk"), reason="Too fast.", by=study.owner
    )
    after = client.get(url(study, "download"))

    assert study.results.count() == 1
    assert before.context["people"]["outdated"] == ""
    assert "data-outdated" not in text(before)
    assert after.context["people"]["outdated"]
    warning = text(after).split('data-outdated="people">')[1].split("</p>")[0]
    assert f'href="{url(study, "results")}?population=people"' in warning
    assert after.context["simulated"]["outdated"] == ""


# -- Files of those who are gone ----------------------------------------------------------------


@pytest.fixture
def answerer(study: Study, monkeypatch) -> Annotator:
    """Somebody whose comment is in every file."""
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)
    Judgment.objects.update(comment="my own words")
    return study.annotators.get()


def comments_in(file: Path) -> bool:
    with zipfile.ZipFile(file) as members:
        return b"my own words" in members.read("judgments.tsv")


def test_a_withdrawal_deletes_the_prepared_files_of_its_study_only(
    client: Client,
    study: Study,
    answerer: Annotator,
    tmp_path,
    django_capture_on_commit_callbacks,
) -> None:
    job = prepare(client, study)
    (file,) = (tmp_path / "exports").iterdir()
    assert comments_in(file)
    others = file.with_name(f"{study.pk}{file.name}")
    others.touch()

    with django_capture_on_commit_callbacks(execute=True):
        withdrawal.withdraw(annotator=answerer)

    assert list((tmp_path / "exports").iterdir()) == [others]
    response = client.get(url(study, "prepared", job.pk), follow=True)
    assert said(response) == ["This file has been deleted. Prepare it again."]


def test_a_file_is_made_anew_for_who_withdraws_while_it_is_made(
    client: Client, study: Study, answerer: Annotator, tmp_path, monkeypatch
) -> None:
    write = archive.write_archive
    made = []

    def write_and_withdraw(*args, **options) -> None:
        write(*args, **options)
        made.append(args)
        withdrawal.withdraw(annotator=answerer)

    monkeypatch.setattr(archive, "write_archive", write_and_withdraw)
    job = prepare(client, study)

    (file,) = (tmp_path / "exports").iterdir()
    assert (job.state, len(made)) == (Job.State.DONE, 2)
    assert not comments_in(file)


@pytest.fixture
def draft() -> Study:
    study = make_study()
    designs.make(design=study.design)
    return study


def test_a_deleted_study_leaves_no_file(
    draft: Study, tmp_path, django_capture_on_commit_callbacks
) -> None:
    prepare(signed_in(draft.owner), draft)
    assert list((tmp_path / "exports").iterdir())

    with django_capture_on_commit_callbacks(execute=True):
        researchers.delete_draft(study=draft)

    assert list((tmp_path / "exports").iterdir()) == []


def test_a_study_deleted_while_its_file_is_made_leaves_no_file(
    draft: Study, tmp_path, monkeypatch
) -> None:
    write = archive.write_archive

    def write_and_delete(*args, **options) -> None:
        write(*args, **options)
        researchers.delete_draft(study=draft)

    monkeypatch.setattr(archive, "write_archive", write_and_delete)
    job = jobs.start(study=draft, kind=Job.Kind.EXPORT)

    jobs.run(job.pk)

    assert list((tmp_path / "exports").iterdir()) == []


def test_a_prepared_file_is_outdated_by_a_later_correction(client: Client, study: Study) -> None:
    prepare(client, study)
    assert "Outdated" not in text(client.get(url(study, "download")))

    wanted = [RequestedChange("d1", "domain", "elsewhere")]
    relabellings.relabel(study=study, wanted=wanted, reason="why", by=study.owner)

    assert "This file is outdated: an adjudication, a" in text(client.get(url(study, "download")))
    prepare(client, study)
    assert "Outdated" not in text(client.get(url(study, "download")))


def test_what_is_corrected_while_a_file_is_made_outdates_it(
    client: Client, study: Study, monkeypatch
) -> None:
    write = archive.write_archive

    def write_and_relabel(*args, **options) -> None:
        write(*args, **options)
        wanted = [RequestedChange("d1", "domain", "elsewhere")]
        relabellings.relabel(study=study, wanted=wanted, reason="why", by=study.owner)

    monkeypatch.setattr(archive, "write_archive", write_and_relabel)
    prepare(client, study)

    (prepared,) = downloads.prepared(study, "people")
    assert prepared.is_outdated


@pytest.mark.slow
def test_an_experts_word_outdates_the_files_of_people_only(settings) -> None:
    settings.EXPORT_IN_BACKGROUND_FROM = 1
    rated = make_rated(("a",))
    rated.answer({"a": 1}, {"a": 1})
    rated.answer({"a": 1}, {"a": 1}, source=Source.SIMULATED)
    client = signed_in(rated.study.owner)
    for population in ("people", "simulated"):
        prepare(client, rated.study, **OPTIONS, population=population)

    made = adjudications.adjudicate(
        study=rated.study,
        item=rated.items["a"],
        phase=rated.phases[0],
        rating=Decimal(2),
        reason="why",
        by=rated.study.owner,
    )

    assert outdated(rated.study) == [True, False]
    prepare(client, rated.study, **OPTIONS)
    assert outdated(rated.study) == [False, False]
    adjudications.lift(adjudication=made)
    assert outdated(rated.study) == [True, False]


OPTIONS = {"context_sentences": "2", "level": "0.05", "test": "pooled"}


def outdated(study: Study) -> list[bool]:
    return [downloads.prepared(study, of)[0].is_outdated for of in ("people", "simulated")]
