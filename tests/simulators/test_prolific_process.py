"""The simulated Prolific as a process, its control interface, its file and its pages."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from tests.simulators.prolific import ProlificSimulator
from tests.simulators.prolific.bot import ParticipantBot
from tests.simulators.prolific.researcher import Researcher

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "prolific"


@pytest.fixture
def sim() -> Iterator[ProlificSimulator]:
    with ProlificSimulator() as simulator:
        yield simulator


@pytest.fixture
def me(sim: ProlificSimulator) -> Researcher:
    return Researcher(sim)


def asked(url: str, body: Any = None, method: str = "") -> Any:
    verb = method or ("GET" if body is None else "POST")
    answer = requests.request(verb, url, json=body, timeout=10)
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


def test_a_process_says_where_it_is_and_its_file_outlives_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.simulators.prolific"]
    command += ["--state", str(tmp_path / "state.json")]

    seen = []
    for _ in range(2):
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as process:
            assert process.stdin
            assert process.stdout
            where = json.loads(process.stdout.readline())
            asked(f"{where['control']}/clock", {"advance_s": 3600})
            with ParticipantBot(where["site"], f"p{len(seen)}"):
                people = asked(f"{where['control']}/participants")["results"]
            seen.append((asked(f"{where['control']}/clock")["at"], len(people)))
            process.stdin.close()
            assert process.wait(20) == 0

    (first, one), (second, two) = seen
    assert second - first == 3600
    assert (one, two) == (1, 2)


def test_the_control_interface_moves_the_clock_and_keeps_the_books(
    sim: ProlificSimulator, me: Researcher
) -> None:
    control = sim.control
    before = asked(f"{control}/clock")["at"]

    asked(f"{control}/clock", {"advance_s": 90})
    asked(f"{control}/wallet", {"set": 5000})
    asked(f"{control}/config", {"platform_fee": "0.428"})
    asked(f"{control}/faults", {"kind": "throttle", "match": {"path": "/users/me/"}})
    throttled = me.call("GET", "/users/me/")

    assert asked(f"{control}/clock")["at"] == before + 90
    assert throttled.status_code == 429
    assert me.get("/users/me/")["available_balance"] == 5000
    assert [line["kind"] for line in asked(f"{control}/ledger")["results"]] == ["top_up"]
    journal = asked(f"{control}/journal?path=/users/me/")["results"]
    assert [line["fault"] for line in journal] == ["throttle", None]
    assert asked(f"{control}/health")["ok"] is True
    asked(f"{control}/faults", method="DELETE")
    asked(f"{control}/reset", {})
    assert me.get("/users/me/")["available_balance"] == 1_000_000
    assert requests.post(f"{control}/config", json={"color": 1}, timeout=10).status_code == 400


def test_a_clock_set_to_a_moment_brings_everything_about_at_its_own_time(
    sim: ProlificSimulator, me: Researcher
) -> None:
    bot = sim.bot("p1")
    submission, _ = bot.take(me.published(total_available_places=1))
    bot.type_code(submission, "DONE1234")
    began = asked(f"{sim.control}/clock")["at"]

    asked(f"{sim.control}/clock", {"set": began + 100 * 86400})

    history = sim.submission(submission)["history"]
    (line,) = sim.ledger("reward")
    sim.set_clock(sim.now)
    assert history[-1][1] == "APPROVED"
    assert line["at"] == history[-1][0]
    days = requests.get(f"{sim.control}/clock", timeout=10).json()["at"] - began
    assert days == 100 * 86400
    assert history[-1][0] < asked(f"{sim.control}/clock")["iso"]


def test_a_running_clock_goes_on_from_where_it_was(
    sim: ProlificSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SimpleNamespace(time=lambda: 1000.0)
    monkeypatch.setattr("tests.simulators.prolific.world.time", real)
    sim.advance(days=1)
    still = sim.now

    sim.run_clock()
    real.time = lambda: 1060.0
    later = sim.now
    sim.advance(hours=1)
    sim.run_clock(running=False)
    real.time = lambda: 5000.0

    assert later - still == timedelta(minutes=1)
    assert sim.now - still == timedelta(hours=1, minutes=1)


def test_a_snapshot_brings_back_studies_money_and_journal(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published()
    taken = json.loads(json.dumps(asked(f"{sim.control}/snapshot", {})))
    me.act(study, "STOP")
    sim.advance(days=1)

    asked(f"{sim.control}/restore", taken)

    assert me.status(study) == "ACTIVE"
    assert len(sim.journal("/transition/")) == 1
    assert sim.world.state["ledger"] == taken["state"]["ledger"]


def test_a_person_takes_part_in_a_browser(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published(name="Dialogues <b>")
    with requests.Session() as person:
        listed = person.get(f"{sim.site}/login?as=ada", timeout=10)
        page = person.post(f"{sim.site}/studies/{study}/reserve", timeout=10)
        opened = person.post(f"{page.url}/start", allow_redirects=False, timeout=10)
        active = person.get(page.url, timeout=10)
        done = person.post(f"{page.url}/code", data={"code": "DONE1234"}, timeout=10)
        again = person.get(f"{sim.complete_url}?cc=DONE1234", timeout=10)

    assert "Dialogues &lt;b&gt;" in listed.text
    # Whoever gives a name has an id like the platform's own.
    way_in = r"http://127\.0\.0\.1:9/in\?PROLIFIC_PID=[0-9a-f]{24}&"
    assert re.match(way_in, opened.headers["Location"])
    assert "Completion code" in active.text
    assert "AWAITING REVIEW" in done.text
    assert again.status_code == 200
    assert me.status(study) == "ACTIVE"
    (row,) = me.get(f"/studies/{study}/submissions/")["results"]
    assert row["study_code"] == "DONE1234"


def test_a_stranger_is_asked_to_log_in(sim: ProlificSimulator) -> None:
    answer = requests.get(f"{sim.complete_url}?cc=X", timeout=10)

    assert answer.status_code == 401
    assert "Log in first" in answer.text


def test_nothing_here_imports_the_application() -> None:
    files = list(FOLDER.glob("*.py"))

    banned = ("annotation", "config", "tuples", "scoring", "django", "celery")
    found = [
        (file.name, line)
        for file in files
        for line in file.read_text().splitlines()
        if line.strip().startswith(("import ", "from "))
        and line.split()[1].split(".")[0] in banned
    ]
    assert len(files) > 10
    assert found == []


def test_the_ids_are_the_same_for_the_same_seed() -> None:
    keys = []
    for _ in range(2):
        with ProlificSimulator(seed="ab12") as sim:
            keys.append(Researcher(sim).study())

    assert keys[0] == keys[1]
    assert len(keys[0]) == 24
