"""Fixtures of the platforms' tests."""

from tests.crowds.platforms.prolific_lab import lab
from tests.crowds.platforms.prolific_spending import study

__all__ = ["lab", "study"]
