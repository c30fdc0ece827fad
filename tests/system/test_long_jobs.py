"""Work that takes hours on `make run`: nothing short waits for it."""

from pathlib import Path

import pytest

from tests.system.servers import Installation
from tests.system.test_killed_processes import START_SCORING, make_giccs, wait_for_job

START_TRAINING = """
from annotation.models import Job, Study
from annotation.core.services import jobs
jobs.start(study=Study.objects.get(slug="giccs"), kind=Job.Kind.TRAIN)
"""
TRAINING = "select state from annotation_job where kind = 'train'"


@pytest.mark.timeout(600)
def test_scoring_does_not_wait_for_a_training(sqlite: Installation, tmp_path: Path) -> None:
    sqlite.extra["JOB_DEAD_AFTER_SECONDS"] = "5"
    sqlite.extra["DJANGO_SETTINGS_MODULE"] = "tests.system.endless_training"
    sqlite.serve("--no-demo")
    make_giccs(sqlite, tmp_path, dialogues=20)
    sqlite.manage("simulate", "giccs", "--annotators", "5")
    sqlite.python(START_TRAINING)
    wait_for_job(sqlite, "running", kind="train")

    sqlite.python(START_SCORING)

    wait_for_job(sqlite, "done")
    assert sqlite.query(TRAINING) == [("running",)]
