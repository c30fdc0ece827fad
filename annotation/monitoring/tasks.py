"""What beat does for the live page and for alerts."""

from celery import shared_task

from annotation.monitoring.services import alert_channels, alert_conditions, alert_sending, live


@shared_task
def watch_studies() -> None:
    live.watch()


@shared_task
def look_for_alerts() -> None:
    alert_conditions.look()
    alert_channels.encrypt_secrets()


@shared_task
def send_alerts() -> None:
    alert_sending.send_due()
