"""Settings of a server on which a training never ends, as a large model's does not for hours."""

import time

from django.apps import AppConfig

from tests.system.quick_beat import *  # noqa: F403 - everything else is as it is there
from tests.system.quick_beat import INSTALLED_APPS as _USUAL


class EndlessTraining(AppConfig):
    name = "tests.system"

    def ready(self) -> None:
        from annotation.core.services import jobs
        from annotation.models import Job

        # The usual work, of which one kind is replaced here.
        jobs.load_work()
        jobs._work_by_kind[Job.Kind.TRAIN] = lambda run: time.sleep(3600)


INSTALLED_APPS = [*_USUAL, "tests.system.endless_training.EndlessTraining"]
