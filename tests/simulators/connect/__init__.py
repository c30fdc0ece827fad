"""A simulated CloudResearch Connect, which shares nothing with the application.

What it does is what the public bindings say, https://github.com/tlo9/cloudresearch-connect-api,
and where they are silent what seems likely: see docs/platforms.md.
"""

from tests.simulators.connect.simulator import ConnectSimulator

__all__ = ["ConnectSimulator"]
