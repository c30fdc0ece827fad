"""`kill -9` while vectors are computed: they are kept, and the values are those of a whole run."""

import json
import os
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.scoring.neural.conftest import models, packages  # noqa: F401 - fixtures
from tests.scoring.neural.making import WORDS
from tests.system.servers import PATIENCE, Installation

N_PAIRS = 12_000
START = """
from annotation.models import Study
from annotation.queries.human_scores import Source
from annotation.services import baselines
from annotation.services.report_options import ReportOptions
from scoring.baselines import Specification
study = Study.objects.get(slug="pairs")
study.baselines.all().delete()
baselines.request(
    study=study,
    specifications=[
        Specification("squad_f1"), Specification("bi_encoder", {"model": "bi-encoder"})
    ],
    options=ReportOptions(people=Source("column", name="mean"), n_resamples=20),
)
"""
JOB = "select state, attempts, progress from annotation_job where kind = 'baselines' order by id"
VALUES = """
select name, hex("values"), figures from annotation_baseline order by id
"""
REPORTS = "select figures from annotation_baselinereport order by id"


@pytest.mark.timeout(600)
def test_a_killed_worker_loses_no_vector_and_changes_no_value(
    sqlite: Installation,
    tmp_path: Path,
    models: Path,  # noqa: F811 - the fixture
) -> None:
    sqlite.extra |= {
        "JOB_DEAD_AFTER_SECONDS": "10",
        "LIKENESS_MODELS": str(models),
        "HF_HUB_OFFLINE": "1",
    }
    server = sqlite.serve("--no-demo")
    make_pairs(sqlite, tmp_path)
    sqlite.python(START)
    wait_for(sqlite, "running", at_least=0.55)
    (process,) = children_of(server.pid)

    # Alone: the process that computes ends by itself, when its parent is gone.
    os.kill(server.pid, signal.SIGKILL)
    server.wait(PATIENCE)
    wait_until_gone(process)
    n_kept = kept(sqlite)
    assert 0 < n_kept < N_PAIRS
    sqlite.serve("--no-demo")
    wait_for(sqlite, "done")
    killed = sqlite.query(VALUES)
    shutil.rmtree(sqlite.data / "vectors")
    sqlite.python(START)
    wait_for(sqlite, "done")

    whole = sqlite.query(VALUES)
    assert [row[1] for row in sqlite.query(JOB)] == [2, 1]
    assert [row[:2] for row in killed] == [row[:2] for row in whole]
    assert len(whole) == 2
    first, second = (json.loads(row[0])["subsets"] for row in sqlite.query(REPORTS))
    assert first == second
    of_killed, of_whole = (json.loads(rows[1][2]) for rows in (killed, whole))
    assert of_whole["n_kept"] == 0
    assert of_killed["n_kept"] == n_kept
    assert of_killed["n_encoded"] == of_whole["n_encoded"] - n_kept
    assert not list((sqlite.data / "baselines").iterdir())


def make_pairs(installation: Installation, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    n = len(WORDS)
    lines = ["id\ttarget\tcandidate\tmean"]
    for k in range(N_PAIRS):
        words = WORDS[k % n], WORDS[k // n % n], WORDS[k // n // n % n]
        lines.append(f"p{k}\t{' '.join(words)}\t{words[0]} {WORDS[(k * 7) % n]}\t{k % 5}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    create = ("--create", "--title", "Pairs", "--preset", "stss-131", "--owner", "researcher")
    installation.manage("import_items", "pairs", str(path), *create)


def wait_for(installation: Installation, state: str, *, at_least: float = 0.0) -> None:
    """Until the latest job is as far."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        now, _attempts, progress = installation.query(JOB)[-1]
        if now == state and progress >= at_least:
            return
        assert now != "failed", installation.log.read_text()
        time.sleep(0.02)
    raise AssertionError(f"not {state} within {PATIENCE} s: {installation.log.read_text()}")


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} goes on without its parent")


def kept(installation: Installation) -> int:
    """How many vectors there are."""
    (file,) = (installation.data / "vectors").glob("bi-encoder-*.sqlite3")
    with closing(sqlite3.connect(file, timeout=20)) as store:
        return int(store.execute("select count(*) from vectors").fetchone()[0])
