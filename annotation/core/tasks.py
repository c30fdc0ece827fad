"""What beat does for the server itself."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from annotation.core import access_log
from annotation.core.services import workers


@shared_task
def forget_outdated() -> None:
    """Sessions that have expired, and access logs with addresses."""
    access_log.forget_old()
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


@shared_task
def mark_long_worker() -> None:
    """Comes to the queue of long jobs (config/settings.py), so that its worker can be missed."""
    workers.seen(workers.LONG)
