"""Fixtures of the platforms' tests."""

from tests.crowds.platforms.prolific_lab import lab

__all__ = ["lab"]
