"""`kill -9` at every point of every call that moves money: never a second payment."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.system.servers import Installation

START = datetime(2030, 1, 1, tzinfo=UTC)
POINTS = (
    "between intent and call",
    "before the call",
    "after the call",
    "before the record",
    "between record and state",
)
FAULTS = ("drops before", "commits then drops", "hangs", "duplicates")
CASES = [(point, "none") for point in POINTS] + [("before the record", one) for one in FAULTS]

# Plans an intent for each case of each kind; a worker of its own, a child of this process, sends
# it and is killed on the way.
WORK = """
import json, os, signal
from decimal import Decimal
from django.db import connections
from annotation.models import Intent, Visit
from annotation.crowds.services import decisions, outbox, publishing
from tests.support import remote_side
from tests.support.factories import make_user

remote, by = remote_side.install_from_environment(), make_user()
listing = remote_side.make_listing()

def plan(kind, n):
    if kind == "publish":
        another = remote_side.make_listing(study=listing.study)
        publishing.publish(listing=another, typed=Decimal("7.20"), by=by)
        return another.intents.get()
    visit = remote_side.make_visit(listing, f"S{{n}}")
    if kind == "approve":
        return decisions.approve(visit=visit, by=by)
    return decisions.bonus(
        visit=visit, amount=Decimal("1.00"), reason_code="r", message="m", by=by
    )

def work(pk, point, fault):
    def kill_at(reached):
        if reached == point:
            os.kill(os.getpid(), signal.SIGKILL)
    remote_side.installed().at = staticmethod(kill_at)
    remote.faults = [fault]
    if point == "before the record":
        outbox.record_call = lambda *a, **k: kill_at(point)
    if point == "between record and state":
        outbox.confirm = lambda *a, **k: kill_at(point)
    if point == "between intent and call":
        take = outbox.take
        outbox.take = lambda *a: take(*a) and kill_at(point)
    outbox.send(pk)

told = []
for n, (kind, point, fault) in enumerate({cases!r}):
    intent = plan(kind, n)
    connections.close_all()
    child = os.fork()
    if not child:
        try:
            work(intent.pk, point, fault)
        finally:
            os._exit(0)
    _pid, status = os.waitpid(child, 0)
    intent.refresh_from_db()
    told.append(
        [intent.token, intent.state, os.WIFSIGNALED(status) and os.WTERMSIG(status)]
    )
print(json.dumps(told))
"""
# Another process, later: it sweeps for half a day.
SETTLE = """
import json, os
from datetime import datetime, timedelta
from pathlib import Path
from annotation.models import Intent
from annotation.crowds.services import outbox
from tests.support import remote_side

remote_side.install_from_environment()
path = Path(os.environ["TIME_FILE"])
for _ in range(12):
    path.write_text((datetime.fromisoformat(path.read_text()) + timedelta(hours=1)).isoformat())
    outbox.send_due()
print(json.dumps({one.token: [one.state, one.attempts] for one in Intent.objects.all()}))
"""


def _run(installation: Installation, code: str, time: datetime) -> Any:
    (installation.data / "time").write_text(time.isoformat())
    printed = installation.python(code)
    installation.end()  # the next one is another process
    return json.loads(printed.splitlines()[-1])


def _ledger(installation: Installation) -> list[str]:
    path = installation.data / "ledger"
    return [json.loads(line)["token"] for line in path.read_text().splitlines()]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("again", "hours", "kinds"),
    [
        ("if young", 0, ("publish", "approve", "bonus")),
        # To approve twice is harmless, whatever a platform knows of tokens.
        ("never", 0, ("publish", "bonus")),
        ("if young", 24, ("publish", "bonus")),
    ],
)
def test_a_killed_worker_pays_nobody_twice(
    migrated: Path, tmp_path: Path, again: str, hours: int, kinds: tuple[str, ...]
) -> None:
    installation = Installation(tmp_path / "data")
    shutil.copy(migrated, installation.data)
    installation.extra |= {
        "DJANGO_SETTINGS_MODULE": "tests.system.moved_clock",
        "TIME_FILE": str(installation.data / "time"),
        "LEDGER_FILE": str(installation.data / "ledger"),
        "LEDGER_AGAIN": again,
    }
    cases = [(kind, *case) for kind in kinds for case in CASES]

    told = _run(installation, WORK.format(cases=cases), START)
    done_before = _ledger(installation)
    settled = _run(installation, SETTLE, START + timedelta(hours=hours))

    ledger = _ledger(installation)
    for (token, state, signal), case in zip(told, cases, strict=True):
        # Approving twice is harmless; a bonus or a HIT is asked for again by its token, while that
        # is known, or by nobody.
        may_repeat = not hours and (again == "if young" or case[0] == "approve")
        assert (state, signal) == ("sending", 9), case
        n_before = done_before.count(token)
        if n_before or may_repeat:
            assert settled[token] == ["confirmed", 1 if n_before else 2], case
            assert ledger.count(token) == 1, case
        else:
            assert settled[token] == ["needs_person", 1], case
            assert ledger.count(token) == 0, case
    assert len(done_before) == 6 * len(kinds)
