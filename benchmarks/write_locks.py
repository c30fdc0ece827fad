"""How long others wait for SQLite's one write lock while the large jobs run.

    python -m benchmarks.write_locks [--scale 1.0] [--only "NAME;..."]

A process of its own asks for the lock every 50 ms, as somebody who saves does, and notes how long
it waited. The steps are those of the Czech study at its size (scale 1: 1,614 incidents, 116,208
pairs), and of a best-worst study; each is done in a process of its own over one SQLite file in a
temporary folder.
"""

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from annotation.kinds.design_parameters import BestWorstParameters

ROOT = Path(__file__).resolve().parent.parent
INTERVAL = 0.05
# Longer than this nobody's save shall wait.
LIMIT = 0.5

# Of each incident: sentences of the summary and of each of its reports.
N_INCIDENTS, N_SUMMARY, REPORTS = 1614, 24, (14, 13, 13)
N_GROUPS, N_ITEMS, N_JUDGMENTS, N_TUPLES = 400, 10_000, 150_000, 20_000


# -- The probe ----------------------------------------------------------------------------------


class LockProbe:
    """Asks for the write lock of a SQLite file again and again, in a process of its own."""

    def __init__(self, file: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.write_locks", "--probe", str(file)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def stop(self) -> list[float]:
        """The seconds that it waited each time, in their order."""
        said, _none = self._process.communicate("\n", timeout=700)
        waits: list[float] = json.loads(said)
        return waits


def probe(file: str) -> None:
    connection = sqlite3.connect(file, timeout=600, isolation_level=None)
    waits: list[float] = []
    print("ready", flush=True)
    os.set_blocking(sys.stdin.fileno(), False)
    while not sys.stdin.read(1):
        began = time.monotonic()
        connection.execute("BEGIN IMMEDIATE")
        waits.append(time.monotonic() - began)
        connection.execute("ROLLBACK")
        time.sleep(INTERVAL)
    print(json.dumps(waits))


# -- The steps ----------------------------------------------------------------------------------


def _study(slug: str):  # type: ignore[no-untyped-def] # the models need the settings
    from annotation.models import Study  # noqa: PLC0415

    return Study.objects.get(slug=slug)


def _job(slug: str, kind: str, **parameters: object) -> None:
    from annotation.core.services import jobs  # noqa: PLC0415
    from annotation.models import Job  # noqa: PLC0415

    job = jobs.run_here(study=_study(slug), kind=Job.Kind(kind), parameters=parameters)
    if job.state != Job.State.DONE:
        raise SystemExit(f"{slug}: {job.problems}")


def _manage(*words: str) -> None:
    from django.core.management import call_command  # noqa: PLC0415

    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        call_command(*words, stdout=nowhere, stderr=nowhere)


def import_incidents(folder: Path, scale: float) -> None:
    _manage("import_items", "first", str(folder / "incidents.jsonl"))


def select(folder: Path, scale: float) -> None:
    """Everybody's answers, written in bulk: what is measured are the other steps."""
    from uuid import uuid4  # noqa: PLC0415

    from django.db import transaction  # noqa: PLC0415

    from annotation.basics import clock  # noqa: PLC0415
    from annotation.models import (  # noqa: PLC0415
        Annotator,
        Assignment,
        Judgment,
        Person,
        PhaseRun,
        Pick,
        Place,
        Question,
        Turn,
    )
    from annotation.studies.services import studies  # noqa: PLC0415

    study = studies.open_study(study=_study("first"))
    rng, now = random.Random(1), clock.now()
    with transaction.atomic():
        places = list(Place.objects.filter(booklet__design__study=study).order_by("pk"))
        people = Person.objects.bulk_create(
            [Person(platform="roster", platform_id=f"s{n}") for n in range(len(places))]
        )
        annotators = Annotator.objects.bulk_create(
            [Annotator(study=study, person=person) for person in people]
        )
        assignments = Assignment.objects.bulk_create(
            [
                Assignment(
                    annotator=annotator,
                    booklet_id=place.booklet_id,
                    place=place,
                    state="submitted",
                    last_active_at=now,
                )
                for annotator, place in zip(annotators, places, strict=True)
            ]
        )
        phase = study.design.phases.get()
        PhaseRun.objects.bulk_create(
            [
                PhaseRun(
                    assignment=one,
                    phase=phase,
                    opens_at=now,
                    completed_at=now,
                    place_id=one.place_id,
                    is_counted=True,
                )
                for one in assignments
            ]
        )
        of_booklet = {one.booklet_id: one for one in assignments}
        reports: dict[int | None, list[int]] = {}
        groups: dict[int | None, int | None] = {}
        for pk, group, key in Turn.objects.filter(context__study=study).values_list(
            "pk", "context__group_id", "context__key"
        ):
            groups[pk] = group
            if not key.endswith("/summary"):
                reports.setdefault(group, []).append(pk)
        questions = list(Question.objects.filter(booklet__design__study=study).order_by("pk"))
        judgments = Judgment.objects.bulk_create(
            [
                Judgment(
                    assignment=of_booklet[question.booklet_id or 0],
                    question=question,
                    kind="selection",
                    answered_at=now,
                    idempotency_key=uuid4(),
                )
                for question in questions
            ],
            batch_size=2000,
        )
        Pick.objects.bulk_create(
            [
                Pick(judgment=judgment, role=role, turn_id=turn, rating=rating)
                for judgment, question in zip(judgments, questions, strict=True)
                for role, rating, turn in zip(
                    ("similar", "middle", "dissimilar"),
                    (5, 3, 1),
                    rng.sample(reports[groups[question.turn_id]], 3),
                    strict=True,
                )
            ],
            batch_size=2000,
        )
    studies.close(study=study)


def _next(title: str, slug: str, n_groups: int | None) -> None:
    from annotation.studies.services import studies  # noqa: PLC0415

    first = _study("first")
    studies.create(
        owner=first.owner, title=title, slug=slug, preset="sts-context", earlier_round=first
    )
    _job(slug, "continue", earlier=first.pk, n_groups=n_groups)


def set_numbers(folder: Path, scale: float) -> None:
    from dataclasses import replace  # noqa: PLC0415

    from annotation.designs.services import designs  # noqa: PLC0415
    from annotation.kinds.design_parameters import RatingParameters  # noqa: PLC0415

    study = _study("third")
    numbers = replace(RatingParameters.of(study.design), repeat_from="booklet", calibration=[])
    designs.set_parameters(study=study, parameters=numbers, seed=1)


def set_tuples(folder: Path, scale: float) -> None:
    from annotation.designs.services import designs  # noqa: PLC0415

    designs.set_parameters(
        study=_study("items"), parameters=BestWorstParameters(tuple_size=3), seed=1
    )


def release(folder: Path, scale: float) -> None:
    _manage("release", "first")


def delete_whole(folder: Path, scale: float) -> None:
    from annotation.studies.services import researchers  # noqa: PLC0415

    researchers.delete_draft(study=_study("whole"))


# -- What pages and the schedule do ---------------------------------------------------------------


def change_numbers(folder: Path, scale: float) -> None:
    from annotation.designs.services import designs  # noqa: PLC0415

    designs.set_parameters(
        study=_study("items"), parameters=BestWorstParameters(tuple_size=3, factor=1.5), seed=1
    )


def put_on_roster(folder: Path, scale: float) -> None:
    from annotation.answering.services import rosters  # noqa: PLC0415

    entries = [
        rosters.RosterEntry(f"r{n}", f"Student {n}", f"s{n}@example.org") for n in range(1000)
    ]
    rosters.add_roster(study=_study("third"), entries=entries)


def exclude(folder: Path, scale: float) -> None:
    from annotation.people.services import exclusions  # noqa: PLC0415

    study = _study("judged")
    exclusions.exclude_all(
        annotators=list(study.annotators.order_by("pk")[:1000]), reason="too fast", by=study.owner
    )


def include(folder: Path, scale: float) -> None:
    from annotation.people.services import exclusions  # noqa: PLC0415

    study = _study("judged")
    chosen = list(study.annotators.order_by("pk")[:1000])
    exclusions.include_all(annotators=chosen, reason="not too fast", by=study.owner)


def relabel(folder: Path, scale: float) -> None:
    from annotation.items.imports.relabels import RequestedChange  # noqa: PLC0415
    from annotation.items.services import relabellings  # noqa: PLC0415

    study = _study("judged")
    wanted = [
        RequestedChange(key=key, field="domain", value=f"domain {n % 7}", row_kind="item")
        for n, key in enumerate(study.items.order_by("number").values_list("key", flat=True))
    ]
    relabellings.relabel(study=study, wanted=wanted, reason="as told", by=study.owner)


def make_pilot(folder: Path, scale: float) -> None:
    from annotation.designs.services import pilots  # noqa: PLC0415
    from annotation.kinds.registry import kind_of  # noqa: PLC0415

    study = _study("third")
    pilots.begin(study=study, n_parts=len(kind_of(study).designs.pilot_parts(study)) // 4)


def review(folder: Path, scale: float) -> None:
    from annotation.reviews import services as reviews  # noqa: PLC0415
    from annotation.studies.services import studies  # noqa: PLC0415

    earlier = _study("judged")
    study = studies.create(
        owner=earlier.owner, title="R", slug="review", preset="expert-check", earlier_round=earlier
    )
    reviews.choose_for_experts(study=study, which="random", n=int(5000 * scale))


def open_both(folder: Path, scale: float) -> None:
    from annotation.studies.services import studies  # noqa: PLC0415

    _job("items", "make_design")
    for slug in ("third", "items"):
        studies.open_study(study=_study(slug))


def simulate_places(folder: Path, scale: float) -> None:
    from annotation.simulation import through_services  # noqa: PLC0415

    through_services.prepare_places(_study("items"))


def join_at_once(folder: Path, scale: float) -> None:
    from annotation.answering.services import assignments, withdrawal  # noqa: PLC0415
    from annotation.basics import keys  # noqa: PLC0415
    from annotation.studies.services import studies  # noqa: PLC0415

    for slug in ("third", "items"):
        study = _study(slug)
        for _n in range(20):
            assignments.join(
                study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
            )
            # One process that claims without a pause would be waited for by its own fault.
            time.sleep(0.1)
    withdrawal.withdraw(annotator=study.annotators.latest("pk"))


def schedule(folder: Path, scale: float) -> None:
    """Everything that beat starts."""
    from config.celery import app  # noqa: PLC0415

    app.loader.import_default_modules()
    for entry in app.conf.beat_schedule.values():
        app.tasks[entry["task"]]()


def erase(folder: Path, scale: float) -> None:
    from annotation.people.services import retention  # noqa: PLC0415

    study = _study("judged")
    retention.erase(study=study, by=study.owner)


Step = Callable[[Path, float], None]


def _of_job(slug: str, kind: str, **parameters: object) -> Step:
    return lambda folder, scale: _job(slug, kind, **parameters)


def _of_file(command: str, slug: str, name: str, *words: str) -> Step:
    return lambda folder, scale: _manage(command, slug, str(folder / name), *words)


# Name, what is done, and whether others are let wait by it: else it only prepares.
STEPS: tuple[tuple[str, Step, bool], ...] = (
    ("import incidents", import_incidents, True),
    ("design, selection", _of_job("first", "make_design"), True),
    ("(answers)", select, False),
    ("next round, all pairs", lambda folder, scale: _next("All", "whole", None), True),
    (
        "next round, 400 groups",
        lambda folder, scale: _next("3", "third", max(int(N_GROUPS * scale), 100)),
        True,
    ),
    ("(numbers)", set_numbers, False),
    ("design, ratings", _of_job("third", "make_design"), True),
    ("export, round 1", _of_job("first", "export", population="people"), True),
    ("release, round 1", release, True),
    ("delete a draft of all pairs", delete_whole, True),
    ("import items", _of_file("import_items", "items", "dialogues.jsonl", "--create"), True),
    ("import items again", _of_file("import_items", "items", "dialogues.jsonl"), True),
    ("(tuples of three)", set_tuples, False),
    ("design, best-worst", _of_job("items", "make_design"), True),
    (
        "import judgments",
        _of_file("import_judgments", "judged", "judgments.csv", "--create"),
        True,
    ),
    ("score", _of_job("judged", "score", population="people"), True),
    ("release, best-worst", lambda folder, scale: _manage("release", "judged"), True),
    ("other numbers", change_numbers, True),
    ("roster of 1,000", put_on_roster, True),
    ("exclude 1,000 people", exclude, True),
    ("include 1,000 people", include, True),
    ("relabel all items", relabel, True),
    ("pilot of a quarter", make_pilot, True),
    ("expert check of 5,000 items", review, True),
    ("design and opening", open_both, True),
    ("places for a simulation", simulate_places, True),
    ("20 people join", join_at_once, True),
    ("schedule", schedule, True),
    ("measures", lambda folder, scale: _manage("baseline", "third"), True),
    ("erase personal data", erase, True),
)


def write_incidents(file: Path, n: int) -> None:
    from benchmarks.import_export import sentence  # noqa: PLC0415

    rng = random.Random(1)
    with file.open("w", encoding="utf-8") as opened:
        for incident in range(n):
            reports = [
                {"id": f"i{incident}r{r}", "sentences": [sentence(rng) for _ in range(size)]}
                for r, size in enumerate(REPORTS)
            ]
            entry = {
                "id": f"i{incident}",
                "summary": [sentence(rng) for _ in range(N_SUMMARY)],
                "reports": reports,
            }
            opened.write(json.dumps(entry) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default="", help="names of steps, with semicolons between them")
    parser.add_argument("--probe", help=argparse.SUPPRESS)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="keep the database there, and go on with it")
    arguments = parser.parse_args()
    if arguments.probe:
        probe(arguments.probe)
        return
    if arguments.step:
        import django  # noqa: PLC0415

        django.setup()
        work = next(work for name, work, _is_measured in STEPS if name == arguments.step)
        work(arguments.folder, arguments.scale)
        return
    with tempfile.TemporaryDirectory() as folder:
        _measure(arguments.folder or Path(folder), arguments.scale, set(arguments.only.split(";")))


def _measure(folder: Path, scale: float, only: set[str]) -> None:
    from benchmarks.import_export import write_dialogues, write_judgments  # noqa: PLC0415

    environment = {
        **os.environ,
        "LIKENESS_DATA": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DJANGO_SUPERUSER_PASSWORD": "benchmark",
    }
    environment.pop("DATABASE_URL", None)

    def run(*words: str) -> None:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT, env=environment, check=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stderr[-2000:]}")

    database = folder / "likeness.sqlite3"
    if not database.exists():
        folder.mkdir(parents=True, exist_ok=True)
        run("manage.py", "migrate", "-v0")
        account = ("--username", "ada", "--email", "a@example.org")
        run("manage.py", "createsuperuser", "--no-input", *account)
        write_incidents(folder / "incidents.jsonl", max(int(N_INCIDENTS * scale), 10))
        write_dialogues(folder / "dialogues.jsonl", int(N_ITEMS * scale))
        write_judgments(folder / "judgments.csv", int(N_JUDGMENTS * scale), int(N_TUPLES * scale))
        making = (
            "import django; django.setup(); from django.contrib.auth.models import User;"
            "from annotation.studies.services import studies;"
            "User.objects.update(first_name='Ada', last_name='Lovelace');"
            "studies.create(owner=User.objects.get(), title='1', slug='first',"
            " preset='czech-round-1')"
        )
        run("-c", making)
    print(f"{'step':<32}{'seconds':>9}{'longest wait':>14}{'over 0.5 s':>12}", flush=True)
    for name, _work, is_measured in STEPS:
        if only != {""} and name not in only:
            continue
        watching = LockProbe(database)
        began = time.monotonic()
        try:
            of = ("--folder", str(folder), "--scale", str(scale))
            run("-m", "benchmarks.write_locks", "--step", name, *of)
        finally:
            seconds, waits = time.monotonic() - began, watching.stop()
        n_long = sum(wait > LIMIT for wait in waits)
        said = f"{max(waits, default=0):>12.2f} s{n_long:>12}" if is_measured else ""
        print(f"{name:<32}{seconds:>7.1f} s{said}", flush=True)


if __name__ == "__main__":
    main()
