"""What beat does for annotators: reminders of a phase that opens."""

from celery import shared_task

from annotation.answering.services import reminders


@shared_task
def send_reminders() -> None:
    reminders.send_due()
