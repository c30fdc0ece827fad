"""Alerts of a study, where they go, and the audit log."""

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import stored
from annotation.core.services import account_log
from annotation.designs.services import designs
from annotation.models import Alert, AlertDelivery, Study
from annotation.monitoring.services import alert_channels
from annotation.studies.services import studies
from tests.pictures.research import Desk
from tests.pictures.scenes import Scene, send

TITLE = "Replies at night"
HOOK = "https://alerts.example.org/receive/likeness/alerts-of-a-study-with-a-long-address"


def _alerted(desk: Desk) -> Study:
    """Open, with alerts that stand or are over, and messages in each state; made once."""
    there = Study.objects.filter(owner=desk.user, title=TITLE).first()
    if there:
        return there
    study = desk.add_items(desk.create(TITLE))
    designs.make(design=study.design)
    study = studies.open_study(study=study)
    now = timezone.now()
    stalled = Alert.objects.create(
        study=study, kind="stalled", figures={"hours": 24}, raised_at=now - timedelta(hours=3)
    )
    fallen = {"before": 0.614, "low": 0.543, "now": 0.487, "design": study.design.pk}
    fell = Alert.objects.create(
        study=study, kind="agreement", figures=fallen, raised_at=now - timedelta(hours=2)
    )
    money = {"percent": 80, "committed": "81.20", "cap": "100.00", "currency": "EUR"}
    Alert.objects.create(
        study=study,
        kind="spending",
        subject="EUR 80",
        figures=money,
        raised_at=now - timedelta(days=2),
        cleared_at=now - timedelta(days=1),
    )
    channel = alert_channels.add_webhook(study=study, url=HOOK, language="de", by=desk.user)
    late = stored(_("The recipient did not answer within ten seconds."))
    for minutes, (alert, columns) in enumerate(
        (
            (stalled, {"state": "waiting", "attempts": 2, "error": late}),
            (None, {"state": "sent", "sent_at": now, "attempts": 1}),
            (fell, {"state": "given_up", "attempts": 9, "error": late}),
        )
    ):
        made_at = now - timedelta(minutes=minutes)
        AlertDelivery.objects.create(
            channel=channel, alert=alert, created_at=made_at, next_try_at=now, **columns
        )
    return study


def _page(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(_alerted(desk), "alerts"))


def _empty(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.filled, "alerts"))


def _desk(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(_alerted(desk), "change"))


def _wrong(page: Page, desk: Desk) -> None:
    _page(page, desk)
    page.locator("#id_webhook-url").fill("http://127.0.0.1/")
    send(page, "form:has(#id_webhook-url)")
    page.locator(".errorlist").first.wait_for()


def _secret(page: Page, desk: Desk) -> None:
    _page(page, desk)
    page.locator("button[value=secret]").click()
    page.locator("#secret").wait_for()


def _log(page: Page, desk: Desk) -> None:
    account_log.signed_in(desk.user)
    desk.go(page, reverse("admin:log"))


def _log_of_mine(page: Page, desk: Desk) -> None:
    account_log.signed_in(desk.colleague)
    desk.go(page, reverse("admin:log"), user=desk.colleague)


def _history(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(_alerted(desk), "history"))


def _history_of_nothing(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(_alerted(desk), "history") + "?words=nothing+like+this")


ALERTS = ("annotation_study_alerts",)
SCENES: tuple[Scene[Desk], ...] = (
    Scene("alerts-none", "collect", ALERTS, _empty),
    Scene("alerts", "collect", ALERTS, _page),
    Scene("alerts-desk", "collect", ("annotation_study_change",), _desk),
    Scene("alerts-wrong", "collect", ("annotation_study_alert_webhook",), _wrong, 400),
    Scene("log", "studies", ("log",), _log),
    Scene("log-of-mine", "studies", ("log",), _log_of_mine),
    Scene("history-of-alerts", "results", ("annotation_study_history",), _history),
    Scene("history-of-nothing", "results", ("annotation_study_history",), _history_of_nothing),
    Scene("alerts-secret", "collect", ("annotation_study_alert_channel",), _secret),
)
