"""Measure a very large study: importing finished answers, and the researcher's pages of it.

    python -m benchmarks.million [--answers 100000] [--tuples N] [--data FOLDER]

The items and a file of answers to them are generated; people saw a tuple in different orders. The
import is `manage.py import_judgments` in a process of its own, whose peak memory and processor
seconds are given. Then the pages are fetched in this process, without a server: the median of
five, and how many queries each makes. All is on SQLite in a temporary folder, or in `--data`,
which is kept: a second call with the same folder fetches the pages again.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent
_WORDS = [f"word{n}" for n in range(500)]
TUPLE_SIZE = 4
ANSWERS_PER_PERSON = 100
N_FETCHES = 5


def write_items(path: Path, n_items: int) -> None:
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("id\ttext\n")
        for n in range(n_items):
            file.write(f"i{n}\t{n} {' '.join(rng.choices(_WORDS, k=8))}\n")


def write_answers(path: Path, *, n_answers: int, n_tuples: int, n_items: int) -> None:
    """Each person answers a hundred tuples in a row, in an order of their own."""
    rng = random.Random(2)
    # Packed: a million lists of items would be most of the memory of this process.
    members = array("l")
    for _tuple in range(n_tuples):
        members.extend(rng.sample(range(n_items), TUPLE_SIZE))
    with path.open("w", encoding="utf-8") as file:
        shown = ",".join(f"Item{n}" for n in range(1, TUPLE_SIZE + 1))
        file.write(f"Annotator,{shown},BestItem,WorstItem,Comment\n")
        for n in range(n_answers):
            start = TUPLE_SIZE * (n % n_tuples)
            items = members[start : start + TUPLE_SIZE].tolist()
            rng.shuffle(items)
            names = ",".join(f"i{item}" for item in (*items, items[0], items[-1]))
            comment = "not sure" if n % 20 == 0 else ""
            # Nobody answers a tuple twice: the next round over the tuples has other people.
            person = f"{n // n_tuples}-{n % n_tuples // ANSWERS_PER_PERSON}"
            file.write(f"{person},{names},{comment}\n")


def manage(folder: Path, *words: str | Path) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak megabytes of one command."""
    environment = {**os.environ, "LIKENESS_DATA": str(folder)}
    environment.pop("DATABASE_URL", None)
    environment["DJANGO_SUPERUSER_PASSWORD"] = "benchmark"
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, ROOT / "manage.py", *map(str, words)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words[0]} failed; run it alone to see why")
    seconds = time.perf_counter() - started
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def fetch_pages(slug: str) -> dict[str, tuple[float, float, int]]:
    """Of each page the median and the longest milliseconds, and its queries."""
    from django.contrib.auth.models import User  # noqa: PLC0415 - settings come first
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    from annotation.models import Study  # noqa: PLC0415

    study = Study.objects.get(slug=slug)
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="ada"))
    pages = {
        "studies (start page)": "/admin/",
        "desk": f"/admin/annotation/study/{study.pk}/",
        "results": f"/admin/annotation/study/{study.pk}/results/",
        "collect": f"/admin/annotation/study/{study.pk}/collect/",
    }
    fetched = {}
    for name, path in pages.items():
        times = []
        for _fetch in range(N_FETCHES):
            with CaptureQueriesContext(connection) as captured:
                started = time.perf_counter()
                response = client.get(path)
                times.append(1000 * (time.perf_counter() - started))
            if response.status_code != 200:
                raise SystemExit(f"{path} answered {response.status_code}")
        fetched[name] = statistics.median(times), max(times), len(captured)
    return fetched


def measure(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--tuples", type=int, help="default: five answers to each tuple")
    parser.add_argument("--data", type=Path, help="a folder that is kept, with what is made in it")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, too")
    arguments = parser.parse_args(words)
    n_answers: int = arguments.answers
    n_tuples: int = arguments.tuples or max(n_answers // 5, 1)
    n_items = min(max(n_tuples // 2, 8), 100_000)

    temporary = nullcontext(arguments.data) if arguments.data else tempfile.TemporaryDirectory()
    with temporary as name:
        folder = Path(name).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        items, answers = folder / "items.tsv", folder / "answers.csv"
        if not (folder / "likeness.sqlite3").exists():
            write_items(items, n_items)
            write_answers(answers, n_answers=n_answers, n_tuples=n_tuples, n_items=n_items)
            manage(folder, "migrate", "-v0")
            manage(folder, "collectstatic", "--no-input", "-v0")
            by = ("--username", "ada", "--email", "ada@example.org")
            manage(folder, "createsuperuser", "--no-input", *by)
            manage(folder, "import_items", "large", items, "--create")
            seconds, cpu, peak = manage(folder, "import_judgments", "large", answers)
            print(
                f"import of {n_answers:,} answers to {n_tuples:,} tuples of {n_items:,} items"
                f" ({answers.stat().st_size / 2**20:.1f} MiB): {seconds:.1f} s, processor"
                f" {cpu:.1f} s, peak {peak:.0f} MB",
                flush=True,
            )
        else:
            seconds = cpu = peak = 0.0
        os.environ["LIKENESS_DATA"] = str(folder)
        os.environ.pop("DATABASE_URL", None)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        pages = fetch_pages("large")
    print(f"{'page':<24}{'median ms':>11}{'longest':>9}{'queries':>9}")
    for page, (middle, longest, n_queries) in pages.items():
        print(f"{page:<24}{middle:>11.0f}{longest:>9.0f}{n_queries:>9}")
    if arguments.json:
        figures = {"seconds": seconds, "cpu": cpu, "peak_mb": peak, "pages": pages}
        print(json.dumps(figures))


if __name__ == "__main__":
    measure(sys.argv[1:])
