"""The simulator as a process: `python -m tests.simulators.prolific --port 8100`.

One line of JSON says where everything is; the process ends when its standard input does.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from tests.simulators.prolific.running import RunningPlatform
from tests.simulators.prolific.simulator import ProlificSimulator


def run(name: str, simulate: Callable[..., RunningPlatform]) -> None:
    """Serve a simulator until nothing more can come from standard input."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.simulators.{name}")
    parser.add_argument("--port", type=int, default=0, help="of the researcher's interface")
    parser.add_argument("--site-port", type=int, default=0, help="of the participants' site")
    parser.add_argument("--state", type=Path, help="file that outlives the process")
    parser.add_argument("--seed", help="makes the ids the same each time")
    parser.add_argument("--running", action="store_true", help="let the clock run")
    options = parser.parse_args()
    simulator = simulate(
        port=options.port, site_port=options.site_port, state=options.state, seed=options.seed
    )
    if options.running:
        simulator.run_clock()
    with simulator:
        sys.stdout.write(json.dumps(simulator.addresses()) + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    run("prolific", ProlificSimulator)
