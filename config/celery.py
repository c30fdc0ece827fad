"""The Celery application; messages carry ids of `Job` rows and nothing else."""

import os
from typing import Any

from celery import Celery
from celery.loaders.app import AppLoader
from celery.signals import beat_init, celeryd_init
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Loader(AppLoader):
    """Names a wrong setting in one sentence, where Celery has a traceback of a hundred lines."""

    def config_from_object(self, *args: Any, **options: Any) -> Any:
        try:
            return super().config_from_object(*args, **options)
        except ImproperlyConfigured as error:
            from config import checks  # noqa: PLC0415 - see below

            checks.refuse_setting(error)


def make_app() -> Celery:
    celery = Celery("likeness", loader="config.celery:Loader")
    celery.config_from_object("django.conf:settings", namespace="CELERY")
    celery.autodiscover_tasks(["annotation.site"])
    return celery


app = make_app()


@celeryd_init.connect
@beat_init.connect
def require_server(**_: Any) -> None:
    """Let no worker or beat start where something is missing; `manage.py serve` needs less."""
    # Celery is imported together with the settings, before Django can be used.
    from config import checks  # noqa: PLC0415

    checks.require_server()
