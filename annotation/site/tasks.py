"""What beat does now and then; running a task twice is harmless.

The tasks of the rooms, and the modules whose work jobs do, are imported here, so that each process
knows all of them.
"""

from celery import shared_task

from annotation.answering import tasks as answering
from annotation.answering.services import join_limits
from annotation.baselines.services import baselines, training
from annotation.core import tasks as core
from annotation.core.services import jobs, throttle, workers
from annotation.crowds import tasks as crowds
from annotation.crowds.services import link_messages
from annotation.designs.services import designs, rounds
from annotation.items.services import lexical, sampling_jobs
from annotation.kinds.services import results
from annotation.monitoring import tasks as monitoring
from annotation.people import tasks as people
from annotation.releases.services import downloads, releases
from annotation.results.services import comparisons, scoring
from annotation.studies.services import copies, filling

TASK_MODULES = (answering, core, crowds, monitoring, people)
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
