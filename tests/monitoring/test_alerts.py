"""Alerts: raised once, cleared, sent at least once, and given up where all can see."""

import hashlib
import hmac
import json
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.basics import webhook_client
from annotation.basics.errors import AnnotationError, StateError
from annotation.core.services import jobs, workers
from annotation.models import (
    Alert,
    AlertChannel,
    AlertDelivery,
    AlertKind,
    AlertRule,
    Budget,
    Intent,
    Job,
    Listing,
    Result,
    Study,
)
from annotation.monitoring.queries import alerts as queries
from annotation.monitoring.services import (
    alert_channels,
    alert_conditions,
    alert_sending,
    worker_watch,
)
from annotation.studies.services import researchers, studies
from scoring.jackknife import MIN_PEOPLE
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.rated_studies import FREE, make_rated
from tests.support.researcher_pages import (
    finish_booklet,
    said,
    signed_in,
    simulate,
    text,
    url,
)

pytestmark = pytest.mark.django_db

HOOK = "https://alerts.example.org/hook/of-mine"


@pytest.fixture
def study(clock: Clock) -> Study:
    return make_open_study(parameters={"annotations_per_tuple": 1})


@pytest.fixture
def posted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, bytes, dict[str, str]]]:
    """What webhooks were sent; each is answered with 200."""
    found: list[tuple[Any, bytes, dict[str, str]]] = []

    def post(target: Any, *, body: bytes, headers: dict[str, str]) -> int:
        found.append((target, body, headers))
        return 200

    monkeypatch.setattr(webhook_client, "post", post)
    return found


def add_webhook(study: Study, url: str = HOOK) -> AlertChannel:
    return alert_channels.add_webhook(study=study, url=url, language="en", by=study.owner)


def stands() -> list[str]:
    return sorted(f"{a.kind} {a.subject}".strip() for a in Alert.objects.standing())


def test_a_study_stalls_and_goes_on(clock: Clock, posted: list) -> None:
    """Not at once, once, and again only when it was over in between."""
    study = make_open_study()
    add_webhook(study)
    look = alert_conditions.look
    assert look() == 0
    clock.move(hours=23)
    assert look() == 0
    simulate(study)
    clock.move(hours=2)

    # What is simulated is no answer, and raises nothing.
    assert look() == 1
    assert look() == 0
    assert stands() == ["stalled"]
    clock.move(hours=1)
    finish_booklet(study)
    assert (look(), stands()) == (0, [])
    clock.move(hours=30)
    assert look() == 1
    # Whoever pauses knows that nobody comes; the hours are counted anew afterwards.
    studies.pause(study=study)
    assert (look(), stands()) == (0, [])
    studies.open_study(study=study)
    assert (look(), stands()) == (0, [])
    clock.move(hours=25)
    assert look() == 1
    alert_channels.set_rules(
        study=study, stalled_hours=24, muted=[AlertKind.STALLED], by=study.owner
    )
    assert (look(), stands()) == (0, [])

    assert alert_sending.send_due() == 3
    assert [json.loads(body)["kind"] for _t, body, _h in posted] == ["stalled"] * 3


def test_a_study_is_finished_when_all_real_places_are(study: Study, clock: Clock) -> None:
    n_places = study.design.booklets.count()
    for n in range(n_places):
        if n == 0:
            simulate(study)
        assert (alert_conditions.look(), stands()) == (0, [])
        finish_booklet(study)

    assert alert_conditions.look() == 1
    assert stands() == ["finished"]
    clock.move(hours=100)
    assert alert_conditions.look() == 0
    studies.close(study=study)
    assert (alert_conditions.look(), stands()) == (0, ["finished"])
    studies.finish(study=Study.objects.get(pk=study.pk))
    assert (alert_conditions.look(), stands()) == (0, [])


