"""Fixtures of the platforms' tests."""

from tests.platforms.prolific_lab import lab

__all__ = ["lab"]
