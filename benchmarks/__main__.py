"""`make bench`: measure Likeness beside a bare Django application, and write down what was seen.

    python -m benchmarks [--quick] [--only pages,loads,...] [--on postgres,sqlite]

After each step everything measured so far is written: an error, or Ctrl-C, loses one step.
"""

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import import_export, machine, models, ratings, report, statistics, students
from benchmarks.crowd import Crowd, Measured, annotator
from benchmarks.servers import Installation, Postgres, find_postgres

THINK = (2.0, 4.0)
SIZES = (1_000, 10_000, 100_000)
MAIN_SIZE = 10_000
SCREENS = 50
STEPS = ("pages", "loads", "sizes", "students", "files", "ratings", "models", "statistics")
# Those that need a study in each database.
OF_PAGES = {"pages", "loads", "sizes"}


# A fixed yardstick: as many queries as Likeness made when it was first set beside this one. What
# Likeness spares since then shows in the ratio.
BARE_QUERIES = {"BARE_SHOW": "8", "BARE_SAVE": "6", "BARE_DRAFT": "6"}


@dataclass(frozen=True)
class Plan:
    """How much is measured, and how long each time."""

    people: tuple[int, ...]
    people_thinking: tuple[int, ...]
    sizes: tuple[int, ...]
    # Each point is measured in turns, Likeness and bare, so that noise meets both.
    turns: int
    seconds: float
    seconds_thinking: float
    # Keys: one for each booklet of SCREENS screens that a run may use up.
    n_keys: int
    import_arguments: tuple[str, ...]
    rating_arguments: tuple[str, ...]
    # Who rate in two phases, and for how long 200 of them think.
    n_students: int
    students_think: float
    # Screens whose processor time is measured in one process.
    n_processor: int
    model_arguments: tuple[str, ...]


WHOLE = Plan(
    people=(1, 16, 64, 200),
    people_thinking=(1, 16, 64, 200),
    sizes=SIZES,
    turns=2,
    seconds=4.0,
    seconds_thinking=7.0,
    n_keys=2400,
    import_arguments=(),
    rating_arguments=(),
    n_students=500,
    students_think=60.0,
    n_processor=300,
    model_arguments=(),
)
QUICK = Plan(
    people=(1, 64),
    people_thinking=(64,),
    sizes=(1_000, 10_000),
    turns=1,
    seconds=3.0,
    seconds_thinking=5.0,
    n_keys=1200,
    import_arguments=("--items", "1000", "--judgments", "5000", "--tuples", "1000"),
    rating_arguments=("--ratings", "5000"),
    n_students=18,
    students_think=0.0,
    n_processor=80,
    model_arguments=("--texts", "512", "--turns", "2", "--pairs", "1000"),
)


class Application:
    """Likeness, or the bare application, on a database of its own with its people."""

    def __init__(self, installation: Installation, n_tuples: int, n_keys: int) -> None:
        self.installation = installation
        module = "benchmarks.bare" if installation.is_bare else "benchmarks.populate"
        command = ["-m", module, *(["populate"] if installation.is_bare else [])]
        found = installation.read(*command, str(n_tuples), str(n_keys), str(SCREENS))
        # In an order that does not send everybody to the same booklet.
        random.Random(3).shuffle(found)
        self.keys: deque[tuple[str, int]] = deque((key, n) for key, n in found)

    def crowd(
        self, n: int, *, think: tuple[float, float] | None, seconds: float, warm_up: float
    ) -> Measured:
        people = [annotator(self.keys, rng=random.Random(i), think=think) for i in range(n)]
        return Crowd(self.installation.port, people).work(
            seconds=seconds, warm_up=warm_up, usage=self.installation.usage
        )


