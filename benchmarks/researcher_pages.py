"""What each page of a researcher costs, and each address of the API that is read, of one study.

The pages are those that the rooms list (`annotation/site/rooms.py`), so that a new one is
measured, too. They are fetched in this process, without a server.
"""

import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, reset_queries
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import (
    Adjudication,
    Annotator,
    Announcement,
    Intent,
    Job,
    PhaseRun,
    Study,
    Visit,
)
from annotation.site import rooms

N_FETCHES = 5
# What takes longer is fetched once.
MAX_REPEATED_MS = 3000

OF_NO_STUDY = {"studies": "/admin/", "add": "/admin/annotation/study/add/"}


def _first(rows: Any, column: str = "pk") -> Any:
    return rows.order_by("pk").values_list(column, flat=True).first()


def _people(study: Study) -> Any:
    """Those who answered; of the first of them, too, a page shows what they did."""
    return Annotator.objects.filter(study=study, assignments__isnull=False)


# What an address names beside the study, by the name of its parameter: a row of the study. None:
# there is none, and the page is left out.
_ROWS: Mapping[str, Callable[[Study], Any]] = {
    "adjudication_id": lambda study: _first(Adjudication.objects.filter(study=study)),
    "announcement_id": lambda study: _first(Announcement.objects.filter(study=study)),
    "annotator_id": lambda study: _first(_people(study)),
    "baseline_id": lambda study: _first(study.baselines),
    "booklet": lambda _study: 1,
    "channel_id": lambda study: _first(study.alert_channels),
    "comparison_id": lambda study: _first(study.jobs.filter(kind=Job.Kind.COMPARE)),
    "intent_id": lambda study: _first(Intent.objects.filter(listing__study=study)),
    "item_id": lambda study: _first(study.items),
    "job_id": lambda study: _first(study.jobs),
    "listing": lambda study: _first(study.listings, "number"),
    "listing_id": lambda study: _first(study.listings),
    "moment": lambda _study: "before",
    "number": lambda study: _first(study.releases, "number"),
    "phase": lambda _study: 1,
    "pseudonym": lambda study: _first(_people(study), "pseudonym"),
    "result_id": lambda study: _first(study.results),
    "run_id": lambda study: _first(PhaseRun.objects.filter(phase__design=study.design)),
    "screen": lambda _study: 1,
    "slug": lambda study: study.slug,
    "study_id": lambda study: study.pk,
    "visit_id": lambda study: _first(Visit.objects.filter(listing__study=study)),
}

# What the name and the kind of a file are, or of which kind its job is.
_FILES: Mapping[str, Mapping[str, str]] = {
    "baseline_table": {"kind": "tsv"},
    "baseline_further": {"name": "within_pools", "kind": "tsv"},
    "lexical": {"kind": "tsv"},
    "live_plot": {"name": "throughput", "kind": "svg"},
    "person_plot": {"name": "times", "kind": "svg"},
    "plan_plot": {"name": "split-half", "kind": "svg"},
    "plot": {"name": "scores", "kind": "svg"},
    "result_table": {"name": "score_distribution", "kind": "tsv"},
    "review_table": {"kind": "tsv"},
}
_JOBS: Mapping[str, str] = {
    "comparison": Job.Kind.COMPARE,
    "comparison_plot": Job.Kind.COMPARE,
    "prepared": Job.Kind.EXPORT,
    "sampled": Job.Kind.IMPORT_ITEMS,
    "sampled_table": Job.Kind.IMPORT_ITEMS,
    "sampled_plot": Job.Kind.IMPORT_ITEMS,
}
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True)
class Cost:
    status: int
    # Milliseconds of this process's processor time; on SQLite the database's is among it.
    median: float
    longest: float
    # Milliseconds that passed: with those of a database server, and of all that goes on beside.
    median_wall: float
    n_queries: int
    n_bytes: int
    # A file of the study's data, which has all of it.
    is_download: bool


def addresses(study: Study) -> Iterator[tuple[str, str]]:
    """The name and address of each page, whether or not it is read by GET."""
    yield from OF_NO_STUDY.items()
    pages = [("", None, "change"), *rooms.PAGES]
    for route, _view, name in pages:
        address = _filled("/admin/annotation/study/<int:study_id>/" + route, name, study)
        if address is not None:
            yield name, address
    yield "api:studies", "/api/v1/studies/"
    for route, _view, name in rooms.API:
        address = _filled("/api/v1/studies/<slug:slug>/" + route, name, study)
        if address is not None:
            yield f"api:{name}", address


def _filled(route: str, name: str, study: Study) -> str | None:
    parts = {}
    for parameter in _PARAMETER.findall(route):
        if parameter == "job_id" and name in _JOBS:
            part = _first(study.jobs.filter(kind=_JOBS[name]))
        elif parameter in _FILES.get(name, {}):
            part = _FILES[name][parameter]
        elif parameter in _ROWS:
            part = _ROWS[parameter](study)
        else:
            part = None
        if part is None:
            return None
        parts[parameter] = str(part)
    return _PARAMETER.sub(lambda match: parts[match[1]], route)


def cost(client: Client, address: str) -> Cost | None:
    """Of one address; None: it is not read by GET."""
    own, wall = [], []
    for _fetch in range(N_FETCHES):
        # Django keeps the last nine thousand: what fills them up would hide the next page's.
        reset_queries()
        with CaptureQueriesContext(connection) as captured:
            began, began_wall = time.process_time(), time.perf_counter()
            response = client.get(address)
            if response.status_code == 405:
                return None
            body = b"".join(response) if response.streaming else response.content
            own.append(1000 * (time.process_time() - began))
            wall.append(1000 * (time.perf_counter() - began_wall))
        if own[-1] > MAX_REPEATED_MS:
            break
    return Cost(
        response.status_code,
        statistics.median(own),
        max(own),
        statistics.median(wall),
        len(captured),
        len(body),
        response.headers.get("Content-Disposition", "").startswith("attachment"),
    )


def costs(study: Study, user: User) -> Iterator[tuple[str, Cost]]:
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    for name, address in addresses(study):
        if (found := cost(client, address)) is not None:
            yield name, found
