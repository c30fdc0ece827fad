"""An archived study is out of the lists; everything else of it goes on as before."""

import io
import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.basics.errors import StateError
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.models import AuditEvent, Intent, Job, Listing, Person, Study, Visit
from annotation.people.queries import retention as retention_queries
from annotation.people.services import retention
from annotation.studies.services import archiving, copies, filling, studies
from tests.support.api import address, by_token
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import crowd_row, said, signed_in, url

pytestmark = pytest.mark.django_db


def finished(**columns: Any) -> Study:
    return studies.finish(study=make_open_study(dialogues=1, **columns))


def archived(study: Study) -> Study:
    return archiving.archive(study=study)


def on_home_page(study: Study, **query: str) -> list[Study]:
    response = signed_in(study.owner).get(reverse("admin:index"), query)
    return [card.study for card in response.context["studies"]]


def in_api(study: Study, **query: str) -> list[str]:
    listed = by_token(study.owner).get("/api/v1/studies/", query).json()["results"]
    return [one["slug"] for one in listed]


def in_command(*arguments: str) -> tuple[list[str], str]:
    out, error = io.StringIO(), io.StringIO()
    call_command("studies", "--json", *arguments, stdout=out, stderr=error)
    return [one["study"] for one in json.loads(out.getvalue())], error.getvalue()


def lines_of(study: Study) -> int:
    return AuditEvent.objects.filter(study=study).count()


def test_lists_leave_it_out_unless_it_is_asked_for() -> None:
    kept = make_study()
    study = archived(make_study(owner=kept.owner))

    assert on_home_page(kept) == [kept]
    assert in_api(kept) == [kept.slug]
    assert in_command()[0] == [kept.slug]
    # The number that is left out is said.
    assert "1" in in_command()[1]
    assert on_home_page(kept, archived="1") == [study]
    assert in_api(kept, archived="true") == [study.slug]
    assert in_command("--archived")[0] == [study.slug]
    page = signed_in(kept.owner).get(reverse("admin:index"))
    assert page.context["n_archived"] == 1
    assert 'href="?archived=1"' in page.content.decode()
    # Only one's own are counted.
    assert signed_in(make_user()).get(reverse("admin:index")).context["n_archived"] == 0


def test_whoever_has_archived_everything_is_not_told_that_there_is_no_study() -> None:
    study = archived(make_study())

    page = signed_in(study.owner).get(reverse("admin:index"))

    assert page.context["n_archived"] == 1
    assert 'href="?archived=1"' in page.content.decode()


@pytest.mark.slow
def test_its_pages_files_and_routes_are_as_before() -> None:
    study = archived(finished())
    client, program = signed_in(study.owner), by_token(study.owner)

    for name in ("change", "items", "design", "people", "results", "download", "history", "copy"):
        assert client.get(url(study, name)).status_code == 200, name
    archive = client.get(url(study, "archive"))
    assert b"".join(archive.streaming_content)
    read = program.get(address(study)).json()
    assert (read["state"], read["archived"]) == ("finished", True)
    job = jobs.start(study=study, kind=Job.Kind.SCORE)
    assert job.state == Job.State.QUEUED
    copy = copies.begin(study=study, title="Copy", with_items=False, by=study.owner)
    assert copy.archived_at is None


@pytest.mark.parametrize("state", ["open", "paused", "closed"])
def test_what_takes_people_or_answers_stays_in_sight(state: str) -> None:
    study = make_open_study(dialogues=1)
    if state != "open":
        study = {"paused": studies.pause, "closed": studies.close}[state](study=study)

    with pytest.raises(StateError):
        archiving.archive(study=study)
    response = signed_in(study.owner).post(url(study, "archive_study"), follow=True)
    assert said(response)
    program = by_token(study.owner)
    refused = program.patch(address(study), {"archived": True}, content_type="application/json")
    assert refused.status_code == 409
    # Nor by any other way.
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(archived_at=study.created_at)
    assert on_home_page(study) == [study]


