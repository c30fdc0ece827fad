"""Measure scoring and exporting a rating study: seconds, and the most memory each process had.

    python -m benchmarks.ratings [--ratings 138556]

As many ratings as the Czech news study planned, in two phases, by stacks of nine, each pair in two
documents. Rows are written in bulk over a fresh SQLite file in a temporary folder; then each step
is a `manage.py` command in a process of its own.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.aims import RATINGS
from benchmarks.import_export import ROOT, Step, measured, sentence

PER_ITEM, PER_BOOKLET, SENTENCES = 9, 50, 8
SLUG = "rated"
_CLASSES = {"similar": 6.0, "middle": 3.0, "dissimilar": 0.0}


def main() -> None:
    print(f"{'step':<44}{'seconds':>9}{'peak MB':>9}{'file MB':>9}")

    def done(step: Step) -> None:
        figures = f"{step.seconds:>9.1f}{step.peak_mb:>9.0f}{step.file_mb:>9.1f}"
        print(f"{step.name:<44}{figures}", flush=True)

    measure(sys.argv[1:], done)


def measure(words: Sequence[str], done: Callable[[Step], None]) -> None:
    """Run every step, and hand on each one's figures as soon as it is done."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ratings", type=int, default=RATINGS)
    n_ratings = parser.parse_args(words).ratings
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        environment = {**os.environ, "LIKENESS_DATA": folder}
        environment.pop("DATABASE_URL", None)

        def run(*arguments: str | Path) -> None:
            subprocess.run(
                [sys.executable, *map(str, arguments)],
                env=environment,
                check=True,
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
            )

        run("-m", "benchmarks.ratings", "populate", str(n_ratings))
        steps: list[tuple[str, Path, Callable[[], None]]] = [
            ("score", data, lambda: run("manage.py", "score", SLUG)),
            (
                "export",
                data / "rated.zip",
                lambda: run("manage.py", "export", SLUG, "--output", data / "rated.zip"),
            ),
        ]
        for name, path, step in steps:
            seconds, peak = measured(partial(step))
            size = path.stat().st_size / 1e6 if path.is_file() else 0.0
            done(Step(f"{name}, {n_ratings:,} ratings", seconds, peak, size))


def populate(n_ratings: int) -> None:
    """Write the study and its ratings, as import, design and annotators would have left them."""
    import django  # noqa: PLC0415 - only the process that populates needs it

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 - models need the settings

    from benchmarks import rated_study  # noqa: PLC0415 - the same

    call_command("migrate", verbosity=0, interactive=False)
    rng = random.Random(1)
    rated_study.populate(
        slug=SLUG,
        per_phase=n_ratings // 2,
        per_item=PER_ITEM,
        per_booklet=PER_BOOKLET,
        text=lambda: sentence(rng),
        n_sentences=SENTENCES,
        classes=_CLASSES,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["populate"]:
        populate(int(sys.argv[2]))
    else:
        main()
