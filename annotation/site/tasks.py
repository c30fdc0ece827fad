"""What beat does now and then; running a task twice is harmless.

The modules whose work jobs do are imported here, so that each process knows all of it.
"""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from annotation.answering.services import join_limits, reminders
from annotation.baselines.services import baselines, training
from annotation.core import access_log
from annotation.core.services import jobs, throttle, wiping, workers
from annotation.crowds.services import link_messages, next_phases, outbox, publishing, reconciling
from annotation.designs.services import designs, rounds
from annotation.items.services import lexical, sampling_jobs
from annotation.kinds.services import results
from annotation.monitoring.services import alert_channels, alert_conditions, alert_sending, live
from annotation.people.services import retention
from annotation.releases.services import downloads, releases
from annotation.results.services import comparisons, scoring
from annotation.studies.services import copies, filling

# Each of these registers the work of one kind of job.
JOB_MODULES = (
    baselines,
    comparisons,
    copies,
    designs,
    downloads,
    lexical,
    link_messages,
    releases,
    rounds,
    sampling_jobs,
    scoring,
    training,
)


@shared_task
def sweep_jobs() -> None:
    workers.seen()
    jobs.sweep()
    throttle.forget_old()
    join_limits.forget_networks()
    downloads.forget_old()
    releases.forget_unfinished()
    results.forget_abandoned()
    filling.clear_abandoned()


@shared_task
def forget_outdated() -> None:
    """Sessions that have expired, and access logs with addresses."""
    access_log.forget_old()
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


@shared_task
def mark_long_worker() -> None:
    """Comes to the queue of long jobs (config/settings.py), so that its worker can be missed."""
    workers.seen(workers.LONG)


@shared_task
def send_reminders() -> None:
    reminders.send_due()


@shared_task
def send_intents() -> None:
    try:
        publishing.close_left_open()
    finally:
        outbox.send_due()


@shared_task
def poll_listings() -> None:
    reconciling.poll_due()


@shared_task
def grant_phases() -> None:
    next_phases.grant_due()


@shared_task
def watch_studies() -> None:
    live.watch()


@shared_task
def erase_personal_data() -> None:
    retention.erase_due()
    wiping.vacuum_if_requested()


@shared_task
def look_for_alerts() -> None:
    alert_conditions.look()
    alert_channels.seal_secrets()


@shared_task
def send_alerts() -> None:
    alert_sending.send_due()
