"""What the figures were measured on."""

import os
import platform
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.servers import ROOT, Postgres


def describe(folder: Path, postgres: Postgres | str) -> dict[str, str]:
    said = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit(),
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": _memory(),
        "system": _system(),
        "load before the start": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "Django": version("Django"),
        "SQLite": f"{sqlite3.sqlite_version} (WAL, synchronous=FULL), on {_file_system(folder)}",
        "gunicorn": f"{version('gunicorn')}, 4 workers with 2 threads",
        "waitress": f"{version('waitress')}, 8 threads",
    }
    if isinstance(postgres, Postgres):
        said["PostgreSQL"] = f"{postgres.version()} ({postgres.durability()})"
    return said


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        commit = git("rev-parse", "--short", "HEAD")
        # Results are written into the tree themselves.
        changed = git("status", "--porcelain", "--", ".", ":!benchmarks")
        return f"{commit} with changes" if changed else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _field(path: str, name: str) -> str:
    try:
        for line in Path(path).read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    except OSError:
        pass
    return ""


def _memory() -> str:
    total = _field("/proc/meminfo", "MemTotal").split()
    return f"{int(total[0]) / 2**20:.0f} GiB" if total else "unknown"


def _system() -> str:
    name = _field_of_release()
    return f"{name}, Linux {platform.release()}" if name else platform.platform()


def _field_of_release() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""


def _file_system(folder: Path) -> str:
    try:
        mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "an unknown file system"
    fitting = [m for m in mounts if folder.is_relative_to(m[0])]
    return max(fitting, key=lambda m: len(m[0]))[1] if fitting else "an unknown file system"
