"""The pause: a file for the calendar, a reminder by e-mail, an opening by hand."""

from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused

import pytest
from django.core import mail
from django.db import connection
from django.test import Client

from annotation.answering.services import assignments, phases, reminders, withdrawal
from annotation.basics.calendar_file import opening
from annotation.models import PhaseRun
from annotation.studies.services import studies
from tests.support import rating
from tests.support.clock import Clock
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(clock: Clock, settings) -> assignments.Participant:
    settings.EMAIL_HOST = "mail.example.org"
    joined = rating.join(rating.make_rating_study(phases=rating.TWICE, pairs=2))
    rating.rate_phase(joined.assignment)
    return joined


def url(joined: assignments.Participant, rest: str = "") -> str:
    return f"/a/{joined.key}/{rest}"


def test_who_waits_is_not_told_to_continue_at_any_time(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    page = client.get(url(waiting)).content.decode()

    assert "come back when the next part opens" in page
    assert "data-pause-state" not in page
    clock.set(phases.latest(waiting.assignment).opens_at)
    assert "data-pause-state" in client.get(url(waiting)).content.decode()


# -- the calendar --------------------------------------------------------------------------------


def unfolded(entry: str) -> dict[str, str]:
    lines = entry.replace("\r\n ", "").split("\r\n")
    return dict(line.split(":", 1) for line in lines if ":" in line)


def test_the_calendar_file_has_the_opening_and_no_key(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    response = client.get(url(waiting, "next-part.ics"))

    entry = response.content.decode()
    opens = phases.latest(waiting.assignment).opens_at
    assert response["Content-Type"].startswith("text/calendar")
    assert unfolded(entry)["DTSTART"] == opens.strftime("%Y%m%dT%H%M%SZ")
    assert f"/j/{waiting.annotator.study.join_token}/return/" in unfolded(entry)["URL"]
    assert waiting.key not in entry


def test_long_lines_are_folded_and_no_character_is_cut(clock: Clock) -> None:
    title = "Š" * 80 + "; a, b\\c\nnext"

    entry = opening(
        uid="1",
        made_at=clock.time,
        opens_at=clock.time,
        title=title,
        description="",
        address="https://example.org",
    )

    assert max(len(line.encode()) for line in entry.split("\r\n")) <= 75
    assert unfolded(entry)["SUMMARY"] == "Š" * 80 + "\\; a\\, b\\\\c\\nnext"
    assert entry.endswith("END:VCALENDAR\r\n")


# -- the reminder --------------------------------------------------------------------------------


def test_who_asked_is_reminded_once_and_the_address_is_forgotten(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    response = client.post(url(waiting, "remind/"), {"email": "ada@example.org"})
    assert response.status_code == 303
    assert "ada@example.org" in client.get(url(waiting)).content.decode()

    clock.move(hours=72, seconds=-1)
    assert reminders.send_due() == 0
    clock.move(seconds=1)
    assert reminders.send_due() == 1
    assert reminders.send_due() == 0

    [message] = mail.outbox
    assert message.to == ["ada@example.org"]
    assert f"/j/{waiting.annotator.study.join_token}/return/" in message.body
    assert waiting.key not in message.body
    run = phases.latest(waiting.assignment)
    assert (run.reminder_email, run.way_back, run.reminded_at) == ("", "", clock.time)


def test_a_mail_server_that_is_away_is_tried_again(
    client: Client, clock: Clock, waiting: assignments.Participant, monkeypatch, caplog
) -> None:
    client.post(url(waiting, "remind/"), {"email": "ada@example.org"})
    clock.move(hours=72)

    def refuse(self) -> None:
        raise ConnectionRefusedError("nobody listens")

    with monkeypatch.context() as broken:
        broken.setattr("django.core.mail.EmailMessage.send", refuse)
        assert reminders.send_due() == 0
    assert "ConnectionRefusedError" in caplog.text
    assert "ada@example.org" not in caplog.text

    assert reminders.send_due() == 1
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (SMTPRecipientsRefused({"ada@example.org": (550, b"no such person")}), False),
        (SMTPRecipientsRefused({"ada@example.org": (450, b"later")}), True),
        (SMTPDataError(554, b"ada@example.org is spam"), False),
        (SMTPDataError(452, b"full"), True),
        (UnicodeError("label too long: ada@example.org"), False),
    ],
)
def test_one_address_that_is_refused_silences_no_other(
    client: Client,
    clock: Clock,
    settings,
    monkeypatch,
    caplog,
    *,
    error: Exception,
    is_kept: bool,
) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    study = rating.make_rating_study(phases=rating.TWICE, pairs=2, ratings_per_item=2)
    people = [rating.join(study) for _person in range(2)]
    for joined, address in zip(people, ("ada@example.org", "ben@example.org"), strict=True):
        rating.rate_phase(joined.assignment)
        client.post(url(joined, "remind/"), {"email": address})
    clock.move(hours=72)
    sent = []

    def send(message) -> None:
        if message.to == ["ada@example.org"]:
            raise error
        sent.append(message.to)

    monkeypatch.setattr("django.core.mail.EmailMessage.send", send)
    reminders.send_due()
    reminders.send_due()

    assert sent == [["ben@example.org"]]
    assert PhaseRun.objects.filter(reminder_email="ada@example.org").exists() is is_kept
    assert "ada@example.org" not in caplog.text
    clock.move(minutes=11)
    monkeypatch.undo()
    assert reminders.send_due() == int(is_kept)


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_the_mail_server_takes_its_time(
    client: Client, clock: Clock, waiting: assignments.Participant, monkeypatch
) -> None:
    client.post(url(waiting, "remind/"), {"email": "ada@example.org"})
    clock.move(hours=72)
    in_transaction = []
    monkeypatch.setattr(
        "django.core.mail.EmailMessage.send",
        lambda message: in_transaction.append(connection.in_atomic_block),
    )

    assert reminders.send_due() == 1

    assert in_transaction == [False]


def test_what_another_worker_has_claimed_is_left_to_it(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    client.post(url(waiting, "remind/"), {"email": "ada@example.org"})
    clock.move(hours=72)
    PhaseRun.objects.exclude(reminder_email="").update(reminding_since=clock.time)

    assert reminders.send_due() == 0
    clock.move(minutes=11)
    assert reminders.send_due() == 1


@pytest.mark.parametrize("late", ["finished", "days"])
def test_who_cannot_go_on_is_not_written_to(
    client: Client, clock: Clock, waiting: assignments.Participant, late: str
) -> None:
    client.post(url(waiting, "remind/"), {"email": "ada@example.org"})
    clock.move(hours=72)
    if late == "days":
        clock.move(days=3)
    else:
        studies.finish(study=waiting.annotator.study)

    assert reminders.send_due() == 0

    assert mail.outbox == []
    assert not PhaseRun.objects.exclude(reminder_email="").exists()


@pytest.mark.parametrize(
    "address",
    [
        "a@" + "é" * 60 + ".org",
        '"\x0bBcc\\ :v"@x.org',
        '""@x.org',
        "a@" + ".".join(["b" * 63] * 4) + ".org",
        "ſ@x.org",
        "ada@example.org\nBcc: eve@example.org",
    ],
)
def test_strange_addresses_are_refused(
    client: Client, waiting: assignments.Participant, address: str
) -> None:
    assert client.post(url(waiting, "remind/"), {"email": address}).status_code == 400

    assert not PhaseRun.objects.exclude(reminder_email="").exists()


def test_without_a_mail_server_no_address_is_kept(
    client: Client, waiting: assignments.Participant, settings
) -> None:
    settings.EMAIL_HOST = ""

    assert client.post(url(waiting, "remind/"), {"email": "a@example.org"}).status_code == 409

    assert not PhaseRun.objects.exclude(reminder_email="").exists()


def test_the_wish_can_be_taken_back_and_withdrawing_takes_it_back(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    for take_back in (
        lambda: client.post(url(waiting, "remind/"), {"email": ""}),
        lambda: withdrawal.withdraw(annotator=waiting.annotator),
    ):
        client.post(url(waiting, "remind/"), {"email": "ada@example.org"})
        assert PhaseRun.objects.exclude(reminder_email="").count() == 1
        take_back()
        assert not PhaseRun.objects.exclude(reminder_email="", way_back="").exists()
    clock.move(hours=72)

    assert reminders.send_due() == 0
    assert mail.outbox == []


def test_who_went_on_before_the_message_left_gets_none(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    client.post(url(waiting, "remind/"), {"email": "ada@example.org"})
    clock.move(hours=72)
    rating.rate_phase(waiting.assignment)

    reminders.send_due()

    assert mail.outbox == []
    assert not PhaseRun.objects.exclude(reminder_email="").exists()


def test_a_wrong_address_is_said_and_what_was_typed_is_kept(
    client: Client, waiting: assignments.Participant
) -> None:
    response = client.post(url(waiting, "remind/"), {"email": "ada at example"})

    page = response.content.decode()
    assert response.status_code == 400
    assert "This is not a valid e-mail address. Please check it." in page
    assert 'value="ada at example"' in page


def test_without_a_mail_server_no_reminder_is_offered(
    client: Client, waiting: assignments.Participant, settings
) -> None:
    assert "Remind me" in client.get(url(waiting)).content.decode()

    settings.EMAIL_HOST = ""

    assert "Remind me" not in client.get(url(waiting)).content.decode()


def test_after_the_opening_there_is_nothing_to_be_reminded_of(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    clock.move(hours=72)

    assert client.post(url(waiting, "remind/"), {"email": "a@example.org"}).status_code == 409
    assert client.get(url(waiting, "next-part.ics")).status_code == 303


# -- opening by hand -----------------------------------------------------------------------------


def test_the_people_page_opens_a_phase_for_one_person_with_a_reason(
    client: Client, clock: Clock, waiting: assignments.Participant
) -> None:
    study = waiting.annotator.study
    client.force_login(study.owner)
    people_page = f"/admin/annotation/study/{study.pk}/people/"
    run = phases.latest(waiting.assignment)
    action = f"{people_page}phases/{run.pk}/open/"
    assert action in client.get(people_page).content.decode()

    without_reason = client.post(action, {"reason": " "})
    opened = client.post(action, {"reason": "Leaves the country."}, follow=True)

    assert without_reason.status_code == 400
    page = opened.content.decode()
    assert "Leaves the country." in page
    assert action not in page
    run.refresh_from_db()
    assert run.opens_at == clock.time
    assert run.closes_at == clock.time + timedelta(days=14)
    assert client.get(url(waiting, "s/1/")).status_code == 200


def test_nobody_opens_a_phase_of_a_study_that_is_not_theirs(
    client: Client, waiting: assignments.Participant
) -> None:
    stranger = make_user()
    client.force_login(stranger)
    study, run = waiting.annotator.study, phases.latest(waiting.assignment)
    other = rating.make_rating_study(pairs=2, open_it=False)
    other.owner = stranger
    other.save()

    for of in (study, other):
        response = client.post(
            f"/admin/annotation/study/{of.pk}/people/phases/{run.pk}/open/", {"reason": "mine"}
        )
        assert response.status_code == 404

    run.refresh_from_db()
    assert run.opened_early_by is None


def test_withdrawing_takes_the_reason_away_that_was_kept(
    clock: Clock, waiting: assignments.Participant
) -> None:
    run = phases.latest(waiting.assignment)
    phases.open_now(run=run, reason="Ada flies home on Friday.", by=make_user())

    withdrawal.withdraw(annotator=waiting.annotator)

    run.refresh_from_db()
    assert run.reason == ""


@pytest.mark.parametrize("action", ["open", "exclude"])
def test_a_reason_that_cannot_be_stored_is_refused(
    client: Client, waiting: assignments.Participant, action: str
) -> None:
    study = waiting.annotator.study
    client.force_login(study.owner)
    base = f"/admin/annotation/study/{study.pk}/people/"
    run = phases.latest(waiting.assignment)
    pages = {
        "open": f"{base}phases/{run.pk}/open/",
        "exclude": f"{base}{waiting.annotator.pk}/exclude/",
    }

    response = client.post(pages[action], {"reason": "a\x00b"})

    assert response.status_code == 400
    assert "cannot be stored (NUL)" in response.content.decode()


def test_who_has_gone_on_is_not_reminded_by_a_page_that_was_left_open(
    clock: Clock, waiting: assignments.Participant
) -> None:
    run = phases.latest(waiting.assignment)
    withdrawal.withdraw(annotator=waiting.annotator)

    reminders.remember(run=run, email="ada@example.org", way_back="https://example.org/")

    run.refresh_from_db()
    assert run.reminder_email == ""
