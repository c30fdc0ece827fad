"""`kill -9` in the middle of the work: nothing acknowledged is lost, nothing is done twice."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from annotation.simulation.browser import Browser
from tests.system.dialogues import write_giccs
from tests.system.servers import PATIENCE, Installation, kill_9

# How often the web server is killed while people answer; more for a closer look.
KILLS = int(os.environ.get("SERVER_KILLS", "2"))
PEOPLE = 20 * max(1, KILLS // 12)

ANSWER_IN_THE_BACKGROUND = """
import json
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.models import Study
from annotation.simulation import over_http
journal = over_http.Journal()
study = Study.objects.get(slug="giccs")
over_http.answer(
    study=study,
    taste=draw_best_worst_taste(study, noise=0.3, seed=1),
    n_annotators={people},
    base="{base}",
    booklets_each=1,
    at_once=20,
    patience=120,
    journal=journal,
)
print(json.dumps([[a.question, a.answer.best, a.answer.worst] for a in journal.answers]))
"""
STORED = """
select question_id, best_id, worst_id, superseded_at is null from annotation_judgment order by id
"""
START_SCORING = """
from annotation.models import Job, Study
from annotation.core.services import jobs
jobs.start(
    study=Study.objects.get(slug="giccs"),
    kind=Job.Kind.SCORE,
    parameters={"population": "simulated", "n_splits": 4000},
)
"""
START_TRAINING = """
from annotation.models import Job, Study
from annotation.core.services import jobs
jobs.start(study=Study.objects.get(slug="giccs"), kind=Job.Kind.TRAIN)
"""
JOBS = """
select state, attempts, progress,
    (select count(*) from annotation_result where job_id = job.id)
from annotation_job job where kind = 'score'
"""


def make_giccs(installation: Installation, tmp_path: Path, *, dialogues: int) -> None:
    path = tmp_path / "dialogues.jsonl"
    write_giccs(path, dialogues=dialogues)
    create = ("--create", "--title", "GiCCS", "--preset", "giccs", "--owner", "researcher")
    installation.manage("import_items", "giccs", str(path), *create)
    installation.manage("make_design", "giccs", "--seed", "7")
    installation.manage("open_study", "giccs", "--contact", "Ada Example, ada@example.org")


@pytest.mark.timeout(600 + 20 * KILLS)
def test_every_acknowledged_answer_survives_the_web_server(
    sqlite: Installation, tmp_path: Path
) -> None:
    server = sqlite.serve("--no-demo", "--no-worker")
    # Five people are asked for each of ten tuples of a dialogue.
    make_giccs(sqlite, tmp_path, dialogues=PEOPLE * 2 // 5)
    printed: list[str] = []
    answering = ANSWER_IN_THE_BACKGROUND.format(base=sqlite.base, people=PEOPLE)
    crowd = threading.Thread(target=lambda: printed.append(sqlite.python(answering)))
    crowd.start()
    for _ in range(KILLS):
        n_before = wait_for_answers(sqlite, more_than=len(sqlite.query(STORED)) + 20)
        kill_9(server)
        server = sqlite.serve("--no-demo", "--no-worker")
        assert n_before > 0
    crowd.join(400 + 10 * KILLS)

    acknowledged = json.loads(printed[0].splitlines()[-1])
    stored = sqlite.query(STORED)
    # A booklet has ten screens with two questions each. Nobody changed their mind, so what was
    # sent again after the crash must be found, not stored once more.
    assert len(acknowledged) == PEOPLE * 20
    assert sorted(answer for *answer, _ in stored) == sorted(acknowledged)
    assert all(is_current for *_, is_current in stored)


def wait_for_answers(installation: Installation, *, more_than: int) -> int:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        n_stored = len(installation.query(STORED))
        if n_stored > more_than:
            return n_stored
        time.sleep(0.02)
    raise AssertionError(f"no more than {more_than} answers came in {PATIENCE} s")


@pytest.mark.timeout(600)
def test_a_job_finishes_once_when_its_worker_is_killed_and_waits_for_no_training(
    sqlite: Installation, tmp_path: Path
) -> None:
    """Before the worker is killed and afterwards, a training that takes hours is under way."""
    sqlite.extra |= {
        "JOB_DEAD_AFTER_SECONDS": "5",
        "DJANGO_SETTINGS_MODULE": "tests.system.endless_training",
    }
    server = sqlite.serve("--no-demo")
    make_giccs(sqlite, tmp_path, dialogues=8)
    sqlite.manage("simulate", "giccs", "--annotators", "5")
    sqlite.python(START_TRAINING)
    wait_for_job(sqlite, "running", kind="train")
    sqlite.python(START_SCORING)
    wait_for_job(sqlite, "running")

    kill_9(server)
    [[state, *_, n_results]] = sqlite.query(JOBS)
    assert (state, n_results) == ("running", 0)
    sqlite.serve("--no-demo")

    wait_for_job(sqlite, "done")
    assert sqlite.query(JOBS) == [("done", 2, 1.0, 1)]
    wait_for_job(sqlite, "running", kind="train")


@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("redis")
def test_the_same_with_redis_postgresql_and_workers_of_their_own(
    tmp_path: Path, deployment: Installation
) -> None:
    deployment.extra["JOB_DEAD_AFTER_SECONDS"] = "5"
    deployment.python(
        "from tests.support.factories import make_user; make_user('researcher', is_superuser=True)"
    )
    make_giccs(deployment, tmp_path, dialogues=8)
    deployment.manage("simulate", "giccs", "--annotators", "5")
    schedule = str(tmp_path / "beat")
    deployment.start("-m", "celery", "-A", "config", "beat", "--schedule", schedule)
    worker = start_worker(deployment)
    deployment.python(START_SCORING)
    wait_for_job(deployment, "running")

    kill_9(worker)
    start_worker(deployment)

    wait_for_job(deployment, "done")
    assert deployment.query(JOBS) == [("done", 2, 1.0, 1)]


def start_worker(installation: Installation):
    return installation.start("-m", "celery", "-A", "config", "worker", "--pool", "solo")


def wait_for_job(installation: Installation, state: str, kind: str = "score") -> None:
    sql = f"select state from annotation_job where kind = '{kind}'"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        states = [found for (found,) in installation.query(sql)]
        if states == [state]:
            return
        assert states != ["failed"], installation.log.read_text()
        time.sleep(0.05)
    raise AssertionError(f"not {state} within {PATIENCE} s: {installation.log.read_text()}")


MADE = """
select (select count(*) from annotation_study), (select count(*) from annotation_judgment),
    (select count(*) from annotation_job), (select count(*) from auth_user)
"""


@pytest.mark.timeout(300)
def test_ctrl_c_leaves_no_process_and_the_data_stay(sqlite: Installation) -> None:
    server = sqlite.serve()
    made = sqlite.query(MADE)
    os.killpg(server.pid, signal.SIGINT)
    server.wait(PATIENCE)

    again = sqlite.serve()

    assert server.returncode == 0
    sqlite.printed("(as before)")
    browser = Browser(sqlite.base)
    assert browser.get(sqlite.base).status == 200
    browser.close()
    assert again.poll() is None
    # A second start imports, simulates and makes nothing again.
    assert sqlite.query(MADE) == made
    assert made[0][0] == 2
