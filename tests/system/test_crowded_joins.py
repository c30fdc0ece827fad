"""Fifty people arrive at once for ten places."""

import os
import threading
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from annotation.simulation.browser import Browser, Page
from tests.system.servers import UNUSED_REDIS, Installation

# A matter of chance, of which forty people too many are enough; more rounds for a closer look.
ROUNDS = int(os.environ.get("JOIN_ROUNDS", "1"))
ARRIVALS = 50
PLACES = 10

MAKE_STUDIES = f"""
from tests.support.factories import make_open_study
for _ in range({ROUNDS}):
    study = make_open_study(
        dialogues=2, parameters={{"annotations_per_tuple": {PLACES}, "screens_per_booklet": 100}}
    )
    print("token", study.join_token)
"""
COUNT = """
from annotation.models import Annotator, Assignment, Study
for study in Study.objects.order_by("pk"):
    held = Assignment.objects.filter(annotator__study=study)
    print(
        "held",
        held.count(),
        held.values("place").distinct().count(),
        Annotator.objects.filter(study=study).count(),
    )
"""


def arrive_at_once(url: str) -> list[Page]:
    """Everybody has the page open; then all of them agree at the same moment."""
    gate = threading.Barrier(ARRIVALS)
    pages: list[Page] = []

    def arrive() -> None:
        browser = Browser(url)
        form = browser.get(url).form(urlsplit(url).path)
        assert form is not None
        gate.wait(60)
        page = browser.send(form, form.checkboxes)
        browser.close()
        pages.append(page)

    threads = [threading.Thread(target=arrive) for _ in range(ARRIVALS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return pages


@pytest.mark.timeout(600 + 20 * ROUNDS)
def test_fifty_arrivals_for_ten_places_give_ten_assignments(
    installation: Installation, collected: Path
) -> None:
    installation.extra["JOINS_PER_ADDRESS_PER_HOUR"] = "100000"
    if installation.database_url:
        installation.extra["STATIC_ROOT"] = str(collected)
    printed = installation.python(MAKE_STUDIES)
    tokens = [line.split()[1] for line in printed.splitlines() if line.startswith("token")]
    # Two processes on PostgreSQL, eight threads on SQLite: only the database can keep them apart.
    if installation.database_url:
        installation.redis_url = UNUSED_REDIS
        installation.gunicorn()
    else:
        installation.serve("--no-worker", "--no-demo")

    outcomes = []
    for token in tokens:
        pages = arrive_at_once(f"{installation.base}j/{token}/")
        outcomes.append(Counter(page.status for page in pages))
        refused = [page for page in pages if page.status == 409]
        assert all("All places are taken" in page.text for page in refused)

    assert outcomes == [{200: PLACES, 409: ARRIVALS - PLACES}] * ROUNDS
    counted = [line for line in installation.python(COUNT).splitlines() if line.startswith("held")]
    assert counted == [f"held {PLACES} {PLACES} {PLACES}"] * ROUNDS
    assert "Traceback" not in installation.log.read_text()
