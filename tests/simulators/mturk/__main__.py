"""`python -m tests.simulators.mturk --port P --worker-port Q`: runs until stdin closes."""

import argparse
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

from tests.simulators.mturk import snapshots
from tests.simulators.mturk.protocol import Credentials
from tests.simulators.mturk.service import ACCESS_KEY, SECRET_KEY
from tests.simulators.mturk.simulator import WORKER_HOST, MturkSimulator


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.simulators.mturk", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port of the requester API")
    parser.add_argument("--worker-port", type=int, default=0, help="port of the workers' site")
    parser.add_argument("--worker-host", default=WORKER_HOST, help="host name of that site")
    parser.add_argument("--mode", choices=["production", "sandbox"], default="production")
    parser.add_argument("--seed", type=int, default=0, help="other seeds give other ids")
    parser.add_argument("--state", type=Path, help="file to begin with, and to leave behind")
    parser.add_argument(
        "--follow-real-time", action="store_true", help="let the simulated clock run"
    )
    options = parser.parse_args()

    simulator = MturkSimulator(
        port=options.port,
        worker_port=options.worker_port,
        worker_host=options.worker_host,
        mode=options.mode,
        seed=options.seed,
        follows_real_time=options.follow_real_time,
        credentials=Credentials(
            os.environ.get("SIMULATED_ACCESS_KEY", ACCESS_KEY),
            os.environ.get("SIMULATED_SECRET_KEY", SECRET_KEY),
        ),
    )
    if options.state and options.state.exists():
        simulator.service.world = snapshots.load(options.state.read_text(encoding="utf-8"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with simulator, contextlib.suppress(KeyboardInterrupt):
        ready = {"endpoint": simulator.endpoint, "worker_site": simulator.worker_site}
        sys.stdout.write(json.dumps(ready) + "\n")
        sys.stdout.flush()
        # Whoever started this closes our standard input, or dies, which closes it too.
        sys.stdin.read()
    if options.state:
        options.state.write_text(snapshots.dump(simulator.service.world), encoding="utf-8")


main()