def test_spending_near_the_cap_by_currency(study: Study) -> None:
    for currency, cap in (("EUR", 100), ("GBP", 100), ("USD", 0)):
        Budget.objects.create(study=study, currency=currency, cap=Decimal(cap))

    def spend(currency: str, commits: int) -> None:
        Intent.objects.all().delete()
        listing, _made = Listing.objects.get_or_create(
            study=study, number=1, defaults={"platform": "mturk", "environment": "sandbox"}
        )
        Intent.objects.create(
            listing=listing,
            kind=Intent.Kind.PUBLISH,
            currency=currency,
            commits=commits,
            planned_at=study.opened_at,
        )

    seen = []
    for commits in (79, 80, 81, 76, 74, 96, 91, 89, 74):
        spend("EUR", commits)
        seen.append((alert_conditions.look(), stands()))

    assert seen == [
        (0, []),
        (1, ["spending EUR 80"]),
        (0, ["spending EUR 80"]),
        (0, ["spending EUR 80"]),
        (0, []),
        (1, ["spending EUR 95"]),
        (0, ["spending EUR 95"]),
        (1, ["spending EUR 80"]),
        (0, []),
    ]
    spend("USD", 1)
    assert alert_conditions.look() == 0


def result(study: Study, n: int, alpha: float, low: float, population: str = "people") -> Result:
    figures = {"alpha": alpha, "interval": {"low": low, "is_over_people": True}}
    return Result.objects.create(
        study=study,
        design=study.design,
        job=Job.objects.create(study=study, kind="score", state="done"),
        kind="best_worst",
        population=population,
        computed_at=study.opened_at,
        n_judgments=n,
        statistics={"overall": {"alpha": {"joint": {"slot": figures}}}},
    )


def test_agreement_falls_below_what_its_interval_allows(study: Study) -> None:
    steps = [
        (result, (100, 0.60, 0.50), []),
        (result, (150, 0.52, 0.45), []),
        # Below the interval of the simulated one: that is another matter.
        (result, (150, 0.90, 0.85, "simulated"), []),
        # Compared with the first: the second had too many of its answers.
        (result, (160, 0.49, 0.44), ["agreement"]),
        # Still down there, though no lower than the last one.
        (result, (300, 0.48, 0.45), ["agreement"]),
        (result, (310, 0.55, 0.50), []),
    ]
    for make, arguments, expected in steps:
        make(study, *arguments)  # type: ignore[operator]
        alert_conditions.look()
        assert (arguments, stands()) == (arguments, expected)
        # Nothing changes as long as nothing is scored.
        assert (alert_conditions.look(), stands()) == (0, expected)

    message = queries.said(Alert.objects.get())
    assert {name: message.values[name] for name in ("now", "before")} == {
        "now": 0.49,
        "before": 0.6,
    }


def test_without_a_worker_the_web_server_says_so(
    study: Study, clock: Clock, posted: list, capsys: pytest.CaptureFixture[str]
) -> None:
    add_webhook(study)
    workers.seen()
    workers.seen(workers.LONG)
    clock.move(minutes=4)
    worker_watch.look()
    call_command("check_worker")
    assert stands() == []
    assert "A worker is running" in capsys.readouterr().out
    clock.move(minutes=2)

    worker_watch.look()
    worker_watch.look()

    assert stands() == ["no_worker"]
    assert [json.loads(body)["kind"] for _t, body, _h in posted] == ["no_worker"]
    with pytest.raises(SystemExit) as ended:
        call_command("check_worker", "--json")
    assert ended.value.code == 1
    assert json.loads(capsys.readouterr().out)["running"] is False
    # The worker's own look ends it.
    workers.seen()
    alert_conditions.look()
    assert stands() == []


