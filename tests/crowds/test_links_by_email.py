"""Personal links by e-mail: once each, none to who has started, and what happens when it fails."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.answering.services import rosters, withdrawal
from annotation.answering.services.rosters import RosterEntry
from annotation.basics import keys
from annotation.basics.errors import AnnotationError, StateError
from annotation.core.services import jobs
from annotation.crowds.queries import link_messages as queries
from annotation.crowds.services import link_letters, link_messages
from annotation.models import Annotator, Job, LinkMessage, Person, Study
from annotation.monitoring.services import alert_channels, alert_sending
from annotation.studies.services import studies
from tests.support.api import address, by_token, problems
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.mail_server import MailServer, mail_server
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

BASE = "https://judge.example.org"


@pytest.fixture(autouse=True)
def _mail_is_set_up(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.DEFAULT_FROM_EMAIL = "likeness@example.org"


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server() as state:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", state.port
        settings.EMAIL_USE_TLS = False
        yield state


def study_with(*names: str, **options: Any) -> Study:
    study = make_open_study(owner=make_user(email="owner@example.org"), **options)
    rosters.add_roster(
        study=study, entries=[RosterEntry(name, name.title(), email_of(name)) for name in names]
    )
    return study


def email_of(name: str) -> str:
    return f"{name}@example.org"


def annotator(study: Study, name: str) -> Annotator:
    return study.annotators.get(person__platform_id=name)


def queued(study: Study, group: str = "new", **options: Any) -> Job:
    return link_messages.start(
        study=study,
        annotators=list(queries.group(study, group)),
        letter=options.pop("letter", link_letters.preset(study)),
        base_url=BASE,
        by=study.owner,
    )


def sent(study: Study, group: str = "new", **options: Any) -> Job:
    job = queued(study, group, **options)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def states(study: Study) -> dict[str, str]:
    rows = LinkMessage.objects.filter(annotator__study=study).order_by("pk")
    return dict(rows.values_list("annotator__person__platform_id", "state"))


def key_in(body: str) -> str:
    found = re.search(r"https?://[\w.]+/a/([^/\s]+)/", body)
    assert found, body
    return found[1]


def holds(person: Annotator, key: str) -> bool:
    person.refresh_from_db()
    return person.key_hash == keys.key_hash(key)


def test_everybody_is_sent_a_link_of_their_own_once() -> None:
    study = study_with("ada", "alan")

    job = sent(study)

    assert job.state == Job.State.DONE
    assert [one.to for one in mail.outbox] == [["ada@example.org"], ["alan@example.org"]]
    for one, name in zip(mail.outbox, ("ada", "alan"), strict=True):
        assert holds(annotator(study, name), key_in(one.body))
        assert name.title() in one.body
        assert study.title in one.subject
    # The link works, and the job run once more sends nothing.
    assert Client().get(f"/a/{key_in(mail.outbox[0].body)}/").status_code == 200
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED)
    jobs.run(job.pk)
    assert len(mail.outbox) == 2
    with pytest.raises(StateError):
        queued(study)


def test_who_has_started_or_withdrawn_or_has_no_address_is_sent_nothing() -> None:
    study = study_with("ada", "alan", "grace", "edsger", "barbara")
    Person.objects.filter(platform_id="barbara").update(email="")
    agree(study, "ada")
    withdrawal.withdraw(annotator=annotator(study, "grace"))
    job = queued(study)
    hash_before = annotator(study, "alan").key_hash
    # After the button, and before the worker comes.
    agree(study, "alan")

    jobs.run(job.pk)

    assert [one.to for one in mail.outbox] == [["edsger@example.org"]]
    assert annotator(study, "alan").key_hash == hash_before
    assert states(study) == {"edsger": "sent"}
    page = signed_in(study.owner).get(
        url(study, "send_links") + f"?who={annotator(study, 'ada').pk}"
    )
    assert page.context["obstacle"]


def agree(study: Study, name: str) -> None:
    """Somebody agrees, which is how one starts."""
    one = annotator(study, name)
    one.consents.create(text=studies.current_consent(study), given_at=one.created_at)


def test_somebody_who_starts_while_others_are_written_to_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = study_with("ada", "alan")
    before = annotator(study, "alan").key_hash
    send = EmailBackend.send_messages

    def send_and_let_alan_start(self: EmailBackend, messages: list[Any]) -> int:
        agree(study, "alan")
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", send_and_let_alan_start)

    sent(study)

    assert [one.to for one in mail.outbox] == [["ada@example.org"]]
    assert annotator(study, "alan").key_hash == before


def test_a_refused_address_is_named_with_its_reason_and_alone_sent_again(
    server: MailServer,
) -> None:
    study = study_with("ada", "alan", "grace")
    before = annotator(study, "alan").key_hash
    server.refused = {"alan@example.org": 550}

    job = sent(study)

    assert job.state == Job.State.DONE
    assert [to for to, _message in server.accepted] == ["ada@example.org", "grace@example.org"]
    assert states(study) == {"ada": "sent", "alan": "failed", "grace": "sent"}
    # The link that alan may have been given by hand goes on working.
    assert annotator(study, "alan").key_hash == before
    client = signed_in(study.owner)
    page = client.get(url(study, "roster"))
    ((person, problem),) = page.context["mail"]["failed"]
    assert (person.email, "550" in problem) == ("alan@example.org", True)
    assert page.context["mail"]["n_new"] == 0
    assert '"alan@example.org"' not in job.error
    server.refused = {}

    again = sent(study, "failed")

    assert [to for to, _message in server.accepted][2:] == ["alan@example.org"]
    assert again.state == Job.State.DONE
    assert client.get(url(study, "roster")).context["mail"]["n_failed"] == 0


def test_a_server_that_goes_away_ends_the_job_and_the_rest_can_be_sent_again(
    server: MailServer,
) -> None:
    study = study_with("ada", "alan", "grace")
    before = {name: annotator(study, name).key_hash for name in ("alan", "grace")}
    server.leaves_after = 1

    job = sent(study)

    assert job.state == Job.State.FAILED
    assert job.problems
    assert states(study) == {"ada": "sent", "alan": "failed", "grace": "failed"}
    assert {name: annotator(study, name).key_hash for name in before} == before
    server.leaves_after = None
    sent(study, "failed")
    assert [to for to, _message in server.accepted] == [
        email_of(name) for name in ("ada", "alan", "grace")
    ]


def test_a_connection_that_breaks_leaves_a_message_of_which_nobody_knows(
    server: MailServer,
) -> None:
    study = study_with("ada", "alan", "grace")
    before = annotator(study, "alan").key_hash
    server.breaks_at = {"alan@example.org"}

    job = sent(study)

    assert job.state == Job.State.DONE
    assert states(study) == {"ada": "sent", "alan": "failed", "grace": "sent"}
    # It may have arrived, so its link works.
    assert annotator(study, "alan").key_hash != before


def test_a_server_that_wants_a_new_connection_gets_one(server: MailServer) -> None:
    server.per_connection = 2
    study = study_with("ada", "alan", "grace", "edsger", "barbara")

    job = sent(study)

    assert job.state == Job.State.DONE
    assert set(states(study).values()) == {"sent"}
    assert len(server.accepted) == 5


def test_nobody_listens(settings: Any, server: MailServer) -> None:
    settings.EMAIL_PORT = 1
    study = study_with("ada")
    before = annotator(study, "ada").key_hash

    job = sent(study)

    assert job.state == Job.State.FAILED
    assert annotator(study, "ada").key_hash == before
    assert states(study) == {"ada": "failed"}


@pytest.fixture(params=["encryption", "login", "no login", "sender", "away"])
def cause(request: pytest.FixtureRequest, settings: Any, server: MailServer) -> str:
    """A mail server that is set up wrongly; and the setting that mends it."""
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "", ""
    match request.param:
        case "encryption":
            settings.EMAIL_USE_TLS = True
            return "EMAIL_USE_TLS=0"
        case "login":
            server.offers, server.login_code = ["AUTH PLAIN"], 535
            settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "ada", "wrong"
            return "EMAIL_HOST_PASSWORD"
        case "no login":
            settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "ada", "right"
            return "EMAIL_HOST_USER"
        case "sender":
            server.sender_code = 550
            return "DEFAULT_FROM_EMAIL"
    settings.EMAIL_PORT = 1
    return "EMAIL_PORT"


ALL_SETTINGS = {
    "EMAIL_USE_TLS",
    "EMAIL_HOST_USER",
    "EMAIL_HOST_PASSWORD",
    "DEFAULT_FROM_EMAIL",
    "EMAIL_HOST",
    "EMAIL_PORT",
}
NAMED_WITH = {
    "EMAIL_USE_TLS=0": {"EMAIL_USE_TLS"},
    "EMAIL_HOST_PASSWORD": {"EMAIL_HOST_USER", "EMAIL_HOST_PASSWORD"},
    "EMAIL_HOST_USER": {"EMAIL_HOST_USER", "EMAIL_HOST_PASSWORD", "EMAIL_USE_TLS"},
    "DEFAULT_FROM_EMAIL": {"DEFAULT_FROM_EMAIL"},
    "EMAIL_PORT": {"EMAIL_HOST", "EMAIL_PORT"},
}


def settings_in(said: str) -> set[str]:
    return set(re.findall(r"[A-Z]+_[A-Z_]+", said)) & ALL_SETTINGS


def test_a_server_that_is_set_up_wrongly_is_told_with_the_settings_that_mend_it(
    cause: str,
) -> None:
    study = study_with("ada", "alan")
    before = annotator(study, "ada").key_hash

    job = sent(study)

    assert job.state == Job.State.FAILED
    (said, *_rest) = job.problems
    assert cause in said
    assert settings_in(said) == NAMED_WITH[cause]
    assert annotator(study, "ada").key_hash == before
    assert states(study) == {"ada": "failed", "alan": "failed"}
    page = signed_in(study.owner).get(url(study, "roster"))
    assert all(cause in mailed.problem for _row, mailed, _can in page.context["rows"])
    # Beside each person, and in the list above the table.
    assert text(page).count(cause) == 4


def test_alerts_name_the_same_cause(cause: str) -> None:
    study = study_with()
    channel = alert_channels.add_email(
        study=study, user=study.owner, language="en", by=study.owner
    )
    delivery = alert_channels.send_test(channel=channel, by=study.owner)

    assert alert_sending.send_due() == 0

    delivery.refresh_from_db()
    assert settings_in(delivery.problem) == NAMED_WITH[cause]


def test_without_an_address_to_write_to_no_contact_is_promised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_with("ada")
    User.objects.filter(pk=study.owner.pk).update(email="")
    study.owner.refresh_from_db()
    client, script = signed_in(study.owner), by_token(study.owner)
    preset = link_letters.preset(study)
    typed = {"to": "new", "subject": preset.subject, "text": preset.text}
    where = url(study, "send_links")
    file = tmp_path / "letter.txt"
    file.write_text("{link}\nAsk {contact}", encoding="utf-8")
    options: dict[str, Any] = {"base_url": BASE, "json": True, "text": file}

    form = client.get(where)
    assert (form.status_code, bool(form.context["problem"])) == (200, True)
    page = client.post(where, {**typed, "step": "preview"})
    assert (page.status_code, page.context["preview"]) == (400, None)
    assert page.context["typed"] == preset
    recipients = {"step": "send", "recipients": page.context["recipients"]}
    client.post(where, {**typed, **recipients})
    answer = script.post(address(study, "roster/send/"), "{}", content_type="application/json")
    assert answer.status_code == 400
    assert "{contact}" in answer.content.decode()
    with pytest.raises(CommandError, match=r"\{contact\}"):
        call_command("roster", study.slug, send="new", **options)
    assert not study.jobs.exists()
    # Only administrators can open the accounts.
    account = reverse("admin:auth_user_change", args=[study.owner.pk])
    assert account not in text(page)
    administrator = make_user(is_superuser=True)
    of_theirs = text(signed_in(administrator).get(where))
    assert reverse("admin:auth_user_change", args=[administrator.pk]) in of_theirs
    # The contact written into the text, or the address of the account, is enough.
    own = {**typed, "text": "{link} Ask ada@example.org"}
    assert client.post(where, {**own, "step": "preview"}).context["preview"]
    file.write_text("{link} Ask ada@example.org", encoding="utf-8")
    call_command("roster", study.slug, send="new", **options)
    assert len(mail.outbox) == 1


@pytest.mark.slow
def test_the_roster_says_of_each_whether_an_address_is_known(settings: Any) -> None:
    study = study_with("ada", "alan", "grace")
    Person.objects.filter(platform_id="grace").update(email="")
    settings.EMAIL_HOST = ""
    client = signed_in(study.owner)

    def said() -> list[str]:
        page = text(client.get(url(study, "roster")))
        return re.findall(r'data-mailed="(\w*)"', page)

    assert said() == ["known", "known", ""]
    assert "ada@example.org" not in text(client.get(url(study, "roster")))
    settings.EMAIL_HOST = "mail.example.org"
    assert said() == ["known", "known", ""]
    sent(study)
    assert said() == ["sent", "sent", ""]


def test_a_worker_that_dies_sends_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_with("ada", "alan", "grace")
    send = EmailBackend.send_messages
    calls = []

    class KilledError(BaseException):
        pass

    def die_after_the_second(self: EmailBackend, messages: list[Any]) -> int:
        n = send(self, messages)
        calls.append(messages)
        if len(calls) == 2:
            raise KilledError
        return n

    monkeypatch.setattr(EmailBackend, "send_messages", die_after_the_second)
    job = queued(study)
    with pytest.raises(KilledError):
        jobs.run(job.pk)
    assert states(study)["alan"] == "sending"
    # The sweep finds that nobody beats any more.
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, run_token=None)

    jobs.run(job.pk)

    assert [one.to[0] for one in mail.outbox] == [
        email_of(name) for name in ("ada", "alan", "grace")
    ]
    assert states(study) == {"ada": "sent", "alan": "failed", "grace": "sent"}
    assert [one.person.platform_id for one in queries.group(study, "failed")] == ["alan"]


def test_of_a_job_that_was_cancelled_the_rest_counts_as_not_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = study_with("ada", "alan", "grace")
    job = queued(study)
    send = EmailBackend.send_messages

    def cancel_then_send(self: EmailBackend, messages: list[Any]) -> int:
        jobs.cancel(job=Job.objects.get(pk=job.pk), by=study.owner)
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", cancel_then_send)

    jobs.run(job.pk)

    assert len(mail.outbox) == 1
    assert [one.person.platform_id for one in queries.group(study, "new")] == ["alan", "grace"]
    assert not queries.group(study, "failed").exists()


def test_a_study_that_ends_meanwhile_sends_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_with("ada", "alan")
    send = EmailBackend.send_messages

    def close_then_send(self: EmailBackend, messages: list[Any]) -> int:
        Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", close_then_send)

    job = sent(study)

    assert (job.state, len(mail.outbox)) == (Job.State.FAILED, 1)
    study.refresh_from_db()
    with pytest.raises(StateError):
        queued(study)


@pytest.mark.parametrize(
    "name",
    [
        "Ada\r\nBcc: all@example.org",
        "Ada\nSubject: x",
        "Ada\u2028Bcc: all@example.org",
        "{link}",
        "{study.owner.password}",
        "Łukasz 🙂",
    ],
)
def test_a_name_adds_no_header_and_is_no_placeholder(server: MailServer, name: str) -> None:
    study = study_with("ada")
    Person.objects.filter(platform_id="ada").update(name=name)
    letter = link_letters.read("For {name}: {study}", "{name}\n{link}")

    sent(study, letter=letter)

    ((to, message),) = server.accepted
    assert to == "ada@example.org"
    assert message["Bcc"] is None
    assert len(message.get_all("Subject", [])) == 1
    shown = " ".join(name.split())
    assert shown in message["Subject"]
    first, second, *_rest = message.get_content().splitlines()
    assert first == shown
    assert key_in(second)


def test_a_title_with_a_line_break_stays_in_its_header(server: MailServer) -> None:
    study = study_with("ada")
    Study.objects.filter(pk=study.pk).update(title="Words\r\nBcc: all@example.org")

    sent(study)

    ((_to, message),) = server.accepted
    assert message["Bcc"] is None


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("", "{link}"),
        ("Hello", ""),
        ("Hello", "no link"),
        ("{link}", "{link}"),
        ("Hello", "{link} {password}"),
        ("Hello", "{link} " + "x" * link_letters.MAX_TEXT_CHARS),
        ("x" * (link_letters.MAX_SUBJECT_CHARS + 1), "{link}"),
        ("Hello", "{link} \x00"),
    ],
)
def test_a_text_that_cannot_be_sent_is_refused_and_stays_in_the_form(
    subject: str, body: str
) -> None:
    study = study_with("ada")
    client = signed_in(study.owner)

    page = client.post(
        url(study, "send_links"),
        {"to": "new", "subject": subject, "text": body, "step": "preview"},
    )

    assert page.status_code == 400
    assert page.context["problem"]
    assert (page.context["typed"].subject, page.context["typed"].text) == (subject, body)
    assert not study.jobs.exists()
    with pytest.raises(AnnotationError):
        link_letters.read(subject, body)


@pytest.mark.parametrize(
    ("language", "differs"), [("en", False), ("de", True), ("cs", True), ("xx", False)]
)
def test_the_preset_speaks_the_language_of_the_study(language: str, differs: bool) -> None:
    english = link_letters.preset(make_study(language="en"))

    preset = link_letters.preset(make_study(language=language))

    assert link_letters.read(preset.subject, preset.text) == preset
    assert (preset.text != english.text) == differs
    for name in link_letters.PLACEHOLDERS:
        assert f"{{{name}}}" in preset.text


def test_preview_then_confirmation_then_the_job() -> None:
    study = study_with("ada", "alan")
    client = signed_in(study.owner)
    address = url(study, "send_links")
    form = client.get(address + "?to=new")
    assert form.context["n"] == 2
    typed = {
        "to": "new",
        "subject": form.context["typed"].subject,
        "text": form.context["typed"].text + "\r\n\r\nTill soon",
    }

    preview = client.post(address, {**typed, "step": "preview"})

    shown = preview.context["preview"]
    assert shown["to"] == "ada@example.org"
    assert "Ada" in shown["text"]
    assert not re.search(r"/a/\w{12}-", text(preview))
    assert (mail.outbox, list(study.jobs.all())) == ([], [])
    back = client.post(address, {**typed, "step": "edit"})
    assert back.context["typed"].text.endswith("Till soon")
    confirmed = {**typed, "step": "send", "recipients": preview.context["recipients"]}
    response = client.post(address, confirmed)
    job = study.jobs.get()
    assert response.headers["Location"] == url(study, "job", job.pk)
    # A double click is refused or is the same job.
    client.post(address, confirmed)
    assert study.jobs.count() == 1
    jobs.run(job.pk)
    assert len(mail.outbox) == 2
    assert mail.outbox[0].body.endswith("Till soon")
    assert client.get(url(study, "job", job.pk)).context["job"]["outcome"] == job_said(job)
    page = client.get(url(study, "roster"))
    assert [bool(mailed.sent_at) for _row, mailed, _can in page.context["rows"]] == [True, True]
    assert text(page).count('data-mailed="sent"') == 2
    assert "link" in text(client.get(url(study, "history")))


def job_said(job: Job) -> str:
    job.refresh_from_db()
    assert "2" in job.said
    return job.said


def test_who_changed_since_the_preview_is_looked_at_again() -> None:
    study = study_with("ada", "alan")
    client = signed_in(study.owner)
    preset = link_letters.preset(study)
    typed = {"to": "new", "subject": preset.subject, "text": preset.text}
    preview = client.post(url(study, "send_links"), {**typed, "step": "preview"})
    agree(study, "ada")

    page = client.post(
        url(study, "send_links"),
        {**typed, "step": "send", "recipients": preview.context["recipients"]},
    )

    assert page.context["has_changed"]
    assert page.context["n"] == 1
    assert not study.jobs.exists()


def test_one_person_can_be_sent_another_link_which_replaces_the_first() -> None:
    study = study_with("ada", "alan")
    sent(study)
    client = signed_in(study.owner)
    ada = annotator(study, "ada")
    preset = link_letters.preset(study)
    typed = {"who": str(ada.pk), "subject": preset.subject, "text": preset.text}
    preview = client.post(url(study, "send_links"), {**typed, "step": "preview"})

    client.post(
        url(study, "send_links"),
        {**typed, "step": "send", "recipients": preview.context["recipients"]},
    )
    jobs.run(study.jobs.latest("pk").pk)

    assert [one.to[0] for one in mail.outbox][2:] == ["ada@example.org"]
    assert holds(ada, key_in(mail.outbox[2].body))
    assert not holds(ada, key_in(mail.outbox[0].body))


@pytest.mark.parametrize("who", ["x", "-1", "9" * 30, "999999"])
def test_a_person_who_is_not_there_is_not_found(who: str) -> None:
    study = study_with("ada")

    page = signed_in(study.owner).get(url(study, "send_links"), {"who": who})

    assert page.status_code == 404


def test_without_a_mail_server_the_page_names_the_setting(settings: Any) -> None:
    study = study_with("ada")
    settings.EMAIL_HOST = ""
    client = signed_in(study.owner)

    page = client.get(url(study, "roster"))

    for named in ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS", ".env", "Likeness on a server"):
        assert named in str(page.context["mail"]["refusal"])
    assert "no-mail" in text(page)
    assert reverse("admin:annotation_study_send_links", args=[study.pk]) not in text(page)
    assert "EMAIL_HOST" in str(client.get(url(study, "send_links")).context["obstacle"])
    with pytest.raises(StateError):
        queued(study)


@pytest.mark.slow
def test_the_roster_takes_as_many_queries_for_many() -> None:
    counts = []
    for n in (2, 40):
        study = study_with(*(f"p{number}" for number in range(n)))
        sent(study)
        client = signed_in(study.owner)
        client.get(url(study, "roster"))
        with CaptureQueriesContext(connection) as captured:
            client.get(url(study, "roster"))
        counts.append(len(captured))

    assert counts[0] == counts[1]


def test_neither_job_nor_message_holds_a_key_or_an_address() -> None:
    study = study_with("ada")

    job = sent(study)

    key = key_in(mail.outbox[0].body)
    stored = json.dumps(
        [
            *Job.objects.filter(pk=job.pk).values("parameters", "message", "error", "figures"),
            *LinkMessage.objects.values("error", "state"),
        ]
    )
    assert key not in stored
    assert key[:12] not in stored
    assert "ada@example.org" not in stored


def test_by_the_api() -> None:
    study = study_with("ada", "alan")
    client = by_token(study.owner)

    def post(**body: Any) -> Any:
        return client.post(
            address(study, "roster/send/"), json.dumps(body), content_type="application/json"
        )

    assert problems(post(pseudonyms=["PNOBODY"])) == {"pseudonyms"}
    assert post(text="no link").status_code == 400
    assert post(to="all").status_code == 400
    assert not study.jobs.exists()
    answer = post(pseudonyms=[annotator(study, "alan").pseudonym], text="Here: {link}")
    assert answer.status_code == 202
    # One at a time.
    assert post().status_code in {400, 409}
    jobs.run(answer.json()["id"])
    assert [(one.to[0], one.body[:5]) for one in mail.outbox] == [("alan@example.org", "Here:")]
    rows = {one["id"]: one for one in client.get(address(study, "roster/")).json()["results"]}
    assert rows["alan"]["link_sent_at"]
    assert rows["ada"]["link_sent_at"] is None
    assert "http://testserver/a/" in mail.outbox[0].body


def test_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: MailServer
) -> None:
    study = study_with("ada", "alan")
    server.refused = {"alan@example.org": 554}
    file = tmp_path / "letter.txt"
    file.write_text("Dear {name}: {link}", encoding="utf-8")
    options: dict[str, Any] = {"base_url": BASE, "json": True}

    call_command("roster", study.slug, send="new", text=file, subject="Come", **options)

    facts = json.loads(capsys.readouterr().out)
    assert facts["sent"] == 1
    assert [one["email"] for one in facts["failed"]] == ["alan@example.org"]
    assert server.accepted[0][1]["Subject"] == "Come"
    assert holds(annotator(study, "ada"), key_in(server.accepted[0][1].get_content()))
    server.refused = {}
    call_command("roster", study.slug, send="failed", **options)
    assert json.loads(capsys.readouterr().out)["sent"] == 1
    for wrong in ({}, {"send": "new", "file": file}, {"send": "new", "base_url": ""}):
        with pytest.raises(CommandError):
            call_command("roster", study.slug, **{**options, **wrong})
    with pytest.raises(CommandError):
        call_command("roster", study.slug, send="new", **options)


def test_an_error_that_nobody_foresaw_fails_that_message_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = study_with("ada", "alan")
    send = EmailBackend.send_messages

    def fail_for_ada(self: EmailBackend, messages: list[Any]) -> int:
        if messages[0].to == ["ada@example.org"]:
            raise UnicodeError("ada@example.org")
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", fail_for_ada)

    sent(study)

    assert states(study) == {"ada": "failed", "alan": "sent"}
    assert not LinkMessage.objects.filter(error__contains="ada@").exists()
