"""The Celery application; messages carry ids of `Job` rows and nothing else."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def make_app() -> Celery:
    celery = Celery("likeness")
    celery.config_from_object("django.conf:settings", namespace="CELERY")
    celery.autodiscover_tasks(["annotation"])
    return celery


app = make_app()
