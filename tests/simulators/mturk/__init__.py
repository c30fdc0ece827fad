"""A simulator of Amazon Mechanical Turk: its requester API, and a site for its workers."""

from tests.simulators.mturk.simulator import (
    ControlError,
    MturkSimulator,
    RunningSimulator,
    Steering,
    simulator_process,
)

__all__ = [
    "ControlError",
    "MturkSimulator",
    "RunningSimulator",
    "Steering",
    "simulator_process",
]
