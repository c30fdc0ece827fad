"""A simulated Prolific: HTTP servers on this machine that share nothing with the application."""

from tests.simulators.prolific.bot import ParticipantBot, PlaceRefusedError
from tests.simulators.prolific.simulator import ProlificSimulator

__all__ = ["ParticipantBot", "PlaceRefusedError", "ProlificSimulator"]
