import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_importing_scoring_loads_nothing_that_computes() -> None:
    heavy = ["numpy", "scipy", "pandas", "django", "torch", "krippendorff", "simplemma"]
    loads = f"[name for name in {heavy} if name in sys.modules]"
    program = f"import sys, scoring, tuples; print({loads})"

    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    import scoring

    assert sorted(scoring.__all__) == scoring.__all__
    assert all(hasattr(scoring, name) for name in scoring.__all__)