class Benchmark:
    def __init__(self, plan: Plan, steps: set[str], databases: set[str], output: Path) -> None:
        self.plan = plan
        self.steps = steps
        self.databases = databases
        self.output = output
        self.folder = Path(tempfile.mkdtemp(prefix="likeness-bench-"))
        self.postgres = find_postgres()
        self.installations: list[Installation] = []
        self.began = time.monotonic()
        self.results: dict[str, Any] = {
            "is_quick": plan is QUICK,
            "machine": machine.describe(self.folder, self.postgres),
            "left_out": [],
            "pages": {},
            "rendered": {},
            "processor": {},
            "loads": [],
            "sizes": [],
            "students": {},
            "files": [],
            "models": {},
            "seconds": 0,
        }

    def run(self) -> None:
        for database in ("postgres", "sqlite"):
            if database not in self.databases or not self.steps & OF_PAGES:
                continue
            if database == "postgres" and isinstance(self.postgres, str):
                self.left_out(f"PostgreSQL: {self.postgres}")
                continue
            self.attempt(f"{database}", lambda database=database: self.on(database))
            self.end_servers()
        if "students" in self.steps and "postgres" in self.databases:
            self.attempt("students", self.students)
            self.end_servers()
        if "files" in self.steps:
            self.attempt("import and export", self.files)
        if "ratings" in self.steps:
            self.attempt("ratings", self.ratings)
        if "models" in self.steps:
            self.attempt("models", self.models)
        if "statistics" in self.steps:
            self.attempt("statistics", self.statistics)

    def attempt(self, name: str, step: Any) -> None:
        """Do one step; what goes wrong is written down beside the results of the others."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 - ten minutes of measurements must not be lost
            traceback.print_exc()
            # The whole of it was printed; the README has one line for it.
            self.left_out(f"{name}: {str(error).strip().splitlines()[-1]}")
        self.keep()

    def left_out(self, what: str) -> None:
        say(f"Left out: {what}")
        self.results["left_out"].append(what)

    def keep(self) -> None:
        self.results["seconds"] = round(time.monotonic() - self.began)
        report.write(self.results, self.output)

    def installation(self, name: str, database: str, *, is_bare: bool = False) -> Installation:
        url = self.postgres.create() if database == "postgres" else ""  # type: ignore[union-attr]
        made = Installation(self.folder / f"{database}-{name}", is_bare, url)
        # Collected once, served by all.
        made.extra["STATIC_ROOT"] = str(self.folder / "static")
        self.installations.append(made)
        return made

    def on(self, database: str) -> None:
        plan = self.plan
        say(f"\n== {database}: a study of {MAIN_SIZE:,} tuples")
        ours = Application(self.installation("main", database), MAIN_SIZE, plan.n_keys)
        if not (self.folder / "static").is_dir():
            ours.installation.run("manage.py", "collectstatic", "--noinput", "-v0")
        counts = self.count_pages(database, ours)
        self.results["pages"][database] = counts
        self.keep()
        self.attempt(f"{database}, processor", lambda: self.processor(database, ours))
        if "loads" in self.steps:
            bare = Application(
                self.installation("bare", database, is_bare=True), MAIN_SIZE, plan.n_keys
            )
            bare.installation.extra.update(BARE_QUERIES)
            ours.installation.start()
            bare.installation.start()
            self.attempt(f"{database}, loads", lambda: self.loads(database, ours, bare))
            bare.installation.stop()
        if "sizes" in self.steps:
            if ours.installation.process is None:
                ours.installation.start()
            self.attempt(f"{database}, sizes", lambda: self.sizes(database, ours))

    def processor(self, database: str, ours: Application) -> None:
        n = self.plan.n_processor
        path = self.folder / "keys.json"
        # Some more than are measured: the first ones warm up.
        used = [ours.keys.pop() for _ in range(n // SCREENS + 1)]
        path.write_text(json.dumps(used))
        found = ours.installation.read("-m", "benchmarks.processor", str(path), str(n))
        self.results["processor"][database] = found
        said = ", ".join(f"{kind} {ms:.1f}" for kind, ms in found.items())
        say(f"processor ms: {said}")

    def count_pages(self, database: str, ours: Application) -> dict[str, list[int]]:
        path = self.folder / "keys.json"
        key, n_screens = ours.keys.pop()
        path.write_text(f'[["{key}", {n_screens}]]')
        found = ours.installation.read("-m", "benchmarks.pages", str(path))
        counts: dict[str, list[int]] = found["counts"]
        self.results["rendered"][database] = found["rendered"]
        say(", ".join(f"{name} {n}" for name, (n, _) in counts.items()))
        return counts

    def loads(self, database: str, ours: Application, bare: Application) -> None:
        plan = self.plan
        points: list[tuple[int, tuple[float, float] | None, float, float]]
        points = [(n, None, plan.seconds, 1.0) for n in plan.people]
        points += [(n, THINK, plan.seconds_thinking, THINK[1]) for n in plan.people_thinking]
        for n, think, seconds, warm_up in points:
            measured = self.in_turns({"likeness": ours, "bare": bare}, n, think, seconds, warm_up)
            point = {
                "database": database,
                "people": n,
                "think": think,
                **{name: report.figures(m) for name, m in measured.items()},
            }
            self.results["loads"].append(point)
            say(report.line(point))
            self.keep()

    def in_turns(
        self,
        applications: dict[str, Application],
        n: int,
        think: tuple[float, float] | None,
        seconds: float,
        warm_up: float,
    ) -> dict[str, Measured]:
        measured = {name: Measured() for name in applications}
        # A small crowd that thinks is far from what a machine can do: once tells as much as twice.
        is_short = think and (n < 200 or len(applications) > 2)
        for _ in range(1 if is_short else self.plan.turns):
            for name, application in applications.items():
                turn = application.crowd(n, think=think, seconds=seconds, warm_up=warm_up)
                measured[name].add(turn)
        return measured

    def sizes(self, database: str, main: Application) -> None:
        plan = self.plan
        by_size: dict[str, Application] = {}
        for size in plan.sizes:
            if size == MAIN_SIZE:
                by_size[f"{size}"] = main
                continue
            say(f"   filling a study of {size:,} tuples")
            made = Application(self.installation(f"{size}", database), size, plan.n_keys // 2)
            made.installation.start()
            by_size[f"{size}"] = made
        for n, think, seconds, warm_up in (
            (64, None, plan.seconds, 1.0),
            (200, THINK, plan.seconds_thinking, THINK[1]),
        ):
            measured = self.in_turns(by_size, n, think, seconds, warm_up)
            for tuples, m in measured.items():
                point = {
                    "database": database,
                    "tuples": int(tuples),
                    "people": n,
                    "think": think,
                    "likeness": report.figures(m),
                }
                self.results["sizes"].append(point)
                say(report.line(point))
            self.keep()

    def students(self) -> None:
        if isinstance(self.postgres, str):
            self.left_out(f"students: {self.postgres}")
            return
        say("\n== postgres: students rate in two phases")
        made = self.installation("students", "postgres")
        if not (self.folder / "static").is_dir():
            made.run("manage.py", "collectstatic", "--noinput", "-v0")
        self.results["students"] = students.measure(
            made, self.plan.n_students, self.plan.students_think, say
        )

    def files(self) -> None:
        say("\n== import and export (SQLite; each step a process of its own)")

        import_export.measure(self.plan.import_arguments, self.file_step)

    def ratings(self) -> None:
        say("\n== rating studies (SQLite; each step a process of its own)")
        ratings.measure(self.plan.rating_arguments, self.file_step)

    def file_step(self, step: import_export.Step) -> None:
        say(f"{step.name:<44}{step.seconds:>9.1f} s{step.peak_mb:>9.0f} MB")
        self.results["files"].append(step.__dict__)
        self.keep()

    def models(self) -> None:
        say("\n== measures that need a model (a process of its own)")
        self.results["models"] = models.measure(self.plan.model_arguments, say)

    def statistics(self) -> None:
        say("\n== statistics, beside the obvious way")
        statistics.write(statistics.measure(say), self.output)

    def end_servers(self) -> None:
        while self.installations:
            self.installations.pop().stop()
        if isinstance(self.postgres, Postgres):
            self.postgres.drop_all()

    def end(self) -> None:
        with suppress(Exception):
            self.end_servers()
        shutil.rmtree(self.folder, ignore_errors=True)


def say(sentence: str) -> None:
    print(sentence, flush=True)


def chosen(words: str, among: tuple[str, ...]) -> set[str]:
    picked = set(filter(None, words.split(",")))
    if unknown := picked - set(among):
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(among)}")
    return picked


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer points, about four minutes")
    parser.add_argument("--only", default=",".join(STEPS), help="of " + ",".join(STEPS))
    parser.add_argument("--on", default="postgres,sqlite", help="which databases")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    benchmark = Benchmark(
        QUICK if arguments.quick else WHOLE,
        chosen(arguments.only, STEPS),
        chosen(arguments.on, ("postgres", "sqlite")),
        arguments.output,
    )
    try:
        benchmark.run()
    except KeyboardInterrupt:
        benchmark.left_out("everything after Ctrl-C")
    finally:
        # Servers and databases go, also where the results cannot be written.
        try:
            benchmark.keep()
        finally:
            benchmark.end()
    print("\n" + report.text(benchmark.results))
    if benchmark.results["left_out"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
