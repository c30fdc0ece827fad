"""`make crowd`: Likeness beside simulated platforms, to be requester and worker on one machine.

    python -m tests.simulators [--port 8000]

The simulators take the six ports after that one. Everything runs on loopback and ends with
Ctrl-C. The data stay in var/crowd; money is simulated.
"""

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import requests

from tests.simulators.mturk import RunningSimulator
from tests.simulators.mturk.protocol import Credentials

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "var" / "crowd"
# Another host name than the platforms' sites, so that a browser takes it for another site.
APPLICATION_HOST = "app.localhost"
NAME = "simulator"
# They may take what a listing asks for unless told otherwise: many approved HITs, and Germany.
WORKERS = [f"AWORKER{n}" for n in range(1, 10)]
PARTICIPANTS = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Greta", "Hugo", "Ida"]
# Real platforms are asked every few minutes, and take minutes to pay a bonus.
SECONDS = 5
_PATIENCE = 30  # seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulators",
        description="Likeness beside simulated platforms.",
    )
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000))
    port = parser.parse_args().port
    DATA.mkdir(parents=True, exist_ok=True)
    # Drawn anew each time: nobody else on this machine speaks to the simulator by accident.
    keys = Credentials("AKIA" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30))
    with ExitStack() as stack:
        turk = stack.enter_context(
            _simulator(
                "mturk",
                *("--port", str(port + 1), "--worker-port", str(port + 2), "--follow-real-time"),
                SIMULATED_ACCESS_KEY=keys.access_key,
                SIMULATED_SECRET_KEY=keys.secret_key,
            )
        )
        prolific = stack.enter_context(
            _simulator(
                "prolific", "--port", str(port + 3), "--site-port", str(port + 4), "--running"
            )
        )
        connect = stack.enter_context(
            _simulator(
                "connect", "--port", str(port + 5), "--site-port", str(port + 6), "--running"
            )
        )
        simulator = RunningSimulator(turk["endpoint"], turk["worker_site"], keys)
        for worker in WORKERS:
            simulator.add_worker(worker, approved=500, percent=99, country="DE")
        for name in PARTICIPANTS:
            _tell(prolific["control"], "participants", {"name": name})
        haste = {"pay_delay_s": SECONDS, "bonus_lag_s": SECONDS}
        _tell(prolific["control"], "config", haste)
        public = f"http://{APPLICATION_HOST}:{port}"
        sys.stdout.write(
            f"Requester:                {public}/admin/\n"
            f"Workers of MTurk:         {turk['worker_site']}/worker/login\n"
            f"Participants of Prolific: {prolific['site']}/\n"
            f"Participants of Connect:  {connect['site']}/\n"
            f"Prolific's workspace:     {prolific['workspace']}\n"
            f"To begin anew, end it and delete {DATA.relative_to(ROOT)}.\n\n"
        )
        sys.stdout.flush()
        return _serve(
            port,
            {
                "LIKENESS_DATA": str(DATA),
                "LIKENESS_PUBLIC_URL": public,
                "LIKENESS_POLL_SECONDS": str(SECONDS),
                # Simulated participants do not read.
                "SCREEN_SECONDS": "0",
                "ALLOWED_HOSTS": f"localhost,127.0.0.1,{APPLICATION_HOST}",
                "LIKENESS_MTURK_ENDPOINTS": f"{NAME}={turk['endpoint']} {turk['worker_site']}",
                f"MTURK_ACCESS_KEY_ID_{NAME.upper()}": keys.access_key,
                f"MTURK_SECRET_ACCESS_KEY_{NAME.upper()}": keys.secret_key,
                "LIKENESS_PROLIFIC_ENDPOINTS": f"{NAME}={prolific['api']} {prolific['site']}",
                f"PROLIFIC_TOKEN_{NAME.upper()}": prolific["token"],
                "LIKENESS_CONNECT_ENDPOINTS": f"{NAME}={connect['api']}",
                f"CONNECT_API_KEY_{NAME.upper()}": connect["token"],
            },
        )


def _serve(port: int, environment: dict[str, str]) -> int:
    """Likeness with its worker, until somebody ends it."""
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}) as likeness:

        def stop(number: int, frame: FrameType | None) -> None:
            likeness.terminate()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        return likeness.wait()


def _tell(control: str, what: str, values: dict[str, Any]) -> None:
    with requests.post(f"{control}/{what}", json=values, timeout=_PATIENCE) as answer:
        answer.raise_for_status()


@contextmanager
def _simulator(name: str, *arguments: str, **environment: str) -> Iterator[dict[str, Any]]:
    """A simulator with the memory of last time; what it says of its addresses."""
    command: Sequence[str] = [
        *(sys.executable, "-m", f"tests.simulators.{name}"),
        *("--state", str(DATA / f"{name}.json"), *arguments),
    ]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Ctrl-C is for us: a simulator ends when we close its input, with its memory written.
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise SystemExit(f"The simulator of {name} did not start; its reason stands above.")
        try:
            yield json.loads(line)
        finally:
            process.stdin.close()
            process.wait(timeout=_PATIENCE)


if __name__ == "__main__":
    raise SystemExit(main())
