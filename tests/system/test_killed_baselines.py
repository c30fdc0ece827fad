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
baselines.request(
    study=Study.objects.get(slug="{slug}"),
    specifications=[
        Specification("squad_f1"), Specification("bi_encoder", {{"model": "bi-encoder"}})
    ],
    options=ReportOptions(people=Source("column", name="mean"), n_resamples=20),
)
"""
JOB = """
select job.state, job.attempts, job.progress, job.message from annotation_job job
join annotation_study study on study.id = job.study_id
where job.kind = 'baselines' and study.slug = '{slug}'
"""
FOUND = """
import hashlib, json
from annotation.models import Study
found = {}
for study in Study.objects.order_by("slug"):
    found[study.slug] = {
        "values": {
            one.name: hashlib.sha256(bytes(one.values)).hexdigest()
            for one in study.baselines.all()
        },
        "figures": {one.measure: one.figures for one in study.baselines.all()},
        "report": [one.figures["subsets"] for one in study.baseline_reports.all()],
    }
print(json.dumps(found))
"""


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
    make_pairs(sqlite, tmp_path, "killed")
    sqlite.python(START.format(slug="killed"))
    wait_for(sqlite, "killed", "running", at_least=0.55)
    (process,) = children_of(server.pid)

    # Alone: the process that computes ends by itself, when its parent is gone.
    os.kill(server.pid, signal.SIGKILL)
    server.wait(PATIENCE)
    wait_until_gone(process)
    n_kept = kept(sqlite)
    assert 0 < n_kept < N_PAIRS
    sqlite.serve("--no-demo")
    wait_for(sqlite, "killed", "done")
    make_pairs(sqlite, tmp_path, "whole")
    forget_vectors(sqlite)
    sqlite.python(START.format(slug="whole"))
    wait_for(sqlite, "whole", "done")

    found = json.loads(sqlite.python(FOUND).splitlines()[-1])
    assert [row[:2] for row in sqlite.query(JOB.format(slug="killed"))] == [("done", 2)]
    killed, whole = found["killed"], found["whole"]
    assert killed["values"] == whole["values"]
    assert len(killed["values"]) == 2
    assert killed["report"] == whole["report"]
    figures = killed["figures"]["bi_encoder"]
    n_distinct = whole["figures"]["bi_encoder"]["n_encoded"]
    assert (figures["n_kept"], figures["n_encoded"]) == (n_kept, n_distinct - n_kept)
    assert not list((sqlite.data / "baselines").iterdir())


def make_pairs(installation: Installation, tmp_path: Path, slug: str) -> None:
    path = tmp_path / "pairs.tsv"
    n = len(WORDS)
    lines = ["id\ttarget\tcandidate\tmean"]
    for k in range(N_PAIRS):
        words = WORDS[k % n], WORDS[k // n % n], WORDS[k // n // n % n]
        lines.append(f"p{k}\t{' '.join(words)}\t{words[0]} {WORDS[(k * 7) % n]}\t{k % 5}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    create = ("--create", "--title", slug, "--preset", "stss-131", "--owner", "researcher")
    installation.manage("import_items", slug, str(path), *create)


def wait_for(installation: Installation, slug: str, state: str, *, at_least: float = 0.0) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        [[now, _attempts, progress, _message]] = installation.query(JOB.format(slug=slug))
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


def forget_vectors(installation: Installation) -> None:
    shutil.rmtree(installation.data / "vectors")
