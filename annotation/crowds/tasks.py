"""What beat does for platforms: send what is planned, ask what became of it, let people on."""

from celery import shared_task

from annotation.crowds.services import (
    approvals,
    bulk_approvals,
    credits,
    next_phases,
    outbox,
    publishing,
    reconciling,
)


@shared_task
def send_intents() -> None:
    try:
        publishing.close_left_open()
    finally:
        try:
            bulk_approvals.send_together()
        finally:
            outbox.send_due()


@shared_task
def poll_listings() -> None:
    try:
        reconciling.poll_due()
    finally:
        try:
            approvals.approve_due()
        finally:
            credits.plan_due()


@shared_task
def grant_phases() -> None:
    next_phases.grant_due()
