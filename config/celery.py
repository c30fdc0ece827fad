"""The Celery application; messages carry ids of `Job` rows and nothing else."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("likeness")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotation"])
