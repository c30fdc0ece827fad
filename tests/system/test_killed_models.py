"""`kill -9` while models work: what they have computed is kept, and the figures are the same."""

import json
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from scoring.neural.requests import read_pairs
from tests.scoring.neural.conftest import models, packages  # noqa: F401 - fixtures
from tests.scoring.neural.making import scored
from tests.system.giccs_shaped import N_CANDIDATES, SLUG
from tests.system.servers import PATIENCE, Installation, kill_9

N_DIALOGUES = 500
N_TEXTS = N_DIALOGUES * (1 + N_CANDIDATES)
BATCH = 64

COMPUTE = f"""
from pathlib import Path
from annotation.models import Study
from annotation.kinds.rating.queries.baseline_pairs import read_pairs
from annotation.baselines.queries.score_sources import ColumnSource
from annotation.baselines.services import baselines
from annotation.core.services.model_process import write_pairs
from annotation.baselines.services.report_options import ReportOptions
from scoring.baselines import Specification
from tests.system import giccs_shaped
study = giccs_shaped.make({N_DIALOGUES})
write_pairs(Path("{{path}}"), read_pairs(study).pairs)
baselines.request(
    study=study,
    specifications=[
        Specification("exact_match"),
        Specification("bi_encoder", {{{{"model": "bi-encoder"}}}}),
    ],
    options=ReportOptions(people=ColumnSource(name="mean"), n_resamples=10),
)
"""
FOUND = f"""
import json
from annotation.models import Study
study = Study.objects.get(slug="{SLUG}")
report = study.baseline_reports.get()
print(json.dumps({{
    "measures": {{
        one.measure: [one.array.tolist(), one.figures]
        for one in study.baselines.all()
    }},
    "pearson": [
        row["correlations"]["pearson"]["value"] for row in report.figures["subsets"][-1]["rows"]
    ],
}}))
"""
# The first round, and ratings of other pairs that the model is tested on.
ROUNDS = """
from tests.baselines.test_training import rated, selected
study, earlier = rated(), selected(8)
study.slug, earlier.slug = "rated", "selected"
study.save()
earlier.save()
print(study.pk)
"""
TRAIN = """
from annotation.models import Study
from annotation.baselines.services import training
from annotation.baselines.services.training_requests import TrainingSource, TrainingRequest
training.request(
    study=Study.objects.get(slug="rated"),
    wanted=TrainingRequest(
        name="{name}",
        kind="bi_encoder",
        model="bi-encoder",
        learnt=TrainingSource(Study.objects.get(slug="selected")),
        settings=dict(epochs=2, batch_size=2, learning_rate=1e-3, runs=2, checkpoint_steps=1),
    ),
)
"""
TRAINED = """
import json
from annotation.models import Training
print(json.dumps([[one.figures["tests"], one.figures["runs"]] for one in Training.objects.all()]))
"""
JOBS = "select state, attempts from annotation_job order by id"


@pytest.fixture
def served(
    sqlite: Installation,
    models: Path,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> Installation:
    """What `make run` has, with tiny models in its folder."""
    folder = tmp_path / "models"
    folder.mkdir()
    shutil.copytree(models / "bi-encoder", folder / "bi-encoder")
    sqlite.extra |= {
        "LIKENESS_MODELS": str(folder),
        "JOB_DEAD_AFTER_SECONDS": "5",
        "HF_HUB_OFFLINE": "1",
        # Tiny models are quickest so, also beside other tests.
        "OMP_NUM_THREADS": "1",
    }
    return sqlite


@pytest.mark.timeout(900)
def test_killed_measures_are_finished_from_what_was_kept(
    served: Installation, tmp_path: Path
) -> None:
    server = served.serve("--no-demo")
    pairs = tmp_path / "pairs.jsonl"
    served.python(COMPUTE.format(path=pairs))
    wait(lambda: n_kept(served) >= BATCH, served)
    (process,) = children_of(server.pid)

    # Alone: the process that computes ends by itself, when its parent is gone.
    os.kill(server.pid, signal.SIGKILL)
    server.wait(PATIENCE)
    wait(lambda: not Path(f"/proc/{process}").exists(), served, pause=0.1)
    before = n_kept(served)
    assert served.query(JOBS) == [("running", 1)]
    assert BATCH <= before < N_TEXTS
    served.serve("--no-demo")

    wait_for_jobs([("done", 2)], served)
    found = json.loads(served.python(FOUND).splitlines()[-1])
    values, figures = found["measures"]["bi_encoder"]
    # The same with nothing kept and never killed.
    folder = Path(served.extra["LIKENESS_MODELS"])
    settings = {"model": "bi-encoder"}
    plain = scored("bi_encoder", settings, read_pairs(pairs), folder, tmp_path / "store").values
    # What the killed process had written was not encoded again: at most its last batch was.
    assert (figures["n_encoded"], figures["n_kept"]) == (N_TEXTS - before, before)
    np.testing.assert_allclose(values, plain, atol=1e-6)
    # Exact match is constant.
    assert [value is None for value in found["pearson"]] == [True, False]


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def n_kept(installation: Installation) -> int:
    """Vectors of the texts alone: those of the first file that was made."""
    files = sorted(
        (installation.data / "vectors").glob("bi-encoder-*.sqlite3"),
        key=lambda path: path.stat().st_ctime_ns,
    )
    for path in files[:1]:
        with closing(sqlite3.connect(path, timeout=20)) as base:
            has = base.execute("select count(*) from sqlite_master where name = 'vectors'")
            if has.fetchone()[0]:
                [[n]] = base.execute("select count(*) from vectors").fetchall()
                return int(n)
    return 0


@pytest.mark.timeout(900)
def test_a_killed_training_ends_with_the_same_figures(served: Installation) -> None:
    server = served.serve("--no-demo")
    # The rating study is scored in the first of the jobs.
    study = served.python(ROUNDS + TRAIN.format(name="killed")).split()[-1]
    folder = Path(served.extra["LIKENESS_MODELS"]) / "trained" / study / "killed"
    checkpoint = folder / "seed-1" / "checkpoint.safetensors"
    wait(checkpoint.exists, served)

    kill_9(server)
    assert served.query(JOBS)[1:] == [("running", 1)]
    served.serve("--no-demo")
    wait_for_jobs([("done", 2)], served)
    served.python(TRAIN.format(name="whole"))
    wait_for_jobs([("done", 2), ("done", 1)], served)

    killed, whole = json.loads(served.python(TRAINED).splitlines()[-1])
    assert killed == whole
    assert killed[0]["free"]["pearson"]["n"] == 2
    assert killed[0]["free"]["pearson"]["sd"] > 0
    assert all(len(run["losses"]) == 2 for run in killed[1])


def wait(is_so: Callable[[], bool], installation: Installation, *, pause: float = 0.01) -> None:
    """Look again and again; where nothing has to be met in the middle, after longer pauses.

    The processor is of more use to the process that is waited for.
    """
    now = looked_at = time.monotonic()
    deadline = now + 2 * PATIENCE
    while now < deadline:
        if is_so():
            return
        if now > looked_at + 1:
            looked_at = now
            states = [state for state, _attempts in installation.query(JOBS)]
            assert "failed" not in states, installation.log.read_text()
        time.sleep(pause)
        now = time.monotonic()
    raise AssertionError(installation.log.read_text())


def wait_for_jobs(expected: list[tuple[str, int]], installation: Installation) -> None:
    """Wait until the last jobs have these states, after so many attempts."""
    wait(lambda: installation.query(JOBS)[-len(expected) :] == expected, installation, pause=0.2)
