"""How long the live page of a large study takes, and the worker's counting and measuring.

    python -m benchmarks.live [--judgments 150000] [--views 40]

Needs Django's settings and an empty database (DATABASE_URL, or LIKENESS_DATA for SQLite). GiCCS
dialogues with five answers a tuple, booklets of fifty, people over thirty days, of which the last
is still at work. The last line printed is JSON, in milliseconds.
"""

import argparse
import json
import os
import random
import statistics
import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402 - models need the settings
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.basics import clock, keys  # noqa: E402
from annotation.core.services import workers  # noqa: E402
from annotation.models import (  # noqa: E402
    Annotator,
    Assignment,
    Judgment,
    LiveCount,
    PhaseRun,
    Place,
    ProgressPoint,
    Study,
)
from annotation.models.kinds import QuestionKind  # noqa: E402
from annotation.monitoring.services import live  # noqa: E402
from annotation.studies.services import studies  # noqa: E402
from benchmarks.populate import (  # noqa: E402
    TUPLES_PER_DIALOGUE,
    add_design,
    add_dialogues,
    insert,
)

PER_TUPLE, PER_BOOKLET, DAYS = 5, 50, 30
# The share of the places that are done; of the others some are in work.
DONE = 0.95


@transaction.atomic
def populate(n_judgments: int) -> Study:
    rng = random.Random(3)
    owner = User.objects.create_user("benchmark", is_staff=True)
    study = studies.create(owner=owner, title="A large study", preset="giccs", seed=1)
    n_tuples = round(n_judgments / DONE / PER_TUPLE / PER_BOOKLET) * PER_BOOKLET
    pools = add_dialogues(study, -(-n_tuples // TUPLES_PER_DIALOGUE))
    booklets, questions, members = add_design(study, pools, PER_BOOKLET, PER_TUPLE)
    now = timezone.now()
    begun = now - timedelta(days=DAYS)
    study.designs.update(made_at=begun, frozen_at=begun)
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN, opened_at=begun)
    places = list(Place.objects.filter(booklet__in=booklets).order_by("pk"))
    rng.shuffle(places)
    n_done = round(n_judgments / PER_BOOKLET)
    people = insert(
        Annotator,
        (
            Annotator(study=study, key_hash=keys.key_hash(f"benchmark {n}"), instructed_at=begun)
            for n in range(min(n_done + 20, len(places)))
        ),
    )
    ends = [begun + (n + 1) / n_done * (now - begun) for n in range(n_done)]
    assignments = insert(
        Assignment,
        (
            Assignment(
                annotator=person,
                booklet_id=places[n].booklet_id,
                place=places[n],
                state=Assignment.State.SUBMITTED if n < n_done else Assignment.State.ACTIVE,
                last_active_at=ends[n] if n < n_done else now,
            )
            for n, person in enumerate(people)
        ),
    )
    # Set by `auto_now_add` to now.
    for assignment, end in zip(assignments, ends, strict=False):
        assignment.created_at = end - timedelta(minutes=30)
    Assignment.objects.bulk_update(assignments[:n_done], ["created_at"], batch_size=500)
    phase = study.design.phases.get()
    insert(
        PhaseRun,
        (
            PhaseRun(
                assignment=assignment,
                phase=phase,
                opens_at=begun,
                place=assignment.place if n < n_done else None,
                completed_at=ends[n] if n < n_done else None,
                is_counted=n < n_done,
            )
            for n, assignment in enumerate(assignments)
        ),
    )
    of_booklet: dict[int | None, list[int]] = {}
    for n, question in enumerate(questions):
        of_booklet.setdefault(question.booklet_id, []).append(n)
    latent = {item.pk: rng.gauss(0, 1) for pool in pools for item in pool}

    def judged(n: int, k: int, assignment: Assignment) -> Judgment:
        felt = sorted(members[k], key=lambda item: latent[item.pk] + rng.gauss(0, 0.7))
        at = ends[n] - timedelta(seconds=30 * (k % PER_BOOKLET))
        return Judgment(
            assignment=assignment,
            question=questions[k],
            kind=QuestionKind.BEST_WORST,
            best=felt[-1],
            worst=felt[0],
            shown_order=[item.pk for item in members[k]],
            shown_at=at - timedelta(seconds=20),
            answered_at=at,
            active_ms=9000,
            idempotency_key=uuid4(),
        )

    insert(
        Judgment,
        (
            judged(n, k, assignment)
            for n, assignment in enumerate(assignments[:n_done])
            for k in of_booklet[assignment.booklet_id]
        ),
    )
    return study


def timed(client: Client, address: str, n: int, **headers: str) -> dict[str, Any]:
    """The server's time in milliseconds over n views, and the queries of one."""
    response = client.get(address, headers=headers)
    with CaptureQueriesContext(connection) as captured:
        client.get(address, headers=headers)
    n_queries = len(captured.captured_queries)
    spent, own = [], []
    for _ in range(n):
        began, of_processor = time.perf_counter(), time.process_time()
        response = client.get(address, headers=headers)
        spent.append((time.perf_counter() - began) * 1000)
        own.append((time.process_time() - of_processor) * 1000)
    return {
        "status": response.status_code,
        "p50": round(statistics.median(spent), 1),
        "p95": round(sorted(spent)[int(0.95 * (n - 1))], 1),
        # On a machine that does other work: what it takes where nothing comes between.
        "least": round(min(spent), 1),
        # Without a database server's.
        "processor": round(statistics.median(own), 1),
        "queries": n_queries,
        "kB": round(len(response.content) / 1000, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--judgments", type=int, default=150_000)
    parser.add_argument("--views", type=int, default=40)
    asked = parser.parse_args()
    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
    study = Study.objects.first() or populate(asked.judgments)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # as autovacuum does within a minute
    workers.seen()
    found: dict[str, Any] = {"vendor": connection.vendor, "judgments": Judgment.objects.count()}
    LiveCount.objects.all().delete()
    ProgressPoint.objects.all().delete()
    for name in ("first count and measurement, s", "count alone, s"):
        # Somebody is at work.
        Assignment.objects.filter(state=Assignment.State.ACTIVE).update(last_active_at=clock.now())
        began = time.perf_counter()
        live.watch()
        found[name] = round(time.perf_counter() - began, 2)
    found["of it measured, s"] = round(LiveCount.objects.get().seconds, 2)
    # As many points as such a study has in the end.
    point = ProgressPoint.objects.get()
    insert(
        ProgressPoint,
        (
            ProgressPoint(
                design_id=point.design_id,
                population=point.population,
                at=point.at,
                n_judgments=point.n_judgments * (n + 1) // 300,
                figures=point.figures,
                details=point.details,
            )
            for n in range(300)
        ),
    )
    client = Client(SERVER_NAME="localhost")
    client.force_login(study.owner)
    pages = {
        "page": reverse("admin:annotation_study_live", args=[study.pk]),
        "fragment": reverse("admin:annotation_study_live_now", args=[study.pk]),
    }
    for name, address in pages.items():
        found[name] = timed(client, address, asked.views)
    tag = client.get(pages["fragment"])["ETag"]
    unchanged = {"if-none-match": tag}
    found["fragment, nothing new"] = timed(client, pages["fragment"], asked.views, **unchanged)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
