"""Measure importing, scoring and exporting: seconds, and the most memory each process had.

    python -m benchmarks.import_export [--items 10000] [--judgments 150000] [--tuples 20000]

Each step is a `manage.py` command in a process of its own, over a fresh SQLite file in a
temporary folder.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_WORDS = [f"word{n}" for n in range(500)]


def sentence(rng: random.Random, n_words: int = 12) -> str:
    return " ".join(rng.choices(_WORDS, k=n_words))


def write_dialogues(path: Path, n_items: int) -> None:
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for d in range(n_items // 5):
            entry = {
                "id": f"d{d}",
                "domain": "travel",
                "source": "written",
                "turns": [{"speaker": "AB"[t % 2], "text": sentence(rng)} for t in range(5)],
                "candidates": [{"text": f"{c} {sentence(rng)}"} for c in range(5)],
            }
            file.write(json.dumps(entry) + "\n")


def write_pairs(path: Path, n_items: int) -> None:
    rng = random.Random(2)
    with path.open("w", encoding="utf-8") as file:
        file.write("id\ttarget\tcandidate\n")
        for n in range(n_items):
            file.write(f"p{n}\t{sentence(rng)}\t{n} {sentence(rng)}\n")


def write_judgments(path: Path, n_judgments: int, n_tuples: int) -> None:
    """Tuples of four out of half as many items as tuples; each answered by different people."""
    rng = random.Random(3)
    n_items = max(n_tuples // 2, 8)
    tuples = [rng.sample(range(n_items), 4) for _ in range(n_tuples)]
    with path.open("w", encoding="utf-8") as file:
        file.write("Annotator,Item1,Item2,Item3,Item4,BestItem,WorstItem,Comment\n")
        for j in range(n_judgments):
            t = j % n_tuples
            best, worst = rng.sample(tuples[t], 2)
            names = ",".join(f"item {i}" for i in (*tuples[t], best, worst))
            comment = "I was not sure here." if j % 10 == 0 else ""
            # Everybody answers a hundred tuples in a row, nobody one of them twice.
            file.write(f"a{j // n_tuples}-{t // 100},{names},{comment}\n")


@dataclass(frozen=True)
class Step:
    """What one command took."""

    name: str
    seconds: float
    peak_mb: float
    file_mb: float


def main() -> None:
    print(f"{'step':<44}{'seconds':>9}{'peak MB':>9}{'file MB':>9}")

    def done(step: Step) -> None:
        figures = f"{step.seconds:>9.1f}{step.peak_mb:>9.0f}{step.file_mb:>9.1f}"
        print(f"{step.name:<44}{figures}", flush=True)

    measure(sys.argv[1:], done)


def measure(words: Sequence[str], done: Callable[[Step], None]) -> None:
    """Run every step, and hand on each one's figures as soon as it is done."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--judgments", type=int, default=150_000)
    parser.add_argument("--tuples", type=int, default=20_000)
    arguments = parser.parse_args(words)

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        environment = {**os.environ, "LIKENESS_DATA": folder}
        environment.pop("DATABASE_URL", None)

        def manage(*words: str | Path) -> None:
            subprocess.run(
                [sys.executable, ROOT / "manage.py", *map(str, words)],
                env=environment,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

        manage("migrate", "-v0")
        environment["DJANGO_SUPERUSER_PASSWORD"] = "benchmark"
        manage("createsuperuser", "--no-input", "--username", "ada", "--email", "ada@example.org")
        write_dialogues(data / "dialogues.jsonl", arguments.items)
        write_pairs(data / "pairs.tsv", arguments.items)
        write_judgments(data / "judgments.csv", arguments.judgments, arguments.tuples)

        items, answers = f"{arguments.items:,} items", f"{arguments.judgments:,} judgments"
        steps: list[tuple[str, Path, Callable[[Path], None]]] = [
            (
                f"import_items, {items}, dialogues",
                data / "dialogues.jsonl",
                lambda path: manage("import_items", "dialogues", path, "--create"),
            ),
            (
                f"import_items, {items}, pairs",
                data / "pairs.tsv",
                lambda path: manage("import_items", "pairs", path, "--create"),
            ),
            (
                f"import_items, {items}, pairs, again",
                data / "pairs.tsv",
                lambda path: manage("import_items", "pairs", path),
            ),
            (
                f"import_judgments, {answers}",
                data / "judgments.csv",
                lambda path: manage("import_judgments", "judged", path, "--create"),
            ),
            (
                f"score, {answers}",
                data / "judgments.csv",
                lambda _path: manage("score", "judged"),
            ),
            (
                f"export, {items}",
                data / "pairs.zip",
                lambda path: manage("export", "pairs", "--output", path),
            ),
            (
                f"export, {answers}",
                data / "judged.zip",
                lambda path: manage("export", "judged", "--output", path),
            ),
        ]
        for name, path, step in steps:
            seconds, peak = measured(partial(step, path))
            done(Step(name, seconds, peak, path.stat().st_size / 1e6))


def measured(step: Callable[[], None]) -> tuple[float, float]:
    """Seconds, and the peak resident memory of the process that a step starts, in MB."""
    # In a fork, because the peak of one's children is that of the largest so far.
    reading, writing = os.pipe()
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            step()
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            os.write(writing, str(peak).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - started
    with os.fdopen(reading) as answer:
        peak_kb = answer.read()
    if status:
        raise SystemExit("a step failed; run it alone to see why")
    return seconds, int(peak_kb) / 1024


if __name__ == "__main__":
    main()