def test_a_message_is_signed_and_tried_again_with_the_same_id(
    study: Study, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = add_webhook(study)
    alert_conditions.look()
    clock.move(hours=25)
    alert_conditions.look()
    got: list[tuple[bytes, dict[str, str]]] = []
    answers: list[Any] = [KeyboardInterrupt(), webhook_client.NotDeliveredError("busy"), 302, 200]

    def post(target: Any, *, body: bytes, headers: dict[str, str]) -> int:
        got.append((body, headers))
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return int(answer)

    monkeypatch.setattr(webhook_client, "post", post)
    # Killed after it was sent and before that was stored.
    with pytest.raises(KeyboardInterrupt):
        alert_sending.send_due()
    assert alert_sending.send_due() == 0
    clock.move(minutes=6)
    assert alert_sending.send_due() == 0
    delivery = AlertDelivery.objects.get()
    assert (delivery.attempts, delivery.problem) == (2, "busy")
    clock.move(minutes=4)
    assert alert_sending.send_due() == 0
    clock.move(minutes=2)
    assert alert_sending.send_due() == 0
    assert "redirect (302)" in AlertDelivery.objects.get().problem
    clock.move(minutes=16)
    assert alert_sending.send_due() == 1

    assert [json.loads(body)["id"] for body, _headers in got] == [str(delivery.pk)] * 4
    body, headers = got[-1]
    stamp, signed = headers["Likeness-Signature"].split(",")
    key = alert_channels.secret_of(channel).encode()
    wanted = hmac.new(key, stamp.removeprefix("t=").encode() + b"." + body, hashlib.sha256)
    assert signed == f"v1={wanted.hexdigest()}"
    assert int(stamp.removeprefix("t=")) == int(clock.time.timestamp())
    assert json.loads(body)["study"]["slug"] == study.slug
    assert alert_sending.send_due() == 0


def test_after_a_day_it_is_given_up_and_others_go_on(
    study: Study, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = add_webhook(study), add_webhook(study, "https://good.example.org/")

    def post(target: Any, **_message: Any) -> int:
        return 200 if target.host == "good.example.org" else 500

    monkeypatch.setattr(webhook_client, "post", post)
    for channel in (bad, bad, good):
        alert_channels.send_test(channel=channel, by=study.owner)
    n_tries = 0
    for _hour in range(26):
        n_tries += alert_sending.send_due()
        clock.move(hours=1)

    states = dict(AlertDelivery.objects.values_list("channel__url", "state"))
    assert states == {HOOK: "given_up", "https://good.example.org/": "sent"}
    assert n_tries == 1
    assert all(6 <= d.attempts <= 12 for d in AlertDelivery.objects.filter(channel=bad))
    page = text(signed_in(study.owner).get(url(study, "alerts")))
    assert "The recipient answered with the code 500." in page


def test_mails_go_to_researchers_of_the_study_alone(
    study: Study, clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    owner = study.owner
    add = alert_channels.add_email
    with pytest.raises(AnnotationError, match="no e-mail address"):
        add(study=study, user=owner, language="de", by=owner)
    User.objects.filter(pk=owner.pk).update(email="ada@example.org\nBcc: x@example.org")
    owner.refresh_from_db()
    with pytest.raises(AnnotationError, match="no e-mail address"):
        add(study=study, user=owner, language="de", by=owner)
    owner.email = "ada@example.org"
    owner.save()
    stranger = make_user(email="eve@example.org")
    with pytest.raises(AnnotationError, match="Alerts go only to the owner and editors of this"):
        add(study=study, user=stranger, language="en", by=owner)
    study.shared_with.add(stranger)
    add(study=study, user=stranger, language="en", by=owner)
    study.shared_with.remove(stranger)
    mine = add(study=study, user=owner, language="en", by=owner)
    Study.objects.filter(pk=study.pk).update(title="Two\nlines")
    for channel in AlertChannel.objects.all():
        alert_channels.send_test(channel=channel, by=owner)

    monkeypatch.setattr(EmailBackend, "send_messages", _unreachable)
    assert alert_sending.send_due() == 0
    monkeypatch.undo()
    clock.move(minutes=2)
    assert alert_sending.send_due() == 1

    (message,) = mail.outbox
    assert (message.to, message.subject) == (["ada@example.org"], "Likeness: Two lines")
    lost = AlertDelivery.objects.exclude(channel=mine).get()
    assert lost.state == "given_up"
    assert "does not share this study" in lost.problem
    settings.EMAIL_HOST = ""
    mine.delete()
    with pytest.raises(StateError, match="EMAIL_HOST"):
        add(study=study, user=owner, language="en", by=owner)


def test_a_webhook_ends_with_the_sharing(study: Study, clock: Clock, posted: list) -> None:
    colleague = make_user()
    study.shared_with.add(colleague)
    theirs = alert_channels.add_webhook(study=study, url=HOOK, language="en", by=colleague)
    mine = add_webhook(study, f"{HOOK}/2")
    for channel in (theirs, mine):
        alert_channels.send_test(channel=channel, by=study.owner)
    researchers.unshare(study=study, user=colleague)

    assert alert_sending.send_due() == 1

    assert [target.path for target, _body, _headers in posted] == ["/hook/of-mine/2"]
    lost = AlertDelivery.objects.get(channel=theirs)
    assert (lost.state, "does not share this study" in lost.problem) == ("given_up", True)


def _unreachable(*_arguments: Any) -> int:
    raise ConnectionRefusedError


@pytest.mark.slow
def test_the_page(study: Study, clock: Clock, posted: list) -> None:
    client = signed_in(study.owner)
    page = url(study, "alerts")

    refused = client.post(
        url(study, "alert_webhook"),
        {"webhook-url": "https://127.0.0.1/", "webhook-language": "de"},
    )
    assert refused.status_code == 400
    assert "not on the public internet" in text(refused)
    made = client.post(
        url(study, "alert_webhook"), {"webhook-url": HOOK, "webhook-language": "de"}
    )
    channel = AlertChannel.objects.get()
    before = alert_channels.secret_of(channel)
    assert before in text(made)
    assert "no-store" in made["Cache-Control"]
    assert before not in text(client.get(page))

    def press(button: str) -> Any:
        return client.post(url(study, "alert_channel", channel.pk), {"do": button}, follow=True)

    renewed = press("secret")
    channel.refresh_from_db()
    assert alert_channels.secret_of(channel) != before
    assert alert_channels.secret_of(channel) in text(renewed)
    for _n in range(5):
        press("test")
    assert "Too many attempts" in said(press("test"))[0]
    assert alert_sending.send_due() == 5
    assert json.loads(posted[0][1])["kind"] == "test"
    press("off")
    assert "Switch it on first" in said(press("test"))[0]
    assert "no longer works" in said(press("?"))[0]
    wrong = client.post(page, {"rules-stalled_hours": "0"})
    assert wrong.status_code == 400
    client.post(page, {"rules-stalled_hours": "2", "rules-kinds": ["stalled", "finished"]})
    rule = AlertRule.objects.get()
    assert (rule.stalled_hours, rule.muted) == (2, ["no_worker", "spending", "agreement"])
    alert_conditions.look()
    clock.move(hours=3)
    alert_conditions.look()
    sentence = "no answers for 2 hours"
    for address in (page, url(study, "change"), reverse("admin:index")):
        assert sentence in text(client.get(address)), address
    assert AlertDelivery.objects.filter(alert__isnull=False).count() == 0
    press("remove")
    assert not AlertChannel.objects.exists()
    assert not AlertDelivery.objects.exists()
    history = text(client.get(url(study, "history")))
    assert "Alerts no longer go to alerts.example.org." in history
    assert "of-mine" not in history


def test_looking_at_many_studies_costs_no_more_queries(study: Study, clock: Clock) -> None:
    def n_queries() -> int:
        alert_conditions.look()
        with CaptureQueriesContext(connection) as queries:
            alert_conditions.look()
        return len(queries)

    one = n_queries()
    for _n in range(3):
        make_open_study()
    make_study()

    assert n_queries() == one


@pytest.mark.slow
def test_agreement_of_ratings_falls_by_phase(clock: Clock) -> None:
    keys = [f"i{n}" for n in range(20)]
    rated = make_rated(keys, conditions=(FREE,))

    def answer_and_score(step: int) -> None:
        # Of fewer people an interval would say nothing of others.
        for person in range(MIN_PEOPLE // 2):
            rated.answer({key: n * step % 7 for n, key in enumerate(keys)})
            slips = {key: (n + (n + person) % 5 // 4) * step % 7 for n, key in enumerate(keys)}
            rated.answer(slips)
        jobs.run_here(study=rated.study, kind=Job.Kind.SCORE)
        alert_conditions.look()

    answer_and_score(1)
    assert "agreement 1" not in stands()
    # These agree with each other, and with nobody else.
    answer_and_score(3)

    assert "agreement 1" in stands()
    message = queries.said(Alert.objects.get(kind="agreement"))
    assert message.values["phase"] == "1"
