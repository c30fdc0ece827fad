"""What beat does for the privacy of people: erase what is due."""

from celery import shared_task

from annotation.core.services import wiping
from annotation.people.services import retention


@shared_task
def erase_personal_data() -> None:
    retention.erase_due()
    wiping.vacuum_if_requested()
