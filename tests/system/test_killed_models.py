"""`kill -9` while models work: what they have computed is kept, and the figures are the same."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.scoring.neural.conftest import models, packages  # noqa: F401 - fixtures
from tests.system.giccs_shaped import N_CANDIDATES, SLUG
from tests.system.servers import PATIENCE, ROOT, Installation, kill_9

N_DIALOGUES = 150
N_TEXTS = N_DIALOGUES * (1 + N_CANDIDATES)
BATCH = 64

MAKE = f"""
from tests.system import giccs_shaped
giccs_shaped.make({N_DIALOGUES})
"""
COMPUTE = f"""
from annotation.models import Study
from annotation.queries.human_scores import Source
from annotation.services import baselines
from annotation.services.report_options import ReportOptions
from scoring.baselines import Specification
bi_encoder = {{"model": "bi-encoder"}}
baselines.request(
    study=Study.objects.get(slug="{SLUG}"),
    specifications=[
        Specification("exact_match"),
        Specification("bi_encoder", bi_encoder),
        Specification("bi_encoder", {{**bi_encoder, "context": "front", "turns": 1}}),
        Specification("multiple_choice", {{"model": "causal", "language": "en", "shuffles": 1}}),
    ],
    options=ReportOptions(people=Source("column", name="mean"), n_resamples=10),
)
"""
FOUND = f"""
import json
from annotation.models import Study
study = Study.objects.get(slug="{SLUG}")
report = study.baseline_reports.get()
print(json.dumps({{
    "measures": {{
        one.settings.get("context", one.measure): [one.array.tolist(), one.figures]
        for one in study.baselines.all()
    }},
    "pearson": [
        row["correlations"]["pearson"]["value"] for row in report.figures["subsets"][-1]["rows"]
    ],
}}))
"""
PAIRS = f"""
from pathlib import Path
from annotation.models import Study
from annotation.queries.baseline_pairs import read_pairs
from annotation.services.baseline_process import write_pairs
write_pairs(Path("{{path}}"), read_pairs(Study.objects.get(slug="{SLUG}")).pairs)
"""
# The first round, and ratings of other pairs that the model is tested on.
ROUNDS = """
from tests.annotation.test_training import rated, selected
study, earlier = rated(), selected(8)
study.slug, earlier.slug = "rated", "selected"
study.save()
earlier.save()
"""
TRAIN = """
from annotation.models import Study
from annotation.services import training
from annotation.services.training import Learnt, Wanted
training.request(
    study=Study.objects.get(slug="rated"),
    wanted=Wanted(
        name="{name}",
        kind="bi_encoder",
        model="bi-encoder",
        learnt=Learnt(Study.objects.get(slug="selected")),
        settings=dict(epochs=2, batch_size=2, learning_rate=1e-3, runs=3, checkpoint_steps=1),
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
    for name in ("bi-encoder", "causal"):
        subprocess.run(["cp", "-R", str(models / name), str(folder)], check=True)
    sqlite.extra |= {
        "LIKENESS_MODELS": str(folder),
        "JOB_DEAD_AFTER_SECONDS": "10",
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
    served.python(MAKE)
    served.python(COMPUTE)
    wait(lambda: n_kept(served) >= BATCH, served)
    (process,) = children_of(server.pid)

    # Alone: the process that computes ends by itself, when its parent is gone.
    os.kill(server.pid, signal.SIGKILL)
    server.wait(PATIENCE)
    wait(lambda: not Path(f"/proc/{process}").exists(), served)
    before = n_kept(served)
    assert served.query(JOBS) == [("running", 1)]
    assert BATCH <= before < N_TEXTS
    served.serve("--no-demo")

    wait(lambda: served.query(JOBS) == [("done", 2)], served)
    found = json.loads(served.python(FOUND).splitlines()[-1])
    values, figures = found["measures"]["none"]
    # What the killed process had written was not encoded again: at most its last batch was.
    assert (figures["n_encoded"], figures["n_kept"]) == (N_TEXTS - before, before)
    np.testing.assert_allclose(values, plain_values(served, tmp_path), atol=1e-6)
    assert not np.allclose(found["measures"]["front"][0], values, atol=1e-3)
    choice = found["measures"]["multiple_choice"][1]
    assert choice["n"] == N_DIALOGUES
    assert 0 < choice["standard_error"] < 0.05
    assert set(choice["by_subset"]) == {"3 turns", "5 turns"}
    # Exact match is constant, and multiple choice ranks within dialogues alone.
    assert [value is None for value in found["pearson"]] == [True, False, False]


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


def plain_values(installation: Installation, folder: Path) -> Any:
    """The same by the command alone, with nothing kept and never killed."""
    pairs, values, request = (folder / name for name in ("pairs.jsonl", "v.npy", "request.json"))
    installation.python(PAIRS.format(path=pairs))
    request.write_text(
        json.dumps(
            {
                "measure": "bi_encoder",
                "settings": {"model": "bi-encoder"},
                "pairs": str(pairs),
                "values": str(values),
                "store": str(folder / "store"),
                "models": installation.extra["LIKENESS_MODELS"],
            }
        )
    )
    subprocess.run(
        [sys.executable, "-m", "scoring.neural", "score", str(request)],
        cwd=ROOT,
        env=installation.environment,
        # A pipe that is closed would be a parent that has died.
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=300,
    )
    return np.load(values)


@pytest.mark.timeout(900)
def test_a_killed_training_ends_with_the_same_figures(served: Installation) -> None:
    server = served.serve("--no-demo")
    served.python(ROUNDS)
    [[study]] = served.query("select id from annotation_study where slug = 'rated'")
    folder = Path(served.extra["LIKENESS_MODELS"]) / "trained" / str(study) / "killed"
    checkpoint = folder / "seed-1" / "checkpoint.safetensors"
    n_before = len(served.query(JOBS))
    served.python(TRAIN.format(name="killed"))
    wait(checkpoint.exists, served)

    kill_9(server)
    assert served.query(JOBS)[n_before:] == [("running", 1)]
    served.serve("--no-demo")
    wait(lambda: served.query(JOBS)[n_before:] == [("done", 2)], served)
    served.python(TRAIN.format(name="whole"))
    wait(lambda: served.query(JOBS)[n_before:] == [("done", 2), ("done", 1)], served)

    killed, whole = json.loads(served.python(TRAINED).splitlines()[-1])
    assert killed == whole
    assert killed[0]["free"]["pearson"]["n"] == 3
    assert killed[0]["free"]["pearson"]["sd"] > 0
    assert all(len(run["losses"]) == 2 for run in killed[1])


def wait(is_so: Callable[[], bool], installation: Installation) -> None:
    deadline = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < deadline:
        if is_so():
            return
        states = [state for state, _attempts in installation.query(JOBS)]
        assert "failed" not in states, installation.log.read_text()
        time.sleep(0.01)
    raise AssertionError(installation.log.read_text())
