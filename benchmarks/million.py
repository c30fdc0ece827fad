"""Measure a very large study: importing finished answers, and the researcher's pages of it.

    python -m benchmarks.million [--answers 100000] [--tuples N] [--joined] [--data FOLDER]

The items and a file of answers to them are generated; people saw a tuple in different orders. The
import is `manage.py import_judgments` in a process of its own, whose peak memory and processor
seconds are given. Then every page of a researcher and every address of the API that is read is
fetched in this process, without a server: the median and the longest of five, in milliseconds of
the processor, how many queries each makes, and how long it is. With `--joined` the study is one
that people joined here, whose pages say more. All is on SQLite in a temporary folder, or in
`--data`, which is kept: a second call with the same folder fetches the pages again.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parent.parent
_WORDS = [f"word{n}" for n in range(500)]
TUPLE_SIZE = 4
ANSWERS_PER_PERSON = 100
IMPORTED, JOINED = "large", "joined"


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


def print_pages(slug: str, n_people: int) -> dict[str, dict[str, Any]]:
    """Fetch every page of a study that was imported, or of one that people joined."""
    from django.contrib.auth.models import User  # noqa: PLC0415 - settings come first

    from annotation.models import Study  # noqa: PLC0415
    from benchmarks import joined_study, researcher_pages  # noqa: PLC0415

    user = User.objects.get(username="ada")
    if slug == JOINED and not Study.objects.filter(slug=slug).exists():
        joined_study.make(user, slug=slug, n_people=n_people)
    pages = {}
    print(f"{'page':<40}{'median ms':>10}{'longest':>9}{'queries':>9}{'bytes':>12}")
    for name, cost in researcher_pages.costs(Study.objects.get(slug=slug), user):
        pages[name] = asdict(cost)
        print(
            f"{name:<40}{cost.median:>10.0f}{cost.longest:>9.0f}{cost.n_queries:>9}"
            f"{cost.n_bytes:>12,}{' download' if cost.is_download else ''}",
            flush=True,
        )
    return pages


def measure(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--tuples", type=int, help="default: five answers to each tuple")
    parser.add_argument("--data", type=Path, help="a folder that is kept, with what is made in it")
    parser.add_argument("--joined", action="store_true", help="people join; nothing is imported")
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
        seconds = cpu = peak = 0.0
        if not (folder / "likeness.sqlite3").exists():
            manage(folder, "migrate", "-v0")
            manage(folder, "collectstatic", "--no-input", "-v0")
            by = ("--username", "ada", "--email", "ada@example.org")
            manage(folder, "createsuperuser", "--no-input", *by)
            if not arguments.joined:
                write_items(items, n_items)
                write_answers(answers, n_answers=n_answers, n_tuples=n_tuples, n_items=n_items)
                manage(folder, "import_items", IMPORTED, items, "--create")
                seconds, cpu, peak = manage(folder, "import_judgments", IMPORTED, answers)
                print(
                    f"import of {n_answers:,} answers to {n_tuples:,} tuples of {n_items:,} items"
                    f" ({answers.stat().st_size / 2**20:.1f} MiB): {seconds:.1f} s, processor"
                    f" {cpu:.1f} s, peak {peak:.0f} MB",
                    flush=True,
                )
        os.environ["LIKENESS_DATA"] = str(folder)
        os.environ.pop("DATABASE_URL", None)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        slug = JOINED if arguments.joined else IMPORTED
        pages = print_pages(slug, n_answers // ANSWERS_PER_PERSON)
    if arguments.json:
        figures = {"seconds": seconds, "cpu": cpu, "peak_mb": peak, "pages": pages}
        print(json.dumps(figures))


if __name__ == "__main__":
    measure(sys.argv[1:])
