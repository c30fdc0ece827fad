"""The simulator as a process: `python -m tests.simulators.connect --port 8100`."""

from tests.simulators.connect.simulator import ConnectSimulator
from tests.simulators.prolific.__main__ import run

if __name__ == "__main__":
    run("connect", ConnectSimulator)
