"""Who people were goes when its time has come; answers, pseudonyms and sums stay."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings as live_settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.answering.services import assignments, rosters, visits, withdrawal
from annotation.basics.errors import NothingLeftError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Launch
from annotation.core.services import audit_log, jobs, redaction
from annotation.crowds.queries import ledger
from annotation.crowds.services import decisions, launches, outbox, publishing, reconciling
from annotation.items.services import uploads
from annotation.models import (
    Annotator,
    AuditEvent,
    Erasure,
    Exclusion,
    Intent,
    Job,
    Judgment,
    Listing,
    Person,
    PhaseRun,
    PlatformEvent,
    Release,
    ReleaseEvent,
    Study,
    Ticket,
    Visit,
)
from annotation.people.queries import retention as queries
from annotation.people.services import exclusions, retention
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.studies.services import studies
from tests.support.answering import answer_all
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.remote_side import Remote, make_listing, make_visit
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

DESCRIBED = Description.of({"title": "Released", "authors": [{"name": "Somebody Else"}]})
NAME, ADDRESS, WORKER = "Ada Lovelace", "ada@mail.example", "W-SECRET"


@pytest.fixture
def listing(remote: Remote, clock: Clock) -> Listing:
    """Somebody was paid 1.50 for a visit, of which the platform says much; nothing is closed."""
    listing = make_listing()
    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())
    outbox.send_due()
    visit = make_visit(listing, WORKER)
    assert visit.person is not None
    Person.objects.filter(pk=visit.person.pk).update(platform_id=WORKER)
    Visit.objects.filter(pk=visit.pk).update(handed_in={"code": WORKER}, note=f"{WORKER} wrote.")
    PlatformEvent.objects.create(
        listing=listing,
        visit=visit,
        source=PlatformEvent.Source.POLL,
        kind="submission",
        payload={"person_id": WORKER},
        seen_at=clock.time,
    )
    decisions.approve(visit=Visit.objects.get(pk=visit.pk), by=make_user())
    audit_log.write(
        study=listing.study, message=_("Visit: %(who)s") % {"who": WORKER}, by=make_user()
    )
    rosters.add_roster(study=listing.study, entries=[rosters.RosterEntry("s-0815", NAME, ADDRESS)])
    return listing


def settle(listing: Listing) -> None:
    outbox.send_due()
    Visit.objects.update(remote_state=Visit.Remote.APPROVED)
    Ticket.objects.update(state=Ticket.State.CLOSED)
    Listing.objects.update(state=Listing.State.CLOSED, closed_at=listing.created_at)


def everything(study: Study) -> str:
    """All rows that may hold a name, as text."""
    models = (Person, Visit, PlatformEvent, Intent, AuditEvent, PhaseRun, Annotator, Erasure)
    return json.dumps(
        [list(model.objects.values()) for model in models], default=str, ensure_ascii=False
    )


def test_erasing_is_offered_once_nothing_stands_in_its_way(
    listing: Listing, clock: Clock, remote: Remote
) -> None:
    study = studies.close(study=Study.objects.get(pk=listing.study_id))
    client = signed_in(study.owner)
    erase_now = f'href="{url(study, "privacy_erase")}"'
    assert erase_now not in text(client.get(url(study, "privacy")))

    settle(listing)

    assert erase_now in text(client.get(url(study, "privacy")))


def test_the_whole_way_of_a_paid_study(listing: Listing, clock: Clock, remote: Remote) -> None:
    study = Study.objects.get(pk=listing.study_id)
    retention.set_days(study=study, days=30)
    study = studies.close(study=study)

    # Its time comes, and nothing happens as long as somebody may wait for their money.
    clock.move(days=31)
    assert retention.erase_due() == 0
    said = " ".join(map(str, queries.obstacles(study)))
    assert "Listing 1 on Mechanical Turk is not closed." in said
    assert "1 step in the ledger is not settled." in said
    with pytest.raises(StateError, match="Nothing can be erased yet"):
        retention.erase(study=study, by=study.owner)
    assert WORKER in everything(study)

    settle(listing)
    study = Study.objects.get(pk=study.pk)
    paid_before = [str(account.paid) for account in ledger.accounts(study)]
    n_rows = len(list(ledger.payments(study)))
    assert not queries.obstacles(study)
    clock.move(hours=6)
    assert retention.erase_due() == 1

    left = everything(study)
    for word in (NAME, ADDRESS, WORKER, "s-0815"):
        assert word not in left
    assert "… wrote." in left
    assert not Person.objects.exists()
    assert study.annotators.count() == 1
    assert [str(account.paid) for account in ledger.accounts(study)] == paid_before == ["1.50"]
    assert len(list(ledger.payments(study))) == n_rows == 1
    [erasure] = Erasure.objects.all()
    assert (erasure.n_people, erasure.n_visits) == (2, 1)
    assert erasure.ended_at == clock.time
    assert erasure.by is None

    # Once more is nothing more; what came afterwards goes with the next sweep.
    assert retention.erase_due() == 0
    study = Study.objects.get(pk=study.pk)
    for call in (launches.decline, launches.enter):
        more = {} if call is launches.decline else {"consent": studies.current_consent(study)}
        with pytest.raises(NothingLeftError):
            call(listing=listing, launch=Launch("W2", "S2", "T1"), **more)
    assert not Person.objects.exists()
    listing = Listing.objects.get(pk=listing.pk)
    Listing.objects.update(polled_at=None)
    assert reconciling.poll_due() == 0
    with pytest.raises(StateError, match="Create a new study instead"):
        studies.open_study(study=study)
    with pytest.raises(
        StateError,
        match="The personal data of this study were erased, so nobody can be added to its roster",
    ):
        rosters.add_roster(study=study, entries=[rosters.RosterEntry("s-1")])
    PlatformEvent.objects.create(
        listing=listing, source="webhook", kind="late", payload={"w": WORKER}, seen_at=clock.time
    )
    assert retention.erase_due() == 1
    assert WORKER not in everything(study)
    assert Erasure.objects.count() == 2


def test_who_withdrew_from_a_sitting_goes_once_the_money_is_settled(
    listing: Listing, clock: Clock
) -> None:
    study = Study.objects.get(pk=listing.study_id)
    settle(listing)
    visit = Visit.objects.get()
    annotator = Annotator.objects.create(study=study, person=visit.person)
    assignment = annotator.assignments.create(
        booklet=study.design.booklets.first(), last_active_at=clock.time
    )
    run = assignment.runs.create(phase=study.design.phases.get(), opens_at=clock.time)
    Visit.objects.update(run=run)
    visits.withdraw(visit=Visit.objects.select_related("run__assignment", "listing").get())
    Listing.objects.update(closed_at=clock.time, polled_at=clock.time)
    Ticket.objects.update(expires_at=clock.time)
    study = studies.close(study=study)

    # As long as the platform is asked, it would come back with the next poll.
    retention.erase_due()
    assert WORKER in everything(study)
    clock.move(days=200)
    Intent.objects.update(state=Intent.State.NEEDS_PERSON)
    retention.erase_due()
    assert WORKER in everything(study)
    Intent.objects.update(state=Intent.State.CONFIRMED)
    retention.erase_due()

    assert WORKER not in everything(study)
    assert NAME in everything(study)
    assert not Erasure.objects.exists()
    assert Study.objects.get().erased_at is None


@pytest.mark.parametrize("was_connected", [False, True])
def test_who_withdrew_from_a_sitting_is_known_in_no_later_round(
    listing: Listing, clock: Clock, *, was_connected: bool
) -> None:
    study = Study.objects.get(pk=listing.study_id)
    settle(listing)
    visit = Visit.objects.get()
    mine = Annotator.objects.create(study=study, person=visit.person)
    assignment = mine.assignments.create(
        booklet=study.design.booklets.first(), last_active_at=clock.time
    )
    run = assignment.runs.create(phase=study.design.phases.get(), opens_at=clock.time)
    Visit.objects.update(run=run)
    later = make_open_study(dialogues=1)
    Study.objects.filter(pk=later.pk).update(earlier_round=study)
    again = join(later).annotator
    Annotator.objects.filter(pk=again.pk).update(
        person=visit.person, earlier_self=mine if was_connected else None
    )
    Listing.objects.update(closed_at=clock.time, polled_at=clock.time)
    Ticket.objects.update(expires_at=clock.time)

    visits.withdraw(visit=Visit.objects.select_related("run__assignment", "listing").get())
    again.refresh_from_db()
    assert again.earlier_self is None
    studies.close(study=study)
    clock.move(days=200)
    retention.erase_due()

    again.refresh_from_db()
    mine.refresh_from_db()
    assert mine.person is None
    assert again.earlier_self is None


@pytest.mark.slow
def test_in_batches_answers_stay_and_other_studies_keep_whom_they_know(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    study, other = make_open_study(dialogues=2), make_open_study(dialogues=2)
    assignment = join(study).assignment
    answer_all(assignment)
    n_judgments = Judgment.objects.count()
    rosters.add_roster(
        study=study, entries=[rosters.RosterEntry(f"s{n}", NAME, ADDRESS) for n in range(5)]
    )
    shared = Annotator.objects.filter(study=study, person__platform_id="s4").get().person
    Annotator.objects.create(study=other, person=shared)
    PhaseRun.objects.filter(assignment=assignment).update(
        reminder_email=ADDRESS, way_back="https://here.example/"
    )
    broken = make_open_study(dialogues=2)
    rosters.add_roster(study=broken, entries=[rosters.RosterEntry("b1")])
    studies.finish(study=broken)
    clock.move(seconds=1)
    study = studies.finish(study=study)
    assert queries.held(study).n_people == 5

    clock.move(days=live_settings.RETENTION_DAYS, seconds=-2)
    assert retention.erase_due() == 0
    assert not Erasure.objects.exists()
    clock.move(seconds=3)
    assert retention.erase_due() == 0
    assert not Erasure.objects.exists()
    # One study fails, and a worker is killed in the middle of the other.
    clock.move(hours=6)
    real, tries = retention._erase_annotators, []

    def fails(begun: Erasure) -> bool:
        if begun.study_id == broken.pk or tries:
            raise RuntimeError("the disk is full")
        tries.append(begun)
        return real(begun)

    monkeypatch.setattr(retention, "_erase_annotators", fails)
    assert retention.erase_due() == 0
    assert study.annotators.exclude(person=None).count() == 3
    tries.clear()
    monkeypatch.setattr(
        retention, "_erase_annotators", lambda b: fails(b) if b.study_id == broken.pk else real(b)
    )
    assert retention.erase_due() == 1

    assert not study.annotators.exclude(person=None).exists()
    assert study.annotators.count() == 6
    assert Judgment.objects.current().count() == n_judgments
    known = Person.objects.exclude(annotators__study=broken)
    assert [*known.values_list("pk", flat=True)] == [shared.pk]
    assert not PhaseRun.objects.exclude(reminder_email="").exists()
    [erasure] = Erasure.objects.filter(study=study)
    assert erasure.n_people == 5


def test_the_command_says_what_it_would_do(clock: Clock, capsys: pytest.CaptureFixture) -> None:
    study = make_open_study(dialogues=2)
    rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1", NAME)])

    def said(*options: str) -> dict:
        call_command("erase_personal_data", study.slug, "--json", *options)
        return json.loads(capsys.readouterr().out)

    with pytest.raises(CommandError, match="The study has not ended yet"):
        call_command("erase_personal_data", study.slug)
    studies.finish(study=study)
    early = said("--due")
    dry = said("--dry-run")
    done = said()

    assert (early["is_due"], early["erased"], dry["erased"]) == (False, None, None)
    assert dry["held"]["n_people"] == 1
    assert done["erased"] == {"n_people": 1, "n_visits": 0, "n_messages": 0}
    assert said()["erased"] is None
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command("erase_personal_data", "nowhere")


@pytest.fixture
def ended() -> Study:
    """A finished study that holds a name."""
    study = make_open_study(dialogues=2)
    rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1", NAME)])
    return studies.finish(study=study)


def test_one_look_at_a_wrong_clock_erases_nobody(clock: Clock, ended: Study) -> None:
    right = clock.time

    # The clock is a year ahead for one look, right for the next, and ahead again a day later.
    for wrong, back in ((400, 0), (400, 1)):
        clock.set(right + timedelta(days=wrong))
        assert retention.erase_due() == 0
        clock.set(right + timedelta(days=back))
        assert retention.erase_due() == 0

    assert NAME in everything(ended)
    ended.refresh_from_db()
    assert ended.erased_at is None
    assert queries.erased_from(ended) is None


def test_what_is_still_due_hours_later_is_erased(clock: Clock, ended: Study) -> None:
    clock.move(days=live_settings.RETENTION_DAYS)
    first_seen = clock.time
    assert retention.erase_due() == 0
    ended.refresh_from_db()
    assert queries.erased_from(ended) == first_seen + queries.SIGHTINGS_APART

    # Looking often is not looking later.
    clock.set(first_seen + queries.SIGHTINGS_APART - timedelta(seconds=1))
    assert retention.erase_due() == 0
    clock.move(seconds=1)
    assert retention.erase_due() == 1
    assert NAME not in everything(ended)

    # Whoever comes afterwards goes with the next look.
    person = Person.objects.create(name=NAME)
    Annotator.objects.create(study=ended, person=person)
    assert retention.erase_due() == 1


def test_a_sighting_in_the_future_counts_from_now_on(clock: Clock, ended: Study) -> None:
    clock.move(days=live_settings.RETENTION_DAYS + 1)
    right = clock.time
    clock.move(days=100)
    retention.erase_due()

    clock.set(right)
    assert retention.erase_due() == 0
    ended.refresh_from_db()
    assert queries.erased_from(ended) == right + queries.SIGHTINGS_APART


def test_a_study_that_takes_people_again_is_not_seen_as_due_any_more(
    clock: Clock, ended: Study
) -> None:
    clock.move(days=live_settings.RETENTION_DAYS)
    retention.erase_due()
    Study.objects.filter(pk=ended.pk).update(
        state=Study.State.OPEN, closed_at=None, finished_at=None
    )

    retention.erase_due()

    ended.refresh_from_db()
    assert ended.retention_due_seen_at is None


def test_the_command_for_what_is_due_looks_twice_too(
    clock: Clock, ended: Study, capsys: pytest.CaptureFixture
) -> None:
    def said() -> dict:
        call_command("erase_personal_data", ended.slug, "--due", "--json")
        return json.loads(capsys.readouterr().out)

    clock.move(days=live_settings.RETENTION_DAYS)
    first = said()
    clock.move(hours=7)
    second = said()

    assert (first["is_due"], first["erased"]) == (True, None)
    assert first["erased_from"] is not None
    assert second["erased"] == {"n_people": 1, "n_visits": 0, "n_messages": 0}


def test_the_page_tells_when_a_study_that_is_due_is_erased(clock: Clock, ended: Study) -> None:
    client = Client()
    client.force_login(ended.owner)
    address = reverse("admin:annotation_study_privacy", args=[ended.pk])

    assert client.get(address).context["erased_from"] is None
    clock.move(days=live_settings.RETENTION_DAYS)
    retention.erase_due()
    response = client.get(address)

    assert response.context["erased_from"] == clock.time + queries.SIGHTINGS_APART
    assert b"data-erased-from" in response.content


def test_people_whom_a_listing_keeps_out_are_erased(clock: Clock, ended: Study) -> None:
    options = {"title": "Two texts", "excluded_people": ["a" * 24], "allowed_people": ["b" * 24]}
    ended.listings.create(number=1, platform="prolific", options=options)
    assert queries.held(ended).n_listings == 1

    retention.erase(study=ended, by=None)

    assert ended.listings.get().options == {"title": "Two texts"}
    assert queries.held(ended).n_listings == 0


def test_days_have_bounds(settings) -> None:
    study = make_open_study(dialogues=2)

    for days in (0, settings.RETENTION_MAX_DAYS + 1):
        with pytest.raises(StateError, match="from 1 to"):
            retention.set_days(study=study, days=days)
    settings.RETENTION_DAYS = 0
    assert queries.due_at(studies.finish(study=study)) is None


SCRIPT = """
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from annotation.basics import clock
from annotation.models import Person, Study
from annotation.answering.services import rosters
from annotation.people.services import retention
from annotation.studies.services import studies
from tests.support.factories import make_user
settings.MIGRATION_MODULES = {one.label: None for one in apps.get_app_configs()}
call_command("migrate", run_syncdb=True, verbosity=0)
study = studies.create(owner=make_user(), title="Alike?")
study.state, study.opened_at = "open", clock.now()
study.save()
entries = [rosters.RosterEntry(f"s{n}", "Ada Lovelace", "ada@mail.example") for n in range(300)]
rosters.add_roster(study=study, entries=entries)
before = open(r"{file}", "rb").read() + open(r"{file}-wal", "rb").read()
assert b"Ada Lovelace" in before
study = studies.finish(study=study)
retention.erase(study=study, by=None)
assert not Person.objects.exists()
# While the server runs: the log is only written back by itself when the last process ends.
assert b"Lovelace" not in open(r"{file}-wal", "rb").read()
assert b"Lovelace" not in open(r"{file}", "rb").read()
"""


@pytest.mark.slow
def test_the_file_of_the_database_holds_no_name_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "likeness.sqlite3"
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{file}",
        "LIKENESS_DATA": str(tmp_path),
        "DEBUG": "1",
    }

    subprocess.run(
        [
            sys.executable,
            "manage.py",
            "shell",
            "-v",
            "0",
            "-c",
            SCRIPT.replace("{file}", str(file)),
        ],
        env=environment,
        cwd=live_settings.BASE_DIR,
        check=True,
    )

    found = b"".join(path.read_bytes() for path in tmp_path.glob("likeness.sqlite3*"))
    assert len(found) > 100_000
    assert b"Lovelace" not in found
    assert b"ada@mail" not in found


@pytest.mark.slow
def test_whoever_withdraws_or_is_erased_is_named_in_no_reason_any_more(clock: Clock) -> None:
    """Also where a release says why, and where it was typed whose answers a file has."""
    study = make_open_study(dialogues=2)
    made = rosters.add_roster(
        study=study,
        entries=[rosters.RosterEntry("s-0815", NAME), rosters.RosterEntry("s-0816", WORKER)],
    )
    for one in made:
        started = assignments.start(
            annotator=one.annotator, consent=studies.current_consent(study)
        )
        answer_all(started)
        assignments.submit(assignment=started)
    jobs.run(releases.start(study=study, description=DESCRIBED).pk)
    for one in made:
        name = one.annotator.person.name
        exclusions.exclude(annotator=one.annotator, reason=f"{name} hurried.", by=study.owner)
        exclusions.include_again(
            annotator=one.annotator, reason=f"{name} did not.", by=study.owner
        )
        audit_log.write(study=study, message=_("Visit: %(who)s") % {"who": name}, by=study.owner)
        Job.objects.create(
            study=study,
            kind=Job.Kind.IMPORT_ITEMS,
            state=Job.State.FAILED,
            parameters={"finished": {"person": name}},
            error=f"{name} is unknown\n{name} again",
        )
    jobs.run(releases.start(study=study, description=DESCRIBED).pk)
    assert (NAME in written(), WORKER in written()) == (True, True)

    withdrawal.withdraw(annotator=made[0].annotator)

    assert (NAME in written(), WORKER in written()) == (False, True)
    assert "… hurried." in written()
    studies.finish(study=study)
    retention.erase(study=study, by=study.owner)
    assert WORKER not in written()


@pytest.mark.parametrize(
    ("name", "reason", "expected"),
    [
        # Neither spaces nor other letters around them end these names.
        ("李明", "因为李明的答案太快。", "因为…的答案太快。"),
        ("민수", "민수는 서둘렀다.", "…는 서둘렀다."),
        ("สมชาย", "เพราะสมชายตอบเร็วเกินไป", "เพราะ…ตอบเร็วเกินไป"),
        ("Ana", "Ana hurried; Anatol did not.", "… hurried; Anatol did not."),
        # It may be another word.
        ("Bo", "Bo hurried.", "Bo hurried."),
    ],
)
def test_names_are_found_in_every_script(name: str, reason: str, expected: str) -> None:
    study = make_open_study(dialogues=1)
    [mine] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s-0815", name)])
    exclusions.exclude(annotator=mine.annotator, reason=reason, by=study.owner)

    withdrawal.withdraw(annotator=mine.annotator)

    assert Exclusion.objects.get().reason == expected


def test_who_withdraws_is_named_in_no_reason_although_a_later_round_knows_them() -> None:
    study, later = make_open_study(dialogues=1), make_open_study(dialogues=1)
    [mine] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s-0815", NAME)])
    person = mine.annotator.person
    [other] = rosters.add_roster(study=later, entries=[rosters.RosterEntry("s-1", "Bert")])
    Annotator.objects.filter(pk=other.annotator.pk).update(person=person)
    exclusions.exclude(annotator=mine.annotator, reason=f"{NAME} hurried.", by=study.owner)
    exclusions.exclude(annotator=other.annotator, reason=f"{NAME} ran.", by=later.owner)

    withdrawal.withdraw(annotator=mine.annotator)

    assert set(Exclusion.objects.values_list("reason", flat=True)) == {
        "… hurried.",
        f"{NAME} ran.",
    }
    assert Annotator.objects.get(pk=other.annotator.pk).person == person
    other.annotator.refresh_from_db()
    withdrawal.withdraw(annotator=other.annotator)
    assert NAME not in written()
    assert not Person.objects.filter(pk=person.pk).exists()


def written() -> str:
    """What was written about people, wherever it stands."""
    rows = [
        *AuditEvent.objects.values_list("said"),
        *Exclusion.objects.values_list("reason", "lifted_reason"),
        *ReleaseEvent.objects.values_list("reason"),
        *Job.objects.values_list("parameters", "error", "message"),
        *Release.objects.values_list("changes"),
    ]
    return json.dumps(rows, ensure_ascii=False)


def test_a_file_that_nobody_imported_goes_although_no_other_one_comes(clock: Clock) -> None:
    study = make_study()
    stored = uploads.store_upload(
        study=study, file=[f"WorkerId\n{WORKER}\n".encode()], filename="a.csv", by=study.owner
    )
    path = uploads.upload(study=study, name=stored["path"])
    retention.erase_due()
    assert path.exists()
    os.utime(path, (1, 1))

    retention.erase_due()

    assert not path.exists()


def test_an_id_that_is_a_word_of_ours_takes_no_word_out_of_the_records() -> None:
    """Anybody can come to a panel as "answers"."""
    invented = [Person(platform_id=word) for word in ("answers", "two", "of", "study")]
    real = [Person(platform_id=one) for one in ("W-SECRET", "5f3a", "K" * 24)]

    assert set(redaction.words_of([*invented, *real])) == {"W-SECRET", "5f3a", "K" * 24}


@pytest.mark.parametrize("word", ["2.1", "2026-11-20", "100", "demo-2026.zip", "CC-BY-4.0"])
def test_an_id_that_nobody_vouched_for_takes_nothing_of_others_out(word: str) -> None:
    """Whoever comes to a listing writes the ids into the address."""
    person = Person.objects.create(platform="panel", environment="x", platform_id=word)

    assert redaction.words_of([person], [Visit(submission_id=f"{word}.7")]) == []
    assert redaction.words_of([], [Visit(submission_id="5f3a9c0012ab")]) == ["5f3a9c0012ab"]


def quoting_jobs(study: Study) -> None:
    """A refused file and a letter name people who are known nowhere."""
    for kind, parameters, error in (
        (Job.Kind.IMPORT_ITEMS, {"finished": {}}, f"annotator {NAME} is unknown"),
        (Job.Kind.SEND_LINKS, {"subject": NAME, "text": f"Dear {NAME}", "contact": "x"}, ""),
        (Job.Kind.SEND_LINKS, {"subject": NAME, "text": "", "contact": "x"}, f"{NAME} is away"),
    ):
        Job.objects.create(
            study=study, kind=kind, state=Job.State.FAILED, parameters=parameters, error=error
        )


def test_what_a_refused_file_and_a_letter_say_goes_with_an_erasure() -> None:
    study = studies.finish(study=make_open_study(dialogues=2))
    quoting_jobs(study)
    assert queries.held(study).n_jobs == 3

    erasure = retention.erase(study=study, by=study.owner)

    assert erasure is not None
    assert NAME not in written()
    assert [job.parameters for job in study.jobs.order_by("pk")][1:] == [{"contact": "x"}] * 2
    assert not queries.held(study).is_any


def test_it_goes_by_itself_although_nobody_else_is_known(clock: Clock) -> None:
    study = studies.finish(study=make_open_study(dialogues=2))
    quoting_jobs(study)
    clock.move(days=live_settings.RETENTION_DAYS)
    retention.erase_due()
    assert NAME in written()
    clock.move(hours=6)

    retention.erase_due()

    assert NAME not in written()
    study.refresh_from_db()
    # It may be opened again: nobody was known.
    assert study.erased_at is None


def test_whoever_withdraws_is_named_in_no_letter_any_more() -> None:
    study = make_open_study(dialogues=2)
    (made,) = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s-0815", NAME)])
    quoting_jobs(study)

    withdrawal.withdraw(annotator=made.annotator)

    assert NAME not in written()
    assert "Dear …" in written()