@pytest.mark.parametrize("owed", ["listing", "visit", "intent"])
def test_what_owes_money_stays_in_sight(owed: str) -> None:
    study = finished()
    crowd_row(study, owed)
    Listing.objects.update(
        state="published" if owed == "listing" else "closed", published_at=study.created_at,
        closed_at=study.created_at, currency="USD", reward=Decimal("1.00"),
    )  # fmt: skip
    if owed == "visit":
        Visit.objects.update(remote_state=Visit.Remote.SUBMITTED)

    with pytest.raises(StateError):
        archiving.archive(study=study)
    # Once all is settled it can be archived.
    Listing.objects.update(state="closed")
    Visit.objects.update(remote_state=Visit.Remote.APPROVED)
    Intent.objects.update(state=Intent.State.REFUSED, settled_at=study.created_at)
    assert archiving.archive(study=study).archived_at is not None


@pytest.mark.slow
@pytest.mark.parametrize("make", [
    make_study, finished,
    lambda: studies.create(owner=make_user(), title="Imported", preset="stss-131"),
])  # fmt: skip
def test_one_click_archives_it_and_one_takes_it_back(make: Any) -> None:
    study = make()
    client = signed_in(study.owner)
    assert url(study, "archive_study") in client.get(url(study, "change")).content.decode()

    first = client.post(url(study, "archive_study"), follow=True)
    client.post(url(study, "archive_study"))

    study.refresh_from_db()
    assert study.archived_at is not None
    assert url(study, "restore_study") in first.content.decode()
    back = client.post(url(study, "restore_study"), follow=True)
    client.post(url(study, "restore_study"))
    study.refresh_from_db()
    assert (study.archived_at, on_home_page(study)) == (None, [study])
    assert url(study, "archive_study") in back.content.decode()
    # A double click is one line of the log.
    assert lines_of(study) == 2


def test_a_program_archives_it_and_takes_it_back() -> None:
    study = make_study()
    program = by_token(study.owner)

    def patch(*, archived: bool) -> bool:
        answer = program.patch(
            address(study), {"archived": archived}, content_type="application/json"
        )
        assert answer.status_code == 200
        return bool(answer.json()["archived"])

    assert (patch(archived=True), in_api(study)) == (True, [])
    assert (patch(archived=True), patch(archived=False)) == (True, False)
    assert in_api(study) == [study.slug]
    assert lines_of(study) == 2


def test_an_archived_draft_is_not_opened_unseen() -> None:
    study = make_study()
    designs.make(design=study.design)
    archived(study)

    with pytest.raises(StateError):
        studies.open_study(study=study)
    page = signed_in(study.owner).get(url(study, "open"))
    assert page.context["confirmation"].obstacles
    archiving.restore(study=study)
    assert studies.open_study(study=study).state == "open"


def test_a_stranger_archives_nothing() -> None:
    study, stranger = make_study(), signed_in()

    for name in ("archive_study", "restore_study"):
        assert stranger.post(url(study, name)).status_code == 404
    study.refresh_from_db()
    assert study.archived_at is None


def test_names_are_erased_in_the_archive_when_their_time_has_come(clock: Clock) -> None:
    study = make_open_study(dialogues=1)
    rosters.add_roster(study=study, entries=[RosterEntry("s1", "Ada Lovelace")])
    study = archived(studies.finish(study=study))

    clock.move(days=settings.RETENTION_DAYS)
    assert retention.erase_due() == 0
    clock.move(seconds=retention_queries.SIGHTINGS_APART / timedelta(seconds=1))
    assert retention.erase_due() == 1

    assert not Person.objects.exists()
    study.refresh_from_db()
    assert study.erased_at is not None
    assert study.archived_at is not None


def test_the_sweep_cleans_up_in_the_archive() -> None:
    study = make_study()
    job = Job.objects.create(study=study, kind=Job.Kind.CONTINUE, state=Job.State.CANCELLED)
    Study.objects.filter(pk=study.pk).update(filling_job=job)
    archived(study)

    filling.clear_abandoned()

    study.refresh_from_db()
    assert (study.filling_job, study.items.count()) == (None, 0)
