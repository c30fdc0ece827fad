"""Run the four papers' studies at their size: seconds, memory and the longest wait of a save.

    python -m benchmarks.papers [PAPER ...] [--scale 1.0] [--folder FOLDER]

Each step is a process of its own over one SQLite file. A further process asks for the write lock
every 50 ms, as somebody who saves does. Exit 1 if a step but training took more than a minute, or
if somebody's save would have waited longer than half a second.
"""

import argparse
import importlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.write_locks import LIMIT, ROOT, LockProbe

PAPERS = ("giccs", "czech_news", "stss131", "answer_similarity")
MAX_STEP_SECONDS = 60.0
OWNER = "researcher"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--scale", type=float, default=1.0, help="0.1: a tenth of the size")
    parser.add_argument("--folder", type=Path, help="keep the databases there")
    parser.add_argument("--step", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if unknown := set(arguments.papers) - set(PAPERS):
        parser.error(f"There is no paper {', '.join(unknown)}; choose from {', '.join(PAPERS)}.")
    if arguments.step is not None:
        _run_step(arguments.papers[0], arguments.folder, arguments.scale, arguments.step)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        complaints = [
            complaint
            for paper in arguments.papers or PAPERS
            for complaint in _measure(paper, folder / paper, arguments.scale)
        ]
    for complaint in complaints:
        print(complaint)
    sys.exit(bool(complaints))


def _run_step(paper: str, folder: Path, scale: float, number: int) -> None:
    import django  # noqa: PLC0415 - the settings read the environment

    django.setup()
    importlib.import_module(f"benchmarks.papers.{paper}").steps(folder, scale)[number].run()


def _measure(paper: str, folder: Path, scale: float) -> list[str]:
    """Run all steps of one paper, print a row for each, and return what took too long."""
    import django  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "LIKENESS_DATA": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DJANGO_SUPERUSER_PASSWORD": "benchmark",
    }
    environment.pop("DATABASE_URL", None)
    os.environ.update(environment)
    django.setup()
    database = folder / "likeness.sqlite3"
    if not database.exists():
        _finish(_start(environment, "manage.py", "migrate", "-v0"))
        account = ("--username", OWNER, "--email", "researcher@example.org")
        _finish(_start(environment, "manage.py", "createsuperuser", "--no-input", *account))
    steps = importlib.import_module(f"benchmarks.papers.{paper}").steps(folder, scale)
    heads = f"{'seconds':>9}{'processor':>11}{'peak MB':>9}{'longest wait':>14}"
    print(f"{paper:<44}{heads}", flush=True)
    complaints = []
    for number, step in enumerate(steps):
        probe = LockProbe(database)
        began = time.monotonic()
        try:
            options = ("--folder", str(folder), "--scale", str(scale), "--step", str(number))
            usage = _finish(_start(environment, "-m", "benchmarks.papers", paper, *options))
        finally:
            seconds, longest = time.monotonic() - began, max(probe.stop(), default=0.0)
        if not step.is_measured:
            continue
        processor, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        figures = f"{seconds:>9.1f}{processor:>11.1f}{megabytes:>9.0f}{longest:>12.2f} s"
        print(f"  {step.name:<42}{figures}", flush=True)
        if seconds > MAX_STEP_SECONDS and not step.is_training:
            complaints.append(f"{paper}, {step.name}: {seconds:.0f} s, more than a minute")
        if longest > LIMIT:
            complaints.append(f"{paper}, {step.name}: a save would have waited {longest:.2f} s")
    return complaints


def _start(environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _finish(process: subprocess.Popen[str]) -> resource.struct_rusage:
    """Wait for a process and return what it used; end here if it failed."""
    assert process.stderr is not None
    problems = process.stderr.read()
    # The usage of this one process: getrusage would say the largest of all so far.
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{process.args!r}: exit {process.returncode}\n{problems[-3000:]}")
    return usage


if __name__ == "__main__":
    main()
