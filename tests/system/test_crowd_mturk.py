"""A paid study on a simulated Mechanical Turk, from the draft of a listing to the scores."""

import csv
import io
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from scoring import spearman
from tests.conftest import chromium
from tests.simulators.mturk import Steering
from tests.simulators.mturk.bot import BotRefusedError, WorkerBot
from tests.system.crowding import GOOD, Crowd, Researcher, mturk_beside, places, work_in_browser
from tests.system.dialogues import write_giccs
from tests.system.servers import Installation

DIALOGUES = int(os.environ.get("CROWD_DIALOGUES", "4"))


def open_giccs(installation: Installation, folder: Path, *, dialogues: int) -> None:
    """An open study with the design of GiCCS."""
    file = folder / "dialogues.jsonl"
    write_giccs(file, dialogues=dialogues)
    create = ("--create", "--title", "GiCCS", "--preset", "giccs", "--language", "de")
    installation.manage("import_items", "giccs", str(file), *create, "--owner", "researcher")
    installation.manage("make_design", "giccs", "--seed", "7")
    installation.manage("open_study", "giccs", "--contact", "Ada Example, ada@example.org")


@pytest.mark.timeout(1800)
def test_giccs_is_priced_published_answered_in_frames_and_over_http_paid_and_scored(
    sqlite: Installation, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """GiCCS as it was done, in 150 visits of ten screens with two dialogues each.

    Every 3-tuple of five candidates is there and is judged five times. The suite takes 4
    dialogues, 10 visits and two of them in a browser, where there is one; with CROWD_DIALOGUES=60
    it is the whole: 600 tuples, 3,000 answers, 20 visits in a browser.
    """
    n_visits = DIALOGUES * 50 // 20
    in_browser = (n_visits * 20 // 150 if DIALOGUES == 60 else 2) if chromium() else 0
    browser = request.getfixturevalue("browser") if in_browser else None
    with mturk_beside(sqlite) as simulator:
        sqlite.serve("--no-demo")
        open_giccs(sqlite, tmp_path, dialogues=DIALOGUES)
        researcher = Researcher(sqlite, "giccs")
        listing = researcher.offer_on_mturk(
            reward="2.35", least_approval_rate="98", least_approved="100", locales="DE"
        )
        researcher.spend_up_to("1000.00", "USD")
        # Of each booklet of 20 tuples five answers, with a fifth as the fee.
        priced = researcher.publish(listing)
        assert priced == n_visits * Decimal("2.82")
        assert simulator.on_hold == priced
        crowd = Crowd.of(sqlite, "giccs")
        for n, worse in enumerate(({"percent": 98}, {"approved": 100}, {"country": "AT"})):
            simulator.add_worker(f"AX{n}", **{**GOOD, **worse})
            with pytest.raises(BotRefusedError):
                WorkerBot(simulator.worker_site, f"AX{n}").accept()
        for n in range(n_visits + 1):
            simulator.add_worker(f"AW{n}", **GOOD)

        offered = places(sqlite)

        def work(n: int) -> str:
            return WorkerBot(simulator.worker_site, f"AW{n}").work(crowd.answer, *offered[n])

        with ThreadPoolExecutor(4) as pool:
            by_bots = [pool.submit(work, n) for n in range(in_browser, n_visits)]
            for n in range(in_browser):
                work_in_browser(browser, simulator, f"AW{n}", crowd, offered[n])
            assert [one.result() for one in by_bots] == ["submitted"] * (n_visits - in_browser)
        with pytest.raises(BotRefusedError):
            WorkerBot(simulator.worker_site, f"AW{n_visits}").accept()

        researcher.poll()
        assert researcher.approve_all() == n_visits
        check_books(researcher, simulator, priced, n_visits=n_visits)
    check_scores(sqlite, crowd, tmp_path, n_answers=DIALOGUES * 50)


def check_books(
    researcher: Researcher, simulator: Steering, priced: Decimal, *, n_visits: int
) -> None:
    """What was asked for, what the platform took, and what our pages say, to the cent."""
    assert simulator.charged == priced
    assert simulator.on_hold == 0
    paid = simulator.ledger("reward")
    assert len({row["assignment_id"] for row in paid}) == len(paid) == n_visits
    payments = researcher.download("platforms/ledger/payments.tsv")
    assert len(payments) == n_visits
    assert researcher.installation.query(
        "select state, verified_at is not null, doubt, remote_state, count(*)"
        " from annotation_visit group by 1, 2, 3, 4"
    ) == [("ended", 1, "", "approved", n_visits)]


def check_scores(
    installation: Installation, crowd: Crowd, folder: Path, *, n_answers: int
) -> None:
    """Everything that was handed in is counted, and orders the items as the crowd did."""
    installation.manage("score", "giccs")
    output = folder / "giccs.zip"
    installation.manage("export", "giccs", "--output", str(output))
    with zipfile.ZipFile(output) as archive:
        items, judgments = (_table(archive, name) for name in ("items.tsv", "judgments.tsv"))
    assert [row["status"] for row in judgments] == ["counted"] * n_answers
    by_pool: dict[str, list[dict[str, str]]] = {}
    for row in items:
        by_pool.setdefault(row["pool"], []).append(row)
    for rows in by_pool.values():
        scores = [float(row["score"]) for row in rows]
        latent = [crowd.by_key[row["id"]] for row in rows]
        assert float(spearman(scores, latent)) == pytest.approx(1.0)


def _table(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    text = archive.read(name).decode()
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))
